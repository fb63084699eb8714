//! The host: the program that embeds the engine and answers its calls.
//!
//! [`crate::capabilities`] describes what a host can do.

use crate::cassette::Recorder;
use crate::failure::Failure;
use crate::machine::{Answer, Call, CallId, Decision, Program, Run, TraceEvent};
use crate::model::{ChatReply, ChatRequest};
use crate::value::Value;
use std::cell::RefCell;

/// Read access to the run for a handler: the values that its scope sees.
#[derive(Debug)]
pub struct State<'a, V: Value> {
    run: &'a RefCell<Run<V>>,
    call: CallId,
}

impl<'a, V: Value> State<'a, V> {
    pub(crate) fn new(run: &'a RefCell<Run<V>>, call: CallId) -> Self {
        Self { run, call }
    }

    /// Returns the output of the previous node.
    pub fn last(&self) -> V {
        self.run.borrow().last_of(self.call).clone()
    }

    /// Returns an output by its name.
    pub fn output(&self, name: &str) -> Option<V> {
        self.run.borrow().output_of(self.call, name).cloned()
    }
}

/// Answers the calls of a run. The futures need not be [`Send`], because a run belongs to one task.
#[expect(async_fn_in_trait, reason = "hosts are named types; nobody needs to add bounds to these futures")]
pub trait Host<V: Value> {
    /// Returns milliseconds since any fixed moment.
    fn now_ms(&self) -> f64;
    /// Waits for `ms` milliseconds.
    async fn wait_ms(&self, ms: f64);
    /// Answers for a node with the handler `name`. `state` gives read access to the run.
    async fn handle(&self, name: &str, call: &Call<V>, state: &State<'_, V>) -> Result<Answer<V>, Failure>;
    /// Calls a tool. `call` is the same on every replay: use it as an idempotency key.
    async fn call_tool(&self, name: &str, arguments: &V, call: &str) -> Result<Answer<V>, Failure>;
    /// Calls a model.
    async fn ask_model(&self, request: &ChatRequest, call: &str) -> Result<ChatReply, Failure>;
    /// Asks a user for a decision. `None` means that no decision is available now, and pauses the run.
    async fn decide(&self, call: &Call<V>) -> Option<Decision<V>> {
        let _ = call;
        None
    }
    /// Resolves when the run is to be cancelled.
    async fn cancelled(&self) {
        std::future::pending::<()>().await;
    }
    /// Returns the recorder of the run, if it has one.
    fn recorder(&self) -> Option<&RefCell<Recorder>> {
        None
    }
    /// Receives every trace event as it happens.
    fn observe(&self, program: &Program<V>, event: &TraceEvent<V>) {
        let _ = (program, event);
    }
}

/// A host without capabilities, for plans whose calls are all stubbed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl<V: Value> Host<V> for NoHost {
    fn now_ms(&self) -> f64 {
        0.0
    }

    async fn wait_ms(&self, _: f64) {}

    async fn handle(&self, name: &str, _: &Call<V>, _: &State<'_, V>) -> Result<Answer<V>, Failure> {
        Err(Failure::new("handler/unknown", format!("there is no handler `{name}`")))
    }

    async fn call_tool(&self, name: &str, _: &V, _: &str) -> Result<Answer<V>, Failure> {
        Err(Failure::new("tool/unknown", format!("there is no tool `{name}`")))
    }

    async fn ask_model(&self, _: &ChatRequest, _: &str) -> Result<ChatReply, Failure> {
        Err(Failure::new("model/unknown", "there is no model"))
    }
}
