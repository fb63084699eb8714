//! The host embeds the engine and answers its calls.
//!
//! [`crate::capabilities`] describes its abilities.

use crate::cassette::Recorder;
use crate::failure::Failure;
use crate::machine::{Answer, Call, CallId, Decision, Program, Run, TraceEvent};
use crate::model::{ChatReply, ChatRequest};
use crate::value::Value;
use std::cell::RefCell;

/// The values that a handler sees in its scope.
#[derive(Debug)]
pub struct State<'a, V: Value> {
    run: &'a RefCell<Run<V>>,
    call: CallId,
}

impl<'a, V: Value> State<'a, V> {
    pub(crate) fn new(run: &'a RefCell<Run<V>>, call: CallId) -> Self {
        Self { run, call }
    }

    /// Previous output.
    pub fn last(&self) -> V {
        self.run.borrow().last_of(self.call).clone()
    }

    /// Named output.
    pub fn output(&self, name: &str) -> Option<V> {
        self.run.borrow().output_of(self.call, name).cloned()
    }
}

/// Answers calls. Futures need not be [`Send`]: a run belongs to one task.
#[expect(async_fn_in_trait, reason = "hosts are named types; nobody needs to add bounds to these futures")]
pub trait Host<V: Value> {
    /// Milliseconds since any fixed moment.
    fn now_ms(&self) -> f64;
    /// Waits `ms` milliseconds.
    async fn wait_ms(&self, ms: f64);
    /// Answers for a node. `state` reads the run.
    async fn handle(&self, name: &str, call: &Call<V>, state: &State<'_, V>) -> Result<Answer<V>, Failure>;
    /// Calls a tool. Use `call` as an idempotency key: replays repeat it.
    async fn call_tool(&self, name: &str, arguments: &V, call: &str) -> Result<Answer<V>, Failure>;
    /// Calls a model.
    async fn ask_model(&self, request: &ChatRequest, call: &str) -> Result<ChatReply, Failure>;
    /// Asks a user. `None` pauses the run until a decision is available.
    async fn decide(&self, call: &Call<V>) -> Option<Decision<V>> {
        let _ = call;
        None
    }
    /// Resolves to cancel the run.
    async fn cancelled(&self) {
        std::future::pending::<()>().await;
    }
    /// Cassette recorder.
    fn recorder(&self) -> Option<&RefCell<Recorder>> {
        None
    }
    /// Receives trace events.
    fn observe(&self, program: &Program<V>, event: &TraceEvent<V>) {
        let _ = (program, event);
    }
}

/// For plans with only stubbed calls.
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
