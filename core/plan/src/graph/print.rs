//! Prints a plan as readable YAML.
//!
//! Shallow short maps and lists take one line, others are blocks. Text of several lines becomes a block scalar. Known
//! keys come first, in the order of `PlanPart::order`.
//!
//! Invariants:
//! 1. Every YAML 1.2 reader gets the same value.
//! 2. Text stays text in YAML 1.1, too: `no`, `on`, `1e3`, `2024-05-01` and `~` are quoted.
//! 3. Text, keys and comments can't end early: line breaks and direction marks are escaped, in comments replaced by a
//!    space.
//!
//! `serde_yaml` writes no comments and would add 40 KB. `tests/tests/print_roundtrip.rs` uses it as a second reader.

use serde_json::{Map, Value as Json};
use stepgraph_text::source::scalar_style::{block_header, needs_escape, number, quote, scalar};

/// Comments by JSON pointer: `/nodes/fetch/input`. The empty pointer is the file's head.
pub type Comments = Map<String, Json>;

const MAX_WIDTH: usize = 100;
/// Nodes are denser.
const MAX_NODE_WIDTH: usize = 64;
/// Some readers reject longer keys without `? `.
const MAX_KEY_CHARS: usize = 1000;
/// Nesting of maps on one line.
const MAX_FLOW_DEPTH: usize = 2;

const GRAPH: &[&str] = &[
    "format",
    "id",
    "description",
    "start",
    "inputs",
    "servers",
    "limits",
    "nodes",
    "edges",
    "tests",
    "layout",
];
const NODE: &[&str] = &[
    "type",
    "id",
    "description",
    "tool",
    "input",
    "with",
    "graph",
    "branches",
    "do",
    "metadata",
    "visits",
    "retry",
    "timeout_ms",
];
const EDGE: &[&str] = &["from", "to", "condition"];

/// Prints YAML.
///
/// # Example
/// ```
/// use serde_json::json;
/// use stepgraph_plan::graph::{Comments, print};
/// let plan = json!({"nodes": {"hello": {"input": "hola, ${input}", "type": "log"}}});
/// let comments = Comments::from_iter([("/nodes/hello".to_owned(), json!("says it"))]);
/// assert_eq!(print(&plan, &comments), "nodes:\n  # says it\n  hello: {type: log, input: \"hola, ${input}\"}\n");
/// ```
pub fn print(plan: &Json, comments: &Comments) -> String {
    let mut writer = Writer {
        out: String::new(),
        pointer: String::new(),
        comments,
        commented_paths: commented_paths(comments),
    };
    if writer.comment(0) {
        writer.out.push('\n');
    }
    match plan {
        Json::Object(map) if !map.is_empty() => writer.map(map, PlanPart::Graph, 0, false),
        Json::Array(list) if !list.is_empty() => writer.list(list, PlanPart::Other, 0),
        other => {
            let mut flow = String::new();
            if !write_flow(&mut flow, other, PlanPart::Other, usize::MAX, 0) {
                quote(&mut flow, other.as_str().unwrap_or_default());
            }
            writer.out.push_str(&flow);
            writer.out.push('\n');
        }
    }
    writer.out
}

/// Decides the order of keys, and which values fit on one line.
#[derive(Clone, Copy, PartialEq)]
enum PlanPart {
    Graph,
    Graphs,
    Nodes,
    Node,
    /// One line per entry.
    Rows,
    Edges,
    Edge,
    Other,
}

impl PlanPart {
    fn of(self, key: &str) -> Self {
        match (self, key) {
            (Self::Graph, "nodes") => Self::Nodes,
            (Self::Graph, "edges") => Self::Edges,
            (Self::Graph, "inputs" | "servers" | "tests") => Self::Rows,
            (Self::Nodes, _) => Self::Node,
            (Self::Edges, _) => Self::Edge,
            (Self::Node, "graph" | "do") | (Self::Graphs, _) => Self::Graph,
            (Self::Node, "branches") => Self::Graphs,
            _ => Self::Other,
        }
    }

    fn order(self) -> &'static [&'static str] {
        match self {
            Self::Graph => GRAPH,
            Self::Node => NODE,
            Self::Edge => EDGE,
            _ => &[],
        }
    }

    /// Zero for parts that are never on one line.
    fn width(self) -> usize {
        match self {
            Self::Graph | Self::Graphs | Self::Nodes | Self::Rows | Self::Edges => 0,
            Self::Node => MAX_NODE_WIDTH,
            Self::Edge | Self::Other => MAX_WIDTH,
        }
    }
}

struct Writer<'a> {
    out: String,
    pointer: String,
    comments: &'a Comments,
    commented_paths: Map<String, Json>,
}

/// The ancestors of commented values.
fn commented_paths(comments: &Comments) -> Map<String, Json> {
    let mut found = Map::new();
    for node_path in comments.keys() {
        let mut node_path = node_path.as_str();
        while let Some((outer, _)) = node_path.rsplit_once('/') {
            if found.insert(outer.to_owned(), Json::Null).is_some() {
                break;
            }
            node_path = outer;
        }
    }
    found
}

impl Writer<'_> {
    fn indent(&mut self, indent: usize) {
        for _ in 0..indent {
            self.out.push(' ');
        }
    }

    fn comment(&mut self, indent: usize) -> bool {
        let Some(text) = self.comments.get(&self.pointer).and_then(Json::as_str) else { return false };
        for line in text.lines() {
            self.indent(indent);
            self.out.push('#');
            let line = line.trim_end();
            if !line.is_empty() {
                self.out.push(' ');
            }
            for c in line.chars() {
                self.out.push(if needs_escape(c) { ' ' } else { c });
            }
            self.out.push('\n');
        }
        true
    }

    fn with_key(&mut self, key: &str, work: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        for c in key.chars() {
            match c {
                '~' => self.pointer.push_str("~0"),
                '/' => self.pointer.push_str("~1"),
                c => self.pointer.push(c),
            }
        }
        work(self);
        self.pointer.truncate(length);
    }

    /// If `begun` is set, the first entry continues the current line.
    fn map(&mut self, map: &Map<String, Json>, part: PlanPart, indent: usize, begun: bool) {
        let mut begun = begun;
        for (key, value) in ordered(map, part) {
            let section = indent == 0 && matches!(key.as_str(), "nodes" | "edges" | "tests");
            if section && !self.out.is_empty() && !self.out.ends_with("\n\n") {
                self.out.push('\n');
            }
            self.with_key(key, |it| {
                if !begun {
                    it.comment(indent);
                    it.indent(indent);
                }
                if key.len() > MAX_KEY_CHARS {
                    it.out.push_str("? ");
                    scalar(&mut it.out, key, false);
                    it.out.push('\n');
                    it.indent(indent);
                } else {
                    scalar(&mut it.out, key, false);
                }
                it.out.push(':');
                it.value(value, part.of(key), indent);
            });
            begun = false;
        }
    }

    fn list(&mut self, list: &[Json], part: PlanPart, indent: usize) {
        for (i, value) in list.iter().enumerate() {
            self.with_key(&i.to_string(), |it| {
                it.comment(indent);
                it.indent(indent);
                it.out.push('-');
                it.value(value, part.of(""), indent);
            });
        }
    }

    fn value(&mut self, value: &Json, part: PlanPart, indent: usize) {
        let column = self.out.len() - self.out.rfind('\n').map_or(0, |at| at + 1);
        let collection = match value {
            Json::Object(map) => !map.is_empty(),
            Json::Array(list) => !list.is_empty(),
            _ => false,
        };
        let room = if collection { part.width().saturating_sub(column + 1) } else { usize::MAX };
        let remarked = self.commented_paths.contains_key(&self.pointer);
        let mut flow = String::new();
        if !remarked && write_flow(&mut flow, value, part, room, 0) {
            self.out.push(' ');
            self.out.push_str(&flow);
            self.out.push('\n');
            return;
        }
        match value {
            Json::Object(map) => {
                // A map starts next to its list dash, unless a comment precedes its first entry.
                let begun = self.out.ends_with('-') && !remarked;
                self.out.push(if begun { ' ' } else { '\n' });
                self.map(map, part, indent + 2, begun);
            }
            Json::Array(list) => {
                self.out.push('\n');
                self.list(list, part, indent + 2);
            }
            other => self.text(other.as_str().unwrap_or_default(), indent + 2),
        }
    }

    /// Prefers a block scalar if that is lossless.
    fn text(&mut self, text: &str, indent: usize) {
        self.out.push(' ');
        let Some(mark) = block_header(text) else {
            quote(&mut self.out, text);
            self.out.push('\n');
            return;
        };
        self.out.push_str(mark);
        self.out.push('\n');
        for line in text.lines() {
            if !line.is_empty() {
                self.indent(indent);
            }
            self.out.push_str(line);
            self.out.push('\n');
        }
    }
}

fn ordered(map: &Map<String, Json>, part: PlanPart) -> impl Iterator<Item = (&String, &Json)> {
    let known = part.order().iter().filter_map(|key| map.get_key_value(*key));
    known.chain(map.iter().filter(move |(key, _)| !part.order().contains(&key.as_str())))
}

/// Writes one line of at most `room` columns. Returns whether the value fits.
fn write_flow(out: &mut String, value: &Json, part: PlanPart, room: usize, depth: usize) -> bool {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(value) => number(out, value),
        Json::String(text) if text.contains('\n') => return false,
        Json::String(text) => scalar(out, text, depth > 0),
        Json::Array(list) if depth < MAX_FLOW_DEPTH || list.is_empty() => {
            out.push('[');
            for (i, value) in list.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                if !write_flow(out, value, PlanPart::Other, room, depth + 1) {
                    return false;
                }
            }
            out.push(']');
        }
        Json::Object(map) if depth < MAX_FLOW_DEPTH || map.is_empty() => {
            out.push('{');
            for (i, (key, value)) in ordered(map, part).enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                scalar(out, key, true);
                out.push_str(": ");
                if !write_flow(out, value, PlanPart::Other, room, depth + 1) {
                    return false;
                }
            }
            out.push('}');
        }
        _ => return false,
    }
    out.len() <= room
}
