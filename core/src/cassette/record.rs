//! Writes a run's cassette.

use super::redact::Redactor;
use super::{FORMAT, call_line, to_json};
use crate::capabilities::Capabilities;
use crate::graph::PlanGraph;
use crate::interner::NameTable;
use crate::machine::{Answer, Call, CallId, Command, Decision, Event, Options, Run, TimerPurpose};
use crate::tool::{ToolInfo, ToolRegistry};
use crate::value::Value;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::fmt;

/// Cassette writer.
pub struct Recorder {
    write: Box<dyn FnMut(&str)>,
    names: HashMap<CallId, String>,
    redactor: Redactor,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("names", &self.names).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Starts a cassette. `write` receives lines without line ends.
    pub fn new<V: Value>(
        graph: &PlanGraph,
        capabilities: &Capabilities,
        options: &Options<V>,
        write: impl FnMut(&str) + 'static,
    ) -> Self {
        let redactor = Redactor::new(options.context.as_ref().map(to_json).as_ref());
        let mut recorder = Self { write: Box::new(write), names: HashMap::new(), redactor };
        let mut given = json!({
            "input": to_json(&options.input),
            "outputs": options.outputs.iter().map(|(name, value)| (name.clone(), to_json(value))).collect::<Map<_, _>>(),
        });
        if let (Some(given), Some(memory)) = (given.as_object_mut(), &options.memory) {
            given.insert("memory".to_owned(), to_json(memory));
        }
        if let (Some(given), Some(epoch_ms)) = (given.as_object_mut(), options.epoch_ms) {
            given.insert("epochMs".to_owned(), epoch_ms.into());
        }
        let mut head = json!({
            "type": "cassette", "format": FORMAT, "plan": graph.fingerprint().to_json(), "host": host_json(capabilities),
        });
        if let (Some(head), Json::Object(given)) =
            (head.as_object_mut(), recorder.redactor.redact_line(&given))
        {
            head.extend(given);
            if let Some(limits) = &options.limits {
                let amounts = json!({
                    "visits": limits.visits, "steps": limits.steps, "calls": limits.calls,
                    "timeout_ms": limits.timeout_ms, "tokens": limits.tokens, "usd": limits.usd,
                    "input_price": limits.input_price, "output_price": limits.output_price,
                    "max_output": limits.max_output, "output_bytes": limits.output_bytes,
                });
                let given = amounts.as_object().into_iter().flatten().filter(|(_, amount)| !amount.is_null());
                let given = given.map(|(name, amount)| (name.clone(), amount.clone()));
                head.insert("limits".to_owned(), Json::Object(given.collect()));
            }
        }
        (recorder.write)(&head.to_string());
        recorder
    }

    /// The event's line with its secrets, which [`Recorder::write_event`] removes. Call it before the machine takes the
    /// event.
    pub fn event_line<V: Value>(&self, event: &Event<V>) -> Json {
        let name = |id: &CallId| self.names.get(id).map(String::as_str).unwrap_or_default();
        match event {
            Event::Start { at_ms } => json!({"type": "start", "atMs": at_ms}),
            Event::Resume { at_ms } => json!({"type": "resume", "atMs": at_ms}),
            Event::Continue { at_ms } => json!({"type": "continue", "atMs": at_ms}),
            Event::Cancel { at_ms } => json!({"type": "cancel", "atMs": at_ms}),
            Event::TimerFired { timer, at_ms } => {
                json!({"type": "fired", "timer": name(timer), "atMs": at_ms})
            }
            Event::CallDone { call, result: Err(failure), at_ms } => json!({
                "type": "failed", "call": name(call), "code": failure.code, "message": failure.message, "atMs": at_ms,
            }),
            Event::CallDone { call, result: Ok(answer), at_ms } => {
                let mut line = answer_json(answer);
                if let Some(line) = line.as_object_mut() {
                    line.insert("call".to_owned(), name(call).into());
                    line.insert("atMs".to_owned(), (*at_ms).into());
                }
                line
            }
        }
    }

    /// Writes a taken event.
    pub fn write_event(&mut self, line: &Json) {
        self.write_line(line);
    }

    /// Writes a command of the last written step.
    pub fn write_command<V: Value>(&mut self, run: &Run<V>, command: &Command<V>) {
        match command {
            Command::Call(call) => self.write_call(run, call),
            Command::SetTimer { timer, purpose, .. } => {
                self.names.insert(*timer, timer_name(run, *timer, *purpose));
            }
            Command::Abandon(id) | Command::ClearTimer(id) => {
                self.names.remove(id);
            }
            Command::Continue | Command::Finish(_) => {}
        }
    }

    /// The outcome: `completed`, `failed`, `cancelled` or `paused`.
    pub fn write_end(&mut self, outcome: &str, at_ms: f64) {
        self.write_line(&json!({"type": "end", "outcome": outcome, "atMs": at_ms}));
    }

    fn write_call<V: Value>(&mut self, run: &Run<V>, call: &Call<V>) {
        let line = call_line(run.program(), call);
        self.names.insert(call.id, super::text_field(&line, "call").to_owned());
        self.write_line(&line);
    }

    fn write_line(&mut self, line: &Json) {
        let plain = self.redactor.redact_line(line);
        (self.write)(&plain.to_string());
    }
}

fn answer_json<V: Value>(answer: &Answer<V>) -> Json {
    match answer {
        Answer::Value(value, writes) => {
            let writes: Map<String, Json> =
                writes.iter().map(|(name, value)| (name.clone(), to_json(value))).collect();
            json!({"type": "done", "output": to_json(value), "writes": writes})
        }
        Answer::Reply(reply) => json!({"type": "replied", "reply": reply.to_json()}),
        Answer::Decided(Decision::Approved) => json!({"type": "decided", "decision": "approved"}),
        Answer::Decided(Decision::Rejected) => json!({"type": "decided", "decision": "rejected"}),
        Answer::Decided(Decision::Edited(value)) => {
            json!({"type": "decided", "decision": {"value": to_json(value)}})
        }
    }
}

fn host_json(capabilities: &Capabilities) -> Json {
    let list = |names: &NameTable| names.iter().map(Json::from).collect::<Json>();
    let is_stubbed = |tool: &ToolInfo| capabilities.stubs.tools.contains(&tool.name);
    let of_servers = |(_, tool): &(&str, &ToolInfo)| !is_stubbed(tool);
    let tools = |tools: &ToolRegistry| {
        tools.iter().filter(of_servers).map(|(_, tool)| tool.to_json()).collect::<Json>()
    };
    let mut host = json!({
        "types": capabilities.types.as_ref().map(list), "ids": list(&capabilities.ids),
        "tools": capabilities.tools.as_ref().map(tools), "models": capabilities.models.as_ref().map(list),
    });
    if let (Some(host), false) = (host.as_object_mut(), capabilities.allowed.items().is_empty()) {
        host.insert("allowed".to_owned(), list(&capabilities.allowed));
    }
    // Tools that only stubs answer need no approval.
    let stubbed = capabilities.tools.iter().flat_map(ToolRegistry::iter).filter(|(_, tool)| is_stubbed(tool));
    let stubbed: Map<String, Json> = stubbed.map(|(_, tool)| (tool.name.clone(), stub_json(tool))).collect();
    if let (Some(host), false) = (host.as_object_mut(), stubbed.is_empty()) {
        host.insert("stubs".to_owned(), json!({"tools": stubbed}));
    }
    let servers = capabilities.tools.as_ref().map(ToolRegistry::servers).unwrap_or_default();
    if let (Some(host), false) = (host.as_object_mut(), servers.is_empty()) {
        host.insert("servers".to_owned(), Json::from(servers));
    }
    host
}

fn stub_json(tool: &ToolInfo) -> Json {
    let mut stub = tool.to_json();
    if let Some(stub) = stub.as_object_mut() {
        stub.remove("name");
        stub.insert("return".to_owned(), Json::Null);
    }
    stub
}

/// The same on every replay.
pub(crate) fn timer_name<V: Value>(run: &Run<V>, timer: CallId, purpose: TimerPurpose) -> String {
    let (what, node, visit, attempt, index) = match purpose {
        TimerPurpose::Run => return "run".to_owned(),
        TimerPurpose::Attempt(node, visit, attempt) => ("timeout", node, visit, attempt, None),
        TimerPurpose::Backoff(node, visit, attempt) => ("retry", node, visit, attempt, None),
        TimerPurpose::Wait(node, visit, attempt) => ("wait", node, visit, attempt, None),
        TimerPurpose::Call(node, visit, attempt, index) => ("timeout", node, visit, attempt, Some(index)),
    };
    let part = index.map(|index| format!("/1/{index}")).unwrap_or_default();
    let id = run.program().nodes.get(node as usize).map_or("", |node| node.id.as_str());
    format!("{what}:{}{part}", crate::machine::call_name(run.scope_path_of(timer), id, visit, attempt))
}
