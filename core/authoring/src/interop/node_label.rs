//! Formats and parses labels of diagram nodes: key, type, tool.
//!
//! Invariants:
//! 1. Labels have limited length and no characters that break lines or change text direction.
//! 2. A label parses back to its content, or there is a record.

use serde_json::{Map, Value as Json};
use stepgraph_core::graph::Node;
use stepgraph_core::source::scalar_style::needs_escape;

const MAX_NAME_CHARS: usize = 60;
const MAX_CONDITION_CHARS: usize = 120;

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

pub(super) fn lines(node: &Node) -> Vec<String> {
    let label = LabelContent::new(node);
    let below = label.second_line().map(|below| shorten_name(&below));
    std::iter::once(shorten_name(&label.key)).chain(below).collect()
}

pub(super) fn parse(lines: &[String]) -> LabelContent {
    let key = lines.first().map(String::as_str).unwrap_or_default();
    LabelContent::from_lines(key, lines.get(1).map(String::as_str))
}

const TITLE_SEPARATOR: &str = " · ";

pub(super) fn title(node: &Node) -> String {
    lines(node).join(TITLE_SEPARATOR)
}

pub(super) fn parse_title(title: &str) -> LabelContent {
    match title.rsplit_once(TITLE_SEPARATOR) {
        Some((key, below)) => LabelContent::from_lines(key, Some(below)),
        None => LabelContent::from_lines(title, None),
    }
}

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

pub(super) fn graph_key(kind: &str) -> &'static str {
    if kind == "map" { "do" } else { "graph" }
}

pub(super) fn single_field(name: &str, value: &str) -> String {
    comment_json(&Json::Object(Map::from_iter([(name.to_owned(), Json::from(value))])))
}

/// Cannot end a comment or become a directive.
pub(super) fn comment_json(value: &Json) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        if c == '%' || needs_escape(c) {
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

pub(super) fn shorten_name(text: &str) -> String {
    truncate(text, MAX_NAME_CHARS)
}

pub(super) fn shorten_condition(text: &str) -> String {
    truncate(text, MAX_CONDITION_CHARS)
}

fn truncate(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    for c in text.chars() {
        let c = if needs_escape(c) || c.is_whitespace() { ' ' } else { c };
        // Leading and repeated spaces are invisible.
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
