//! Reviews a plan's permissions. Servers define tool effects, and unknown tools count as dangerous.
//!
//! Invariant: lists every node with an effect outside the page.
//!
//! Source: `wasm/js/review.ts`, the same review for hosts.

use serde_json::Value as Json;
use stepgraph_core::graph::{Graph, Node, PlanGraph, scoped_name};
use stepgraph_core::kind::{calls_model, executes_tool_plan, is_local, is_older_name};
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

pub use stepgraph_core::tool::Effect;

/// A requirement and the nodes that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested<T> {
    /// Required item.
    pub item: T,
    /// Such as `fan/a/fetch`.
    pub nodes: Vec<String>,
}

/// All permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// Names and URLs.
    pub servers: Vec<(String, String)>,
    /// Tools and effects. `*` is any tool of the run.
    pub tools: Vec<Requested<(String, Effect)>>,
    /// Empty for the default.
    pub models: Vec<Requested<String>>,
    /// Approval nodes.
    pub people: Vec<String>,
    /// Host types.
    pub handlers: Vec<Requested<String>>,
}

/// Any tool of the run.
pub(super) const ANY_TOOL: &str = "*";

impl Review {
    /// Uses the known tools.
    pub fn of_plan(plan: &PlanGraph, tools: Option<&ToolRegistry>) -> Self {
        let servers = plan.servers.iter().map(|(named, url)| (named.name.clone(), url.clone())).collect();
        let mut review = Self { servers, ..Self::default() };
        for graph in plan.graphs() {
            for node in &graph.nodes {
                review.review_node(graph, node, tools);
            }
        }
        review
    }

    fn review_node(&mut self, graph: &Graph, node: &Node, known: Option<&ToolRegistry>) {
        let node_path = scoped_name(&graph.scope, &node.key);
        let kind = node.kind.as_str();
        if is_older_name(kind) && known.is_some_and(|tools| tools.get(kind).is_some()) {
            self.add_tool(kind, known, &node_path);
        } else if kind == "approve" {
            self.people.push(node_path);
        } else if calls_model(kind) {
            let settings = setting(node, "model");
            add(
                &mut self.models,
                settings.as_ref().and_then(Json::as_str).unwrap_or_default().to_owned(),
                &node_path,
            );
            if kind == "agent" {
                self.review_agent_tools(node, known, &node_path);
            }
        } else if executes_tool_plan(kind) {
            self.add_tool(ANY_TOOL, known, &node_path);
        } else if let (Some(tool), "tool") = (&node.tool, kind) {
            self.add_tool(&tool.name, known, &node_path);
        } else if known.is_some_and(|tools| tools.get(kind).is_some()) {
            self.add_tool(kind, known, &node_path);
        } else if !is_local(kind) {
            add(&mut self.handlers, kind.to_owned(), &node_path);
        }
    }

    fn review_agent_tools(&mut self, node: &Node, tools: Option<&ToolRegistry>, node_path: &str) {
        match setting(node, "tools").as_ref().and_then(Json::as_array) {
            Some(names) => {
                names.iter().filter_map(Json::as_str).for_each(|name| self.add_tool(name, tools, node_path));
            }
            None => self.add_tool(ANY_TOOL, tools, node_path),
        }
    }

    fn add_tool(&mut self, name: &str, known: Option<&ToolRegistry>, node_path: &str) {
        let found = known.and_then(|tools| tools.get(name));
        add(&mut self.tools, (name.to_owned(), found.map_or(Effect::Unknown, ToolInfo::effect)), node_path);
    }

    /// Has no outside effects.
    pub fn is_harmless(&self) -> bool {
        self.servers.is_empty() && self.tools.is_empty() && self.models.is_empty() && self.handlers.is_empty()
    }

    /// One line each, for comparison.
    pub(super) fn permissions(&self) -> impl Iterator<Item = String> {
        let servers = self.servers.iter().map(|(name, url)| ["server ", name, " ", url].concat());
        let tools = self.tools.iter().map(|tool| ["tool ", &tool.item.0].concat());
        let models = self.models.iter().map(|model| ["model ", &model.item].concat());
        let handlers = self.handlers.iter().map(|handler| ["type ", &handler.item].concat());
        servers.chain(tools).chain(models).chain(handlers)
    }
}

fn setting(node: &Node, key: &str) -> Option<Json> {
    node.with.as_ref()?.get(key)?.as_constant().cloned()
}

fn add<T: PartialEq>(list: &mut Vec<Requested<T>>, what: T, node_path: &str) {
    match list.iter_mut().find(|requested| requested.item == what) {
        Some(requested) => requested.nodes.push(node_path.to_owned()),
        None => list.push(Requested { item: what, nodes: vec![node_path.to_owned()] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepgraph_core::source::Format;

    fn review(text: &str, tools: &[Json]) -> Review {
        let plan = PlanGraph::parse(text, Format::Auto).graph.unwrap();
        let known =
            (!tools.is_empty()).then(|| ToolRegistry::new(tools.iter().filter_map(ToolInfo::from_json)));
        Review::of_plan(&plan, known.as_ref())
    }

    const PLAN: &str = "
servers: {s: {url: \"https://s.example/mcp\"}}
nodes:
  a: {type: tool, tool: read, input: {}}
  b: {type: agent, input: hi, with: {model: small, tools: [read, wipe]}}
  c: {type: approve, input: ok}
  d: {type: parallel, branches: {x: {nodes: {e: {type: llm, input: hi}}}}}
  f: {type: mine, input: hi}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}, {from: d, to: f}]
";

    #[test]
    fn lists_everything_a_plan_calls() {
        let tools = [
            json!({"name": "read", "input_schema": {}, "annotations": {"readOnlyHint": true}}),
            json!({"name": "wipe", "input_schema": {}, "annotations": {"destructiveHint": true}}),
        ];
        let found = review(PLAN, &tools);
        assert_eq!(found.servers, [("s".to_owned(), "https://s.example/mcp".to_owned())]);
        let tools: Vec<_> = found
            .tools
            .iter()
            .map(|tool| (tool.item.0.as_str(), tool.item.1, tool.nodes.join(" ")))
            .collect();
        assert_eq!(
            tools,
            [("read", Effect::Reads, "a b".to_owned()), ("wipe", Effect::Destroys, "b".to_owned())]
        );
        let models: Vec<_> =
            found.models.iter().map(|model| (model.item.as_str(), model.nodes.join(" "))).collect();
        assert_eq!(models, [("small", "b".to_owned()), ("", "d/x/e".to_owned())]);
        assert_eq!((found.people.join(" "), found.handlers.len()), ("c".to_owned(), 1));
        assert!(!found.is_harmless());
    }

    #[test]
    fn assumes_the_worst_of_unknown_tools() {
        let found = review(PLAN, &[]);
        assert!(found.tools.iter().all(|tool| tool.item.1 == Effect::Unknown));
        let any = review("nodes: {a: {type: gather, input: {}}}", &[]);
        assert_eq!(any.tools.first().map(|tool| tool.item.0.as_str()), Some(ANY_TOOL));
        assert!(review("nodes: {a: {type: log, input: hi}}", &[]).is_harmless());
    }
}
