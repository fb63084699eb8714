//! What embeds the engine: how it answers.
//!
//! Decides the shape of a host. [`crate::capabilities`] says what it can do.

use crate::cassette::Recorder;
use crate::failure::Failure;
use crate::machine::{Answer, Call, CallId, Decision, Program, Run, TraceEvent};
use crate::model::{ChatReply, ChatRequest};
use crate::value::Value;
use std::cell::RefCell;

/// What a handler may read of the run while it works: what its scope sees.
#[derive(Debug)]
pub struct State<'a, V: Value> {
    run: &'a RefCell<Run<V>>,
    call: CallId,
}

impl<'a, V: Value> State<'a, V> {
    /// What that call may read.
    pub(crate) fn new(run: &'a RefCell<Run<V>>, call: CallId) -> Self {
        Self { run, call }
    }

    /// The output of the node before.
    pub fn last(&self) -> V {
        self.run.borrow().last_of(self.call).clone()
    }

    /// An output by its name.
    pub fn output(&self, name: &str) -> Option<V> {
        self.run.borrow().output_of(self.call, name).cloned()
    }
}

/// Answers what a run asks. The futures need not be [`Send`]: a run belongs to one task.
#[expect(async_fn_in_trait, reason = "hosts are named types; nobody needs to add bounds to these futures")]
pub trait Host<V: Value> {
    /// Milliseconds since any fixed moment.
    fn now_ms(&self) -> f64;
    /// Waits so long.
    async fn wait_ms(&self, ms: f64);
    /// Answers for a node, whose handler is known as `name`. `state` is what it may read of the run.
    async fn handle(&self, name: &str, call: &Call<V>, state: &State<'_, V>) -> Result<Answer<V>, Failure>;
    /// Calls a tool. `call` is the same on every replay: an idempotency key.
    async fn call_tool(&self, name: &str, arguments: &V, call: &str) -> Result<Answer<V>, Failure>;
    /// Asks a model.
    async fn ask_model(&self, request: &ChatRequest, call: &str) -> Result<ChatReply, Failure>;
    /// Asks a person; `None` when nobody can be asked now, which pauses the run.
    async fn decide(&self, call: &Call<V>) -> Option<Decision<V>> {
        let _ = call;
        None
    }
    /// Ends when the run is to be cancelled.
    async fn cancelled(&self) {
        std::future::pending::<()>().await;
    }
    /// Who writes the run down, if anybody.
    fn recorder(&self) -> Option<&RefCell<Recorder>> {
        None
    }
    /// Is told of every event as it happens.
    fn observe(&self, program: &Program<V>, event: &TraceEvent<V>) {
        let _ = (program, event);
    }
}

/// A host that offers nothing: for plans whose every call is stubbed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl<V: Value> Host<V> for Nothing {
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
