//! Executes a run's commands with a host, and decides nothing.
//!
//! Invariants:
//! 1. Every answer is fed exactly once.
//! 2. A host's failure is an answer, too.
//! 3. Abandoned work is dropped at once.

use crate::capabilities::Capabilities;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::graph::PlanGraph;
use crate::host::{Host, State};
use crate::machine::{
    self, Answer, Call, CallId, Command, Event, Options, Outcome, Program, Request, Run, Step, TraceEvent,
};
use crate::node::{Action, Handler};
use crate::stub::{self, StubAnswer, Stubs};
use crate::value::Value;
use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Result of a driven run.
#[derive(Debug)]
pub struct Report<V: Value> {
    /// Outcome, outputs, path and counts. A paused run has no outcome, and can become a snapshot.
    pub run: Run<V>,
    /// In order.
    pub trace: Vec<TraceEvent<V>>,
    /// Check warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Calls that wait for decisions.
    pub paused: Vec<Call<V>>,
}

/// Runs a plan until it ends or needs an unavailable decision.
///
/// # Errors
/// All diagnostics of a plan that can't run here. No node has run then.
pub async fn run<V, H>(
    graph: &PlanGraph,
    host: &H,
    capabilities: &Capabilities,
    stubs: Stubs,
    options: Options<V>,
    space: V::Arena,
) -> Result<Report<V>, Vec<Diagnostic>>
where
    V: Value,
    H: Host<V>,
{
    let (program, diagnostics) = machine::bind(graph, capabilities, &space)?;
    let run = Run::new(Arc::new(program), space, options);
    let report = drive(run, host, stubs, Event::Start { at_ms: host.now_ms() }).await;
    Ok(Report { diagnostics, ..report })
}

/// Drives from [`Event::Start`], or after a snapshot [`Event::Resume`].
pub async fn drive<V, H>(run: Run<V>, host: &H, stubs: Stubs, first: Event<V>) -> Report<V>
where
    V: Value,
    H: Host<V>,
{
    let program = Arc::clone(run.program());
    let run = RefCell::new(run);
    let mut waiting = PendingWork {
        host,
        program: &program,
        run: &run,
        stubs,
        finished: FuturesUnordered::new(),
        handles: HashMap::new(),
        open_calls: 0,
        awaiting_approval: Vec::new(),
    };
    waiting.finished.push(Box::pin(async {
        host.cancelled().await;
        FinishedWork { id: None, kind: WorkResult::Cancelled }
    }));
    let mut trace = Vec::new();
    let mut step = Step::default();
    let mut event = Some(first);
    while let Some(next) = event {
        let line = host.recorder().map(|recorder| recorder.borrow().event_line(&next));
        // The machine refuses late answers, harmlessly.
        let taken = run.borrow_mut().step_into(next, &mut step).is_ok();
        if let (true, Some(line), Some(recorder)) = (taken, line, host.recorder()) {
            let mut recorder = recorder.borrow_mut();
            recorder.write_event(&line);
            step.commands.iter().for_each(|command| recorder.write_command(&run.borrow(), command));
        }
        for happened in step.trace.drain(..) {
            host.observe(&program, &happened);
            trace.push(happened);
        }
        let mut over = false;
        for command in step.commands.drain(..) {
            over |= matches!(command, Command::Finish(_));
            waiting.execute(command);
        }
        event = if over { None } else { waiting.next().await };
    }
    let paused = std::mem::take(&mut waiting.awaiting_approval);
    drop(waiting);
    if let Some(recorder) = host.recorder() {
        let outcome = run.borrow().outcome().map_or("paused", Outcome::as_str);
        recorder.borrow_mut().write_end(outcome, host.now_ms());
    }
    Report { run: run.into_inner(), trace, diagnostics: Vec::new(), paused }
}

struct PendingWork<'a, V: Value, H: Host<V>> {
    host: &'a H,
    program: &'a Program<V>,
    run: &'a RefCell<Run<V>>,
    stubs: Stubs,
    finished: FuturesUnordered<LocalBoxFuture<'a, FinishedWork<V>>>,
    handles: HashMap<CallId, AbortHandle>,
    /// Excludes timers.
    open_calls: usize,
    /// Calls without an available decision.
    awaiting_approval: Vec<Call<V>>,
}

struct FinishedWork<V> {
    id: Option<CallId>,
    kind: WorkResult<V>,
}

enum WorkResult<V> {
    Answered(Result<Answer<V>, Failure>),
    Undecided(Box<Call<V>>),
    Fired,
    Cancelled,
    /// Other tasks had their turn.
    Yielded,
    /// True for calls, false for timers.
    Abandoned(bool),
}

impl<'a, V: Value, H: Host<V>> PendingWork<'a, V, H> {
    fn execute(&mut self, command: Command<V>) {
        match command {
            Command::Call(call) => self.start_call(call),
            Command::SetTimer { timer, after_ms, .. } => {
                let host = self.host;
                self.push(timer, false, async move {
                    host.wait_ms(after_ms).await;
                    WorkResult::Fired
                });
            }
            Command::Abandon(id) | Command::ClearTimer(id) => {
                self.awaiting_approval.retain(|call| call.id != id);
                if let Some(handle) = self.handles.remove(&id) {
                    handle.abort();
                }
            }
            Command::Continue => {
                let mut asked = false;
                // Cancellation and timers come first.
                let turn = std::future::poll_fn(move |context| {
                    if std::mem::replace(&mut asked, true) {
                        return std::task::Poll::Ready(FinishedWork { id: None, kind: WorkResult::Yielded });
                    }
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                });
                self.finished.push(Box::pin(turn));
                self.open_calls += 1;
            }
            Command::Finish(_) => {}
        }
    }

    fn start_call(&mut self, call: Call<V>) {
        self.open_calls += 1;
        let (host, program, run) = (self.host, self.program, self.run);
        let stubbed = {
            let run = run.borrow();
            stub::stub_answer(&mut self.stubs, program, run.space(), run.last_of(call.id), &call)
        };
        self.push(call.id, true, async move {
            match stubbed {
                Some(StubAnswer { result, delay_ms }) => {
                    if delay_ms > 0.0 {
                        host.wait_ms(delay_ms).await;
                    }
                    WorkResult::Answered(result)
                }
                None => answer(host, program, run, call).await,
            }
        });
    }

    fn push(&mut self, id: CallId, is_call: bool, future: impl Future<Output = WorkResult<V>> + 'a) {
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert(id, handle);
        let future = Abortable::new(future, registration);
        self.finished.push(Box::pin(async move {
            FinishedWork { id: Some(id), kind: future.await.unwrap_or(WorkResult::Abandoned(is_call)) }
        }));
    }

    /// `None` if only a decision could continue.
    async fn next(&mut self) -> Option<Event<V>> {
        while self.open_calls > 0 || self.awaiting_approval.is_empty() {
            let FinishedWork { id, kind } = self.finished.next().await?;
            if let Some(id) = id {
                self.handles.remove(&id);
            }
            let at_ms = self.host.now_ms();
            let event = match (kind, id) {
                (WorkResult::Answered(result), Some(call)) => {
                    self.open_calls -= 1;
                    Event::CallDone { call, result, at_ms }
                }
                (WorkResult::Undecided(call), _) => {
                    self.open_calls -= 1;
                    self.awaiting_approval.push(*call);
                    continue;
                }
                (WorkResult::Fired, Some(timer)) => Event::TimerFired { timer, at_ms },
                (WorkResult::Cancelled, _) => Event::Cancel { at_ms },
                (WorkResult::Yielded, _) => {
                    self.open_calls -= 1;
                    Event::Continue { at_ms }
                }
                (WorkResult::Abandoned(is_call), _) => {
                    self.open_calls -= usize::from(is_call);
                    continue;
                }
                (WorkResult::Answered(_) | WorkResult::Fired, None) => continue,
            };
            return Some(event);
        }
        None
    }
}

async fn answer<V: Value, H: Host<V>>(
    host: &H,
    program: &Program<V>,
    run: &RefCell<Run<V>>,
    call: Call<V>,
) -> WorkResult<V> {
    let Some(compiled) = program.nodes.get(call.node as usize) else { return WorkResult::Abandoned(true) };
    let name = call.name(&compiled.id);
    let result = match (&compiled.action, &call.request) {
        (_, Request::Approval) => match host.decide(&call).await {
            Some(decision) => Ok(Answer::Decided(decision)),
            None => return WorkResult::Undecided(Box::new(call)),
        },
        (action, Request::Tool(arguments)) => {
            host.call_tool(call.tool(action).unwrap_or_default(), arguments, &name).await
        }
        (_, Request::Model(request)) => host.ask_model(request, &name).await.map(Answer::Reply),
        (Action::Handler(Handler::Id(handler) | Handler::Type(handler)), _) => {
            host.handle(handler, &call, &State::new(run, call.id)).await
        }
        _ => Err(Failure::new("run/unanswerable-call", "the machine asked for nothing")),
    };
    WorkResult::Answered(result)
}
