//! Reads a plan. Continues after errors, to report all at once.

mod edges;
mod file_settings;
mod files;
mod known;
mod node_structure;
mod nodes;
mod plan_tests;
mod reader;
mod run_settings;

pub use run_settings::is_url;

use super::map_reader::{KeySpec, MapReader, wrong_type};
use super::{Graph, Named, NestedStep, Node, PlanGraph, scoped_name};
use edges::Edges;
pub(super) use edges::KEYS as EDGE_KEYS;
pub(super) use files::join;
pub use known::{UnusedStubs, unused_stubs};
pub(super) use node_structure::RETRY as RETRY_KEYS;
pub(super) use nodes::KEYS as NODE_KEYS;
use reader::{NodeNames, Reader};
pub(super) use run_settings::LIMITS as LIMIT_KEYS;
use std::sync::Arc;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Severity, Span, Target, shorten_name,
};
use stepgraph_text::source::{Spanned, ValueKind};

pub(super) const PLAN_KEYS: KeySpec = KeySpec {
    known: &[
        "id",
        "start",
        "nodes",
        "edges",
        "format",
        "description",
        "inputs",
        "servers",
        "limits",
        "layout",
        "tests",
    ],
    required: &["nodes"],
};
/// Nested graphs only; plans have more keys.
const NESTED_KEYS: KeySpec =
    KeySpec { known: &["start", "nodes", "edges", "description", "layout"], required: &["nodes"] };

pub(super) fn read(
    root: Arc<Spanned>,
    source: &str,
    diagnostics: &mut DiagnosticCollector,
) -> Option<PlanGraph> {
    let mut reader = Reader { source, problems: diagnostics, scope: String::new(), way: Vec::new() };
    // The user can add nodes to an empty text.
    let map = match root.kind {
        ValueKind::Null => MapReader::default(),
        _ => MapReader::new(&root, "a plan", Target::Document, reader.problems)?,
    };
    map.check_keys(&PLAN_KEYS, reader.problems);
    reader.format(&map);
    let id = map.text("id", reader.problems).map(|id| id.name);
    map.text("description", reader.problems);
    let limits = reader.limits(&map);
    let inputs = reader.inputs(&map);
    let servers = reader.servers(&map);
    let graph = reader.graph(&map, root.span);
    let external_outputs = reader.check_tests(&map, &graph);
    let source = source.to_owned();
    let errors = Vec::new();
    Some(PlanGraph {
        id,
        root: graph,
        inputs,
        servers,
        limits,
        errors,
        external_outputs,
        document: root,
        source,
        files: Vec::new(),
        missing_files: Vec::new(),
        file_inputs: Vec::new(),
    })
}

impl Reader<'_> {
    fn nested(&mut self, value: &Spanned, turn: NestedStep, scope: String) -> Graph {
        let outer = (std::mem::replace(&mut self.scope, scope), self.way.len());
        self.way.push(turn);
        // Unreplaced paths were reported when files were joined.
        let is_path = value.as_text().is_some();
        let map = (!is_path)
            .then(|| MapReader::new(value, "a graph inside a node", self.target(&[]), self.problems))
            .flatten();
        let graph = match map {
            Some(map) => {
                map.check_keys(&NESTED_KEYS, self.problems);
                map.text("description", self.problems);
                self.graph(&map, value.span)
            }
            None => self.graph_of(Vec::new(), Edges::default(), (None, None)),
        };
        self.scope = outer.0;
        self.way.truncate(outer.1);
        graph
    }

    fn graph(&mut self, map: &MapReader<'_>, whole: Span) -> Graph {
        let nodes = self.nodes(map, whole);
        let names = NodeNames::new(&nodes);
        let edges = self.edges(map, &names);
        self.layout(map, &names);
        let start = self.start(map, &names, &edges);
        self.graph_of(nodes, edges, start)
    }

    fn graph_of(&self, nodes: Vec<Node>, found: Edges, start: (Option<usize>, Option<Span>)) -> Graph {
        Graph {
            start: start.0,
            start_span: start.1,
            outgoing: found.outgoing(nodes.len()),
            has_all_edges: found.is_complete,
            edges: found.list,
            broken: found.broken,
            nodes,
            scope: self.scope.clone(),
            path: self.way.clone(),
        }
    }

    fn target(&self, names: &[&str]) -> Target {
        match names {
            [] if self.scope.is_empty() => Target::Document,
            [] => Target::Node(self.scope.clone()),
            [name, ..] => Target::Node(scoped_name(&self.scope, name)),
        }
    }

    fn format(&mut self, map: &MapReader<'_>) {
        let Some(value) = map.get("format") else { return };
        if !matches!(&value.kind, ValueKind::Number(number) if number.as_f64() == Some(1.0)) {
            let diagnostic = Diagnostic::new(Code::UnknownFormat, "this version supports only `format: 1`");
            self.problems.push(
                diagnostic.at(value.span).help("write `format: 1`, or use a newer version of stepgraph"),
            );
        }
    }

    fn layout(&mut self, map: &MapReader<'_>, names: &NodeNames<'_>) {
        let Some(value) = map.get("layout") else { return };
        let ValueKind::Map(entries) = &value.kind else {
            self.problems.push(wrong_type(value, "`layout`", "a map"));
            return;
        };
        for entry in entries {
            let pair = matches!(&entry.value.kind, ValueKind::List(items)
                if items.len() == 2 && items.iter().all(|item| matches!(item.kind, ValueKind::Number(_))));
            if !pair {
                self.problems.push(wrong_type(&entry.value, "a position in `layout`", "a pair of numbers"));
            }
            if names.position(&entry.key).is_none() && !names.nodes.is_empty() {
                let named = Named { name: entry.key.clone(), span: entry.key_span };
                let mut diagnostic = names.unknown(Code::UnknownNode, &named, self.problems);
                diagnostic.severity = Severity::Warning;
                // A fix must not add an existing key.
                diagnostic.fix.retain(|edit| entries.iter().all(|entry| entry.key != edit.text));
                if diagnostic.fix.is_empty() {
                    diagnostic.help = Some("remove this entry".to_owned());
                }
                self.problems.push(diagnostic);
            }
        }
    }

    fn start(
        &mut self,
        map: &MapReader<'_>,
        names: &NodeNames<'_>,
        edges: &Edges,
    ) -> (Option<usize>, Option<Span>) {
        let written = map.text("start", self.problems);
        let named = written.filter(|start| !start.name.trim().is_empty());
        // A `start` that is no text was already reported.
        let given = named.is_some() || map.get("start").is_some_and(|value| value.as_text().is_none());
        let Some(start) = named else {
            // A broken edge may lead to any node.
            let checked = !given && edges.is_complete && !names.nodes.is_empty();
            return (if checked { self.infer_start(map, names.nodes, edges) } else { None }, None);
        };
        let position = names.position(&start.name);
        if position.is_none() && !names.nodes.is_empty() {
            let diagnostic = names.unknown(Code::UnknownStart, &start, self.problems);
            self.problems.push(diagnostic);
        }
        (position, Some(start.span))
    }

    fn infer_start(&mut self, map: &MapReader<'_>, nodes: &[Node], edges: &Edges) -> Option<usize> {
        let mut entered = vec![false; nodes.len()];
        for edge in &edges.list {
            if let Some(entered) = entered.get_mut(edge.target) {
                *entered = true;
            }
        }
        let candidates: Vec<&Node> =
            nodes.iter().zip(&entered).filter(|(_, entered)| !**entered).map(|(node, _)| node).collect_vec();
        let span = map.key_span("nodes").unwrap_or_default();
        match candidates.as_slice() {
            [_] => entered.iter().position(|entered| !entered),
            [] => {
                self.problems.push(
                    Diagnostic::new(Code::NoStart, "every node has an incoming edge, so none is the start")
                        .at(span)
                        .help("name the first node in `start`"),
                );
                None
            }
            several => {
                self.problems.push(ambiguous_start(several, span));
                None
            }
        }
    }
}

const MAX_LISTED: usize = 5;

fn ambiguous_start(candidates: &[&Node], span: Span) -> Diagnostic {
    let named = candidates.iter().take(MAX_LISTED);
    let mut shown =
        named.clone().map(|node| format!("`{}`", shorten_name(&node.key))).collect_vec().join(", ");
    if candidates.len() > MAX_LISTED {
        shown = format!("{shown} and {} more", candidates.len() - MAX_LISTED);
    }
    let diagnostic = Diagnostic::new(
        Code::AmbiguousStart,
        format!("{shown} have no incoming edge; any could be the start"),
    )
    .at(span)
    .help("name the first node in `start`");
    named.fold(diagnostic, |diagnostic, node| diagnostic.label(node.key_span, "no edge leads here"))
}

/// The paths of a plan's maps, with known and required keys.
pub fn known_keys() -> Vec<(&'static str, &'static [&'static str], &'static [&'static str])> {
    let all = [
        ("", PLAN_KEYS),
        ("nodes.graph", NESTED_KEYS),
        ("nodes", nodes::KEYS),
        ("edges", edges::KEYS),
        ("nodes.retry", node_structure::RETRY),
        ("limits", run_settings::LIMITS),
        ("servers", run_settings::SERVER),
        ("tests", plan_tests::TEST),
        ("tests.expect", plan_tests::EXPECT),
        ("tests.stubs", plan_tests::STUBS),
    ];
    all.map(|(way, keys)| (way, keys.known, keys.required)).into()
}
