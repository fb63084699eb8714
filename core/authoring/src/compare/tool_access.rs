//! Reports tools that runs may newly call or no longer call.
//!
//! If the host's tools are unknown, a custom type may be a tool of the same name, so nothing is reported
//! about it.

use super::describe::{name, names};
use super::plan_matching::{PlanMatching, Side};
use super::{Change, ChangeKind};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use stepgraph_core::capabilities::{Capabilities, ChosenBy};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::control_flow::GraphSummary;
use stepgraph_core::graph::{Graph, Node, TemplateValue};
use stepgraph_core::node::{self, Action, Handler};
use stepgraph_core::tool::Effect;

pub(super) fn compare(
    matching: &PlanMatching<'_>,
    [before, after]: [&[Option<GraphSummary<'_>>]; 2],
    capabilities: &Capabilities,
    changes: &mut Vec<Change>,
) {
    let sides = [
        tool_callers(matching, Side::Before, before, capabilities),
        tool_callers(matching, Side::After, after, capabilities),
    ];
    compare_tools(matching, &sides, capabilities, changes);
}

#[derive(Debug, Default)]
struct ToolCallers {
    tools: BTreeMap<String, Vec<(usize, usize)>>,
    any_tool: Vec<(usize, usize)>,
    possible_types: BTreeSet<String>,
}

fn tool_callers(
    matching: &PlanMatching<'_>,
    side: Side,
    routes: &[Option<GraphSummary<'_>>],
    capabilities: &Capabilities,
) -> ToolCallers {
    let mut calls = ToolCallers::default();
    for (scope, route) in routes.iter().enumerate() {
        let Some(graph) = matching.graph(side, scope) else { continue };
        for (position, node) in graph.nodes.iter().enumerate() {
            // Unknown reachability counts as reachable.
            if route.as_ref().is_none_or(|route| route.reachable.get(position) == Some(&true)) {
                calls.add(graph, node, (scope, position), capabilities);
            }
        }
    }
    calls
}

impl ToolCallers {
    fn lacks(&self, tool: &str) -> bool {
        self.any_tool.is_empty() && !self.tools.contains_key(tool) && !self.possible_types.contains(tool)
    }

    fn add(&mut self, graph: &Graph, node: &Node, place: (usize, usize), capabilities: &Capabilities) {
        match node::action(node, &graph.node_path(node), capabilities) {
            Some(Action::Tool(tool)) => self.add_tool(&tool, place, capabilities),
            Some(Action::Agent(with) | Action::React(with)) => {
                self.add_offered(with.as_ref(), place, capabilities);
            }
            Some(Action::Gather(..)) => self.add_any(place, capabilities),
            Some(Action::Handler(Handler::Type(kind))) if capabilities.tools.is_none() => {
                self.possible_types.insert(kind);
            }
            _ => {}
        }
    }

    fn add_tool(&mut self, tool: &str, place: (usize, usize), capabilities: &Capabilities) {
        let known = capabilities.tools.as_ref().and_then(|tools| tools.entry(tool)).map(|(name, _)| name);
        self.tools.entry(known.unwrap_or(tool).to_owned()).or_default().push(place);
    }

    fn add_offered(
        &mut self,
        with: Option<&TemplateValue>,
        place: (usize, usize),
        capabilities: &Capabilities,
    ) {
        let named = with.and_then(|with| with.get("tools"));
        match named.as_ref().and_then(TemplateValue::as_constant).and_then(Json::as_array) {
            Some(tools) => {
                for tool in tools.iter().filter_map(Json::as_str) {
                    self.add_tool(tool, place, capabilities);
                }
            }
            None => self.add_any(place, capabilities),
        }
    }

    fn add_any(&mut self, place: (usize, usize), capabilities: &Capabilities) {
        match &capabilities.tools {
            Some(tools) => {
                for tool in tools.names() {
                    self.add_tool(tool, place, capabilities);
                }
            }
            None => self.any_tool.push(place),
        }
    }
}

fn compare_tools(
    matching: &PlanMatching<'_>,
    [old, new]: &[ToolCallers; 2],
    capabilities: &Capabilities,
    changes: &mut Vec<Change>,
) {
    let destroys = |tool: &str| {
        capabilities
            .tools
            .as_ref()
            .and_then(|tools| tools.get(tool))
            .is_some_and(|tool| tool.effect() == Effect::Destroys)
    };
    let mut found: Vec<Change> = Vec::new();
    for (tool, places) in &new.tools {
        if !old.lacks(tool) {
            continue;
        }
        let (destroys, asks) = (destroys(tool), needs_approval(tool, capabilities));
        let note = match (destroys, asks) {
            (true, true) => ", which may be destructive and requires approval",
            (true, false) => ", which may be destructive and requires no approval",
            _ => "",
        };
        let message = format!(
            "runs may now call the tool {}{note}: in {}",
            name(tool),
            describe_nodes(matching, Side::After, places)
        );
        let mut change =
            Change::new(ChangeKind::ToolAdded, "", message).values(None, Some(tool.as_str().into()));
        change.is_destructive = destroys;
        found.push(at_first_node(matching, Side::After, places, change));
    }
    found.sort_by_key(|change| !change.is_destructive);
    if let (true, false) = (old.any_tool.is_empty(), new.any_tool.is_empty()) {
        let message = format!(
            "runs may now call any available tool: in {}",
            describe_nodes(matching, Side::After, &new.any_tool)
        );
        let change = Change::new(ChangeKind::ToolAdded, "", message).values(None, Some("*".into()));
        found.insert(0, at_first_node(matching, Side::After, &new.any_tool, change));
    }
    if let (false, true) = (old.any_tool.is_empty(), new.any_tool.is_empty()) {
        let message = match new.tools.len() {
            0 => "runs call no tool any more; they could call any that is there".to_owned(),
            _ => format!(
                "runs may no longer call tools other than {}",
                names(&new.tools.keys().map(String::as_str).collect_vec())
            ),
        };
        let change = Change::new(ChangeKind::ToolRemoved, "", message).values(Some("*".into()), None);
        found.push(at_first_node(matching, Side::Before, &old.any_tool, change));
    }
    for (tool, places) in old.tools.iter().filter(|(tool, _)| new.lacks(tool)) {
        let message = format!("runs call the tool {} no more", name(tool));
        let change =
            Change::new(ChangeKind::ToolRemoved, "", message).values(Some(tool.as_str().into()), None);
        found.push(at_first_node(matching, Side::Before, places, change));
    }
    changes.extend(found);
}

fn needs_approval(tool: &str, capabilities: &Capabilities) -> bool {
    let entry = capabilities.tools.as_ref().and_then(|tools| tools.entry(tool));
    entry.is_some_and(|(name, tool)| capabilities.needs_approval(name, tool, ChosenBy::Plan))
}

fn describe_nodes(matching: &PlanMatching<'_>, side: Side, places: &[(usize, usize)]) -> String {
    let keys: BTreeSet<&str> =
        places.iter().filter_map(|place| Some(matching.node(side, *place)?.key.as_str())).collect();
    names(&keys.into_iter().collect_vec())
}

fn at_first_node(
    matching: &PlanMatching<'_>,
    side: Side,
    places: &[(usize, usize)],
    mut change: Change,
) -> Change {
    let Some(place) = places.first() else { return change };
    let (Some(graph), Some(node)) = (matching.graph(side, place.0), matching.node(side, *place)) else {
        return change;
    };
    let span = Some(node.tool.as_ref().map_or(node.key_span, |tool| tool.span));
    change.scope.clone_from(&graph.scope);
    match side {
        Side::Before => change.before_span = span,
        Side::After => change.after_span = span,
    }
    change.node(&node.key)
}
