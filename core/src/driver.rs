//! The driver: waits for what the machine asks, and decides nothing.
//!
//! Knows no clock and no network of its own: those are the host's. Does not look inside a graph.
//!
//! Invariants: 1. it feeds every answer exactly once; 2. a host that fails is an answer, too; 3. what the machine abandons is
//! dropped at once.

use crate::capabilities::Capabilities;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::graph::PlanGraph;
use crate::host::{Host, State};
use crate::machine::{
    self, Answer, Call, CallId, Command, Event, Options, Outcome, Program, Request, Run, Step, TraceEvent,
};
use crate::node::{Action, Handler};
use crate::stub::{self, Stubbed, Stubs};
use crate::value::Value;
use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What a run leaves behind.
#[derive(Debug)]
pub struct Report<V: Value> {
    /// The run as it ended: outcome, outputs, path, counts. One that is paused has no outcome, and can be frozen.
    pub run: Run<V>,
    /// What happened, in order.
    pub trace: Vec<TraceEvent<V>>,
    /// What was found out before it ran: warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What it waits for, when nobody could be asked and nothing else was left to do.
    pub paused: Vec<Call<V>>,
}

/// Runs a plan to its end, or until only a person could go on.
///
/// # Errors
/// All problems of a plan that can't run with what the host offers; nothing was run then.
pub async fn run<V, H>(
    graph: &PlanGraph,
    host: &H,
    capabilities: &Capabilities,
    stubs: Stubs,
    options: Options<V>,
    space: V::Space,
) -> Result<Report<V>, Vec<Diagnostic>>
where
    V: Value,
    H: Host<V>,
{
    let (program, diagnostics) = machine::bind(graph, capabilities, &space)?;
    let run = Run::new(Arc::new(program), space, options);
    let report = go_on(run, host, stubs, Event::Start { at_ms: host.now_ms() }).await;
    Ok(Report { diagnostics, ..report })
}

/// Drives a run from its first event on: [`Event::Start`], or [`Event::Resume`] for one that was frozen.
pub async fn go_on<V, H>(run: Run<V>, host: &H, stubs: Stubs, first: Event<V>) -> Report<V>
where
    V: Value,
    H: Host<V>,
{
    let program = Arc::clone(run.program());
    let run = RefCell::new(run);
    let mut waiting = Waiting {
        host,
        program: &program,
        run: &run,
        stubs,
        done: FuturesUnordered::new(),
        handles: HashMap::new(),
        calls: 0,
        undecided: Vec::new(),
    };
    waiting.done.push(Box::pin(async {
        host.cancelled().await;
        Done { id: None, kind: Kind::Cancelled }
    }));
    let mut trace = Vec::new();
    let mut step = Step::default();
    let mut event = Some(first);
    while let Some(next) = event {
        let line = host.recorder().map(|recorder| recorder.borrow().event(&next));
        // The machine refuses what it no longer waits for; that changes nothing.
        let taken = run.borrow_mut().step_into(next, &mut step).is_ok();
        if let (true, Some(line), Some(recorder)) = (taken, line, host.recorder()) {
            let mut recorder = recorder.borrow_mut();
            recorder.fed(&line);
            step.commands.iter().for_each(|command| recorder.command(&run.borrow(), command));
        }
        for happened in step.trace.drain(..) {
            host.observe(&program, &happened);
            trace.push(happened);
        }
        let mut over = false;
        for command in step.commands.drain(..) {
            over |= matches!(command, Command::Finish(_));
            waiting.carry_out(command);
        }
        event = if over { None } else { waiting.next().await };
    }
    let paused = std::mem::take(&mut waiting.undecided);
    drop(waiting);
    if let Some(recorder) = host.recorder() {
        let outcome = run.borrow().outcome().map_or("paused", Outcome::word);
        recorder.borrow_mut().ended(outcome, host.now_ms());
    }
    Report { run: run.into_inner(), trace, diagnostics: Vec::new(), paused }
}

/// Everything that is waited for.
struct Waiting<'a, V: Value, H: Host<V>> {
    host: &'a H,
    program: &'a Program<V>,
    run: &'a RefCell<Run<V>>,
    stubs: Stubs,
    done: FuturesUnordered<LocalBoxFuture<'a, Done<V>>>,
    handles: HashMap<CallId, AbortHandle>,
    /// How many calls are under way; timers don't count.
    calls: usize,
    /// What a person was to decide, and nobody could be asked.
    undecided: Vec<Call<V>>,
}

/// Something that came to its end.
struct Done<V> {
    id: Option<CallId>,
    kind: Kind<V>,
}

enum Kind<V> {
    Answered(Result<Answer<V>, Failure>),
    /// Nobody could be asked.
    Undecided(Box<Call<V>>),
    Fired,
    Cancelled,
    /// Whoever else is ready had a turn.
    GoesOn,
    /// It was given up; whether it was a call.
    Dropped(bool),
}

impl<'a, V: Value, H: Host<V>> Waiting<'a, V, H> {
    fn carry_out(&mut self, command: Command<V>) {
        match command {
            Command::Call(call) => self.call(call),
            Command::SetTimer { timer, after_ms, .. } => {
                let host = self.host;
                self.push(timer, false, async move {
                    host.wait_ms(after_ms).await;
                    Kind::Fired
                });
            }
            Command::Abandon(id) | Command::ClearTimer(id) => {
                self.undecided.retain(|call| call.id != id);
                if let Some(handle) = self.handles.remove(&id) {
                    handle.abort();
                }
            }
            Command::Continue => {
                let mut asked = false;
                // Whoever cancels, and timers, are looked at first.
                let turn = std::future::poll_fn(move |context| {
                    if std::mem::replace(&mut asked, true) {
                        return std::task::Poll::Ready(Done { id: None, kind: Kind::GoesOn });
                    }
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                });
                self.done.push(Box::pin(turn));
                self.calls += 1;
            }
            Command::Finish(_) => {}
        }
    }

    fn call(&mut self, call: Call<V>) {
        self.calls += 1;
        let (host, program, run) = (self.host, self.program, self.run);
        let stubbed = {
            let run = run.borrow();
            stub::answer(&mut self.stubs, program, run.space(), run.last_of(call.id), &call)
        };
        self.push(call.id, true, async move {
            match stubbed {
                Some(Stubbed { result, delay_ms }) => {
                    if delay_ms > 0.0 {
                        host.wait_ms(delay_ms).await;
                    }
                    Kind::Answered(result)
                }
                None => answer(host, program, run, call).await,
            }
        });
    }

    fn push(&mut self, id: CallId, is_call: bool, future: impl Future<Output = Kind<V>> + 'a) {
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert(id, handle);
        let future = Abortable::new(future, registration);
        self.done.push(Box::pin(async move {
            Done { id: Some(id), kind: future.await.unwrap_or(Kind::Dropped(is_call)) }
        }));
    }

    /// The next event; none when only a person could go on.
    async fn next(&mut self) -> Option<Event<V>> {
        while self.calls > 0 || self.undecided.is_empty() {
            let Done { id, kind } = self.done.next().await?;
            if let Some(id) = id {
                self.handles.remove(&id);
            }
            let at_ms = self.host.now_ms();
            let event = match (kind, id) {
                (Kind::Answered(result), Some(call)) => {
                    self.calls -= 1;
                    Event::CallDone { call, result, at_ms }
                }
                (Kind::Undecided(call), _) => {
                    self.calls -= 1;
                    self.undecided.push(*call);
                    continue;
                }
                (Kind::Fired, Some(timer)) => Event::TimerFired { timer, at_ms },
                (Kind::Cancelled, _) => Event::Cancel { at_ms },
                (Kind::GoesOn, _) => {
                    self.calls -= 1;
                    Event::Continue { at_ms }
                }
                (Kind::Dropped(is_call), _) => {
                    self.calls -= usize::from(is_call);
                    continue;
                }
                (Kind::Answered(_) | Kind::Fired, None) => continue,
            };
            return Some(event);
        }
        None
    }
}

/// Asks whoever a call is for.
async fn answer<V: Value, H: Host<V>>(
    host: &H,
    program: &Program<V>,
    run: &RefCell<Run<V>>,
    call: Call<V>,
) -> Kind<V> {
    let Some(code) = program.nodes.get(call.node as usize) else { return Kind::Dropped(true) };
    let name = call.name(&code.id);
    let result = match (&code.action, &call.request) {
        (_, Request::Approval) => match host.decide(&call).await {
            Some(decision) => Ok(Answer::Decided(decision)),
            None => return Kind::Undecided(Box::new(call)),
        },
        (action, Request::Tool(arguments)) => {
            host.call_tool(call.tool(action).unwrap_or_default(), arguments, &name).await
        }
        (_, Request::Model(request)) => host.ask_model(request, &name).await.map(Answer::Reply),
        (Action::Handler(Handler::Id(handler) | Handler::Type(handler)), _) => {
            host.handle(handler, &call, &State::new(run, call.id)).await
        }
        _ => Err(Failure::new("run/nothing-to-answer", "the machine asked for nothing")),
    };
    Kind::Answered(result)
}
