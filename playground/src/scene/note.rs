//! A node's note: comments right above and behind its key. Nodes that share a line have none, nor does JSON.

use std::ops::Range;
use stepgraph_core::diagnostic::{Span, TextEdit};

/// Of a node in the text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NodeSpans {
    /// Its key.
    pub key: Span,
    /// Its value.
    pub value: Span,
}

/// The note, with its empty lines.
pub(super) fn note_at(source: &str, node: NodeSpans) -> String {
    let Some(comments) = Comments::around(source, node) else { return String::new() };
    let behind = comments.behind.as_ref().map(|(_, text)| *text);
    let lines = comments.above.1.iter().copied().chain(behind);
    lines.map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Whether comments about the node can be written.
pub(crate) fn can_have_note(source: &str, node: NodeSpans) -> bool {
    Comments::around(source, node).is_some()
}

/// The edits that make `note` the note. Its last line stays behind the node if it was there.
pub(crate) fn note_edits(source: &str, node: NodeSpans, note: &str) -> Vec<TextEdit> {
    let Some(comments) = Comments::around(source, node) else { return Vec::new() };
    if note.trim() == note_at(source, node) {
        return Vec::new();
    }
    let mut lines: Vec<&str> = note.trim().lines().map(str::trim).collect();
    let mut edits = Vec::new();
    if let Some((span, text)) = &comments.behind {
        if lines.last() == Some(&text.trim()) {
            lines.pop();
        } else {
            edits.push(TextEdit { span: Span::new(span.start, span.end), text: String::new() });
        }
    }
    let text = lines.iter().map(|line| comment_line(comments.indent, line)).collect();
    let above = &comments.above.0;
    edits.insert(0, TextEdit { span: Span::new(above.start, above.end), text });
    edits
}

fn comment_line(indent: &str, line: &str) -> String {
    // Older readers of YAML end a line at these.
    let ends_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let text: String = line.chars().filter(|c| !ends_line(*c)).collect();
    [[indent, "# ", &text].concat().trim_end(), "\n"].concat()
}

struct Comments<'s> {
    indent: &'s str,
    /// Up to the line of the key.
    above: (Range<usize>, Vec<&'s str>),
    /// With the blanks before it.
    behind: Option<(Range<usize>, &'s str)>,
}

impl<'s> Comments<'s> {
    fn around(source: &'s str, node: NodeSpans) -> Option<Self> {
        let before = source.get(..node.key.start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let (above, indent) = (source.get(..line_start)?, source.get(line_start..node.key.start)?);
        let is_json = source.trim_start().starts_with('{');
        if !indent.trim().is_empty() || is_json {
            return None;
        }
        let mut start = line_start;
        let mut lines = Vec::new();
        for line in above.split_inclusive('\n').rev() {
            let text = line.trim_start_matches([' ', '\t']);
            // What is further in may belong to a text of the node before.
            let Some(comment) = text.strip_prefix('#').filter(|_| line.len() - text.len() <= indent.len())
            else {
                break;
            };
            start -= line.len();
            lines.push(comment.trim_end_matches(['\n', '\r']));
        }
        lines.reverse();
        Some(Self { indent, above: (start..line_start, lines), behind: behind(source, node) })
    }
}

/// The comment at the end of the key's line.
fn behind(source: &str, node: NodeSpans) -> Option<(Range<usize>, &str)> {
    let line = source.get(node.key.start..)?.lines().next()?;
    let line_end = node.key.start + line.trim_end_matches('\r').len();
    // A value on lines of its own leaves nothing but a colon, an anchor and a tag.
    let from = if node.value.start < line_end { node.value.end } else { node.key.end };
    let rest = source.get(from..line_end)?;
    let at = rest.find(" #").or_else(|| rest.find("\t#"))?;
    let blanks = rest.get(..at)?.trim_end().len();
    if node.value.start < line_end && blanks > 0 {
        return None;
    }
    Some((from + blanks..line_end, rest.get(at + 2..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::source::edit::apply_edits;
    use stepgraph_core::source::{Format, parse};

    fn spans(text: &str, key: &str) -> NodeSpans {
        let root = parse(text, Format::Yaml).root.expect("a map");
        let entry = root.get("nodes").and_then(|nodes| nodes.value.get(key)).expect("a node");
        NodeSpans { key: entry.key_span, value: entry.value.span }
    }

    const TEXT: &str = "# The plan.\nnodes:\n  # Asks first,\n  #\n  # then waits.\n  a: {type: log, input: \"x # y\"} # loud\n  b: {type: log, input: it's#1}\n\n  # Far.\n\n  c:\n    type: log\n    input: |\n      text\n      # text\n  d: {type: noop}\n";

    #[test]
    fn finds_the_comments_about_a_node() {
        for (node, expected) in [("a", "Asks first,\n\nthen waits.\nloud"), ("b", ""), ("c", ""), ("d", "")] {
            assert_eq!(note_at(TEXT, spans(TEXT, node)), expected, "{node}");
        }
        let line = "nodes: {a: {type: log}, b: {type: log}} # both";
        assert_eq!(note_at(line, spans(line, "a")), "");
        assert_eq!(note_at("", NodeSpans { key: Span::new(9, 10), value: Span::default() }), "");
    }

    #[test]
    fn writes_a_note() {
        let a = "  # Asks first,\n  #\n  # then waits.\n  a: {type: log, input: \"x # y\"} # loud\n";
        let cases = [
            (
                "a",
                "One\n\ntwo\u{7}\nloud",
                a,
                "  # One\n  #\n  # two\n  a: {type: log, input: \"x # y\"} # loud\n",
            ),
            ("a", "One", a, "  # One\n  a: {type: log, input: \"x # y\"}\n"),
            ("a", " ", a, "  a: {type: log, input: \"x # y\"}\n"),
            ("b", "B # b\u{2028}", "  b: {", "  # B # b\n  b: {"),
            ("c", "C", "  c:\n", "  # C\n  c:\n"),
            ("d", "D", "  d:", "  # D\n  d:"),
        ];
        for (node, note, old, new) in cases {
            let text = apply_edits(TEXT, &note_edits(TEXT, spans(TEXT, node), note));
            assert_eq!(text, TEXT.replace(old, new), "{node}: {note}");
            let shown = note_at(&text, spans(&text, node));
            assert_eq!(shown, note.replace(['\u{7}', '\u{2028}'], "").trim(), "{node}: {note}");
        }
        for text in ["nodes: {a: {type: log}}", "{\n  \"nodes\": {\n    \"a\": 1\n}}"] {
            let node = spans(text, "a");
            assert!(!can_have_note(text, node) && note_edits(text, node, "x").is_empty());
        }
    }

    #[test]
    fn leaves_values_alone() {
        for (value, note) in [
            ("{type: log, input: {dir: 'C:\\', title: 'Nr # 5'}}", ""),
            ("{type: log, input: \"C:\\\\ # x\"} # own", "own"),
            ("{type: log, input: rock 'n roll} # own 'n", "own 'n"),
            ("{type: log, # inside\n    input: 1}", ""),
            ("# own\n    type: log", "own"),
            ("&x # own\n    type: log", "own"),
            ("!!map # own # too\n    type: log", "own # too"),
        ] {
            let text = format!("nodes:\n  a: {value}\n");
            let node = spans(&text, "a");
            assert_eq!(note_at(&text, node), note, "{value}");
            let edits = note_edits(&text, node, "new");
            let edited = apply_edits(&text, &edits);
            let json = |text: &str| parse(text, Format::Yaml).root.map(|root| root.to_json());
            assert_eq!(json(&edited), json(&text), "{edited}");
            assert_eq!(note_at(&edited, spans(&edited, "a")), "new", "{edited}");
        }
    }
}
