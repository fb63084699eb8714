//! What embeds the engine: what it offers, and how it answers.
//!
//! Decides the shape of a host: which handlers, tools and models there are. Knows nothing of how they work.

use crate::cassette::Recorder;
use crate::machine::{Answer, Call, CallId, Decision, Failure, Program, Run, TraceEvent};
use crate::model::{ChatReply, ChatRequest};
use crate::names::Names;
use crate::schema::Patterns;
use crate::tool::{Catalogue, Effect, ToolInfo};
use crate::value::Value;
use std::cell::RefCell;

/// What a host can do, as far as it is known. What is not known is not judged.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// Node types that the host handles itself.
    pub types: Option<Names>,
    /// Node ids that the host handles itself.
    pub ids: Names,
    /// The tools of all servers.
    pub tools: Option<Catalogue>,
    /// The names of the models.
    pub models: Option<Names>,
    /// Tools that are called without asking a person, whatever they say of themselves; `*` means all.
    pub allowed: Names,
    /// What only stubs answer for.
    pub stand_ins: StandIns,
    /// The names of outputs that the caller gives from the start, where that is known.
    pub outputs: Option<Names>,
    /// Whether the host itself tries calls again and ends those that take too long, as the plan's `retry` and `timeout_ms`
    /// say: a node whose try is one call is then asked once.
    pub retries: bool,
}

/// What only stubs answer for, and what they give besides.
#[derive(Debug, Clone, Default)]
pub struct StandIns {
    /// Tools of which they say nothing: no call of them reaches anybody.
    pub tools: Names,
    /// The names of outputs that they write beside a node's own.
    pub writes: Names,
}

/// Who chose that a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The plan names it in a `tool` node.
    ByPlan,
    /// A model did, for an agent or in a tool plan.
    ByModel,
}

impl Capabilities {
    /// The regular expressions that judge the patterns of schemas.
    pub fn patterns(&self) -> Patterns {
        self.tools.as_ref().map(Catalogue::patterns).unwrap_or_default()
    }

    /// Whether the host handles this type itself.
    pub fn handles_type(&self, kind: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(kind))
    }

    /// Whether the host handles this node itself.
    pub fn handles_id(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether a person is asked before that tool is called, which is in the catalogue under this name.
    ///
    /// What the plan itself names is asked for only where the tool may destroy something by its own word. What a model
    /// chose is asked for unless the tool's word is that it destroys nothing.
    pub fn asks_first(&self, name: &str, tool: &ToolInfo, chosen: Chosen) -> bool {
        let harmful = match tool.effect() {
            Effect::Reads | Effect::Writes => false,
            Effect::Destroys => true,
            Effect::Unknown => chosen == Chosen::ByModel && !self.stand_ins.tools.contains(name),
        };
        let is_leave = |name: &str| self.allowed.contains(name);
        let mut leave = self.tools.iter().flat_map(|tools| tools.leave(name, tool));
        harmful && !(is_leave("*") || leave.any(is_leave))
    }

    /// The names of outputs that somebody gives besides the plan's nodes: the caller, or a stub.
    pub(crate) fn outputs_given(&self) -> impl Iterator<Item = &str> {
        self.stand_ins.writes.iter().chain(self.outputs.iter().flat_map(Names::iter))
    }

    /// Whether somebody besides the plan's nodes gives an output of this name.
    pub fn gives_output(&self, name: &str) -> bool {
        self.stand_ins.writes.contains(name)
            || self.outputs.as_ref().is_some_and(|outputs| outputs.contains(name))
    }

    /// Whether there is a tool of this name.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.get(name).is_some())
    }
}

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
