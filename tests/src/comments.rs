//! Finds the comments of a YAML text.
//!
//! A `#` inside a key or scalar starts no comment, so this relies on the parser's spans.

use std::collections::BTreeMap;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::{Format, Spanned, ValueKind, parse};

/// Returns comments with their offsets, or an empty list for JSON and invalid texts.
pub fn comments(text: &str) -> Vec<(usize, &str)> {
    let document = parse(text, Format::Auto);
    let Some(root) = document.root.filter(|_| document.format == Format::Yaml) else { return Vec::new() };
    let mut scalars = Vec::new();
    collect(&root, text, &mut scalars);
    scalars.sort_unstable_by_key(|span| span.start);
    let mut found = Vec::new();
    let mut scalars = scalars.into_iter().peekable();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('#')).map(|found| at + found) {
        while scalars.next_if(|span| span.end <= start).is_some() {}
        if let Some(span) = scalars.peek().filter(|span| span.start <= start) {
            at = span.end.max(start + 1);
            continue;
        }
        let line = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
        let before = text.get(..start).unwrap_or_default();
        at = start + 1;
        if before.is_empty() || before.ends_with([' ', '\t', '\n', '\r', '\u{feff}']) {
            found.push((start, line.trim_end()));
            at = start + line.len().max(1);
        }
    }
    found
}

/// Counts each comment.
pub fn count_comments<'t>(comments: impl IntoIterator<Item = (usize, &'t str)>) -> BTreeMap<&'t str, usize> {
    let mut counts = BTreeMap::new();
    for (_, comment) in comments {
        *counts.entry(comment).or_default() += 1;
    }
    counts
}

/// Excludes the header line of block scalars.
fn collect(value: &Spanned, text: &str, found: &mut Vec<Span>) {
    match &value.kind {
        ValueKind::List(items) => items.iter().for_each(|item| collect(item, text, found)),
        ValueKind::Map(entries) => {
            for entry in entries {
                found.push(entry.key_span);
                collect(&entry.value, text, found);
            }
        }
        _ => {
            let written = text.get(value.span.start..value.span.end).unwrap_or_default();
            let header = written.find(['\n', '\r']).filter(|_| written.starts_with(['|', '>'])).unwrap_or(0);
            found.push(Span::new(value.span.start + header, value.span.end));
        }
    }
}
