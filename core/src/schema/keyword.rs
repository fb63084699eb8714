//! What the keywords of a subschema ask, and which forms they have.
//!
//! Decides over each keyword of the draft, one by one. A keyword of the wrong form is an error: read leniently, it would let
//! through what its author wanted refused.
//!
//! Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6.

use super::compile::Compiler;
use super::rule::{Measure, Properties, Rule, kind};
use crate::diagnostic::{brief, near};
use crate::value::number_text;
use serde_json::{Map, Number, Value as Json};
use std::cmp::Ordering;

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
        if let Some(options) = self.read("enum", "a list", Json::as_array) {
            self.rules.push(Rule::Values("enum", options.clone()));
        }
        for (keyword, orders) in LIMITS {
            if let Some(limit) = self.read(keyword, "a number", number) {
                self.rules.push(Rule::Limit(keyword, orders, limit.clone()));
            }
        }
        for (keyword, measure, most) in SIZES {
            if let Some(limit) = self.count(keyword) {
                self.rules.push(Rule::Size { keyword, measure, most, limit });
            }
        }
        let above_nought = |value| number(value).filter(|n| n.as_f64().is_some_and(|n| n > 0.0));
        if let Some(unit) = self.read("multipleOf", "a number above 0", above_nought) {
            self.rules.push(Rule::MultipleOf(unit.clone()));
        }
        if let Some(pattern) = self.read("pattern", "text", Json::as_str) {
            self.pattern("pattern", pattern);
            self.rules.push(Rule::Pattern(pattern.to_owned()));
        }
        if self.read("uniqueItems", "`true` or `false`", Json::as_bool) == Some(true) {
            self.rules.push(Rule::Unique);
        }
        if let Some(names) = self.read("required", "a list of names", texts) {
            self.rules.push(Rule::Required(names));
        }
        let lists = |value: &Json| {
            let one = |(key, names): (&String, &Json)| Some((key.clone(), texts(names)?));
            value.as_object()?.iter().map(one).collect::<Option<Vec<_>>>()
        };
        if let Some(lists) = self.read("dependentRequired", "a map of lists of names", lists) {
            self.rules.push(Rule::DependentRequired(lists));
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
                    let meant = name.as_str().and_then(|name| near(name, known));
                    let expected = meant.map_or_else(
                        || format!("one of `{}`", known.join("`, `")),
                        |meant| format!("perhaps `{meant}`"),
                    );
                    let found = super::words::quote(name);
                    return self.wrong("type", &format!("`type` is {found}, expected {expected}"));
                }
            }
        }
        self.rules.push(Rule::Kinds(kinds));
    }

    fn references(&mut self) {
        for keyword in ["$id", "$anchor", "$dynamicAnchor"] {
            self.read(keyword, "text", Json::as_str);
        }
        for keyword in ["$ref", "$dynamicRef"] {
            let Some(reference) = self.read(keyword, "text", Json::as_str) else { continue };
            let Some((target, anchor)) = self.compiler.follow(self.at, reference) else {
                let name = brief(reference);
                let message =
                    format!("`{keyword}` leads to `{name}`, which is not in this schema; nothing is fetched");
                self.compiler.wrong(self.at, keyword, message);
                continue;
            };
            // A name goes by the path taken only where it names a dynamic anchor to begin with.
            let dynamic = keyword == "$dynamicRef" && {
                let room = self.compiler.drafts.get(target).map(|draft| draft.node.resource);
                let room = room.and_then(|room| self.compiler.rooms.get(room));
                room.is_some_and(|room| room.dynamic.contains(&(anchor.clone(), target)))
            };
            self.rules.push(if dynamic { Rule::Dynamic(anchor, target) } else { Rule::Reference(target) });
        }
    }

    fn combinations(&mut self) {
        let lists: [(&'static str, fn(Vec<usize>) -> Rule); 3] =
            [("allOf", Rule::All), ("anyOf", Rule::Any), ("oneOf", Rule::One)];
        for (keyword, rule) in lists {
            if let Some(branches) = self.list(keyword) {
                self.rules.push(rule(branches));
            }
        }
        if let Some(schema) = self.one("not") {
            self.rules.push(Rule::Not(schema));
        }
        if let Some(condition) = self.one("if") {
            let (then, otherwise) = (self.one("then"), self.one("else"));
            self.rules.push(Rule::If { condition, then, otherwise });
        }
        let dependent = self.named("dependentSchemas");
        if !dependent.is_empty() {
            self.rules.push(Rule::DependentSchemas(dependent));
        }
    }

    fn maps(&mut self) {
        let patterns = self.named("patternProperties");
        for (pattern, _) in &patterns {
            self.pattern("patternProperties", pattern);
        }
        let named = self.named("properties").into_iter().collect();
        let rest = self.one("additionalProperties");
        let properties = Properties { named, patterns, rest };
        if !properties.named.is_empty() || !properties.patterns.is_empty() || rest.is_some() {
            self.rules.push(Rule::Properties(Box::new(properties)));
        }
        if let Some(schema) = self.one("propertyNames") {
            self.rules.push(Rule::Names(schema));
        }
    }

    fn lists(&mut self) {
        let tuple = self.older && self.map.get("items").is_some_and(Json::is_array);
        let prefix = if tuple { "items" } else { "prefixItems" };
        let rest = self.one(if tuple { "additionalItems" } else { "items" });
        let prefix = self.list(prefix).unwrap_or_default();
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
            }
        }
    }

    fn one(&mut self, keyword: &'static str) -> Option<usize> {
        let value = self.map.get(keyword)?;
        let node = self.compiler.child(self.at, &[keyword]);
        if node.is_none() {
            self.malformed(keyword, "a schema", value);
        }
        node
    }

    fn list(&mut self, keyword: &'static str) -> Option<Vec<usize>> {
        let items = self
            .read(keyword, "a list of schemas", |value| value.as_array().filter(|items| !items.is_empty()))?;
        let child = |at: usize| self.compiler.child(self.at, &[keyword, &at.to_string()]);
        Some((0..items.len()).filter_map(child).collect())
    }

    fn named(&mut self, keyword: &'static str) -> Vec<(String, usize)> {
        let map = self.read(keyword, "a map of schemas", Json::as_object);
        let child = |key: &String| {
            let node = self.compiler.child(self.at, &[keyword, &super::instance::escape(key)])?;
            Some((key.clone(), node))
        };
        map.into_iter().flat_map(Map::keys).filter_map(child).collect()
    }

    fn count(&mut self, keyword: &'static str) -> Option<u64> {
        self.read(keyword, "a whole number from 0 up", |value| {
            let number = number(value).filter(|number| super::number::is_whole(number))?;
            // A size past every size there is may be written in any form.
            let large = number.as_f64().filter(|n| *n >= 0.0).map(|_| u64::MAX);
            number.as_u64().or_else(|| number_text(number.as_f64()?).parse().ok()).or(large)
        })
    }

    fn pattern(&mut self, keyword: &'static str, pattern: &str) {
        if !self.compiler.patterns.is_readable(pattern) {
            let message = format!("`{keyword}` has `{}`, which is no regular expression", brief(pattern));
            self.wrong(keyword, &message);
        }
    }

    /// The value of a keyword in the form it must have.
    fn read<T>(
        &mut self,
        keyword: &'static str,
        expected: &str,
        form: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Option<T> {
        let value = self.map.get(keyword)?;
        let read = form(value);
        if read.is_none() {
            self.malformed(keyword, expected, value);
        }
        read
    }

    fn malformed(&mut self, keyword: &'static str, expected: &str, value: &Json) {
        let found = super::words::quote(value);
        self.wrong(keyword, &format!("`{keyword}` is {found}, expected {expected}"));
    }

    fn wrong(&mut self, keyword: &'static str, message: &str) {
        if !self.older {
            self.compiler.wrong(self.at, keyword, message.to_owned());
        }
    }
}

fn number(value: &Json) -> Option<&Number> {
    match value {
        Json::Number(number) => Some(number),
        _ => None,
    }
}

fn texts(value: &Json) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}
