//! Runs cases with two of the three drivers: the machine stepped by hand, and the Rust driver.

use crate::case::{Case, Expect};
use serde_json::{Map, Value as Json, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Diagnostic, Severity};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::host::{Host, NoHost, State};
use stepgraph_core::machine::{self, Answer, Call, Command, Event, Failure, Options, Run};
use stepgraph_core::model::{ChatReply, ChatRequest};
use stepgraph_core::source::Format;
use stepgraph_core::stub::{self, StubAnswer, Stubs};
use stepgraph_core::{driver, trace_json};

type Shared = Arc<Json>;

/// A case's result.
#[derive(Debug, Default)]
pub struct CaseResult {
    /// Diagnostics before the run.
    pub diagnostics: Vec<Diagnostic>,
    /// Report fields, if the plan ran.
    pub state: Option<Json>,
    /// The trace.
    pub trace: Vec<Json>,
}

fn prepare(case: &Case) -> (Option<PlanGraph>, Vec<Diagnostic>, Stubs, Capabilities) {
    let format = if case.format.as_deref() == Some("json") { Format::Json } else { Format::Auto };
    let parsed = PlanGraph::parse(&case.text(), format);
    let stubs = case.stubs.as_ref().and_then(|json| Stubs::from_json(json).ok()).unwrap_or_default();
    let outputs = Some(case.outputs.keys().cloned().collect());
    let capabilities = Capabilities { outputs, ..Capabilities::of_stubs(&stubs) };
    (parsed.graph.filter(PlanGraph::is_sound), parsed.diagnostics, stubs, capabilities)
}

/// Start of each case, in milliseconds since 1970.
const EPOCH_MS: f64 = 1_600_000_000_000.0;

fn options(case: &Case) -> Options<Shared> {
    Options {
        outputs: case.outputs.iter().map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect(),
        memory: case.memory.clone().map(Arc::new),
        context: case.context.clone().map(Arc::new),
        epoch_ms: Some(EPOCH_MS),
        ..Options::new(Arc::new(case.input.clone()))
    }
}

/// Runs a case by stepping the machine.
pub fn by_machine(case: &Case) -> CaseResult {
    let (graph, mut diagnostics, mut stubs, capabilities) = prepare(case);
    let Some(graph) = graph else { return CaseResult { diagnostics, ..CaseResult::default() } };
    let (program, warnings) = match machine::bind::<Shared>(&graph, &capabilities, &()) {
        Ok(bound) => bound,
        Err(problems) => {
            diagnostics.extend(problems);
            return CaseResult { diagnostics, ..CaseResult::default() };
        }
    };
    diagnostics.extend(warnings);
    let mut run = Run::new(Arc::new(program), (), options(case));
    let mut happened = Vec::new();
    let mut agenda = Agenda::default();
    let mut event = Some(Event::Start { at_ms: 0.0 });
    while let Some(next) = event {
        // The machine rejects late answers.
        if let Ok(step) = run.step(next) {
            happened.extend(step.trace.iter().map(|event| trace_json::event_json(run.program(), event)));
            step.commands.into_iter().for_each(|command| agenda.add_command(&run, &mut stubs, command));
        }
        event = agenda.next();
    }
    CaseResult { diagnostics, state: Some(trace_json::state_json(&run)), trace: happened }
}

/// Pending events by virtual time. Simultaneous events keep the order of their requests.
#[derive(Default)]
struct Agenda {
    due: BTreeMap<(u64, u64), Event<Shared>>,
    now_ms: f64,
    count: u64,
}

impl Agenda {
    fn add_command(&mut self, run: &Run<Shared>, stubs: &mut Stubs, command: Command<Shared>) {
        match command {
            Command::Call(call) => {
                let stubbed = stub::stub_answer(stubs, run.program(), &(), run.last_of(call.id), &call);
                let Some(StubAnswer { result, delay_ms }) = stubbed else { return };
                let at_ms = self.now_ms + delay_ms;
                self.add_event(at_ms, Event::CallDone { call: call.id, result, at_ms });
            }
            Command::SetTimer { timer, after_ms, .. } => {
                let at_ms = self.now_ms + after_ms;
                self.add_event(at_ms, Event::TimerFired { timer, at_ms });
            }
            Command::Continue => self.add_event(self.now_ms, Event::Continue { at_ms: self.now_ms }),
            Command::Abandon(_) | Command::ClearTimer(_) | Command::Finish(_) => {}
        }
    }

    fn add_event(&mut self, at_ms: f64, event: Event<Shared>) {
        self.count += 1;
        // The bits of non-negative floats sort like numbers.
        self.due.insert((at_ms.to_bits(), self.count), event);
    }

    fn next(&mut self) -> Option<Event<Shared>> {
        let ((at, _), event) = self.due.pop_first()?;
        self.now_ms = f64::from_bits(at);
        Some(event)
    }
}

/// Runs a case with the Rust driver.
pub fn by_driver(case: &Case) -> CaseResult {
    let (graph, mut diagnostics, stubs, capabilities) = prepare(case);
    let Some(graph) = graph else { return CaseResult { diagnostics, ..CaseResult::default() } };
    let host = Clock::default();
    match host.run(driver::run(&graph, &host, &capabilities, stubs, options(case), ())) {
        Ok(report) => {
            diagnostics.extend(report.diagnostics);
            let happened = report
                .trace
                .iter()
                .map(|event| trace_json::event_json(report.run.program(), event))
                .collect();
            CaseResult { diagnostics, state: Some(trace_json::state_json(&report.run)), trace: happened }
        }
        Err(problems) => {
            diagnostics.extend(problems);
            CaseResult { diagnostics, ..CaseResult::default() }
        }
    }
}

/// A host whose virtual time advances when all futures wait.
#[derive(Debug, Default)]
pub struct Clock {
    now_ms: Cell<f64>,
    count: Cell<u64>,
    sleeping: RefCell<BTreeMap<(u64, u64), Sleeper>>,
}

type Sleeper = (Rc<Cell<bool>>, Waker);

impl Clock {
    /// Runs a future that waits only for this clock.
    ///
    /// # Panics
    /// If it waits for anything else.
    #[expect(clippy::expect_used, reason = "a future that waits for nobody is a broken test")]
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return value;
            }
            let ((at, _), (fired, waker)) =
                self.sleeping.borrow_mut().pop_first().expect("somebody who waits for the clock");
            self.now_ms.set(f64::from_bits(at));
            fired.set(true);
            waker.wake();
        }
    }
}

impl Host<Shared> for Clock {
    fn now_ms(&self) -> f64 {
        self.now_ms.get()
    }

    async fn wait_ms(&self, ms: f64) {
        self.count.set(self.count.get() + 1);
        let key = ((self.now_ms.get() + ms).to_bits(), self.count.get());
        let fired = Rc::new(Cell::new(false));
        let asleep = Asleep { clock: self, key };
        std::future::poll_fn(|context| {
            if fired.get() {
                return Poll::Ready(());
            }
            self.sleeping.borrow_mut().insert(key, (Rc::clone(&fired), context.waker().clone()));
            Poll::Pending
        })
        .await;
        drop(asleep);
    }

    async fn handle(
        &self,
        name: &str,
        call: &Call<Shared>,
        state: &State<'_, Shared>,
    ) -> Result<Answer<Shared>, Failure> {
        NoHost.handle(name, call, state).await
    }

    async fn call_tool(&self, name: &str, arguments: &Shared, call: &str) -> Result<Answer<Shared>, Failure> {
        NoHost.call_tool(name, arguments, call).await
    }

    async fn ask_model(&self, request: &ChatRequest, call: &str) -> Result<ChatReply, Failure> {
        Host::<Shared>::ask_model(&NoHost, request, call).await
    }
}

struct Asleep<'a> {
    clock: &'a Clock,
    key: (u64, u64),
}

impl Drop for Asleep<'_> {
    fn drop(&mut self) {
        self.clock.sleeping.borrow_mut().remove(&self.key);
    }
}

fn model_request_text(trace: &[Json], call: &str) -> Option<String> {
    let event = trace.iter().find(|event| event["type"] == "model-asked" && event["call"] == call)?;
    let messages = event["messages"].as_array()?.iter();
    Some(messages.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n"))
}

/// Formats an event as in a case's `said`.
fn conversation_line(event: &Json) -> Option<String> {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let list = |json: &Json| json.as_array().cloned().unwrap_or_default();
    let what = match event["type"].as_str()? {
        "model-asked" => {
            let message = |message: &Json| {
                let failed = if message["is_error"] == true { "!" } else { "" };
                format!("{}{failed}: {}", text(&message["role"]), text(&message["content"]))
            };
            format!("? {}", list(&event["messages"]).iter().map(message).collect::<Vec<_>>().join(" | "))
        }
        "model-replied" => {
            let call = |call: &Json| format!("{}({})", text(&call["name"]), call["arguments"]);
            let reply = &event["reply"];
            let said = Some(text(&reply["text"])).filter(|text| !text.is_empty());
            let calls = list(&reply["tool_calls"]);
            let all: Vec<String> = said.into_iter().chain(calls.iter().map(call)).collect();
            format!("= {}", all.join(" "))
        }
        "tool-asked" => format!("> {} {}", text(&event["tool"]), event["arguments"]),
        "tool-answered" => match event["error"]["code"].as_str() {
            Some(code) => format!("< {code}"),
            None => format!("< {}", event["output"]),
        },
        _ => return None,
    };
    Some(format!("{} {what}", text(&event["call"])))
}

impl CaseResult {
    /// Lists differences from the expected result.
    pub fn differences(&self, expect: &Expect) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: &str, expected: Json, actual: Json| {
            if expected != actual {
                found.push(format!("{what}: expected {expected}, got {actual}"));
            }
        };
        let errors = self.codes(Severity::Error);
        compare("diagnostics", json!(expect.diagnostics.clone().unwrap_or_default()), json!(errors));
        if let Some(warnings) = &expect.warnings {
            compare("warnings", json!(warnings), json!(self.codes(Severity::Warning)));
        }
        let Some(state) = &self.state else { return found };
        let outcome = &state["outcome"];
        compare("outcome", json!(expect.outcome.as_deref().unwrap_or("completed")), outcome["type"].clone());
        for (what, expected) in [("node", &expect.node), ("code", &expect.code), ("scope", &expect.scope)] {
            if let Some(expected) = expected {
                compare(what, json!(expected), outcome[what].clone());
            }
        }
        for (what, expected) in expect.counts.iter().flatten() {
            compare(what, expected.clone(), state["counts"][what].clone());
        }
        if let Some(partial) = &expect.partial {
            compare("partial", partial.clone(), state["partial"].clone());
        }
        if let Some(path) = &expect.path {
            compare("path", json!(path), state["path"].clone());
        }
        if let Some(last) = &expect.last {
            compare("last", last.clone(), state["last"].clone());
        }
        for (key, value) in expect.last_has.iter().flatten() {
            compare(key, value.clone(), state["last"][key].clone());
        }
        for (call, wanted) in expect.asked.iter().flatten() {
            let told = model_request_text(&self.trace, call);
            for (what, must) in [("has", true), ("lacks", false)] {
                for text in wanted[what].as_array().into_iter().flatten().filter_map(Json::as_str) {
                    let stands = told.as_ref().is_some_and(|told| told.contains(text));
                    compare(&format!("{call} {what} `{text}`"), json!(must), json!(stands));
                }
            }
        }
        if let Some(audit) = &expect.audit {
            compare("audit", json!(audit), json!(self.audit()));
        }
        if let Some(said) = &expect.said {
            let told: Vec<String> = self.trace.iter().filter_map(conversation_line).collect();
            compare("said", json!(said), json!(told));
        }
        for (name, value) in expect.outputs.iter().flatten() {
            compare(name, value.clone(), state["outputs"][name].clone());
        }
        for (id, visits) in expect.visits.iter().flatten() {
            let path = state["path"].as_array().map(Vec::as_slice).unwrap_or_default();
            compare(id, visits.clone(), json!(path.iter().filter(|node| *node == id).count()));
        }
        let decisions: Vec<&Json> =
            self.trace.iter().filter(|event| event["type"] == "edge-decided").collect();
        for (i, expected) in expect.decisions.iter().flatten().enumerate() {
            let actual = decisions.get(i).copied().cloned().unwrap_or_default();
            let subset: Map<String, Json> =
                expected.keys().map(|key| (key.clone(), actual[key].clone())).collect();
            compare(&format!("decision {i}"), json!(expected), json!(subset));
        }
        found
    }

    fn codes(&self, severity: Severity) -> Vec<&'static str> {
        self.diagnostics
            .iter()
            .filter(|problem| problem.severity == severity)
            .map(|problem| problem.code.slug())
            .collect()
    }

    /// Returns `id:status` of each node event, which the requirements call audit events.
    fn audit(&self) -> Vec<String> {
        let status = |event: &Json| {
            event["type"].as_str().and_then(|kind| kind.strip_prefix("node-")).map(str::to_owned)
        };
        self.trace
            .iter()
            .filter_map(|event| Some(format!("{}:{}", event["node"].as_str()?, status(event)?)))
            .collect()
    }

    /// Returns the trace's canonical text, the same in every driver.
    pub fn canonical(&self) -> String {
        trace_json::canonical(&self.trace)
    }
}
