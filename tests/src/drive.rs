//! Two drivers of three: the machine fed by hand, and the Rust driver. The third is the JavaScript package.

use crate::case::{Case, Expect};
use serde_json::{Map, Value as Json, json};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use stepgraph_core::diagnostic::{Diagnostic, Severity};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::host::{Capabilities, Nothing};
use stepgraph_core::machine::{self, Command, Event, Options, Run};
use stepgraph_core::source::Format;
use stepgraph_core::stub::Stubs;
use stepgraph_core::{driver, trace};

type Shared = Arc<Json>;

/// What a case came to.
#[derive(Debug, Default)]
pub struct Ended {
    /// Everything that was found out before the run.
    pub diagnostics: Vec<Diagnostic>,
    /// The report's fields, when anything ran.
    pub state: Option<Json>,
    /// What happened.
    pub trace: Vec<Json>,
}

/// A plan that is ready, or why it is not.
fn prepare(case: &Case) -> (Option<PlanGraph>, Vec<Diagnostic>, Stubs, Capabilities) {
    let format = if case.format.as_deref() == Some("json") { Format::Json } else { Format::Auto };
    let parsed = PlanGraph::parse(&case.text(), format);
    let stubs = case.stubs.as_ref().and_then(|json| Stubs::from_json(json).ok()).unwrap_or_default();
    let capabilities = stubs.capabilities();
    (parsed.graph, parsed.diagnostics, stubs, capabilities)
}

fn options(case: &Case) -> Options<Shared> {
    Options {
        outputs: case.outputs.iter().map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect(),
        memory: case.memory.clone().map(Arc::new),
        ..Options::new(Arc::new(case.input.clone()))
    }
}

/// Runs a case by feeding the machine event after event.
pub fn by_machine(case: &Case) -> Ended {
    let (graph, mut diagnostics, mut stubs, capabilities) = prepare(case);
    let Some(graph) = graph else { return Ended { diagnostics, ..Ended::default() } };
    let (program, warnings) = match machine::bind::<Shared>(&graph, &capabilities, &()) {
        Ok(bound) => bound,
        Err(problems) => {
            diagnostics.extend(problems);
            return Ended { diagnostics, ..Ended::default() };
        }
    };
    diagnostics.extend(warnings);
    let mut run = Run::new(Arc::new(program), (), options(case));
    let mut happened = Vec::new();
    let mut event = Event::Start { at_ms: 0.0 };
    while let Ok(step) = run.step(event) {
        happened.extend(step.trace.iter().map(|event| trace::event_json(run.program(), event)));
        let Some(command @ Command::Call { call, .. }) = step.commands.first() else { break };
        let Some(stubbed) = stubs.answer(run.program(), &(), run.last(), command) else { break };
        event = Event::CallDone { call: *call, result: stubbed.result, at_ms: 0.0 };
    }
    Ended { diagnostics, state: Some(trace::state_json(&run)), trace: happened }
}

/// Runs a case by the Rust driver.
pub fn by_driver(case: &Case) -> Ended {
    let (graph, mut diagnostics, stubs, capabilities) = prepare(case);
    let Some(graph) = graph else { return Ended { diagnostics, ..Ended::default() } };
    match ready(driver::run(&graph, &Nothing, &capabilities, stubs, options(case), ())) {
        Some(Ok(report)) => {
            diagnostics.extend(report.diagnostics);
            let happened =
                report.trace.iter().map(|event| trace::event_json(report.run.program(), event)).collect();
            Ended { diagnostics, state: Some(trace::state_json(&report.run)), trace: happened }
        }
        Some(Err(problems)) => {
            diagnostics.extend(problems);
            Ended { diagnostics, ..Ended::default() }
        }
        None => Ended { diagnostics, ..Ended::default() },
    }
}

/// The result of a future that never has to wait.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

impl Ended {
    /// What differs from what was expected.
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
        for (what, expected) in [("node", &expect.node), ("code", &expect.code)] {
            if let Some(expected) = expected {
                compare(what, json!(expected), outcome[what].clone());
            }
        }
        if let Some(path) = &expect.path {
            compare("path", json!(path), state["path"].clone());
        }
        if let Some(last) = &expect.last {
            compare("last", last.clone(), state["last"].clone());
        }
        if let Some(audit) = &expect.audit {
            compare("audit", json!(audit), json!(self.audit()));
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

    /// `id:status` of the seed's audit events.
    fn audit(&self) -> Vec<String> {
        let status = |event: &Json| {
            event["type"].as_str().and_then(|kind| kind.strip_prefix("node-")).map(str::to_owned)
        };
        self.trace
            .iter()
            .filter_map(|event| Some(format!("{}:{}", event["node"].as_str()?, status(event)?)))
            .collect()
    }

    /// The trace as text that is the same in every driver.
    pub fn canonical(&self) -> String {
        trace::canonical(&self.trace)
    }
}
