//! Keys and names that a person wrote: the author's own, and those that are almost one that is known.
//!
//! Decides which edit puts the right name in the place of a wrong one.

use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Diagnostic, Span, TextEdit, shorten_name};
use stepgraph_text::source::Entry;

/// Whether a key is the author's own, which no version of this program will give a meaning.
pub fn is_extension_key(key: &str) -> bool {
    key.starts_with("x-")
}

/// The same with the advice to write `name`, and an edit that does where what stands there is not the whole value.
pub fn did_you_mean(mut diagnostic: Diagnostic, name: &str, wrong: &str) -> Diagnostic {
    diagnostic.help = Some(format!("did you mean `{}`?", shorten_name(name)));
    // Quotes are left where they are; a name that is written with escapes is left alone.
    let quotes = diagnostic.span.map(|span| (span, (span.end - span.start).checked_sub(wrong.len())));
    // A text without quotes may have lost as much between two lines.
    let folded = wrong.contains([' ', '\n']);
    let inner = match quotes {
        Some((span, Some(0))) => Some(span),
        Some((span, Some(2))) if !folded => Some(Span::new(span.start + 1, span.end - 1)),
        _ => None,
    };
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    diagnostic.fix = inner
        .filter(|_| plain)
        .map(|span| TextEdit { span, text: name.to_owned() })
        .into_iter()
        .collect_vec();
    diagnostic
}

/// A problem whose edit writes none of the keys that are there: what is there already can't be put there once more.
pub fn without_conflicting_fix(mut diagnostic: Diagnostic, entries: &[Entry]) -> Diagnostic {
    let offered = diagnostic.fix.len();
    diagnostic.fix.retain(|edit| entries.iter().all(|entry| entry.key != edit.text));
    if diagnostic.fix.len() < offered {
        diagnostic.help = Some("remove this entry".to_owned());
    }
    diagnostic
}
