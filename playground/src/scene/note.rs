//! A node's note: comments right above and behind its key. Nodes that share a line have none.

/// The key begins at this byte.
pub(super) fn note_at(source: &str, key_start: usize) -> String {
    let (Some(before), Some(from)) = (source.get(..key_start), source.get(key_start..)) else {
        return String::new();
    };
    let (above, indent) = before.rsplit_once('\n').unwrap_or(("", before));
    if !indent.trim().is_empty() {
        return String::new();
    }
    let mut lines: Vec<&str> =
        above.split('\n').rev().map_while(|line| line.trim().strip_prefix('#')).collect();
    // A top comment is about the whole plan.
    if above.trim_start().starts_with('#') && lines.len() == above.split('\n').count() {
        lines.clear();
    }
    lines.reverse();
    lines.extend(from.lines().next().and_then(comment_in));
    lines.into_iter().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A `#` in quotes or a word begins none.
fn comment_in(line: &str) -> Option<&str> {
    let (mut quote, mut last) = (None, ' ');
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c && last != '\\' => quote = None,
            (None, '"' | '\'') if !last.is_alphanumeric() => quote = Some(c),
            (None, '#') if last.is_whitespace() => return line.get(at + 1..),
            _ => {}
        }
        last = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_comments_about_a_node() {
        let text = "# The plan.\nnodes:\n  # Asks first,\n  #\n  # then waits.\n  a: {type: log, input: \"x # y\"} # loud\n  b: {type: log, input: it's#1}\n\n  # Far.\n\n  c: {type: noop}\n";
        for (key, expected) in [("a:", "Asks first,\nthen waits.\nloud"), ("b:", ""), ("c:", "")] {
            let at = text.find(&["  ", key].concat()).map(|at| at + 2).expect("in the text");
            assert_eq!(note_at(text, at), expected, "{key}");
        }
        assert_eq!(note_at("nodes: {a: {type: log}, b: {type: log}} # both", 8), "");
        assert_eq!(note_at("", 9), "");
    }
}
