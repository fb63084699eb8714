//! Compiles keywords to rules.
//!
//! A wrong form is an error: ignoring it would accept values that the author wanted to exclude.
//!
//! Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6.

use super::compile::Compiler;
use super::instance::escape;
use super::lenient;
use super::rule::{ASSERTIONS, Assertion, Form, Properties, Rule, count, types};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use stepgraph_text::diagnostic::{closest_name, shorten_name};

/// The work for all patterns, some tenths of a second.
const MAX_PATTERN_WORK: usize = 10_000_000;

#[derive(Debug, Clone, Copy)]
pub(super) enum SubschemaKind {
    One,
    List,
    Map,
}

/// Two come from older drafts, since schemas still refer to their contents.
pub(super) const SUBSCHEMAS: [(&str, SubschemaKind); 21] = [
    ("$defs", SubschemaKind::Map),
    ("definitions", SubschemaKind::Map),
    ("properties", SubschemaKind::Map),
    ("patternProperties", SubschemaKind::Map),
    ("dependentSchemas", SubschemaKind::Map),
    ("allOf", SubschemaKind::List),
    ("anyOf", SubschemaKind::List),
    ("oneOf", SubschemaKind::List),
    ("prefixItems", SubschemaKind::List),
    ("items", SubschemaKind::One),
    ("additionalItems", SubschemaKind::One),
    ("contains", SubschemaKind::One),
    ("additionalProperties", SubschemaKind::One),
    ("propertyNames", SubschemaKind::One),
    ("not", SubschemaKind::One),
    ("if", SubschemaKind::One),
    ("then", SubschemaKind::One),
    ("else", SubschemaKind::One),
    ("unevaluatedItems", SubschemaKind::One),
    ("unevaluatedProperties", SubschemaKind::One),
    ("contentSchema", SubschemaKind::One),
];

pub(super) fn compile_rules(compiler: &mut Compiler<'_>, at: usize) -> Vec<Rule> {
    let Some(pending) = compiler.pending.get(at) else { return Vec::new() };
    let json = pending.json;
    let room = compiler.rooms.get(pending.node.resource);
    let (asserts, older) = room.map_or((true, false), |room| (room.asserts, room.older));
    match json {
        Json::Bool(true) => Vec::new(),
        Json::Bool(false) => vec![Rule::Never],
        Json::Object(map) => {
            let tolerant = compiler.is_lenient;
            let mut reader =
                KeywordReader { compiler, at, map, older, is_lenient: tolerant, rules: Vec::new() };
            if tolerant && lenient::allows_null(map) {
                reader.add(Rule::OrNull);
            }
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
            let found = super::messages::describe(other);
            compiler.keyword_error(at, "", format!("a schema is a map, `true` or `false`, not {found}"));
            // Lenient schemas may have a bare type name.
            let types = if compiler.is_lenient { lenient::types_of_name(other) } else { None };
            types.map(Rule::Types).into_iter().collect()
        }
    }
}

struct KeywordReader<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    at: usize,
    map: &'a Map<String, Json>,
    older: bool,
    is_lenient: bool,
    rules: Vec<Rule>,
}

impl<'a> KeywordReader<'_, 'a> {
    fn assertions(&mut self) {
        if let Some(names) = self.map.get("type") {
            self.kinds(names);
        }
        for (keyword, assertion, form) in ASSERTIONS {
            if assertion == Assertion::AnyForm {
                continue;
            }
            let Some(value) = self.read(keyword, form) else { continue };
            let assertion = if self.older || self.is_lenient {
                lenient::lenient_assertion(assertion, self.map)
            } else {
                assertion
            };
            if self.is_lenient && assertion == Assertion::Enum {
                if value.as_array().is_some_and(|options| !options.is_empty()) {
                    self.add(Rule::Assert(Assertion::AnyForm, value.clone()));
                }
                continue;
            }
            if let (Assertion::Pattern, Json::String(pattern)) = (assertion, value) {
                self.pattern(keyword, pattern);
            }
            self.add(Rule::Assert(assertion, value.clone()));
        }
        for (key, names) in
            self.read_map("dependentRequired", "a map of lists of names").into_iter().flatten()
        {
            if Form::Names.has(names) {
                self.add(Rule::DependentRequired(key.clone(), names.clone()));
            } else {
                self.malformed("dependentRequired", "a map of lists of names", names);
            }
        }
    }

    /// Never inlined: rules are large and call sites many.
    #[inline(never)]
    fn add(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    fn kinds(&mut self, names: &Json) {
        let listed = names.as_array().map_or(std::slice::from_ref(names), Vec::as_slice);
        let mut types = 0;
        for name in listed {
            match types::NAMES.iter().position(|(known, _)| Some(*known) == name.as_str()) {
                Some(bit) => types |= 1 << bit,
                None => {
                    let odd = if self.is_lenient { lenient::types_of_name(name) } else { None };
                    let known = types::NAMES.map(|(known, _)| known);
                    let meant = name.as_str().and_then(|name| closest_name(name, known.to_vec()));
                    let foreign = || lenient::types_of_name(name).and_then(types::name_of);
                    let meant = meant.or_else(foreign);
                    let rest = match meant {
                        Some(meant) => format!("which is no type; the nearest is `{meant}`"),
                        None => format!("expected one of `{}`", known.join("`, `")),
                    };
                    self.error("type", format!("`type` is {}, {rest}", super::messages::quote(name)));
                    match odd {
                        Some(odd) => types |= odd,
                        None => return,
                    }
                }
            }
        }
        self.add(Rule::Types(types));
    }

    fn references(&mut self) {
        for keyword in ["$id", "$anchor", "$dynamicAnchor"] {
            self.read(keyword, Form::Text);
        }
        for keyword in ["$ref", "$dynamicRef"] {
            let Some(Json::String(reference)) = self.read(keyword, Form::Text) else { continue };
            let Some((target, anchor)) = self.compiler.resolve(self.at, reference) else {
                let name = shorten_name(reference);
                let message =
                    format!("`{keyword}` leads to `{name}`, which is not in this schema; nothing is fetched");
                self.compiler.keyword_error(self.at, keyword, message);
                continue;
            };
            // A `$dynamicRef` that doesn't first resolve to a dynamic anchor is a plain reference.
            let dynamic = keyword == "$dynamicRef" && self.compiler.is_dynamic(target, &anchor);
            let rule = if dynamic { Rule::Dynamic(anchor, target) } else { Rule::Reference(target) };
            self.add(rule);
        }
    }

    fn combinations(&mut self) {
        if let Some(branches) = self.list("allOf") {
            self.add(Rule::All(branches));
        }
        if let Some(branches) = self.list("anyOf") {
            self.add(Rule::Any(branches));
        }
        if let Some(branches) = self.list("oneOf") {
            self.add(Rule::One(branches));
        }
        if let Some(schema) = self.one("not") {
            self.add(Rule::Not(schema));
        }
        if let Some(condition) = self.one("if") {
            let (then, otherwise) = (self.one("then"), self.one("else"));
            self.add(Rule::If { condition, then, otherwise });
        }
        for (key, schema) in self.named("dependentSchemas") {
            self.add(Rule::DependentSchema(key, schema));
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
            self.add(Rule::Properties(Box::new(Properties { named, names, patterns, additional: rest })));
        }
        let needed = if self.is_lenient { lenient::required(self.map) } else { Vec::new() };
        if !needed.is_empty() {
            self.add(Rule::Assert(Assertion::Required, Json::Array(needed)));
        }
        if let Some(schema) = self.one("propertyNames") {
            self.add(Rule::Names(schema));
        }
    }

    fn lists(&mut self) {
        let tuple = (self.older || self.is_lenient) && self.map.get("items").is_some_and(Json::is_array);
        let rest = self.one(if tuple { "additionalItems" } else { "items" });
        let prefix = self.list(if tuple { "items" } else { "prefixItems" }).unwrap_or_default();
        if !prefix.is_empty() || rest.is_some() {
            self.add(Rule::Items { prefix, rest });
        }
        if let Some(schema) = self.one("contains") {
            let (least, most) = (self.count("minContains").unwrap_or(1), self.count("maxContains"));
            self.add(Rule::Contains { schema, min: least, max: most });
        }
    }

    /// Must run last: these rules need the children evaluated by others.
    fn unevaluated(&mut self) {
        for (keyword, map) in [("unevaluatedItems", false), ("unevaluatedProperties", true)] {
            if let Some(schema) = self.one(keyword) {
                self.add(Rule::Unevaluated { map, schema });
                self.compiler.tracks_evaluated = true;
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
        let items = match self.map.get(keyword)? {
            Json::Array(items) if !items.is_empty() => items,
            value => {
                self.malformed(keyword, "a list of schemas", value);
                return None;
            }
        };
        let mut found = Vec::with_capacity(items.len());
        for at in 0..items.len() {
            found.push(self.compiler.child(self.at, &["/", keyword, "/", &at.to_string()].concat())?);
        }
        Some(found)
    }

    fn named(&mut self, keyword: &'static str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for (key, _) in self.read_map(keyword, "a map of schemas").into_iter().flatten() {
            let node = self.compiler.child(self.at, &["/", keyword, "/", &escape(key)].concat());
            found.extend(node.map(|node| (key.clone(), node)));
        }
        found
    }

    fn count(&mut self, keyword: &'static str) -> Option<u64> {
        self.read(keyword, Form::Count).map(count)
    }

    fn pattern(&mut self, keyword: &'static str, pattern: &str) {
        if self.compiler.pattern_work > MAX_PATTERN_WORK {
            return;
        }
        let (is_readable, work) = self.compiler.patterns.is_readable(pattern);
        self.compiler.pattern_work += work;
        if self.compiler.pattern_work > MAX_PATTERN_WORK {
            self.error(
                keyword,
                format!("the patterns up to `{}` are too much to be read", shorten_name(pattern)),
            );
        } else if !is_readable {
            let message =
                format!("`{keyword}` has `{}`, which is no regular expression", shorten_name(pattern));
            self.error(keyword, message);
        }
    }

    fn read(&mut self, keyword: &'static str, form: Form) -> Option<&'a Json> {
        let value = self.map.get(keyword)?;
        if form.has(value) {
            return Some(value);
        }
        self.malformed(keyword, form.name(), value);
        None
    }

    /// Reports a wrong form.
    fn read_map(&mut self, keyword: &'static str, expected: &str) -> Option<&'a Map<String, Json>> {
        match self.map.get(keyword) {
            Some(Json::Object(map)) => return Some(map),
            Some(value) => self.malformed(keyword, expected, value),
            None => {}
        }
        None
    }

    fn malformed(&mut self, keyword: &'static str, expected: &str, value: &Json) {
        let found = super::messages::quote(value);
        self.error(keyword, format!("`{keyword}` is {found}, expected {expected}"));
    }

    fn error(&mut self, keyword: &'static str, message: String) {
        if !self.older {
            self.compiler.keyword_error(self.at, keyword, message);
        }
    }
}
