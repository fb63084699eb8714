//! What embeds the engine: what it offers, and how it answers.
//!
//! Decides the shape of a host: which handlers, tools and models there are. Knows nothing of how they work.
//!
//! Source: design sections 6, 7 and 9; seed 002, "Resolución de handlers".

use crate::machine::{Answer, Failure, Program, Run, TraceEvent};
use crate::model::{ChatReply, ChatRequest};
use crate::names::Names;
use crate::tool::Catalogue;
use crate::value::Value;

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
}

impl Capabilities {
    /// Whether the host handles this type itself.
    pub fn handles_type(&self, kind: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(kind))
    }

    /// Whether the host handles this node itself.
    pub fn handles_id(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether there is a tool of this name.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.get(name).is_some())
    }
}

/// Answers what a run asks. The futures need not be [`Send`]: a run belongs to one task.
#[expect(async_fn_in_trait, reason = "hosts are named types; nobody needs to add bounds to these futures")]
pub trait Host<V: Value> {
    /// Milliseconds since any fixed moment.
    fn now_ms(&self) -> f64;
    /// Waits so long.
    async fn wait_ms(&self, ms: f64);
    /// Answers for a node, whose handler is known as `name`.
    async fn handle(&self, name: &str, node: u32, input: &V, run: &Run<V>) -> Result<Answer<V>, Failure>;
    /// Calls a tool.
    async fn call_tool(&self, name: &str, arguments: &V) -> Result<Answer<V>, Failure>;
    /// Asks a model.
    async fn ask_model(&self, request: &ChatRequest) -> Result<ChatReply, Failure>;
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

    async fn handle(&self, name: &str, _: u32, _: &V, _: &Run<V>) -> Result<Answer<V>, Failure> {
        Err(Failure::new("handler/unknown", format!("there is no handler `{name}`")))
    }

    async fn call_tool(&self, name: &str, _: &V) -> Result<Answer<V>, Failure> {
        Err(Failure::new("tool/unknown", format!("there is no tool `{name}`")))
    }

    async fn ask_model(&self, _: &ChatRequest) -> Result<ChatReply, Failure> {
        Err(Failure::new("model/unknown", "there is no model"))
    }
}
