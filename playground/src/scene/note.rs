//! A node's note: comments right above and behind its key. Nodes that share a line have none, nor does JSON.

use std::ops::Range;
use stepgraph_core::diagnostic::{Span, TextEdit};

/// The key begins at this byte.
pub(super) fn note_at(source: &str, key_start: usize) -> String {
    let Some(comments) = Comments::around(source, key_start) else { return String::new() };
    let behind = comments.behind.as_ref().map(|(_, text)| *text);
    let lines = comments.above.1.iter().copied().chain(behind);
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether comments about the key can be written.
pub(crate) fn can_have_note(source: &str, key_start: usize) -> bool {
    Comments::around(source, key_start).is_some()
}

/// The edits that make `note` the note. Its last line stays behind the key if it was there.
pub(crate) fn note_edits(source: &str, key_start: usize, note: &str) -> Vec<TextEdit> {
    let Some(comments) = Comments::around(source, key_start) else { return Vec::new() };
    let mut lines: Vec<&str> = note.trim().lines().map(str::trim).collect();
    let (above, old_lines) = &comments.above;
    let mut edits = Vec::new();
    if let Some((span, text)) = &comments.behind {
        if lines.last() == Some(&text.trim()) {
            lines.pop();
        } else {
            edits.push(TextEdit { span: Span::new(span.start, span.end), text: String::new() });
        }
    }
    if !old_lines.iter().map(|line| line.trim()).eq(lines.iter().copied()) {
        let text = lines.iter().map(|line| comment_line(comments.indent, line)).collect();
        edits.insert(0, TextEdit { span: Span::new(above.start, above.end), text });
    }
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
    fn around(source: &'s str, key_start: usize) -> Option<Self> {
        let (before, from) = (source.get(..key_start)?, source.get(key_start..)?);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let (above, indent) = (source.get(..line_start)?, source.get(line_start..key_start)?);
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
        // A top comment is about the whole plan.
        if start == 0 {
            (start, lines) = (line_start, Vec::new());
        }
        lines.reverse();
        let line = from.lines().next().unwrap_or_default();
        let behind = comment_start(line).map(|at| {
            let text_end = line.get(..at).unwrap_or_default().trim_end().len();
            (key_start + text_end..key_start + line.len(), line.get(at + 1..).unwrap_or_default())
        });
        Some(Self { indent, above: (start..line_start, lines), behind })
    }
}

/// A `#` in quotes or a word begins none.
fn comment_start(line: &str) -> Option<usize> {
    let (mut quote, mut last) = (None, ' ');
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c && last != '\\' => quote = None,
            (None, '"' | '\'') if !last.is_alphanumeric() => quote = Some(c),
            (None, '#') if last.is_whitespace() => return Some(at),
            _ => {}
        }
        last = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::source::edit::apply_edits;

    const TEXT: &str = "# The plan.\nnodes:\n  # Asks first,\n  #\n  # then waits.\n  a: {type: log, input: \"x # y\"} # loud\n  b: {type: log, input: it's#1}\n\n  # Far.\n\n  c:\n    type: log\n    input: |\n      text\n      # text\n  d: {type: noop}\n";

    fn key(text: &str, key: &str) -> usize {
        text.find(&["\n  ", key, ":"].concat()).map(|at| at + 3).expect("in the text")
    }

    #[test]
    fn finds_the_comments_about_a_node() {
        for (node, expected) in [("a", "Asks first,\nthen waits.\nloud"), ("b", ""), ("c", ""), ("d", "")] {
            assert_eq!(note_at(TEXT, key(TEXT, node)), expected, "{node}");
        }
        assert_eq!(note_at("nodes: {a: {type: log}, b: {type: log}} # both", 8), "");
        assert_eq!(note_at("", 9), "");
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
            let text = apply_edits(TEXT, &note_edits(TEXT, key(TEXT, node), note));
            assert_eq!(text, TEXT.replace(old, new), "{node}: {note}");
            let shown = note_at(&text, key(&text, node));
            assert_eq!(shown, note.replace("\n\n", "\n").replace(['\u{7}', '\u{2028}'], "").trim(), "{node}: {note}");
        }
        for (text, at) in [("nodes: {a: {type: log}}", 8), ("{\n  \"nodes\": {\n    \"a\": 1\n}}", 19)] {
            assert!(!can_have_note(text, at) && note_edits(text, at, "x").is_empty());
        }
    }
}
