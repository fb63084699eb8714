//! The executed node.

use crate::machine::program::{CompiledAgent, CompiledNode, Program};
use crate::node::{Gatherer, Guard};
use crate::value::Value;

pub(in super::super) struct CurrentNode<'a, V: Value> {
    pub(in super::super) program: &'a Program<V>,
    pub(super) compiled: &'a CompiledNode<V>,
    pub(in super::super) scope: u32,
    /// As in events.
    pub(in super::super) now_ms: f64,
}

impl<V: Value> CurrentNode<'_, V> {
    pub(super) fn agent(&self) -> Option<&CompiledAgent> {
        self.compiled.options.as_ref()?.agent.as_deref()
    }

    /// Trusted values for calls that a model chose.
    pub(super) fn guard(&self) -> Option<&Guard> {
        let options = self.compiled.options.as_ref()?;
        let gatherer = options.gatherer.as_deref().map(Gatherer::guard);
        gatherer.or_else(|| options.agent.as_deref()?.agent.guard.as_ref())
    }
}

impl<'a, V: Value> CurrentNode<'a, V> {
    pub(super) fn tool_name<'b>(&'b self, wire: &'b str) -> &'b str {
        match (self.agent(), self.compiled.action.tool()) {
            (Some(agent), _) => {
                agent.agent.tools.iter().find(|tool| tool.spec.name == wire).map_or(wire, |tool| &tool.name)
            }
            (None, Some(name)) => name,
            (None, None) => wire,
        }
    }

    pub(in super::super) fn new(
        program: &'a Program<V>,
        compiled: &'a CompiledNode<V>,
        scope: u32,
        at_ms: f64,
    ) -> Self {
        Self { program, compiled, scope, now_ms: at_ms }
    }
}
