//! The abilities of a host, and which calls need approval.

use crate::collect::CollectVec;
use crate::interner::NameTable;
use crate::schema::Patterns;
use crate::tool::{Effect, ToolInfo, ToolRegistry};
use stepgraph_plan::stub::Stubs;

/// Known handlers, tools and models. Checks skip everything unknown.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// Handled types.
    pub types: Option<NameTable>,
    /// Handled nodes.
    pub ids: NameTable,
    /// All servers' tools.
    pub tools: Option<ToolRegistry>,
    /// Model names.
    pub models: Option<NameTable>,
    /// Tools that never need approval, despite their hints. `*` means all.
    pub allowed: NameTable,
    /// Stub-only parts.
    pub stubs: StubCapabilities,
    /// Outputs that the caller provides, if known.
    pub outputs: Option<NameTable>,
    /// Whether the host applies `retry` and `timeout_ms`, for nodes whose attempt is one call.
    pub retries: bool,
    /// The regular expressions of a host whose tools are unknown.
    pub patterns: Patterns,
    /// Whether the check may leave out warnings that only an author needs, as before a run.
    pub errors_only: bool,
}

/// Calls and values that only stubs answer or write.
#[derive(Debug, Clone, Default)]
pub struct StubCapabilities {
    /// Tools that only a stub describes, whose calls stay in the process.
    pub tools: NameTable,
    /// Outputs besides the node's own.
    pub named_outputs: NameTable,
    /// The stubs, of which some may be misspelt.
    pub given: Vec<Stubs>,
    /// Tools that are no stubs.
    pub host_tools: NameTable,
}

/// Origin of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// A `tool` node.
    Plan,
    /// A model, for an agent or a tool plan.
    Model,
}

impl Capabilities {
    /// A host with only stubs.
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

    /// Adds stubs.
    pub fn add_stubs(&mut self, stubs: &Stubs) {
        stubs.add_named_outputs(&mut self.stubs.named_outputs);
        self.stubs.given.push(stubs.clone());
        self.ids.extend(stubs.nodes().map(str::to_owned));
        self.types.get_or_insert_default().extend(stubs.types().map(str::to_owned));
        self.models.get_or_insert_default().extend(stubs.models().map(str::to_owned));
        let known: Vec<ToolInfo> =
            self.tools.iter().flat_map(ToolRegistry::iter).map(|(_, tool)| tool.clone()).collect_vec();
        self.stubs.host_tools.extend(known.iter().map(|tool| tool.name.clone()));
        // A server's description precedes a stub's.
        let missing = stubs.tool_listings().filter(|(name, _)| !known.iter().any(|tool| tool.name == *name));
        let missing: Vec<ToolInfo> = missing.map(|(name, about)| ToolInfo::named(name, about)).collect_vec();
        let silent = missing.iter().filter(|stub| stub.annotations.is_none());
        self.stubs.tools.extend(silent.map(|stub| stub.name.clone()));
        let patterns = self.patterns();
        let servers = self.tools.as_ref().map(ToolRegistry::servers).unwrap_or_default();
        let tools =
            ToolRegistry::with_servers(known.into_iter().chain(missing), servers).with_patterns(patterns);
        self.tools = Some(tools);
    }

    /// The regular expression engine.
    pub fn patterns(&self) -> Patterns {
        self.tools.as_ref().map_or(self.patterns, ToolRegistry::patterns)
    }

    /// Whether the host handles the type.
    pub fn handles_type(&self, kind: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(kind))
    }

    /// Whether the host handles the node.
    pub fn handles_id(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether the call of a listed tool needs approval.
    ///
    /// A call that the plan names needs it only if the tool declares to destroy something, a model's call unless the
    /// tool declares to destroy nothing.
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

    /// Outputs of the caller or stubs.
    pub fn external_outputs(&self) -> NameTable {
        let names = self.stubs.named_outputs.iter().chain(self.outputs.iter().flat_map(NameTable::iter));
        names.map(str::to_owned).collect()
    }

    /// Whether the caller or a stub provides the output.
    pub fn has_external_output(&self, name: &str) -> bool {
        self.stubs.named_outputs.contains(name)
            || self.outputs.as_ref().is_some_and(|outputs| outputs.contains(name))
    }

    /// Accepts a plain or qualified name.
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
