//! Replays a cassette, without calls and waiting, and reports the first different line.

use crate::capabilities::Capabilities;
use crate::cassette::{
    Cassette, CassetteError, Redactor, call_line, matches_redacted, text_field, timer_name,
};
use crate::collect::CollectVec;
use crate::diagnostic::{Diagnostic, shorten_name};
use crate::driver::Report;
use crate::failure::Failure;
use crate::graph::{Limits, PlanGraph};
use crate::interner::NameTable;
use crate::machine::{
    self, Answer, Call, CallId, Command, Decision, Event, Options, Program, Run, Step, TraceEvent,
};
use crate::model::ChatReply;
use crate::stub::Stubs;
use crate::tool::{ToolInfo, ToolRegistry};
use crate::value::canonical_text;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;

type Shared = Arc<Json>;

/// Replays a run. `context` are the host's trusted values, which cassettes lack.
///
/// # Errors
/// `run/plan-changed` for another plan, `run/invalid-plan` if the recorded host can't run it, `replay/diverged` at the
/// first different call, `replay/incomplete` if the cassette ends early.
pub fn replay(
    graph: &PlanGraph,
    cassette: &Cassette,
    context: Option<Shared>,
) -> Result<Report<Shared>, CassetteError> {
    let changed = cassette.plan.differences(&graph.fingerprint());
    if !changed.is_empty() {
        let message = format!("the plan has changed since the cassette was recorded: {}", changed.join(", "));
        return Err(CassetteError::new("run/plan-changed", message));
    }
    let capabilities = capabilities(cassette.head.get("host").unwrap_or(&Json::Null));
    let bound = machine::bind::<Shared>(graph, &capabilities, &());
    let (program, diagnostics) = bound.map_err(|problems| {
        let first = problems.iter().find(|diagnostic| diagnostic.is_error());
        CassetteError::new(
            "run/invalid-plan",
            first.map_or_else(String::new, |diagnostic| diagnostic.message.clone()),
        )
    })?;
    let mut player = Player::new(Arc::new(program), cassette, context, diagnostics)?;
    while player.next()? {}
    Ok(player.report())
}

fn capabilities(host: &Json) -> Capabilities {
    let names = |key: &str| {
        let list = host.get(key)?.as_array()?;
        Some(list.iter().filter_map(Json::as_str).map(str::to_owned).collect())
    };
    let tools = host.get("tools").and_then(Json::as_array);
    let servers: NameTable = names("servers").unwrap_or_default();
    let mut capabilities = Capabilities {
        types: names("types"),
        ids: names("ids").unwrap_or_default(),
        tools: tools.map(|tools| {
            ToolRegistry::with_servers(tools.iter().filter_map(ToolInfo::from_json), servers.items())
        }),
        models: names("models"),
        allowed: names("allowed").unwrap_or_default(),
        ..Capabilities::default()
    };
    if let Some(stubs) = host.get("stubs") {
        capabilities.add_stubs(&Stubs::from_json_lenient(stubs));
    }
    capabilities
}

fn recorded_options(head: &Json, own: Limits, context: Option<Shared>) -> Options<Shared> {
    let shared = |key: &str| head.get(key).filter(|value| !value.is_null()).cloned().map(Arc::new);
    let outputs = head.get("outputs").and_then(Json::as_object).into_iter().flatten();
    let outputs = outputs.filter(|(name, _)| *name != "input" && *name != "memory");
    let amount = |name: &str| head.get("limits")?.get(name)?.as_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, which is what is wanted"
    )]
    let count = |name: &str| amount(name).map(|number| number as u32);
    let limits = Limits {
        visits: count("visits").unwrap_or(own.visits),
        steps: count("steps").or(own.steps),
        calls: count("calls").or(own.calls),
        timeout_ms: amount("timeout_ms").or(own.timeout_ms),
        tokens: amount("tokens").or(own.tokens),
        usd: amount("usd").or(own.usd),
        input_price: amount("input_price"),
        output_price: amount("output_price"),
        max_output: amount("max_output"),
        output_bytes: amount("output_bytes").or(own.output_bytes),
    };
    Options {
        outputs: outputs.map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect(),
        memory: head.get("memory").cloned().map(Arc::new),
        context,
        limits: Some(limits),
        epoch_ms: head.get("epochMs").and_then(Json::as_f64),
        ..Options::new(shared("input").unwrap_or_default())
    }
}

struct Player<'a> {
    run: Run<Shared>,
    lines: std::iter::Peekable<std::slice::Iter<'a, Json>>,
    open: HashMap<String, (CallId, Option<Call<Shared>>)>,
    names: HashMap<CallId, String>,
    order: Vec<String>,
    trace: Vec<TraceEvent<Shared>>,
    paused: Vec<Call<Shared>>,
    diagnostics: Vec<Diagnostic>,
    redactor: Redactor,
}

impl<'a> Player<'a> {
    fn new(
        program: Arc<Program<Shared>>,
        cassette: &'a Cassette,
        context: Option<Shared>,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<Self, CassetteError> {
        let head = &cassette.head;
        let redactor = Redactor::new(context.as_deref());
        let options = recorded_options(head, program.limits, context);
        let run = match head.get("snapshot").filter(|snapshot| !snapshot.is_null()) {
            None => Run::new(program, (), options),
            Some(snapshot) => {
                let values = snapshot.get("values").and_then(Json::as_array).into_iter().flatten();
                let values = values.cloned().map(Arc::new).collect();
                let state = snapshot.get("state").unwrap_or(&Json::Null);
                Run::restore(&program, (), options, state, values)
                    .map_err(|error| CassetteError::new("replay/unusable", error.to_string()))?
            }
        };
        Ok(Self {
            run,
            lines: cassette.lines.iter().peekable(),
            open: HashMap::new(),
            names: HashMap::new(),
            order: Vec::new(),
            trace: Vec::new(),
            paused: Vec::new(),
            diagnostics,
            redactor,
        })
    }

    fn report(self) -> Report<Shared> {
        Report { run: self.run, trace: self.trace, diagnostics: self.diagnostics, paused: self.paused }
    }

    /// Returns whether there may be more.
    fn next(&mut self) -> Result<bool, CassetteError> {
        let Some(line) = self.lines.next() else { return Err(self.cut_off()) };
        match text_field(line, "type") {
            "asked" => Err(diverged(format!(
                "the recording asks for `{}`, which the plan does not ask for now",
                text_field(line, "call")
            ))),
            "end" => self.end_early(text_field(line, "outcome")).map(|()| false),
            _ => self.step(line),
        }
    }

    fn step(&mut self, line: &Json) -> Result<bool, CassetteError> {
        let event = self.event(line)?;
        let Step { commands, trace, .. } =
            self.run.step(event).map_err(|error| diverged(error.to_string()))?;
        self.trace.extend(trace);
        for command in commands {
            match command {
                Command::Call(call) => self.expect_call(call)?,
                Command::SetTimer { timer, purpose, .. } => {
                    self.add_open(timer, timer_name(&self.run, timer, purpose), None);
                }
                Command::Abandon(id) | Command::ClearTimer(id) => self.remove_open(id),
                Command::Continue | Command::Finish(_) => {}
            }
        }
        if self.run.outcome().is_none() {
            return Ok(true);
        }
        match self.lines.next() {
            Some(line) if text_field(line, "type") != "end" => {
                Err(diverged("the run is over where the recording goes on"))
            }
            _ => Ok(false),
        }
    }

    fn expect_call(&mut self, call: Call<Shared>) -> Result<(), CassetteError> {
        let now = call_line(self.run.program(), &call);
        let name = text_field(&now, "call").to_owned();
        let Some(then) = self.lines.peek().copied() else { return Err(incomplete(&name)) };
        if text_field(then, "type") != "asked" || text_field(then, "call") != name {
            return Err(diverged(format!(
                "the plan asks for `{name}`, where the recording continues differently"
            )));
        }
        let plain = self.redactor.redact_line(&now);
        for key in ["kind", "tool", "arguments", "request", "input"] {
            let (was, is) = (then.get(key), plain.get(key));
            let same =
                was.zip(is).map_or(was.is_none() && is.is_none(), |(was, is)| matches_redacted(was, is));
            if !same {
                let shown = |value: Option<&Json>| {
                    value.map_or_else(|| "nothing".to_owned(), |value| shorten_name(&canonical_text(value)))
                };
                let message =
                    format!("`{name}` differs at `{key}`: recorded {}, now {}", shown(was), shown(is));
                return Err(diverged(message));
            }
        }
        self.lines.next();
        self.add_open(call.id, name, Some(call));
        Ok(())
    }

    fn add_open(&mut self, id: CallId, name: String, call: Option<Call<Shared>>) {
        self.names.insert(id, name.clone());
        self.order.push(name.clone());
        self.open.insert(name, (id, call));
    }

    fn remove_open(&mut self, id: CallId) {
        if let Some(name) = self.names.remove(&id) {
            self.open.remove(&name);
            self.order.retain(|known| *known != name);
        }
    }

    fn take_open(&mut self, name: &str) -> Result<CallId, CassetteError> {
        let id = self.open.get(name).map(|(id, _)| *id);
        let id = id.ok_or_else(|| {
            diverged(format!(
                "the recording contains `{name}`, which the run does not wait for at this point"
            ))
        })?;
        self.remove_open(id);
        Ok(id)
    }

    fn event(&mut self, line: &Json) -> Result<Event<Shared>, CassetteError> {
        let at_ms = line.get("atMs").and_then(Json::as_f64).unwrap_or_default();
        let result = match text_field(line, "type") {
            "start" => return Ok(Event::Start { at_ms }),
            "resume" => return Ok(Event::Resume { at_ms }),
            "continue" => return Ok(Event::Continue { at_ms }),
            "cancel" => return Ok(Event::Cancel { at_ms }),
            "fired" => {
                return Ok(Event::TimerFired { timer: self.take_open(text_field(line, "timer"))?, at_ms });
            }
            "failed" => Err(Failure::new(text_field(line, "code"), text_field(line, "message"))),
            "replied" => ChatReply::from_json(line.get("reply").unwrap_or(&Json::Null))
                .map(Answer::Reply)
                .ok_or_else(|| {
                    Failure::new("model/bad-reply", "the model client returned no reply of the agreed shape")
                }),
            "decided" => Ok(Answer::Decided(decision(line.get("decision").unwrap_or(&Json::Null)))),
            _ => {
                let shared = |value: &Json| Arc::new(value.clone());
                let writes = line.get("writes").and_then(Json::as_object).into_iter().flatten();
                let writes = writes.map(|(name, value)| (name.clone(), shared(value))).collect();
                Ok(Answer::Value(line.get("output").map(shared).unwrap_or_default(), writes))
            }
        };
        Ok(Event::CallDone { call: self.take_open(text_field(line, "call"))?, result, at_ms })
    }

    fn end_early(&mut self, outcome: &str) -> Result<(), CassetteError> {
        if outcome != "paused" {
            return Err(diverged(format!("the recording ends as {outcome} where the run goes on")));
        }
        let waiting = self.order.iter().filter_map(|name| self.open.get(name)?.1.clone());
        self.paused = waiting.filter(|call| matches!(call.request, machine::Request::Approval)).collect_vec();
        Ok(())
    }

    fn cut_off(&self) -> CassetteError {
        let is_call = |name: &&String| self.open.get(*name).is_some_and(|(_, call)| call.is_some());
        match self.order.iter().find(is_call).or_else(|| self.order.first()) {
            Some(name) => incomplete(name),
            None => CassetteError::new("replay/incomplete", "the cassette ends before the run begins"),
        }
    }
}

fn decision(json: &Json) -> Decision<Shared> {
    match json.as_str() {
        Some("approved") => Decision::Approved,
        Some(_) => Decision::Rejected,
        None => Decision::Edited(Arc::new(json.get("value").cloned().unwrap_or_default())),
    }
}

fn diverged(message: impl Into<String>) -> CassetteError {
    CassetteError::new("replay/diverged", message)
}

fn incomplete(name: &str) -> CassetteError {
    CassetteError::new("replay/incomplete", format!("the cassette ends before `{name}` was answered"))
}
