//! Converts a flowchart to a plan. Diamonds become decisions, other nodes `noop`.
//!
//! Invariants:
//! 1. The plan parses and has no errors.
//! 2. The report lists every guess.
//! 3. Our own output converts back to the original plan.

use super::flowchart::{Flowchart, Shape};
use super::own_output;
use super::subgraphs::{Element, Nesting};
use crate::interop::import_report::{ImportReport, ImportResult};
use crate::interop::node_keys::KeyAllocator;
use crate::interop::node_label::{self, LabelContent};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use stepgraph_core::diagnostic::{Code, Span, shorten_name};
use stepgraph_core::graph::Comments;

pub(super) fn to_plan(flowchart: &Flowchart, mut report: ImportReport) -> ImportResult {
    let nesting = if flowchart.own_record.is_some() {
        own_output::read_nesting(flowchart, &mut report)
    } else {
        infer_nesting(flowchart, &mut report)
    };
    let mut plan = PlanBuilder {
        flowchart,
        nesting,
        graphs: BTreeMap::new(),
        element_keys: Vec::new(),
        labels: HashMap::new(),
        report,
        comments: Comments::new(),
    };
    plan.assign_elements();
    let mut map = Map::new();
    let about = flowchart.own_record.as_deref().and_then(stepgraph_core::json::parse);
    if let Some(id) = about.as_ref().and_then(|about| about.get("id")) {
        map.insert("id".to_owned(), id.clone());
    }
    if let Some(title) = flowchart.title.as_deref().filter(|title| !title.trim().is_empty()) {
        map.insert("description".to_owned(), Json::from(title));
    }
    plan.graph(None, "", &mut map);
    if map.get("nodes").and_then(Json::as_object).is_none_or(Map::is_empty) {
        map.insert("nodes".to_owned(), json!({"empty": {"type": "noop"}}));
        plan.report.add(
            "flowchart",
            Code::ImportStart,
            Span::at(0),
            "the flowchart has no nodes; the plan has one that does nothing",
            "",
        );
    }
    let PlanBuilder { report, comments, .. } = plan;
    report.finish(map, &comments)
}

fn infer_nesting(flowchart: &Flowchart, report: &mut ImportReport) -> Nesting {
    let (nesting, left) = Nesting::infer(flowchart);
    for subgraph in left.iter().filter_map(|subgraph| flowchart.subgraphs.get(*subgraph)) {
        let message = format!(
            "`{}` has several entries or exits, so its nodes are in the graph around it",
            shorten_name(&subgraph.title)
        );
        report.add(
            "subgraph",
            Code::ImportFlattened,
            subgraph.span,
            message,
            "connect arrows to the subgraph itself, not to its nodes",
        );
    }
    nesting
}

pub(super) struct GraphEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: usize,
}

#[derive(Default)]
pub(super) struct GraphElements {
    pub(super) elements: Vec<Element>,
    pub(super) positions: HashMap<Element, usize>,
    pub(super) edges: Vec<GraphEdge>,
}

pub(super) struct PlanBuilder<'c> {
    pub(super) flowchart: &'c Flowchart,
    pub(super) nesting: Nesting,
    pub(super) graphs: BTreeMap<Option<usize>, GraphElements>,
    pub(super) element_keys: Vec<Element>,
    pub(super) labels: HashMap<Element, (LabelContent, Option<String>)>,
    pub(super) report: ImportReport,
    pub(super) comments: Comments,
}

impl PlanBuilder<'_> {
    fn assign_elements(&mut self) {
        let flowchart = self.flowchart;
        let is_mark = |id: &str| {
            let marked =
                |end: &str| id.strip_suffix(end).is_some_and(|id| flowchart.subgraph_of(id).is_some());
            flowchart.own_record.is_some()
                && (matches!(id, "start" | "finish") || marked("_in") || marked("_out"))
        };
        let nodes = flowchart.nodes.iter().enumerate();
        let nodes = nodes.filter(|(_, node)| flowchart.subgraph_of(&node.id).is_none() && !is_mark(&node.id));
        let mut elements: Vec<(usize, Element)> =
            nodes.map(|(at, node)| (node.span.start, Element::Node(at))).collect();
        let kept = flowchart
            .subgraphs
            .iter()
            .enumerate()
            .filter(|(at, _)| self.nesting.is_graph.get(*at) == Some(&true));
        elements.extend(kept.map(|(at, subgraph)| (subgraph.span.start, Element::Subgraph(at))));
        elements.sort_unstable();
        self.element_keys = elements.into_iter().map(|(_, element)| element).collect();
        for element in &self.element_keys {
            let graph = self.nesting.enclosing_graphs(flowchart, *element).next();
            let graph = self.graphs.entry(graph).or_default();
            graph.positions.insert(*element, graph.elements.len());
            graph.elements.push(*element);
        }
        for edge in &self.nesting.edges {
            let place = self.nesting.locate_edge(flowchart, edge);
            let found = place.and_then(|(graph, from, to)| {
                let graph = self.graphs.get_mut(&graph)?;
                let (from, to) = (*graph.positions.get(&from)?, *graph.positions.get(&to)?);
                Some((graph, from, to))
            });
            match found {
                Some((graph, from, to)) => graph.edges.push(GraphEdge { from, to, edge: edge.edge }),
                None => {
                    let span =
                        flowchart.edges.get(edge.edge).map(|flow_edge| flow_edge.span).unwrap_or_default();
                    self.report.add(
                        "arrow",
                        Code::ImportSyntax,
                        span,
                        "an arrow between a subgraph and its own contents is left out",
                        "",
                    );
                }
            }
        }
        self.name_elements();
    }

    fn name_elements(&mut self) {
        let mut keys = KeyAllocator::default();
        let mut passing = 0;
        for element in &self.element_keys {
            let told = match *element {
                Element::Node(at) => self
                    .flowchart
                    .nodes
                    .get(at)
                    .map(|node| (node.label.clone(), node.shape, &node.id, &node.record)),
                Element::Subgraph(at) => self.flowchart.subgraphs.get(at).map(|subgraph| {
                    (Some(vec![subgraph.title.clone()]), Shape::Any, &subgraph.id, &subgraph.record)
                }),
            };
            let Some((lines, shape, id, record)) = told else { continue };
            let label = if self.flowchart.own_record.is_some() && (lines.is_some() || record.is_some()) {
                own_output::read_record(
                    lines.as_deref().unwrap_or_default(),
                    record.as_deref(),
                    matches!(element, Element::Subgraph(_)),
                )
            } else {
                let text = lines.map(|lines| lines.join(" ")).filter(|text| !text.is_empty());
                let key = keys.allocate(text.as_deref().unwrap_or(id), id);
                let kind = match (element, shape) {
                    (Element::Subgraph(_), _) => "graph",
                    (_, Shape::Diamond) => "decision",
                    _ => "noop",
                };
                passing += usize::from(kind == "noop");
                let title = text.filter(|text| *text != key);
                (
                    LabelContent { key, kind: kind.to_owned(), tool: None },
                    title.map(|title| json!({"metadata": {"title": title}}).to_string()),
                )
            };
            self.labels.insert(*element, label);
        }
        if passing > 0 {
            let nodes = if passing == 1 { "node passes" } else { "nodes pass" };
            let message = format!(
                "{passing} {nodes} on the previous output, since a diagram does not contain what nodes do"
            );
            self.report.add(
                "node",
                Code::ImportPlaceholder,
                Span::at(0),
                message,
                "give them types, tools and inputs",
            );
        }
    }

    fn graph(&mut self, graph: Option<usize>, at: &str, map: &mut Map<String, Json>) {
        let Some(found) = self.graphs.remove(&graph) else { return };
        let keys = self.keys(&found);
        let start = self.start(graph, &found);
        if let Some(start) = keys.get(start) {
            map.insert("start".to_owned(), Json::from(start.as_str()));
        }
        let mut nodes = Map::new();
        for (element, key) in found.elements.iter().zip(&keys) {
            let at = format!("{at}/nodes/{}", key.replace('~', "~0").replace('/', "~1"));
            nodes.insert(key.clone(), Json::Object(self.node(*element, key, &at)));
        }
        map.insert("nodes".to_owned(), Json::Object(nodes));
        let edges = self.edges(&found, start, &keys, at);
        if !edges.is_empty() {
            map.insert("edges".to_owned(), Json::Array(edges));
        }
    }

    fn keys(&self, graph: &GraphElements) -> Vec<String> {
        let mut seen = HashMap::<String, usize>::new();
        let mut keys = Vec::new();
        for element in &graph.elements {
            let key = self.labels.get(element).map(|(label, _)| label.key.clone()).unwrap_or_default();
            let count = seen.entry(key.clone()).or_default();
            *count += 1;
            let again = *count;
            keys.push(if again > 1 { format!("{key}-{again}") } else { key });
        }
        keys
    }

    fn start(&mut self, graph: Option<usize>, found: &GraphElements) -> usize {
        let named = self.nesting.starts.get(&graph).and_then(|start| found.positions.get(start));
        if let Some(named) = named {
            return *named;
        }
        let mut entered = vec![false; found.elements.len()];
        for way in found.edges.iter().filter(|way| way.from != way.to) {
            entered.get_mut(way.to).into_iter().for_each(|entered| *entered = true);
        }
        let candidates = entered.iter().filter(|entered| !**entered).count();
        let mut left = vec![false; found.elements.len()];
        for way in &found.edges {
            left.get_mut(way.from).into_iter().for_each(|left| *left = true);
        }
        // An isolated node is not the start if others have edges.
        let both = || entered.iter().zip(&left);
        let start = both().position(|(entered, left)| !entered && *left);
        let start = start.or_else(|| both().position(|(_, left)| *left)).unwrap_or(0);
        if candidates != 1 {
            let key = found
                .elements
                .get(start)
                .and_then(|element| self.labels.get(element))
                .map(|(label, _)| label.key.clone());
            let how = if candidates == 0 {
                "every node has an arrow to it"
            } else {
                "several nodes have no arrow to them"
            };
            let message =
                format!("{how}; the run begins at `{}`, the first", shorten_name(&key.unwrap_or_default()));
            let span = found.elements.get(start).map(|element| self.span(*element)).unwrap_or_default();
            self.report.add(
                "start",
                Code::ImportStart,
                span,
                message,
                "name another node in `start`, if the run begins there",
            );
        }
        start
    }

    fn span(&self, element: Element) -> Span {
        let span = match element {
            Element::Node(at) => self.flowchart.nodes.get(at).map(|node| node.span),
            Element::Subgraph(at) => self.flowchart.subgraphs.get(at).map(|subgraph| subgraph.span),
        };
        span.unwrap_or_default()
    }

    fn node(&mut self, element: Element, key: &str, at: &str) -> Map<String, Json> {
        let mut map = Map::new();
        let Some((label, more)) = self.labels.get(&element).cloned() else { return map };
        map.insert("type".to_owned(), Json::from(label.kind.as_str()));
        if let Some(tool) = label.tool {
            map.insert("tool".to_owned(), Json::from(tool));
        }
        if let Some(Json::Object(more)) = more.as_deref().and_then(stepgraph_core::json::parse) {
            let more = more.into_iter().filter(|(name, value)| name != "id" || *value != key);
            map.extend(more.filter(|(name, _)| matches!(name.as_str(), "id" | "metadata")));
        }
        if let Element::Subgraph(subgraph) = element {
            self.nested_graphs(subgraph, &label.kind, at, &mut map);
        }
        map
    }

    fn nested_graphs(&mut self, subgraph: usize, kind: &str, at: &str, map: &mut Map<String, Json>) {
        let branches = self.graphs.get(&Some(subgraph)).filter(|_| self.flowchart.own_record.is_some());
        let branches: Vec<(usize, String)> = branches
            .filter(|graph| graph.elements.iter().all(|element| self.is_branch(subgraph, *element)))
            .map(|graph| {
                graph
                    .elements
                    .iter()
                    .filter_map(|element| if let Element::Subgraph(it) = element { Some(*it) } else { None })
                    .collect::<Vec<_>>()
            })
            .unwrap_or_default()
            .into_iter()
            .map(|branch| (branch, self.branch_name(branch)))
            .collect();
        if branches.is_empty() {
            let key = self.holder(Element::Subgraph(subgraph)).unwrap_or_else(|| node_label::graph_key(kind));
            let mut graph = Map::new();
            self.graph(Some(subgraph), &format!("{at}/{key}"), &mut graph);
            map.insert(key.to_owned(), Json::Object(graph));
            return;
        }
        self.graphs.remove(&Some(subgraph));
        let mut all = Map::new();
        for (branch, name) in branches {
            let mut graph = Map::new();
            let held = self.holder(Element::Subgraph(branch));
            let within = match held {
                Some(key) => format!("{at}/{key}"),
                None => format!("{at}/branches/{}", name.replace('~', "~0").replace('/', "~1")),
            };
            self.graph(Some(branch), &within, &mut graph);
            match held {
                Some(key) => drop(map.insert(key.to_owned(), Json::Object(graph))),
                None => drop(all.insert(name, Json::Object(graph))),
            }
        }
        if !all.is_empty() {
            map.insert("branches".to_owned(), Json::Object(all));
        }
    }

    fn holder(&self, element: Element) -> Option<&'static str> {
        let Element::Subgraph(subgraph) = element else { return None };
        let record = self
            .flowchart
            .subgraphs
            .get(subgraph)?
            .record
            .as_deref()
            .and_then(stepgraph_core::json::parse)?;
        let named = record.get("holder")?.as_str()?;
        ["graph", "do"].into_iter().find(|key| *key == named)
    }

    /// In our own output.
    fn is_branch(&self, subgraph: usize, element: Element) -> bool {
        let Element::Subgraph(inner) = element else { return false };
        let ids = self.flowchart.subgraphs.get(subgraph).zip(self.flowchart.subgraphs.get(inner));
        ids.is_some_and(|(outer, inner)| {
            inner.id.strip_prefix(&outer.id).is_some_and(|rest| rest.starts_with('_'))
        })
    }

    fn branch_name(&self, subgraph: usize) -> String {
        let Some(subgraph) = self.flowchart.subgraphs.get(subgraph) else { return String::new() };
        let record = subgraph.record.as_deref().and_then(stepgraph_core::json::parse);
        let named = record.as_ref().and_then(|record| record.get("branch")?.as_str());
        named.unwrap_or(&subgraph.title).to_owned()
    }
}
