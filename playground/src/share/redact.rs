//! Removes secrets by key names, as cassettes do. Comments, style, schemas and templates such as `${context.key}` stay.
//! Unparsable text is searched by line.
//!
//! Invariant: text that parses loses only secrets.

use stepgraph_core::cassette::REDACTED;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::secret_names::is_secret;
use stepgraph_core::source::edit::apply_edits;
use stepgraph_core::source::{Format, Spanned, ValueKind, parse};

/// Redacted text and the count.
///
/// # Example
/// ```
/// use stepgraph_playground::share::redact_secrets;
/// let text = "nodes: {a: {type: log, input: {password: hunter2}}} # mine\n";
/// assert_eq!(redact_secrets(text), ("nodes: {a: {type: log, input: {password: \"[redacted]\"}}} # mine\n".into(), 1));
/// ```
pub fn redact_secrets(text: &str) -> (String, usize) {
    let mut spans = Vec::new();
    match parse(text, Format::Auto).root {
        Some(root) => find_in_value(&root, false, &mut spans),
        None => find_in_lines(text, &mut spans),
    }
    // Aliases repeat their anchor's span.
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    let put = |span: &Span| {
        // Block scalars include the last line break.
        let is_block = text.get(span.start..span.end).is_some_and(|value| value.ends_with('\n'));
        TextEdit { span: *span, text: ["\"", REDACTED, if is_block { "\"\n" } else { "\"" }].concat() }
    };
    let edits: Vec<TextEdit> = spans.iter().map(put).collect();
    (apply_edits(text, &edits), edits.len())
}

fn find_in_value(value: &Spanned, secret: bool, spans: &mut Vec<Span>) {
    match &value.kind {
        ValueKind::Map(entries) => {
            for entry in entries {
                let inner = matches!(entry.value.kind, ValueKind::Map(_));
                find_in_value(&entry.value, is_secret(&entry.key) && !inner, spans);
            }
        }
        ValueKind::List(items) => {
            for item in items {
                find_in_value(item, secret && !matches!(item.kind, ValueKind::Map(_)), spans);
            }
        }
        ValueKind::Text(text) if secret && reveals_value(text) => spans.push(value.span),
        ValueKind::Number(_) if secret => spans.push(value.span),
        _ => {}
    }
}

/// Empty texts, templates and redacted values reveal nothing.
fn reveals_value(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text != REDACTED && !(text.starts_with("${") && text.ends_with('}'))
}

/// Like `key: value`, to the end of the line's value.
fn find_in_lines(text: &str, spans: &mut Vec<Span>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        for (colon, _) in line.match_indices(':') {
            let (before, after) =
                (line.get(..colon).unwrap_or_default(), line.get(colon + 1..).unwrap_or_default());
            let key = before.rsplit(['{', ',', '[']).next().unwrap_or_default();
            let key = key.trim().trim_start_matches("- ").trim_matches(['"', '\'', ' ']);
            let value = after.split([',', '}', '\n', '\r']).next().unwrap_or_default();
            let told = value.trim();
            if !is_secret(key)
                || !reveals_value(told.trim_matches(['"', '\'']))
                || told.starts_with(['{', '[', '|', '>'])
                || told.starts_with("${")
            {
                continue;
            }
            let start = at + colon + 1 + (value.len() - value.trim_start().len());
            spans.push(Span::new(start, start + told.len()));
        }
        at += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacts_values_of_secret_keys() {
        let removed = [
            ("a: {password: x}", "a: {password: \"[redacted]\"}"),
            ("password: >\n  two\n  lines\nb: 1\n", "password: \"[redacted]\"\nb: 1\n"),
            ("\"API-Key\": 'it''s' # c\n", "\"API-Key\": \"[redacted]\" # c\n"),
            ("api_key:\n  - one\n  - 22\n", "api_key:\n  - \"[redacted]\"\n  - \"[redacted]\"\n"),
            ("token: &t abc\nb: *t\n", "token: &t \"[redacted]\"\nb: *t\n"),
            ("{\"token\": 17}", "{\"token\": \"[redacted]\"}"),
            (
                "b: [1\ntoken: abc\n- secret: 'x', y: 1}\n",
                "b: [1\ntoken: \"[redacted]\"\n- secret: \"[redacted]\", y: 1}\n",
            ),
        ];
        for (text, expected) in removed {
            let (found, count) = redact_secrets(text);
            assert!(count > 0, "{text}");
            assert_eq!(found, expected);
            assert_eq!(redact_secrets(&found), (found.clone(), 0), "{text}");
        }
    }

    #[test]
    fn keeps_values_that_reveal_nothing() {
        let stays = [
            "a: {password: \"${context.password}\"}",
            "inputs: {password: {type: string}, token: {enum: [a, b]}}",
            "token:\nb: [password, secret]\n",
            "tokens: 100\nlimits: {tokens: 5}\n",
            "token: null\npassword: false\n",
            "b: [1\npassword: ${context.x}\n",
            "",
        ];
        for text in stays {
            assert_eq!(redact_secrets(text), (text.to_owned(), 0));
        }
    }
}
