//! Interprets common forms that the draft does not define, in lenient schemas only.
//!
//! A form gets a wider meaning only if its own would reject every value that the author may want.
//!
//! Source: JSON Schema drafts 3 and 4; `OpenAPI` 3.0; schemas of tools in public collections.

use super::instance::{ResolvedValue, Validity, View};
use super::rule::{Assertion, types};
use serde_json::{Map, Value as Json};
use stepgraph_text::value::plain_text;

const TYPE_NAMES: [(&str, u8); 7] = [
    ("none nil", types::NULL),
    ("bool", types::BOOL),
    ("int long short int32 int64 bigint", types::WHOLE),
    ("float double decimal numeric", types::NUMBER),
    ("str text char", types::TEXT),
    ("list tuple set", types::LIST),
    ("dict map json struct", types::MAP),
];

/// `None` if unknown.
pub(super) fn types_of_name(name: &Json) -> Option<u8> {
    let Some(name) = name.as_str() else { return name.is_null().then_some(types::NULL) };
    // Handles `list[int]`, `string[]` and `str, optional`.
    let end = name.find(['[', '<', ',']).unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    if rest.starts_with("[]") {
        return Some(types::LIST);
    }
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let proper = types::NAMES.iter().position(|(known, _)| is(known)).map(|bit| 1 << bit);
    let odd = || TYPE_NAMES.iter().find(|(names, _)| names.split(' ').any(is)).map(|(_, types)| *types);
    proper.or_else(odd)
}

pub(super) fn allows_null(map: &Map<String, Json>) -> bool {
    let listed =
        map.get("enum").and_then(Json::as_array).is_some_and(|options| options.contains(&Json::Null));
    listed || map.get("nullable") == Some(&Json::Bool(true)) || map.get("default") == Some(&Json::Null)
}

/// In draft 4 a flag made a bound exclusive.
pub(super) fn lenient_assertion(assertion: Assertion, map: &Map<String, Json>) -> Assertion {
    let says = |flag: &str| map.get(flag) == Some(&Json::Bool(true));
    match assertion {
        Assertion::Minimum if says("exclusiveMinimum") => Assertion::ExclusiveMinimum,
        Assertion::Maximum if says("exclusiveMaximum") => Assertion::ExclusiveMaximum,
        other => other,
    }
}

/// Entries with `required: true`, as in draft 3.
pub(super) fn required(map: &Map<String, Json>) -> Vec<Json> {
    let properties = map.get("properties").and_then(Json::as_object).into_iter().flatten();
    let needed = properties.filter(|(_, schema)| schema.get("required") == Some(&Json::Bool(true)));
    needed.map(|(name, _)| Json::from(name.as_str())).collect()
}

/// Accepts an option or a list of options, also as text. Adds the cost to `work`.
pub(super) fn any_form(value: View<'_>, options: &[Json], work: &mut usize) -> Validity {
    let mut one = |value: View<'_>| {
        *work += 4 * options.len();
        let same =
            options.iter().fold(Validity::No, |validity, option| validity.max(value.equals(option, work)));
        let plain = |json: &&Json| !matches!(json, Json::Null | Json::Array(_) | Json::Object(_));
        let written = || {
            let text = plain_text(value.known().filter(plain)?);
            let is = |option: &Json| {
                option.is_string() != matches!(value.resolve(), ResolvedValue::Text(_))
                    && plain_text(option) == text
            };
            Some(options.iter().filter(plain).any(is))
        };
        if same == Validity::No && written() == Some(true) { Validity::Yes } else { same }
    };
    match value.resolve() {
        ResolvedValue::List if !options.iter().any(Json::is_array) => {
            value.children().fold(Validity::Yes, |validity, (_, item)| validity.min(one(item)))
        }
        _ => one(value),
    }
}
