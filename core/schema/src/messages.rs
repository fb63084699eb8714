//! What is said of a value that does not fit.
//!
//! Decides the words of every violation: where, what was found, what was expected. Values and names are cut short and controls
//! escaped, for both sides of a check may come from anywhere.

use super::instance::{Look, View, escape};
use super::rule::{ASSERTIONS, Assertion, Measure, Rule, kind, names as names_in};
use super::validate::{At, Checking, Sink, key};
use super::{MAX_VIOLATIONS, Report, Violation, decimal};
use serde_json::Value as Json;
use stepgraph_text::diagnostic::{brief, near};
use stepgraph_text::value::json_text;

impl Rule {
    /// The keyword it comes from.
    pub(super) fn keyword(&self) -> &'static str {
        match self {
            Self::Never | Self::OrNull => "",
            Self::Kinds(_) => "type",
            Self::Assert(assertion, _) => ASSERTIONS.get(*assertion as usize).map_or("", |known| known.0),
            Self::DependentRequired(..) => "dependentRequired",
            Self::Reference(_) => "$ref",
            Self::Dynamic(..) => "$dynamicRef",
            Self::All(_) => "allOf",
            Self::Any(_) => "anyOf",
            Self::One(_) => "oneOf",
            Self::Not(_) => "not",
            Self::If { .. } => "if",
            Self::DependentSchema(..) => "dependentSchemas",
            Self::Properties(_) => "properties",
            Self::Names(_) => "propertyNames",
            Self::Items { .. } => "items",
            Self::Contains { .. } => "contains",
            Self::Unevaluated { map: true, .. } => "unevaluatedProperties",
            Self::Unevaluated { map: false, .. } => "unevaluatedItems",
        }
    }
}

/// The kinds that a value has, as bits.
pub(super) fn kinds(look: Look<'_>) -> u8 {
    match look {
        Look::Null => kind::NULL,
        Look::Bool(_) => kind::BOOL,
        Look::Number(number) if decimal::is_whole(number) => kind::NUMBER | kind::WHOLE,
        Look::Number(_) => kind::NUMBER,
        Look::Text(_) | Look::SomeText => kind::TEXT,
        Look::List => kind::LIST,
        Look::Map => kind::MAP,
        Look::Hole => u8::MAX,
    }
}

/// What a value is, with an article.
pub(super) fn describe(value: &Json) -> String {
    name_kinds(kinds(View::Json(value).look()) & !kind::WHOLE)
}

fn name_kinds(kinds: u8) -> String {
    let mut names = String::new();
    for (bit, (_, name)) in kind::NAMES.iter().enumerate() {
        if kinds & (1 << bit) != 0 {
            names.push_str(if names.is_empty() { "" } else { " or " });
            names.push_str(name);
        }
    }
    names
}

/// A value as messages show it: plain ones as they are, others by what they are.
pub(super) fn quote(value: &Json) -> String {
    match value {
        Json::Array(_) | Json::Object(_) | Json::Null => describe(value),
        Json::String(text) => format!("`{}`", brief(text)),
        other => format!("`{}`", brief(&json_text(other))),
    }
}

/// A violation of `keyword` at a place.
pub(super) fn violation(
    checking: &Checking<'_>,
    at: At<'_>,
    keyword: &'static str,
    message: String,
) -> Violation {
    let mut schema_path = String::new();
    if let Some(node) = checking.schema.nodes.get(at.node) {
        let document = checking.schema.documents.get(node.document).filter(|name| !name.is_empty());
        if let Some(name) = document {
            schema_path = [name, "#"].concat();
        }
        schema_path.push_str(&node.pointer);
    }
    if !keyword.is_empty() {
        schema_path = [&schema_path, "/", keyword].concat();
    }
    Violation {
        instance_path: at.place.pointer(),
        keyword,
        schema_path,
        message,
        name: None,
        near: None,
        kinds: 0,
    }
}

/// A place as messages name it.
fn place(checking: &Checking<'_>, at: At<'_>) -> String {
    name_place(&at.place.pointer(), checking.whole)
}

fn name_place(pointer: &str, whole: &str) -> String {
    const LONGEST: usize = 80;
    if pointer.is_empty() {
        return whole.to_owned();
    }
    // The end says more than the beginning.
    let (length, mut shown) = (pointer.chars().count(), String::from("`"));
    if length > LONGEST {
        shown.push('…');
    }
    for c in pointer.chars().skip(length.saturating_sub(LONGEST)) {
        shown.push(if c.is_control() { '\u{fffd}' } else { c });
    }
    shown.push('`');
    shown
}

/// What was found, for rules that speak of one plain value.
fn found(value: View<'_>) -> String {
    match value {
        View::Name(name) => format!("`{}`", brief(name)),
        value => value.known().map_or_else(|| name_kinds(kinds(value.look())), quote),
    }
}

/// Tells that a rule does not hold.
pub(super) fn tell(checking: &mut Checking<'_>, rule: &Rule, at: At<'_>, sink: &mut Sink) {
    if sink.is_full() {
        return;
    }
    let here = place(checking, at);
    let says = match rule {
        Rule::Never => "may not be there".to_owned(),
        Rule::Kinds(kinds) => return tell_kinds(checking, *kinds, rule, at, sink),
        Rule::Assert(Assertion::Required, names) | Rule::DependentRequired(_, names) => {
            let with = match rule {
                Rule::DependentRequired(key, _) => format!("has `{}` but", brief(key)),
                _ => "has".to_owned(),
            };
            for name in names_in(names).filter(|name| !at.value.has(name)) {
                // Words cost more than counting, and nobody reads more than the first few.
                if sink.report.violations.len() >= MAX_VIOLATIONS {
                    sink.report.more += 1;
                    continue;
                }
                let message = format!("{here} {with} no `{}`", brief(name));
                let near = misspelt(checking, name, at);
                let name = Some(name.to_owned());
                sink.push(Violation { name, near, ..violation(checking, at, rule.keyword(), message) });
            }
            return;
        }
        Rule::Assert(assertion, operand) => asserted(checking, *assertion, operand, at.value),
        Rule::One(branches) => {
            format!("fits more than one of {} forms, of which one alone may fit", branches.len())
        }
        Rule::Not(_) => "fits what is not allowed".to_owned(),
        Rule::Contains { least, most, .. } => {
            let most = most.map(|most| format!(" and at most {most}")).unwrap_or_default();
            format!("must hold at least {least}{most} items of a kind, which it does not")
        }
        _ => "does not fit".to_owned(),
    };
    sink.push(violation(checking, at, rule.keyword(), format!("{here} {says}")));
}

/// What is said where an assertion does not hold.
fn asserted(checking: &mut Checking<'_>, assertion: Assertion, operand: &Json, value: View<'_>) -> String {
    if let Some(measure) = assertion.measure() {
        let size = checking.size(measure, value, value.look()).unwrap_or(0);
        let (one, many) = match measure {
            Measure::Text => ("character", "characters"),
            Measure::List => ("item", "items"),
            Measure::Map => ("entry", "entries"),
        };
        let things = if size == 1 { one } else { many };
        let bound = if assertion.is_most() { "most" } else { "least" };
        return format!("has {size} {things}, expected at {bound} {operand}");
    }
    let bound = match (assertion, operand) {
        (Assertion::UniqueItems, _) => {
            let (later, first) = checking.repeat(value).unwrap_or((0, 0));
            return format!("has the same item at {first} and at {later}");
        }
        (Assertion::Enum | Assertion::AnyForm, Json::Array(options)) => {
            let mut listed = format!("is {}, expected ", found(value));
            for (index, option) in options.iter().enumerate().take(8) {
                listed.push_str(if index == 0 { "" } else { " or " });
                listed.push_str(&quote(option));
            }
            listed.push_str(if options.len() > 8 { " or …" } else { "" });
            return listed;
        }
        (Assertion::Minimum, _) => "at least ",
        (Assertion::Maximum, _) => "at most ",
        (Assertion::ExclusiveMinimum, _) => "more than ",
        (Assertion::ExclusiveMaximum, _) => "less than ",
        (Assertion::MultipleOf, _) => "a multiple of ",
        (Assertion::Pattern, _) => "a match of ",
        _ => "",
    };
    format!("is {}, expected {bound}{}", found(value), quote(operand))
}

/// The entry whose name was probably meant to be `name`: one that the schema does not speak of.
fn misspelt(checking: &mut Checking<'_>, name: &str, at: At<'_>) -> Option<String> {
    let known = declared(checking, at.node, at.value.len().min(MANY));
    let mut given = Vec::new();
    for (step, _) in at.value.children().take(MANY) {
        if !known.contains(&key(step)) {
            given.push(key(step));
        }
    }
    near(name, given).map(str::to_owned)
}

/// How many of the names in the value that the branch of a schema does not speak of; a few are enough to tell.
pub(super) fn strangers(checking: &mut Checking<'_>, branch: usize, at: At<'_>) -> usize {
    let known = declared(checking, branch, at.value.len().min(MANY));
    let mut strangers = 0;
    for (step, _) in at.value.children().take(MANY) {
        strangers += usize::from(!known.contains(&key(step)));
    }
    strangers
}

/// The names that a subschema speaks of, where each is then compared with so many others.
fn declared<'a>(checking: &mut Checking<'a>, node: usize, others: usize) -> Vec<&'a str> {
    let schema = checking.schema;
    let alike = schema.alike(&[node]).len();
    let known = schema.declared(node);
    checking.spend(alike * alike / 32 + known.len().saturating_mul(others) / 8);
    known
}

/// So many entries are looked at for the sake of words alone.
const MANY: usize = 100;

/// Tells that none of several forms fits, nor comes nearest.
pub(super) fn tell_none(checking: &Checking<'_>, forms: usize, rule: &Rule, at: At<'_>, sink: &mut Sink) {
    let message = format!("{} fits none of {forms} forms", place(checking, at));
    sink.push(violation(checking, at, rule.keyword(), message));
}

/// Whether entries that are missing are all that is wrong.
pub(super) fn only_misses(report: &Report, here: &str) -> bool {
    let misses = |violation: &Violation| violation.keyword == "required" && violation.instance_path == here;
    report.more == 0 && report.violations.iter().all(misses)
}

/// Tells that each of several forms misses an entry.
pub(super) fn tell_missing(checking: &Checking<'_>, mut names: Vec<String>, at: At<'_>, sink: &mut Sink) {
    names.dedup();
    let listed: Vec<_> = names.iter().take(8).map(|name| brief(name)).collect();
    let message = format!("{} has none of `{}`", place(checking, at), listed.join("`, `"));
    let violation = violation(checking, at, "required", message);
    sink.push(Violation { name: names.into_iter().next(), ..violation });
}

/// Tells that a value is of the wrong kind.
pub(super) fn tell_kinds(checking: &Checking<'_>, kinds: u8, rule: &Rule, at: At<'_>, sink: &mut Sink) {
    let look = at.value.look();
    // A whole number is a number; where only whole ones are expected the fraction is what matters.
    let found = match look {
        Look::Number(number) if kinds & kind::WHOLE != 0 => format!("`{number}`"),
        look => name_kinds(self::kinds(look) & !kind::WHOLE),
    };
    let expected = name_kinds(if kinds & kind::NUMBER == 0 { kinds } else { kinds & !kind::WHOLE });
    let message = format!("{} is {found}, expected {expected}", place(checking, at));
    let violation = violation(checking, at, rule.keyword(), message);
    sink.push(Violation { kinds, ..violation });
}

/// Tells of an entry that may not be there.
pub(super) fn tell_unknown(
    checking: &mut Checking<'_>,
    name: &str,
    keyword: &'static str,
    at: At<'_>,
    sink: &mut Sink,
) {
    if sink.is_full() {
        return;
    }
    let message = format!("{} takes no `{}`", place(checking, at), brief(name));
    let violation = violation(checking, at, keyword, message);
    let mut known = declared(checking, at.node, 32);
    known.retain(|known| !at.value.has(known));
    let near = near(name, known).map(str::to_owned);
    let instance_path = [&violation.instance_path, "/", &escape(name)].concat();
    sink.push(Violation { instance_path, name: Some(name.to_owned()), near, ..violation });
}

/// Tells of an entry whose name is not allowed.
pub(super) fn tell_name(checking: &Checking<'_>, name: &str, rule: &Rule, at: At<'_>, sink: &mut Sink) {
    if sink.is_full() {
        return;
    }
    let message = format!("{} may not have the name `{}`", place(checking, at), brief(name));
    let violation = violation(checking, at, rule.keyword(), message);
    let instance_path = [&violation.instance_path, "/", &escape(name)].concat();
    sink.push(Violation { instance_path, name: Some(name.to_owned()), ..violation });
}

/// How far a branch is from fitting, and the kinds it expects when the kind is all that is wrong.
pub(super) fn distance(report: &Report, here: &str) -> (usize, Option<u8>) {
    let weight = |violation: &Violation| match (violation.keyword, violation.instance_path == here) {
        (_, true) if violation.kinds != 0 => 100,
        // What tells forms apart most often is a constant in one of their entries.
        ("const" | "enum", _) => 20,
        _ => 1,
    };
    let only_kind = match report.violations.as_slice() {
        [only] if only.kinds != 0 && only.instance_path == here => Some(only.kinds),
        _ => None,
    };
    (report.violations.iter().map(weight).sum::<usize>() + report.more, only_kind)
}

/// Tells what is wrong with the form that comes nearest.
pub(super) fn tell_nearest(nearest: Sink, forms: usize, sink: &mut Sink) {
    for mut violation in nearest.report.violations {
        if forms > 1 && !violation.message.ends_with("forms") {
            violation.message = format!("{}, in the nearest of {forms} forms", violation.message);
        }
        sink.push(violation);
    }
    sink.report.more += nearest.report.more;
}
