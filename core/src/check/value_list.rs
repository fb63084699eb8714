//! Lists values in messages, with a limit.

use crate::collect::CollectVec;
use crate::diagnostic::shorten_name;
use crate::value::canonical_text;
use serde_json::Value as Json;

/// One more tells that there are others.
pub(super) const MAX_LISTED: usize = 8;

/// As in "`a`, `b` or another of its values".
pub(super) fn value_list(values: &[&Json], between: &str) -> String {
    list(values.iter().map(|value| value_text(value)), between, "values")
}

/// As in "`a`, `b` or another of its names".
pub(super) fn name_list(names: &[&str]) -> String {
    list(names.iter().map(|name| shorten_name(name)), ", ", "names")
}

fn list(mut words: impl Iterator<Item = String>, between: &str, what: &str) -> String {
    let listed = words.by_ref().take(MAX_LISTED).map(|word| format!("`{word}`")).collect_vec().join(between);
    if words.next().is_some() { format!("{listed} or another of its {what}") } else { listed }
}

/// Quotes only text that would read as another value, such as `"5"`.
fn value_text(value: &Json) -> String {
    match value {
        Json::String(text)
            if text.starts_with(char::is_alphabetic)
                && !["true", "false", "null"].contains(&text.as_str()) =>
        {
            shorten_name(text)
        }
        other => shorten_name(&canonical_text(other)),
    }
}
