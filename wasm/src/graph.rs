//! JavaScript bindings for plans.

use crate::schema::patterns;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use stepgraph_codec::capabilities::HostCapabilities;
use stepgraph_codec::diagnostics::{diagnostics_json, joined_diagnostics_json};
use stepgraph_codec::files::plan_files;
use stepgraph_codec::json;
use stepgraph_core::check;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::{self, Parsed};
use stepgraph_core::interner::NameTable;
use stepgraph_core::machine;
use stepgraph_core::node::{Action, Handler};
use stepgraph_core::source;
use stepgraph_core::value::Segment;
use stepgraph_engine::bound_plan::BoundPlan;
use stepgraph_engine::value::Table;
use wasm_bindgen::prelude::wasm_bindgen;

/// A parsed plan and its diagnostics.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ParsedGraph {
    graph: Option<Graph>,
    diagnostics: String,
    missing_files: Vec<String>,
}

#[wasm_bindgen]
impl ParsedGraph {
    /// Returns the readable plan once, then `undefined`.
    pub fn take(&mut self) -> Option<Graph> {
        self.graph.take()
    }

    /// Returns a JSON list once, then an empty string.
    pub fn diagnostics(&mut self) -> String {
        std::mem::take(&mut self.diagnostics)
    }

    /// Returns the files that the plan runs and that were not given, as a JSON list.
    pub fn missing_files(&self) -> String {
        Json::from(self.missing_files.as_slice()).to_string()
    }
}

/// A plan, maybe with errors.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Graph {
    plan: graph::PlanGraph,
    format: source::Format,
    files: graph::PlanFiles,
}

impl Graph {
    pub(crate) fn plan(&self) -> &graph::PlanGraph {
        &self.plan
    }

    fn json_of(&self, diagnostics: &[Diagnostic]) -> String {
        joined_diagnostics_json(diagnostics, self.plan.source(), self.plan.files())
    }
}

/// Parses text. A `format` other than `json` and `yaml` detects it. `files` is JSON.
#[wasm_bindgen]
pub fn parse_text(text: &str, format: &str, files: &str) -> ParsedGraph {
    let format = json::parse_format(format);
    let files = plan_files(files);
    let Parsed { graph, diagnostics } =
        graph::PlanGraph::parse_with(text, format, NameTable::default(), &files);
    let Some(plan) = graph else {
        let diagnostics = diagnostics_json(&diagnostics, text);
        return ParsedGraph { graph: None, diagnostics, missing_files: Vec::new() };
    };
    let missing_files = plan.missing_files().to_vec();
    let graph = Graph { plan, format, files };
    ParsedGraph { diagnostics: graph.json_of(&diagnostics), graph: Some(graph), missing_files }
}

/// Parses bytes. Invalid text yields a diagnostic and no plan.
#[wasm_bindgen]
pub fn parse_bytes(bytes: &[u8], format: &str, files: &str) -> ParsedGraph {
    match source::decode(bytes) {
        Ok(text) => parse_text(text, format, files),
        Err(diagnostic) => {
            // The text before the first invalid byte gives the position.
            let end = diagnostic.span.map_or(0, |span| span.start);
            let text = bytes.get(..end).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or("");
            let diagnostics = diagnostics_json(&[diagnostic], text);
            ParsedGraph { graph: None, diagnostics, missing_files: Vec::new() }
        }
    }
}

/// Parses YAML or JSON. Returns JSON `{value, diagnostics}`. An unreadable `value` is `null`.
#[wasm_bindgen]
pub fn read_document(text: &str, format: &str) -> String {
    let document = source::parse(text, json::parse_format(format));
    let value = document.root.map_or(Json::Null, |root| root.to_json());
    let diagnostics = diagnostics_json(&document.diagnostics, text);
    format!("{{\"value\":{value},\"diagnostics\":{diagnostics}}}")
}

#[wasm_bindgen]
impl Graph {
    /// Whether the plan has no errors. Missing capabilities of a host don't count.
    pub fn valid(&self) -> bool {
        self.plan.is_sound()
    }

    /// Checks plan and tests for a host (JSON). Returns a JSON list of diagnostics, with those of unused stubs.
    pub fn check(&self, offer: &str) -> String {
        let host = HostCapabilities::from_json(offer).into_capabilities(patterns());
        let mut diagnostics = check::check(&self.plan, &host);
        diagnostics.extend(check::check_tests(&self.plan, &host));
        let unused = |stubs| graph::unused_stubs(&self.plan, stubs, &host.stubs.host_tools);
        diagnostics.extend(host.stubs.given.iter().flat_map(unused));
        self.json_of(&diagnostics)
    }

    /// Parses the plan again with a host's outputs (JSON). Returns a JSON list of diagnostics.
    pub fn read_for(&self, offer: &str) -> String {
        let host = HostCapabilities::from_json(offer).into_capabilities(patterns());
        let (text, outputs) = (self.plan.own_source(), host.external_outputs());
        self.json_of(&graph::PlanGraph::parse_with(text, self.format, outputs, &self.files).diagnostics)
    }

    /// Returns why no run can ask for approval under this name, as JSON `{message, help}` or `undefined`.
    /// `visits` overrides the plan's visit limit for nodes without one.
    pub fn check_decision(&self, call: &str, visits: Option<u32>) -> Option<String> {
        let check::DecisionProblem { message, help, .. } = check::check_decision(&self.plan, visits, call)?;
        Some(json!({"message": message, "help": help}).to_string())
    }

    /// Binds the plan to a host (JSON). Its constants go into the value table.
    pub fn bind(&self, host: &str, table: u32) -> BoundPlan {
        let mut host = HostCapabilities::from_json(host).into_capabilities(patterns());
        host.errors_only = true;
        match machine::bind(&self.plan, &host, &Table::new(table)) {
            Ok((program, diagnostics)) => BoundPlan::new(Some(Arc::new(program)), self.json_of(&diagnostics)),
            Err(diagnostics) => BoundPlan::new(None, self.json_of(&diagnostics)),
        }
    }

    /// Returns the plan as JSON, as written.
    pub fn json(&self) -> String {
        self.plan.to_json().to_string()
    }

    /// Returns the nodes as JSON `[{key, id, type, tool, metadata, with, retry?, timeoutMs?, scope?}]`: first
    /// the plan's own graph, then each nested one.
    pub fn nodes(&self) -> String {
        let node = |graph: &graph::Graph, position: usize, node: &graph::Node| {
            let with = self
                .plan
                .node_entry(graph, position)
                .and_then(|node| node.value.get("with"))
                .map(|with| with.value.to_json())
                .filter(|with| !with.is_null());
            let metadata: serde_json::Map<String, Json> =
                node.metadata.iter().map(|(key, text)| (key.clone(), Json::from(text.as_str()))).collect();
            let mut json = json!({
                "key": node.key, "id": node.id, "type": node.kind,
                "tool": node.tool.as_ref().map(|tool| tool.name.as_str()),
                "metadata": metadata, "with": with.unwrap_or_else(|| json!({})),
            });
            add_retry_policy(&mut json, node);
            add_scope(&mut json, &graph.scope);
            json
        };
        let graphs = self.plan.graphs();
        let nodes = graphs.iter().flat_map(|graph| {
            graph.nodes.iter().enumerate().map(|(position, found)| node(graph, position, found))
        });
        Json::Array(nodes.collect_vec()).to_string()
    }

    /// Returns the place of a node's value, or of its edge's condition, that a failure names, or else of its key, as JSON
    /// `{line, column, file?}`. `position` counts as in `nodes`.
    pub fn node_place(&self, position: usize, message: &str) -> Option<String> {
        let graphs = self.plan.graphs();
        let mut nodes = graphs.iter().flat_map(|graph| graph.nodes.iter().map(move |node| (graph, node)));
        let (graph, node) = nodes.nth(position)?;
        let index = source::SourceIndex::joined(self.plan.source(), self.plan.files());
        let start = machine::failed_value_span(graph, node, message).start;
        let (line, column) = index.line_col(start);
        let mut place = json!({"line": line, "column": column});
        if let (Some(file), Some(place)) = (index.file(start), place.as_object_mut()) {
            place.insert("file".to_owned(), file.into());
        }
        Some(place.to_string())
    }

    /// Returns the edges, in that order, as JSON `[{from, to, condition, scope?}]`.
    pub fn edges(&self) -> String {
        let edge = |scope: &str, edge: &graph::Edge| {
            let mut json =
                json!({"from": edge.from.name, "to": edge.to.name, "condition": edge.condition_text});
            add_scope(&mut json, scope);
            json
        };
        let graphs = self.plan.graphs();
        let edges = graphs.iter().flat_map(|graph| graph.edges.iter().map(|found| edge(&graph.scope, found)));
        Json::Array(edges.collect_vec()).to_string()
    }

    /// Returns a hash of the plan's meaning.
    pub fn hash(&self) -> String {
        self.plan.hash()
    }

    /// Returns the plan's hash and its parts' as JSON `{hash, parts}`.
    pub fn fingerprint(&self) -> String {
        self.plan.fingerprint().to_json().to_string()
    }

    /// Describes the differences from the fingerprint `from` as a JSON list of texts. If it is none, the only
    /// text says so.
    pub fn differences(&self, from: &str) -> String {
        let known = graph::Fingerprint::from_json(&json::parse(from));
        let found = known.map(|known| known.differences(&self.plan.fingerprint()));
        Json::from(found.unwrap_or_else(|| vec!["there is no fingerprint to compare with".to_owned()]))
            .to_string()
    }

    /// Returns the start node's position in the plan's own graph.
    pub fn start(&self) -> Option<usize> {
        self.plan.root.start
    }
}

/// Prints a JSON plan as YAML. `comments` is a JSON map from JSON pointer to comment.
#[wasm_bindgen]
pub fn print_plan(plan: &str, comments: &str) -> String {
    let comments = json::parse(comments);
    graph::print(&json::parse(plan), comments.as_object().unwrap_or(&serde_json::Map::new()))
}

fn add_scope(json: &mut Json, scope: &str) {
    if let (false, Some(json)) = (scope.is_empty(), json.as_object_mut()) {
        json.insert("scope".to_owned(), scope.into());
    }
}

fn add_retry_policy(json: &mut Json, node: &graph::Node) {
    let Some(json) = json.as_object_mut() else { return };
    if let Some(graph::Retry { attempts, backoff_ms, factor, max_ms, on }) = &node.retry {
        let retry = json!({"attempts": attempts, "backoffMs": backoff_ms, "factor": factor, "maxMs": max_ms, "on": on});
        json.insert("retry".to_owned(), retry);
    }
    if let Some(timeout_ms) = node.timeout_ms {
        json.insert("timeoutMs".to_owned(), timeout_ms.into());
    }
}

/// Returns the meaning of a bound plan's numbers, as JSON
/// `{actions, timed, names, graphs, edges, atoms, paths, literals}`, or `null` if it is not bound.
#[wasm_bindgen]
pub fn tables(bound: &BoundPlan) -> String {
    let Some(program) = bound.program() else { return "null".to_owned() };
    let segment = |segment: &Segment| match segment {
        Segment::Key(key) => Json::from(key.as_str()),
        Segment::Index(index) => Json::from(*index),
    };
    json!({
            "actions": program.nodes.iter().map(|node| action_json(&node.action)).collect_vec(),
            "timed": program.limits.timeout_ms.is_some() || program.nodes.iter().any(|node| node.options.is_some()),
            "names": program.root().names.items(),
            "graphs": program.graphs.iter().map(|graph| json!([graph.scope, graph.count])).collect_vec(),
            "edges": program.edges.iter().map(|edge| json!([edge.index, edge.target, edge.condition_text])).collect_vec(),
            "atoms": program.atoms.iter().map(|atom| json!([atom.reference, atom.operand.path])).collect_vec(),
            "paths": program.paths.iter().map(|path| path.segments.iter().map(segment).collect_vec()).collect::<Vec<Vec<_>>>(),
            "literals": program.literals.iter().map(|literal| literal.text.as_str()).collect_vec(),
        })
        .to_string()
}

fn action_json(action: &Action) -> Json {
    match action {
        Action::Handler(Handler::Id(id)) => json!(["id", id]),
        Action::Handler(Handler::Type(kind)) => json!(["type", kind]),
        Action::Tool(name) => json!(["tool", name]),
        Action::Llm(_) => json!(["llm", null]),
        Action::Agent(_) | Action::Plan(_) | Action::React(_) | Action::Gather(..) | Action::Author(..) => {
            json!(["agent", null])
        }
        Action::Pass => json!(["pass", null]),
        Action::Log => json!(["log", null]),
        Action::Set => json!(["set", null]),
        Action::Wait => json!(["wait", null]),
        Action::Approve => json!(["approve", null]),
        Action::Composite(_) => json!(["composite", null]),
    }
}
