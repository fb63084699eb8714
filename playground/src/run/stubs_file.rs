//! Edits stubs that the runner chose (`playground/js/run/stubs-file.ts`).
//!
//! Invariants: unchanged entries stay verbatim, and an impossible edit changes nothing.
//!
//! Source: `docs/stubs.md`; [`stepgraph_core::source::edit`].

use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::{Comments, print};
use stepgraph_core::source::edit::{Change, edit, keys};
use stepgraph_core::source::{Format, Spanned, ValueKind, parse};

/// New or removed.
#[derive(Debug, Clone, PartialEq)]
pub struct StubEntry {
    /// `nodes`, `types`, `tools` or `models`.
    pub group: String,
    /// Within its group.
    pub name: String,
    /// `None` removes it.
    pub behaviour: Option<Json>,
}

impl StubEntry {
    /// Reads the runner's message.
    pub fn from_message(message: &Json) -> Option<Self> {
        let text = |key: &str| message.get(key).and_then(Json::as_str).map(str::to_owned);
        Some(Self {
            group: text("group")?,
            name: text("name")?,
            behaviour: message.get("behaviour").cloned(),
        })
    }
}

/// Applies changes in order.
///
/// # Example
/// ```
/// use stepgraph_playground::run::{StubEntry, apply_entries};
/// let behaviour = Some(serde_json::json!({"return": 2}));
/// let pin = StubEntry { group: "nodes".into(), name: "a".into(), behaviour };
/// let text = "nodes:\n  a: {return: 1} # by hand\n";
/// assert_eq!(apply_entries(text, &[pin]).unwrap(), text.replace('1', "2"));
/// ```
pub fn apply_entries(text: &str, changes: &[StubEntry]) -> Result<String, Box<Diagnostic>> {
    changes.iter().try_fold(text.to_owned(), |text, change| apply_entry(&text, change))
}

fn apply_entry(
    text: &str,
    StubEntry { group, name, behaviour }: &StubEntry,
) -> Result<String, Box<Diagnostic>> {
    let document = parse(text, Format::Yaml);
    let is_whole = !document.diagnostics.iter().any(Diagnostic::is_error);
    let root = document.root.as_ref().filter(|root| !(is_whole && is_empty(root)));
    if root.is_none() && is_whole {
        let span = document.root.map(|root| root.span).filter(|span| span.end > span.start);
        let Some(behaviour) = behaviour else { return Ok(text.to_owned()) };
        let (before, after) = span.map_or((text, ""), |span| {
            (text.get(..span.start).unwrap_or_default(), text.get(span.end..).unwrap_or_default())
        });
        let new = print(&map(group, map(name, behaviour.clone())), &Comments::default());
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        return Ok([before, gap, &new, after.trim_start_matches('\n')].concat());
    }
    let known = root.and_then(|root| root.get(group)).map(|entry| &entry.value);
    let known = known.filter(|known| !is_empty(known));
    let old = known.and_then(|known| known.get(name)).map(|entry| &entry.value);
    let change = match behaviour {
        Some(behaviour) => match known {
            None => Change::Set { path: keys(&[group]), value: map(name, behaviour.clone()) },
            Some(_) => match old
                .zip(behaviour.get("return"))
                .filter(|(old, _)| differs_in_returns_only(old, behaviour))
            {
                Some((_, value)) => {
                    Change::Set { path: keys(&[group, name, "return"]), value: value.clone() }
                }
                None => Change::Set { path: keys(&[group, name]), value: behaviour.clone() },
            },
        },
        None if old.is_none() => return Ok(text.to_owned()),
        None if known.and_then(Spanned::as_map).is_some_and(|entries| entries.len() == 1) => {
            Change::Remove { path: keys(&[group]) }
        }
        None => Change::Remove { path: keys(&[group, name]) },
    };
    let text = edit(text, Format::Yaml, &[change])?.text;
    // An empty file is better than `{}`.
    Ok(if text.trim() == "{}" { String::new() } else { text })
}

fn map(key: &str, value: Json) -> Json {
    Json::Object(Map::from_iter([(key.to_owned(), value)]))
}

fn is_empty(value: &Spanned) -> bool {
    matches!(&value.kind, ValueKind::Null) || value.as_map().is_some_and(<[_]>::is_empty)
}

/// Then only `return` is edited, and `delay_ms` stays.
fn differs_in_returns_only(old: &Spanned, new: &Json) -> bool {
    let keys = |entry: &stepgraph_core::source::Entry| matches!(entry.key.as_str(), "return" | "delay_ms");
    old.get("return").is_some()
        && old.as_map().is_some_and(|entries| entries.iter().all(keys))
        && new.as_object().is_some_and(|new| new.len() == 1)
}

#[cfg(test)]
mod tests;
