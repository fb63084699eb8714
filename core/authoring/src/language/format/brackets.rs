//! Formats brackets: a space after commas and colons, none before.

use crate::language::syntax_tree::{SyntaxItem, SyntaxTree};
use stepgraph_core::diagnostic::{Span, TextEdit};

/// Line breaks stay.
pub(super) fn edits(tree: &SyntaxTree<'_>) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for item in tree.items.iter().skip(1).filter(|item| tree.item(item.parent).flow) {
        space_before_item(tree.text, item, &mut edits);
        space_after_colon(tree.text, item, &mut edits);
        space_after_item(tree.text, item, &mut edits);
    }
    edits
}

fn space_before_item(text: &str, item: &SyntaxItem, edits: &mut Vec<TextEdit>) {
    let begin = item.key.map_or(item.value.start, |key| key.start);
    let head = text.get(..begin).unwrap_or_default();
    let kept = head.trim_end_matches([' ', '\t']);
    let wanted = match kept.chars().next_back() {
        Some(',') => " ",
        Some('{' | '[') if kept.len() < head.len() => " ",
        _ => return,
    };
    replace_if_different(text, Span::new(kept.len(), begin), wanted, edits);
}

fn space_after_colon(text: &str, item: &SyntaxItem, edits: &mut Vec<TextEdit>) {
    let Some(key) = item.key.filter(|_| item.colon && item.value.start < item.value.end) else { return };
    let between = text.get(key.end..item.value.start).unwrap_or_default();
    // A colon with no space around it is JSON style.
    if between.trim_matches([' ', '\t']) == ":" && !between.ends_with(':') {
        replace_if_different(text, Span::new(key.end, item.value.start), ": ", edits);
    }
}

fn space_after_item(text: &str, item: &SyntaxItem, edits: &mut Vec<TextEdit>) {
    let end = item.value.end;
    if item.value.start == end {
        return;
    }
    let tail = text.get(end..).unwrap_or_default();
    let rest = tail.trim_start_matches([' ', '\t']);
    let wanted = match rest.chars().next() {
        Some(',') => "",
        Some('}' | ']') if rest.len() < tail.len() => " ",
        _ => return,
    };
    replace_if_different(text, Span::new(end, end + tail.len() - rest.len()), wanted, edits);
}

fn replace_if_different(text: &str, span: Span, wanted: &str, edits: &mut Vec<TextEdit>) {
    if text.get(span.start..span.end) != Some(wanted) {
        edits.push(TextEdit { span, text: wanted.to_owned() });
    }
}
