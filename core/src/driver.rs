//! The driver: waits for what the machine asks, and decides nothing.
//!
//! Knows no clock and no network of its own: those are the host's. Does not look inside a graph.
//!
//! Invariants: 1. it feeds every answer exactly once; 2. a host that fails is an answer, too.
//!
//! Source: design section 6.

use crate::diagnostic::Diagnostic;
use crate::graph::PlanGraph;
use crate::host::{Capabilities, Host};
use crate::machine::{self, Answer, Command, Event, Failure, Options, Request, Run, Step, TraceEvent};
use crate::node::{Action, Handler};
use crate::stub::Stubs;
use crate::value::Value;
use std::sync::Arc;

/// What a run leaves behind.
#[derive(Debug)]
pub struct Report<V: Value> {
    /// The run as it ended: outcome, outputs, path, counts.
    pub run: Run<V>,
    /// What happened, in order.
    pub trace: Vec<TraceEvent<V>>,
    /// What was found out before it ran: warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Runs a plan to its end.
///
/// # Errors
/// All problems of a plan that can't run with what the host offers; nothing was run then.
pub async fn run<V, H>(
    graph: &PlanGraph,
    host: &H,
    capabilities: &Capabilities,
    mut stubs: Stubs,
    options: Options<V>,
    space: V::Space,
) -> Result<Report<V>, Vec<Diagnostic>>
where
    V: Value,
    H: Host<V>,
{
    let (program, diagnostics) = machine::bind(graph, capabilities, &space)?;
    let mut run = Run::new(Arc::new(program), space, options);
    let mut step = Step::default();
    let mut trace = Vec::new();
    let mut event = Event::Start { at_ms: host.now_ms() };
    loop {
        // The machine refuses only events that make no sense, and this loop sends none.
        if run.step_into(event, &mut step).is_err() {
            break;
        }
        for happened in step.trace.drain(..) {
            host.observe(run.program(), &happened);
            trace.push(happened);
        }
        let Some(command @ Command::Call { call, .. }) = step.commands.pop() else { break };
        let result = answer(&run, host, &mut stubs, &command).await;
        event = Event::CallDone { call, result, at_ms: host.now_ms() };
    }
    Ok(Report { run, trace, diagnostics })
}

async fn answer<V: Value, H: Host<V>>(
    run: &Run<V>,
    host: &H,
    stubs: &mut Stubs,
    command: &Command<V>,
) -> Result<Answer<V>, Failure> {
    let program = run.program();
    if let Some(stubbed) = stubs.answer(program, run.space(), run.last(), command) {
        if stubbed.delay_ms > 0.0 {
            host.wait_ms(stubbed.delay_ms).await;
        }
        return stubbed.result;
    }
    let Command::Call { node, request, input, .. } = command else {
        return Err(Failure::new("run/nothing-to-answer", "the machine asked for nothing"));
    };
    match (program.nodes.get(*node as usize).map(|node| &node.action), request) {
        (Some(Action::Tool(name)), Request::Tool(arguments)) => host.call_tool(name, arguments).await,
        (Some(Action::Llm(_)), Request::Model(request)) => host.ask_model(request).await.map(Answer::Reply),
        (Some(Action::Handler(Handler::Id(name) | Handler::Type(name))), _) => {
            host.handle(name, *node, input, run).await
        }
        _ => Err(Failure::new("run/nothing-to-answer", "the machine asked for nothing")),
    }
}
