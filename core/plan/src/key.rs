//! Extension keys, and fixes for misspelt names.

use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Diagnostic, Span, TextEdit, shorten_name};
use stepgraph_text::source::Entry;
use stepgraph_text::source::scalar_style::is_plain;

/// Extension keys are never part of the format.
pub fn is_extension_key(key: &str) -> bool {
    key.starts_with("x-")
}

/// Suggests `name`, with an edit if the span matches `wrong`.
pub fn did_you_mean(mut diagnostic: Diagnostic, name: &str, wrong: &str) -> Diagnostic {
    diagnostic.help = Some(format!("did you mean `{}`?", shorten_name(name)));
    // Keeps quotes. Names with escapes get no edit.
    let quotes = diagnostic.span.map(|span| (span, (span.end - span.start).checked_sub(wrong.len())));
    // Line folding also lengthens unquoted text.
    let folded = wrong.contains([' ', '\n']);
    let is_word = name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    let inner = match quotes {
        Some((span, Some(0))) if is_plain(name, true) => Some(span),
        Some((span, Some(2))) if !folded => Some(Span::new(span.start + 1, span.end - 1)),
        _ => None,
    };
    diagnostic.fix = inner
        .filter(|_| is_word)
        .map(|span| TextEdit { span, text: name.to_owned() })
        .into_iter()
        .collect_vec();
    diagnostic
}

/// Drops an edit that would write an existing key.
pub fn without_conflicting_fix(mut diagnostic: Diagnostic, entries: &[Entry]) -> Diagnostic {
    let offered = diagnostic.fix.len();
    diagnostic.fix.retain(|edit| entries.iter().all(|entry| entry.key != edit.text));
    if diagnostic.fix.len() < offered {
        diagnostic.help = Some("remove this entry".to_owned());
    }
    diagnostic
}
