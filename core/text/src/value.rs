//! What the engine needs of a value, and nothing more.
//!
//! Decides the handful of questions that conditions and templates ask. Does not know where values live: natively they are
//! shared JSON, in WebAssembly they stay in a table on JavaScript's side and only their place in it is known here.
//!
//! Invariants:
//! 1. values are shared, never copied, and never changed;
//! 2. both kinds of values give equal answers to equal questions: numbers are compared and written as JavaScript does,
//!    but whole numbers never in exponent form; keys that are array indices come first, as JavaScript orders them.

use crate::collect::CollectVec;
use serde_json::Value as Json;
use std::fmt;
use std::sync::Arc;

/// One step of a path into a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// `.key` or `["key"]`; digits also index a list.
    Key(String),
    /// `[0]`, which only lists have.
    Index(usize),
}

/// A way into a value. The host may know it by its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    /// Its number in the program that holds it; 0 is always the value itself.
    pub number: u32,
    /// The steps; none means the value itself.
    pub segments: Vec<Segment>,
}

/// Text found in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextView<'a> {
    /// The text itself.
    Here(&'a str),
    /// The text of the program's literal of that number; the host compared it.
    Literal(u32),
    /// Text that no literal of the program has; ask [`Value::text`] for it.
    Elsewhere,
}

/// What stands at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum View<'a> {
    /// Nothing: some step of the path leads nowhere.
    Missing,
    /// `null`, which is there.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, as JavaScript has it.
    Number(f64),
    /// Text.
    Text(TextView<'a>),
    /// A list.
    List,
    /// A map.
    Map,
}

/// A value of a run: node inputs and outputs, the run's input, what stubs return.
///
/// Cloning must be cheap: it shares.
pub trait Value: Clone + fmt::Debug {
    /// Where values of one run live: nothing natively, a table of the host in WebAssembly.
    type Arena: fmt::Debug;

    /// A value from JSON.
    fn from_json(space: &Self::Arena, json: &Json) -> Self;
    /// A list of values.
    fn list(space: &Self::Arena, items: Vec<Self>) -> Self;
    /// A map of values, keys in order.
    fn map(space: &Self::Arena, entries: Vec<(String, Self)>) -> Self;

    /// What stands at the end of `path`.
    fn view(&self, path: &Path) -> View<'_>;
    /// The value at the end of `path`, shared.
    fn get(&self, space: &Self::Arena, path: &Path) -> Option<Self>;
    /// The text at the end of `path`, if it is text.
    fn text(&self, path: &Path) -> Option<String>;
    /// A JSON copy of what stands at the end of `path`.
    fn json(&self, path: &Path) -> Option<Json>;
    /// Whether the map at the end of `path` has `key`.
    fn has_key(&self, path: &Path, key: &str) -> bool;
    /// Whether the text at the end of `path` has `part` in it, which is the program's literal of that number.
    fn text_contains(&self, path: &Path, part: &str, literal: u32) -> bool;
    /// What stands at a position of the list at the end of `path`; nothing past its end. Asked only right after
    /// [`Value::view`] of that list, so that a host need not find it again.
    fn element(&self, path: &Path, index: u32) -> Option<View<'_>>;
    /// How many elements a list has; 0 for anything else.
    fn length(&self) -> usize;
    /// An element of a list, shared.
    fn item(&self, space: &Self::Arena, index: u32) -> Option<Self>;
    /// How many bytes its JSON text has.
    fn bytes(&self) -> f64;
    /// About how many bytes its JSON text has, known at once; what stands in it several times counts as often.
    fn weight(&self) -> f64 {
        self.bytes()
    }
    /// The same for two that are shared, and for no others of one run.
    fn identity(&self) -> u64;
}

impl View<'_> {
    /// What it is, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Missing => "not there",
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List => "a list",
            Self::Map => "a map",
        }
    }
}

impl Value for Arc<Json> {
    type Arena = ();

    fn from_json((): &(), json: &Json) -> Self {
        Arc::new(json.clone())
    }

    fn list((): &(), items: Vec<Self>) -> Self {
        Arc::new(Json::Array(items.into_iter().map(unshare).collect_vec()))
    }

    fn map((): &(), entries: Vec<(String, Self)>) -> Self {
        Arc::new(Json::Object(entries.into_iter().map(|(key, value)| (key, unshare(value))).collect()))
    }

    fn view(&self, path: &Path) -> View<'_> {
        get_path(self, &path.segments).map_or(View::Missing, view)
    }

    fn text_contains(&self, path: &Path, part: &str, _: u32) -> bool {
        matches!(get_path(self, &path.segments), Some(Json::String(text)) if text.contains(part))
    }

    fn element(&self, path: &Path, index: u32) -> Option<View<'_>> {
        get_path(self, &path.segments)?.as_array()?.get(index as usize).map(view)
    }

    fn length(&self) -> usize {
        self.as_array().map_or(0, Vec::len)
    }

    fn item(&self, (): &(), index: u32) -> Option<Self> {
        self.as_array()?.get(index as usize).map(|item| Arc::new(item.clone()))
    }

    fn identity(&self) -> u64 {
        Arc::as_ptr(self) as usize as u64
    }

    fn bytes(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no text is as long as a float can't count")]
        let bytes = json_text(self).len() as f64;
        bytes
    }

    fn get(&self, (): &(), path: &Path) -> Option<Self> {
        if path.segments.is_empty() {
            return Some(Arc::clone(self));
        }
        get_path(self, &path.segments).map(|found| Arc::new(found.clone()))
    }

    fn text(&self, path: &Path) -> Option<String> {
        get_path(self, &path.segments)?.as_str().map(str::to_owned)
    }

    fn json(&self, path: &Path) -> Option<Json> {
        get_path(self, &path.segments).cloned()
    }

    fn has_key(&self, path: &Path, key: &str) -> bool {
        matches!(get_path(self, &path.segments), Some(Json::Object(map)) if map.contains_key(key))
    }
}

fn view(value: &Json) -> View<'_> {
    match value {
        Json::Null => View::Null,
        Json::Bool(b) => View::Bool(*b),
        Json::Number(n) => View::Number(n.as_f64().unwrap_or(f64::NAN)),
        Json::String(s) => View::Text(TextView::Here(s)),
        Json::Array(_) => View::List,
        Json::Object(_) => View::Map,
    }
}

fn unshare(value: Arc<Json>) -> Json {
    Arc::try_unwrap(value).unwrap_or_else(|shared| (*shared).clone())
}

/// The value at the end of a path through JSON.
pub fn get_path<'a>(value: &'a Json, segments: &[Segment]) -> Option<&'a Json> {
    segments.iter().try_fold(value, |value, segment| match (value, segment) {
        (Json::Object(map), Segment::Key(key)) => map.get(key),
        (Json::Array(list), Segment::Key(key)) => list.get(list_index(key)?),
        (Json::Array(list), Segment::Index(index)) => list.get(*index),
        _ => None,
    })
}

/// Whether something stands at the end of a path through JSON.
pub fn has_path(value: &Json, segments: &[Segment]) -> bool {
    get_path(value, segments).is_some()
}

/// The index that a key of digits stands for, written as JavaScript writes it: no sign, no leading nought.
pub fn list_index(key: &str) -> Option<usize> {
    let canonical = key == "0" || (!key.starts_with('0') && key.len() <= 10);
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { key.parse().ok() } else { None }
}

/// A number as text: whole ones without exponent or point, others in the shortest form that reads back the same.
pub fn number_text(number: f64) -> String {
    let Some(shortest) = serde_json::Number::from_f64(number) else { return "null".to_owned() };
    let written = shortest.to_string();
    let (sign, digits) = written.strip_prefix('-').map_or(("", written.as_str()), |digits| ("-", digits));
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let plain = shift_point(whole, fraction.trim_end_matches('0'), exponent.parse().unwrap_or(0));
    if plain == "0" { plain } else { format!("{sign}{plain}") }
}

/// `whole.fraction` with the point moved by `places` to the right, without noughts that say nothing.
fn shift_point(whole: &str, fraction: &str, places: isize) -> String {
    let digits = format!("{whole}{fraction}");
    let point = isize::try_from(whole.len()).unwrap_or(0) + places;
    let Ok(point) = usize::try_from(point) else {
        return format!("0.{}{digits}", "0".repeat(point.unsigned_abs()));
    };
    if point >= digits.len() {
        let padded = format!("{digits}{}", "0".repeat(point - digits.len()));
        let trimmed = padded.trim_start_matches('0');
        return if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() };
    }
    let (before, after) = digits.split_at(point);
    let before = before.trim_start_matches('0');
    format!("{}.{after}", if before.is_empty() { "0" } else { before })
}

/// How a value stands within text: a text as it is, null as nothing, everything else as JSON.
pub fn plain_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => json_text(other),
    }
}

/// JSON text as JavaScript writes it but for numbers, which go by [`number_text`].
///
/// Natively and in WebAssembly the same value gives the same text.
///
/// # Example
/// ```
/// use stepgraph_text::value::json_text;
/// let value = serde_json::json!({"b": 1.0, "2": [true, null], "a": "é\n"});
/// assert_eq!(json_text(&value), r#"{"2":[true,null],"b":1,"a":"é\n"}"#);
/// ```
pub fn json_text(value: &Json) -> String {
    let mut out = String::new();
    write_json(value, &mut out, false);
    out
}

/// The same with the keys of every map sorted: one text for one value, whatever the order of its keys.
pub fn canonical_text(value: &Json) -> String {
    let mut out = String::new();
    write_json(value, &mut out, true);
    out
}

fn write_json(value: &Json, out: &mut String, sorted: bool) {
    match value {
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(_), _) | (_, Some(_)) => out.push_str(&number.to_string()),
            _ => out.push_str(&number_text(number.as_f64().unwrap_or(0.0))),
        },
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_json(item, out, sorted);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect_vec();
            // One sort for both orders: the code of a sort is large.
            entries.sort_by(|(a, _), (b, _)| if sorted { a.cmp(b) } else { rank(a).cmp(&rank(b)) });
            out.push('{');
            for (i, (key, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                write_json(item, out, sorted);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// Where JavaScript puts a key: array indices in their order, then all others as they came.
fn rank(key: &str) -> u64 {
    array_index(key).map_or(u64::MAX, u64::from)
}

/// The array index that JavaScript takes a key for, and so puts before the keys that are words.
fn array_index(key: &str) -> Option<u32> {
    list_index(key).and_then(|index| u32::try_from(index).ok()).filter(|index| *index < u32::MAX)
}

/// Whether two JSON values are equal when numbers are compared numerically.
pub fn json_equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| json_equal(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_text() {
        for (number, text) in [
            (3.0, "3"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e21, "1000000000000000000000"),
            (1.5e-7, "0.00000015"),
            (1_000_000.0, "1000000"),
            (-12.5, "-12.5"),
            (123_456.789, "123456.789"),
            (5e-324, &format!("0.{}5", "0".repeat(323))),
            (1.5e300, &format!("15{}", "0".repeat(299))),
        ] {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn paths_into_json() {
        let value = Arc::new(serde_json::json!({"a": [{"0": "x"}], "0": "map", "n": null}));
        let key = |k: &str| Segment::Key(k.to_owned());
        for (segments, found) in [
            (vec![key("a"), key("0"), key("0")], Some(serde_json::json!("x"))),
            (vec![key("a"), Segment::Index(0), key("0")], Some(serde_json::json!("x"))),
            (vec![key("0")], Some(serde_json::json!("map"))),
            (vec![Segment::Index(0)], None),
            (vec![key("a"), key("00")], None),
            (vec![key("n")], Some(Json::Null)),
            (vec![key("n"), key("x")], None),
        ] {
            let path = Path { number: 0, segments };
            assert_eq!(value.json(&path), found, "{path:?}");
        }
    }
}
