//! Finds misspelt keywords by similarity, such as `requird`, and words of other languages, such as `min`.
//!
//! Other keywords may belong to a vocabulary, as the draft allows.

use super::keyword::{SUBSCHEMAS, SubschemaKind};
use super::rule::ASSERTIONS;
use serde_json::Value as Json;
use stepgraph_text::diagnostic::closest_name;

const MAX_SUBSCHEMAS: usize = 10_000;

/// Outside `SUBSCHEMAS` and `ASSERTIONS`, with those of `OpenAPI` and older drafts.
const OTHER_KEYWORDS: [&str; 32] = [
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependencies",
    "dependentRequired",
    "deprecated",
    "description",
    "discriminator",
    "divisibleBy",
    "example",
    "examples",
    "externalDocs",
    "extends",
    "format",
    "id",
    "maxContains",
    "minContains",
    "nullable",
    "readOnly",
    "title",
    "type",
    "writeOnly",
    "xml",
];

/// Words of other languages of types, and the keywords with that meaning for a number, a text and a list.
const FOREIGN_KEYWORDS: [(&str, [&str; 3]); 8] = [
    ("choices", ["enum"; 3]),
    ("length", ["maxLength", "maxLength", "maxItems"]),
    ("options", ["enum"; 3]),
    ("max", ["maximum", "maxLength", "maxItems"]),
    ("min", ["minimum", "minLength", "minItems"]),
    ("optional", ["default"; 3]),
    ("regex", ["pattern"; 3]),
    ("regexp", ["pattern"; 3]),
];

/// A word that is no keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisspeltKeyword {
    /// Subschema path.
    pub path: Vec<String>,
    /// As written.
    pub keyword: String,
    /// Probable keyword.
    pub intended: &'static str,
}

/// Misspelt keywords, and `nullable` of `OpenAPI`, sorted by path.
pub fn misspelt_keywords(schema: &Json) -> Vec<MisspeltKeyword> {
    let mut found = Vec::new();
    let mut work = vec![(Vec::new(), schema)];
    let mut left = MAX_SUBSCHEMAS;
    while let Some((path, schema)) = work.pop() {
        let Some(map) = schema.as_object().filter(|_| left > 0) else { continue };
        left -= 1;
        for (keyword, value) in map {
            if let Some(meant) = intended_keyword(keyword, value, map.get("type")) {
                found.push(MisspeltKeyword { path: path.clone(), keyword: keyword.clone(), intended: meant });
            }
            work.extend(subschemas_in(keyword, value).into_iter().map(|(steps, schema)| {
                let whole: Vec<String> = path.iter().cloned().chain(steps).collect();
                (whole, schema)
            }));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn intended_keyword(keyword: &str, value: &Json, kind: Option<&Json>) -> Option<&'static str> {
    let known = || {
        let holders = SUBSCHEMAS.iter().map(|(name, _)| *name);
        holders.chain(ASSERTIONS.iter().map(|(name, ..)| *name)).chain(OTHER_KEYWORDS)
    };
    if keyword == "nullable" && *value == Json::Bool(true) {
        return kind.map(|_| "type");
    }
    if keyword.starts_with("x-") || known().any(|name| name == keyword) {
        return None;
    }
    let of_kind = match kind.and_then(Json::as_str) {
        Some("string") => 1,
        Some("array") => 2,
        _ => 0,
    };
    // Other vocabularies have maps of that name.
    let fits = match keyword {
        "choices" | "options" => value.is_array(),
        "optional" => value.is_boolean(),
        _ => !value.is_object(),
    };
    let foreign = FOREIGN_KEYWORDS.iter().find(|(word, _)| *word == keyword && fits);
    let foreign = foreign.and_then(|(_, meant)| meant.get(of_kind).copied());
    let same_letters = known().find(|name| name.eq_ignore_ascii_case(keyword));
    // Short keywords resemble too many words: `note` is no misspelt `not`.
    let is_telling = |name: &&str| name.len() > 3 && !name.ends_with("Of");
    foreign.or(same_letters).or_else(|| closest_name(keyword, known().filter(is_telling)))
}

fn subschemas_in<'s>(keyword: &str, value: &'s Json) -> Vec<(Vec<String>, &'s Json)> {
    let Some((_, holds)) = SUBSCHEMAS.iter().find(|(name, _)| *name == keyword) else { return Vec::new() };
    let step = |inner: String| vec![keyword.to_owned(), inner];
    match (holds, value) {
        (SubschemaKind::Map, Json::Object(map)) => {
            map.iter().map(|(name, schema)| (step(name.clone()), schema)).collect()
        }
        (_, Json::Array(list)) => {
            list.iter().enumerate().map(|(at, schema)| (step(at.to_string()), schema)).collect()
        }
        (SubschemaKind::One, schema) => vec![(vec![keyword.to_owned()], schema)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_slips_at_every_depth_and_leaves_other_vocabularies_alone() {
        let schema = json!({
            "type": "object", "requird": ["a"], "x-requird": 1, "example": {}, "label": "A", "units": "kg", "note": "n", "allow": 1, "id": 2,
            "properties": {"requird": {"defualt": 1}, "b": {"items": {"minimun": 0}}, "c": {"max": 5}, "d": {"type": "string", "min": 1}, "e": {"type": "array", "max": 2},
                "f": {"type": "string", "length": 5}, "g": {"type": "array", "length": 5}, "h": {"options": ["a"], "type": "string", "nullable": true}, "i": {"options": {"a": 1}, "length": {}}},
            "anyOf": [{"titel": "t", "typ": "string", "oneof": []}],
            "enum": [{"requird": 1}], "default": {"requird": 1},
        });
        let found: Vec<(String, &str)> =
            misspelt_keywords(&schema).into_iter().map(|one| (one.path.join("/"), one.intended)).collect();
        let expect = [
            ("", "required"),
            ("anyOf/0", "title"),
            ("anyOf/0", "type"),
            ("anyOf/0", "oneOf"),
            ("properties/b/items", "minimum"),
            ("properties/c", "maximum"),
            ("properties/d", "minLength"),
            ("properties/e", "maxItems"),
            ("properties/f", "maxLength"),
            ("properties/g", "maxItems"),
            ("properties/h", "enum"),
            ("properties/h", "type"),
            ("properties/requird", "default"),
        ];
        assert_eq!(found, expect.map(|(path, meant)| (path.to_owned(), meant)));
    }
}
