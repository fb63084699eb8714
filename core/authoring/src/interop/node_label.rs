//! What stands in a drawing beside its shapes, and what can be read back from it.
//!
//! Decides how a node is named: its key, and below it its type, with the tool it calls; where that is too long, or holds what can't be
//! shown, the drawing is short of it and a record says the rest.
//!
//! Invariants:
//! 1. what is shown is bounded and without characters that break lines or turn text around;
//! 2. what is shown reads back as what it was made of, or else there is a record.

use serde_json::{Map, Value as Json};
use stepgraph_core::graph::Node;
use stepgraph_core::source::text::telling;

/// Characters of a name, and of a condition, that are shown.
const MAX_NAME_CHARS: usize = 60;
const MAX_CONDITION_CHARS: usize = 120;

/// What a drawing says of a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LabelContent {
    pub(super) key: String,
    pub(super) kind: String,
    pub(super) tool: Option<String>,
}

impl LabelContent {
    fn new(node: &Node) -> Self {
        let tool = node.tool.as_ref().map(|tool| tool.name.clone());
        Self { key: node.key.clone(), kind: node.kind.clone(), tool }
    }

    /// The second line; none where it would repeat the name.
    fn second_line(&self) -> Option<String> {
        match &self.tool {
            Some(tool) => Some(format!("{}: {tool}", self.kind)),
            None if self.kind == self.key => None,
            None => Some(self.kind.clone()),
        }
    }

    fn from_lines(key: &str, below: Option<&str>) -> Self {
        let (kind, tool) = match below.map(|below| (below, below.split_once(": "))) {
            None => (key, None),
            Some((_, Some((kind, tool)))) => (kind, Some(tool.to_owned())),
            Some((kind, None)) => (kind, None),
        };
        Self { key: key.to_owned(), kind: kind.to_owned(), tool }
    }
}

/// The lines in a node.
pub(super) fn lines(node: &Node) -> Vec<String> {
    let label = LabelContent::new(node);
    let below = label.second_line().map(|below| shorten_name(&below));
    std::iter::once(shorten_name(&label.key)).chain(below).collect()
}

/// What the lines in a node say.
pub(super) fn parse(lines: &[String]) -> LabelContent {
    let key = lines.first().map(String::as_str).unwrap_or_default();
    LabelContent::from_lines(key, lines.get(1).map(String::as_str))
}

/// What stands between the name and the type in a title.
const TITLE_SEPARATOR: &str = " · ";

/// What stands above the frame of a node.
pub(super) fn title(node: &Node) -> String {
    lines(node).join(TITLE_SEPARATOR)
}

/// What a title says.
pub(super) fn parse_title(title: &str) -> LabelContent {
    match title.rsplit_once(TITLE_SEPARATOR) {
        Some((key, below)) => LabelContent::from_lines(key, Some(below)),
        None => LabelContent::from_lines(title, None),
    }
}

/// What has to be written down beside a drawing that tells `shown` of a node.
pub(super) fn record(node: &Node, shown: &LabelContent) -> Option<String> {
    let label = LabelContent::new(node);
    let held = match node.nested.as_slice() {
        [one] if one.key != "branches" && one.key != graph_key(&node.kind) => Some(one.key),
        _ => None,
    };
    if *shown == label && node.id == node.key && held.is_none() {
        return None;
    }
    let mut map = Map::new();
    map.insert("key".to_owned(), Json::from(label.key));
    map.insert("type".to_owned(), Json::from(label.kind));
    if let Some(tool) = label.tool {
        map.insert("tool".to_owned(), Json::from(tool));
    }
    if node.id != node.key {
        map.insert("id".to_owned(), Json::from(node.id.as_str()));
    }
    if let Some(held) = held {
        map.insert("holder".to_owned(), Json::from(held));
    }
    Some(comment_json(&Json::Object(map)))
}

/// The key that holds the graph of a node of a type, if it holds one only.
pub(super) fn graph_key(kind: &str) -> &'static str {
    if kind == "map" { "do" } else { "graph" }
}

/// A record of one thing.
pub(super) fn single_field(name: &str, value: &str) -> String {
    comment_json(&Json::Object(Map::from_iter([(name.to_owned(), Json::from(value))])))
}

/// JSON on one line that is nothing but that to whoever reads comments.
pub(super) fn comment_json(value: &Json) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        if c == '%' || telling(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    out.push(char::from_digit(u32::from(*unit) >> shift & 15, 16).unwrap_or('0'));
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A name as it is shown: one line of bounded length.
pub(super) fn shorten_name(text: &str) -> String {
    truncate(text, MAX_NAME_CHARS)
}

/// A condition as it is shown.
pub(super) fn shorten_condition(text: &str) -> String {
    truncate(text, MAX_CONDITION_CHARS)
}

fn truncate(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    for c in text.chars() {
        let c = if telling(c) || c.is_whitespace() { ' ' } else { c };
        // Blanks at the ends and in a row are not seen.
        if c == ' ' && (shown.is_empty() || shown.ends_with(' ')) {
            continue;
        }
        if count == most {
            shown.pop();
            shown.push('…');
            break;
        }
        shown.push(c);
        count += 1;
    }
    shown.truncate(shown.trim_end().len());
    if shown.is_empty() { "·".to_owned() } else { shown }
}

/// A text in lines of about so many columns, broken at blanks only.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        let long = word.chars().count();
        if width > 0 && width + 1 + long > columns {
            lines.push(std::mem::take(&mut line));
            width = 0;
        }
        if width > 0 {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += long;
    }
    lines.push(line);
    lines
}
