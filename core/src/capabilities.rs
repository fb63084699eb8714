//! The capabilities of a host: its handlers, tools and models.
//!
//! Decides which calls need a user's approval.

use crate::collect::CollectVec;
use crate::interner::NameTable;
use crate::schema::Patterns;
use crate::tool::{Effect, ToolInfo, ToolRegistry};
use stepgraph_plan::stub::Stubs;

/// The known capabilities of a host. The checks skip everything unknown.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// Node types that the host handles itself.
    pub types: Option<NameTable>,
    /// Node ids that the host handles itself.
    pub ids: NameTable,
    /// The tools of all servers.
    pub tools: Option<ToolRegistry>,
    /// The names of the models.
    pub models: Option<NameTable>,
    /// Tools that need no approval, whatever hints they declare. `*` means all.
    pub allowed: NameTable,
    /// The parts that only stubs answer.
    pub stubs: StubCapabilities,
    /// The names of outputs that the caller provides at the start, if known.
    pub outputs: Option<NameTable>,
    /// Whether the host itself applies the plan's `retry` and `timeout_ms`. The run then calls it once for a node whose
    /// attempt is one call.
    pub retries: bool,
}

/// The tools that only stubs answer, and the named outputs that stubs write.
#[derive(Debug, Clone, Default)]
pub struct StubCapabilities {
    /// Tools that only a stub describes. No call of them leaves the process.
    pub tools: NameTable,
    /// The names of outputs that stubs write in addition to a node's own.
    pub named_outputs: NameTable,
}

/// The origin of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// The plan names the tool in a `tool` node.
    Plan,
    /// A model chose the tool, for an agent or in a tool plan.
    Model,
}

impl Capabilities {
    /// Returns the capabilities of a host that has only these stubs.
    ///
    /// # Example
    /// ```
    /// use stepgraph_core::{capabilities::Capabilities, stub::Stubs};
    /// let stubs = Stubs::from_json(&serde_json::json!({"types": {"emit": "input"}})).unwrap();
    /// assert!(Capabilities::of_stubs(&stubs).handles_type("emit"));
    /// ```
    pub fn of_stubs(stubs: &Stubs) -> Self {
        let mut capabilities = Self {
            types: Some(NameTable::default()),
            models: Some(NameTable::default()),
            tools: Some(ToolRegistry::default()),
            ..Self::default()
        };
        capabilities.add_stubs(stubs);
        capabilities
    }

    /// Adds the stubs to the capabilities of a host.
    pub fn add_stubs(&mut self, stubs: &Stubs) {
        stubs.add_named_outputs(&mut self.stubs.named_outputs);
        self.ids.extend(stubs.nodes().map(str::to_owned));
        self.types.get_or_insert_default().extend(stubs.types().map(str::to_owned));
        self.models.get_or_insert_default().extend(stubs.models().map(str::to_owned));
        let known: Vec<ToolInfo> =
            self.tools.iter().flat_map(ToolRegistry::iter).map(|(_, tool)| tool.clone()).collect_vec();
        // A server's description of its tool takes precedence over a stub's.
        let missing = stubs.tool_listings().filter(|(name, _)| !known.iter().any(|tool| tool.name == *name));
        let missing: Vec<ToolInfo> = missing.map(|(name, about)| ToolInfo::named(name, about)).collect_vec();
        let silent = missing.iter().filter(|stub| stub.annotations.is_none());
        self.stubs.tools.extend(silent.map(|stub| stub.name.clone()));
        let patterns = self.tools.as_ref().map(ToolRegistry::patterns).unwrap_or_default();
        let servers = self.tools.as_ref().map(ToolRegistry::servers).unwrap_or_default();
        let tools =
            ToolRegistry::with_servers(known.into_iter().chain(missing), servers).with_patterns(patterns);
        self.tools = Some(tools);
    }

    /// The regular expression engine for patterns in schemas.
    pub fn patterns(&self) -> Patterns {
        self.tools.as_ref().map(ToolRegistry::patterns).unwrap_or_default()
    }

    /// Whether the host handles this type itself.
    pub fn handles_type(&self, kind: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(kind))
    }

    /// Whether the host handles this node itself.
    pub fn handles_id(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether a call of this tool needs a user's approval. `name` is its name in the tool list.
    ///
    /// A call that the plan itself names needs approval only if the tool declares that it may destroy something. A call
    /// that a model chose needs approval unless the tool declares that it destroys nothing.
    pub fn needs_approval(&self, name: &str, tool: &ToolInfo, chosen: ChosenBy) -> bool {
        let harmful = match tool.effect() {
            Effect::Reads | Effect::Writes => false,
            Effect::Destroys => true,
            Effect::Unknown => chosen == ChosenBy::Model && !self.stubs.tools.contains(name),
        };
        let is_leave = |name: &str| self.allowed.contains(name);
        let mut leave = self.tools.iter().flat_map(|tools| tools.approval_names(name, tool));
        harmful && !(is_leave("*") || leave.any(is_leave))
    }

    /// The names of outputs that the caller or a stub provides.
    pub fn external_outputs(&self) -> NameTable {
        let names = self.stubs.named_outputs.iter().chain(self.outputs.iter().flat_map(NameTable::iter));
        names.map(str::to_owned).collect()
    }

    /// Whether the caller or a stub provides an output of this name.
    pub fn has_external_output(&self, name: &str) -> bool {
        self.stubs.named_outputs.contains(name)
            || self.outputs.as_ref().is_some_and(|outputs| outputs.contains(name))
    }

    /// Whether there is a tool of this name, plain or qualified.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.get(name).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_stub_lists_its_tool_as_a_server_would() {
        let schema = json!({"type": "object", "required": ["q"]});
        let stubs = Stubs::from_json(&json!({"tools": {
            "plain": "echo",
            "said": {"return": 1, "description": "finds", "input_schema": schema, "annotations": {"readOnlyHint": true}},
        }}));
        let tools = Capabilities::of_stubs(&stubs.unwrap()).tools.unwrap();
        let plain = tools.get("plain").unwrap();
        assert_eq!((plain.description.as_deref(), &plain.input_schema), (Some("a stub"), &json!({})));
        let said = json!({"name": "said", "description": "finds", "input_schema": schema, "annotations": {"readOnlyHint": true}});
        assert_eq!(tools.get("said").unwrap().to_json(), said);
    }
}
