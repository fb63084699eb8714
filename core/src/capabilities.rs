//! What a host can do: which handlers, tools and models there are.
//!
//! Decides what a person is asked for before it is done. Knows nothing of how the host does it.

use crate::list::List;
use crate::names::Names;
use crate::schema::Patterns;
use crate::tool::{Catalogue, Effect, ToolInfo};
use stepgraph_plan::stub::Stubs;

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
    /// What stubs can stand in for, as a host that knows of nothing else.
    ///
    /// # Example
    /// ```
    /// use stepgraph_core::{capabilities::Capabilities, stub::Stubs};
    /// let stubs = Stubs::from_json(&serde_json::json!({"types": {"emit": "input"}})).unwrap();
    /// assert!(Capabilities::of_stubs(&stubs).handles_type("emit"));
    /// ```
    pub fn of_stubs(stubs: &Stubs) -> Self {
        let mut capabilities = Self {
            types: Some(Names::default()),
            models: Some(Names::default()),
            tools: Some(Catalogue::default()),
            ..Self::default()
        };
        capabilities.add_stubs(stubs);
        capabilities
    }

    /// Adds what stubs stand in for to what a host can do.
    pub fn add_stubs(&mut self, stubs: &Stubs) {
        stubs.written(&mut self.stand_ins.writes);
        self.ids.extend(stubs.nodes().map(str::to_owned));
        self.types.get_or_insert_default().extend(stubs.types().map(str::to_owned));
        self.models.get_or_insert_default().extend(stubs.models().map(str::to_owned));
        let known: Vec<ToolInfo> =
            self.tools.iter().flat_map(Catalogue::iter).map(|(_, tool)| tool.clone()).list();
        // What a server says of its own tool goes before what a stub says.
        let missing = stubs.listed().filter(|(name, _)| !known.iter().any(|tool| tool.name == *name));
        let missing: Vec<ToolInfo> = missing.map(|(name, about)| ToolInfo::named(name, about)).list();
        let silent = missing.iter().filter(|stub| stub.annotations.is_none());
        self.stand_ins.tools.extend(silent.map(|stub| stub.name.clone()));
        let patterns = self.tools.as_ref().map(Catalogue::patterns).unwrap_or_default();
        let servers = self.tools.as_ref().map(Catalogue::servers).unwrap_or_default();
        let tools = Catalogue::among(known.into_iter().chain(missing), servers).with_patterns(patterns);
        self.tools = Some(tools);
    }

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
    pub fn outputs_given(&self) -> Names {
        let names = self.stand_ins.writes.iter().chain(self.outputs.iter().flat_map(Names::iter));
        names.map(str::to_owned).collect()
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
