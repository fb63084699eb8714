//! What the keywords of a subschema ask, and which forms they have.
//!
//! Decides over each keyword of the draft, one by one. A keyword of the wrong form is an error: read leniently, it would let
//! through what its author wanted refused.
//!
//! Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6.

use super::compile::Compiler;
use super::instance::escape;
use super::number::is_whole;
use super::rule::{Measure, Properties, Rule, kind};
use crate::diagnostic::{brief, near};
use serde_json::{Map, Value as Json};
use std::cmp::Ordering;
use std::collections::HashMap;

/// How a keyword holds subschemas.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    One,
    List,
    Map,
}

/// The keywords that hold subschemas. Two are of older drafts: schemas of this one refer to what stands there.
pub(super) const SUBSCHEMAS: [(&str, Holds); 21] = [
    ("$defs", Holds::Map),
    ("definitions", Holds::Map),
    ("properties", Holds::Map),
    ("patternProperties", Holds::Map),
    ("dependentSchemas", Holds::Map),
    ("allOf", Holds::List),
    ("anyOf", Holds::List),
    ("oneOf", Holds::List),
    ("prefixItems", Holds::List),
    ("items", Holds::One),
    ("additionalItems", Holds::One),
    ("contains", Holds::One),
    ("additionalProperties", Holds::One),
    ("propertyNames", Holds::One),
    ("not", Holds::One),
    ("if", Holds::One),
    ("then", Holds::One),
    ("else", Holds::One),
    ("unevaluatedItems", Holds::One),
    ("unevaluatedProperties", Holds::One),
    ("contentSchema", Holds::One),
];

const LIMITS: [(&str, [Ordering; 2]); 4] = [
    ("minimum", [Ordering::Greater, Ordering::Equal]),
    ("maximum", [Ordering::Less, Ordering::Equal]),
    ("exclusiveMinimum", [Ordering::Greater; 2]),
    ("exclusiveMaximum", [Ordering::Less; 2]),
];

const SIZES: [(&str, Measure, bool); 6] = [
    ("minLength", Measure::Text, false),
    ("maxLength", Measure::Text, true),
    ("minItems", Measure::List, false),
    ("maxItems", Measure::List, true),
    ("minProperties", Measure::Map, false),
    ("maxProperties", Measure::Map, true),
];

/// The rules of the subschema of that number.
pub(super) fn rules(compiler: &mut Compiler<'_>, at: usize) -> Vec<Rule> {
    let Some(draft) = compiler.drafts.get(at) else { return Vec::new() };
    let json = draft.json;
    let room = compiler.rooms.get(draft.node.resource);
    let (asserts, older) = room.map_or((true, false), |room| (room.asserts, room.older));
    match json {
        Json::Bool(true) => Vec::new(),
        Json::Bool(false) => vec![Rule::Never],
        Json::Object(map) => {
            let mut reader = Reader { compiler, at, map, older, rules: Vec::new() };
            if asserts {
                reader.assertions();
            }
            reader.references();
            reader.combinations();
            reader.maps();
            reader.lists();
            reader.unevaluated();
            reader.rules
        }
        other => {
            let found = super::words::describe(other);
            compiler.wrong(at, "", format!("a schema is a map, `true` or `false`, not {found}"));
            Vec::new()
        }
    }
}

/// The keywords of one subschema.
struct Reader<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    at: usize,
    map: &'a Map<String, Json>,
    older: bool,
    rules: Vec<Rule>,
}

impl<'a> Reader<'_, 'a> {
    fn assertions(&mut self) {
        if let Some(names) = self.map.get("type") {
            self.kinds(names);
        }
        if let Some(value) = self.map.get("const") {
            self.rules.push(Rule::Values("const", vec![value.clone()]));
        }
        if let Some(Json::Array(options)) = self.read("enum", "a list", Json::is_array) {
            self.rules.push(Rule::Values("enum", options.clone()));
        }
        for (keyword, orders) in LIMITS {
            if let Some(Json::Number(limit)) = self.read(keyword, "a number", Json::is_number) {
                self.rules.push(Rule::Limit(keyword, orders, limit.clone()));
            }
        }
        for (keyword, measure, most) in SIZES {
            if let Some(limit) = self.count(keyword) {
                self.rules.push(Rule::Size { keyword, measure, most, limit });
            }
        }
        let above_nought = |value: &Json| value.as_f64().is_some_and(|number| number > 0.0);
        if let Some(Json::Number(unit)) = self.read("multipleOf", "a number above 0", above_nought) {
            self.rules.push(Rule::MultipleOf(unit.clone()));
        }
        if let Some(Json::String(pattern)) = self.read("pattern", "text", Json::is_string) {
            self.pattern("pattern", pattern);
            self.rules.push(Rule::Pattern(pattern.clone()));
        }
        let unique = self.read("uniqueItems", "`true` or `false`", Json::is_boolean);
        if unique == Some(&Json::Bool(true)) {
            self.rules.push(Rule::Unique);
        }
        if let Some(names) = self.read("required", "a list of names", are_texts) {
            self.rules.push(Rule::Required(texts(names)));
        }
        if let Some(Json::Object(map)) = self.read("dependentRequired", "a map of lists of names", |value| {
            value.as_object().is_some_and(|map| map.values().all(are_texts))
        }) {
            for (key, names) in map {
                self.rules.push(Rule::DependentRequired(key.clone(), texts(names)));
            }
        }
    }

    fn kinds(&mut self, names: &Json) {
        let listed = names.as_array().map_or(std::slice::from_ref(names), Vec::as_slice);
        let mut kinds = 0;
        for name in listed {
            match kind::NAMES.iter().position(|(known, _)| Some(*known) == name.as_str()) {
                Some(bit) => kinds |= 1 << bit,
                None => {
                    let known = kind::NAMES.map(|(known, _)| known);
                    let meant = name.as_str().and_then(|name| near(name, known.to_vec()));
                    let rest = match meant {
                        Some(meant) => format!("which is no type; the nearest is `{meant}`"),
                        None => format!("expected one of `{}`", known.join("`, `")),
                    };
                    return self.wrong("type", format!("`type` is {}, {rest}", super::words::quote(name)));
                }
            }
        }
        self.rules.push(Rule::Kinds(kinds));
    }

    fn references(&mut self) {
        for keyword in ["$id", "$anchor", "$dynamicAnchor"] {
            self.read(keyword, "text", Json::is_string);
        }
        for keyword in ["$ref", "$dynamicRef"] {
            let Some(Json::String(reference)) = self.read(keyword, "text", Json::is_string) else { continue };
            let Some((target, anchor)) = self.compiler.follow(self.at, reference) else {
                let name = brief(reference);
                let message =
                    format!("`{keyword}` leads to `{name}`, which is not in this schema; nothing is fetched");
                self.compiler.wrong(self.at, keyword, message);
                continue;
            };
            // A name goes by the path taken only where it names a dynamic anchor to begin with.
            let dynamic = keyword == "$dynamicRef" && self.compiler.is_dynamic(target, &anchor);
            let rule = if dynamic { Rule::Dynamic(anchor, target) } else { Rule::Reference(target) };
            self.rules.push(rule);
        }
    }

    fn combinations(&mut self) {
        if let Some(branches) = self.list("allOf") {
            self.rules.push(Rule::All(branches));
        }
        if let Some(branches) = self.list("anyOf") {
            self.rules.push(Rule::Any(branches));
        }
        if let Some(branches) = self.list("oneOf") {
            self.rules.push(Rule::One(branches));
        }
        if let Some(schema) = self.one("not") {
            self.rules.push(Rule::Not(schema));
        }
        if let Some(condition) = self.one("if") {
            let (then, otherwise) = (self.one("then"), self.one("else"));
            self.rules.push(Rule::If { condition, then, otherwise });
        }
        for (key, schema) in self.named("dependentSchemas") {
            self.rules.push(Rule::DependentSchema(key, schema));
        }
    }

    fn maps(&mut self) {
        let patterns = self.named("patternProperties");
        for (pattern, _) in &patterns {
            self.pattern("patternProperties", pattern);
        }
        let (mut named, mut names) = (HashMap::new(), Vec::new());
        for (key, schema) in self.named("properties") {
            names.push(key.clone());
            named.insert(key, schema);
        }
        let rest = self.one("additionalProperties");
        if !named.is_empty() || !patterns.is_empty() || rest.is_some() {
            self.rules.push(Rule::Properties(Box::new(Properties { named, names, patterns, rest })));
        }
        if let Some(schema) = self.one("propertyNames") {
            self.rules.push(Rule::Names(schema));
        }
    }

    fn lists(&mut self) {
        let tuple = self.older && self.map.get("items").is_some_and(Json::is_array);
        let rest = self.one(if tuple { "additionalItems" } else { "items" });
        let prefix = self.list(if tuple { "items" } else { "prefixItems" }).unwrap_or_default();
        if !prefix.is_empty() || rest.is_some() {
            self.rules.push(Rule::Items { prefix, rest });
        }
        if let Some(schema) = self.one("contains") {
            let (least, most) = (self.count("minContains").unwrap_or(1), self.count("maxContains"));
            self.rules.push(Rule::Contains { schema, least, most });
        }
    }

    /// Last of all: they ask what the others have looked at.
    fn unevaluated(&mut self) {
        for (keyword, map) in [("unevaluatedItems", false), ("unevaluatedProperties", true)] {
            if let Some(schema) = self.one(keyword) {
                self.rules.push(Rule::Unevaluated { map, schema });
                self.compiler.tracks = true;
            }
        }
    }

    fn one(&mut self, keyword: &'static str) -> Option<usize> {
        let value = self.map.get(keyword)?;
        let node = self.compiler.child(self.at, &["/", keyword].concat());
        if node.is_none() {
            self.malformed(keyword, "a schema", value);
        }
        node
    }

    fn list(&mut self, keyword: &'static str) -> Option<Vec<usize>> {
        let filled = |value: &Json| value.as_array().is_some_and(|items| !items.is_empty());
        let items = self.read(keyword, "a list of schemas", filled)?.as_array()?;
        let mut found = Vec::with_capacity(items.len());
        for at in 0..items.len() {
            found.push(self.compiler.child(self.at, &["/", keyword, "/", &at.to_string()].concat())?);
        }
        Some(found)
    }

    fn named(&mut self, keyword: &'static str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        if let Some(Json::Object(map)) = self.read(keyword, "a map of schemas", Json::is_object) {
            for key in map.keys() {
                let node = self.compiler.child(self.at, &["/", keyword, "/", &escape(key)].concat());
                found.extend(node.map(|node| (key.clone(), node)));
            }
        }
        found
    }

    fn count(&mut self, keyword: &'static str) -> Option<u64> {
        let value = self.read(keyword, "a whole number from 0 up", |value| match value {
            Json::Number(number) => is_whole(number) && number.as_f64() >= Some(0.0),
            _ => false,
        })?;
        // `2.0` is a count too. The cast saturates: past every size there is, one bound is as good as another.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and not below 0")]
        value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
    }

    fn pattern(&mut self, keyword: &'static str, pattern: &str) {
        if !self.compiler.patterns.is_readable(pattern) {
            let message = format!("`{keyword}` has `{}`, which is no regular expression", brief(pattern));
            self.wrong(keyword, message);
        }
    }

    /// The value of a keyword when it has the form it must have.
    fn read(&mut self, keyword: &'static str, expected: &str, form: fn(&Json) -> bool) -> Option<&'a Json> {
        let value = self.map.get(keyword)?;
        if form(value) {
            return Some(value);
        }
        self.malformed(keyword, expected, value);
        None
    }

    fn malformed(&mut self, keyword: &'static str, expected: &str, value: &Json) {
        let found = super::words::quote(value);
        self.wrong(keyword, format!("`{keyword}` is {found}, expected {expected}"));
    }

    fn wrong(&mut self, keyword: &'static str, message: String) {
        if !self.older {
            self.compiler.wrong(self.at, keyword, message);
        }
    }
}

fn are_texts(value: &Json) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Json::is_string))
}

fn texts(value: &Json) -> Vec<String> {
    let mut texts = Vec::new();
    for name in value.as_array().into_iter().flatten() {
        texts.extend(name.as_str().map(str::to_owned));
    }
    texts
}
