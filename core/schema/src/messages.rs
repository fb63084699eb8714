//! Violation messages: location, found and expected value.
//!
//! Shortens values and names and escapes control characters, since schema and value may be untrusted.

use super::instance::{ResolvedValue, View, escape};
use super::rule::{ASSERTIONS, Assertion, Measure, Rule, names as names_in, types};
use super::validate::{RuleTarget, Validator, ViolationSink, key_of};
use super::{MAX_VIOLATIONS, ValidationReport, Violation, decimal};
use serde_json::Value as Json;
use stepgraph_text::diagnostic::{closest_name, shorten_name};
use stepgraph_text::value::json_text;

impl Rule {
    pub(super) fn keyword(&self) -> &'static str {
        match self {
            Self::Never | Self::OrNull => "",
            Self::Types(_) => "type",
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

pub(super) fn types_of_value(resolved: ResolvedValue<'_>) -> u8 {
    match resolved {
        ResolvedValue::Null => types::NULL,
        ResolvedValue::Bool(_) => types::BOOL,
        ResolvedValue::Number(number) if decimal::is_whole(number) => types::NUMBER | types::WHOLE,
        ResolvedValue::Number(_) => types::NUMBER,
        ResolvedValue::Text(_) | ResolvedValue::UnknownText => types::TEXT,
        ResolvedValue::List => types::LIST,
        ResolvedValue::Map => types::MAP,
        ResolvedValue::Unknown => u8::MAX,
    }
}

pub(super) fn describe(value: &Json) -> String {
    type_names(types_of_value(View::Json(value).resolve()) & !types::WHOLE)
}

fn type_names(types: u8) -> String {
    let mut names = String::new();
    for (bit, (_, name)) in types::NAMES.iter().enumerate() {
        if types & (1 << bit) != 0 {
            names.push_str(if names.is_empty() { "" } else { " or " });
            names.push_str(name);
        }
    }
    names
}

/// Lists, maps and null by type, others in back-ticks.
pub(super) fn quote(value: &Json) -> String {
    match value {
        Json::Array(_) | Json::Object(_) | Json::Null => describe(value),
        Json::String(text) => format!("`{}`", shorten_name(text)),
        other => format!("`{}`", shorten_name(&json_text(other))),
    }
}

pub(super) fn violation(
    validator: &Validator<'_>,
    target: RuleTarget<'_>,
    keyword: &'static str,
    message: String,
) -> Violation {
    let mut schema_path = String::new();
    if let Some(node) = validator.schema.nodes.get(target.node) {
        let document = validator.schema.documents.get(node.document).filter(|name| !name.is_empty());
        if let Some(name) = document {
            schema_path = [name, "#"].concat();
        }
        schema_path.push_str(&node.pointer);
    }
    if !keyword.is_empty() {
        schema_path = [&schema_path, "/", keyword].concat();
    }
    Violation {
        instance_path: target.path.pointer(),
        keyword,
        schema_path,
        message,
        name: None,
        suggestion: None,
        expected_types: 0,
    }
}

fn describe_path(validator: &Validator<'_>, target: RuleTarget<'_>) -> String {
    name_pointer(&target.path.pointer(), validator.whole)
}

fn name_pointer(pointer: &str, whole: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 80;
    if pointer.is_empty() {
        return whole.to_owned();
    }
    // A pointer's end is more useful than its beginning.
    let (length, mut shown) = (pointer.chars().count(), String::from("`"));
    if length > MAX_QUOTED_CHARS {
        shown.push('…');
    }
    for c in pointer.chars().skip(length.saturating_sub(MAX_QUOTED_CHARS)) {
        shown.push(if c.is_control() { '\u{fffd}' } else { c });
    }
    shown.push('`');
    shown
}

fn found_value(value: View<'_>) -> String {
    match value {
        View::Name(name) => format!("`{}`", shorten_name(name)),
        value => value.known().map_or_else(|| type_names(types_of_value(value.resolve())), quote),
    }
}

pub(super) fn report_rule(
    validator: &mut Validator<'_>,
    rule: &Rule,
    target: RuleTarget<'_>,
    sink: &mut ViolationSink,
) {
    if sink.is_full() {
        return;
    }
    let here = describe_path(validator, target);
    let says = match rule {
        Rule::Never => "may not be there".to_owned(),
        Rule::Types(types) => return report_types(validator, *types, rule, target, sink),
        Rule::Assert(Assertion::Required, names) | Rule::DependentRequired(_, names) => {
            let with = match rule {
                Rule::DependentRequired(key, _) => format!("has `{}` but", shorten_name(key)),
                _ => "has".to_owned(),
            };
            for name in names_in(names).filter(|name| !target.value.has(name)) {
                // Messages cost more than counting.
                if sink.report.violations.len() >= MAX_VIOLATIONS {
                    sink.report.omitted += 1;
                    continue;
                }
                let message = format!("{here} {with} no `{}`", shorten_name(name));
                let near = closest_entry(validator, name, target);
                let name = Some(name.to_owned());
                sink.push(Violation {
                    name,
                    suggestion: near,
                    ..violation(validator, target, rule.keyword(), message)
                });
            }
            return;
        }
        Rule::Assert(assertion, operand) => assertion_message(validator, *assertion, operand, target.value),
        Rule::One(branches) => {
            format!("fits more than one of {} forms, of which one alone may fit", branches.len())
        }
        Rule::Not(_) => "fits what is not allowed".to_owned(),
        Rule::Contains { min: least, max: most, .. } => {
            let most = most.map(|most| format!(" and at most {most}")).unwrap_or_default();
            format!("must hold at least {least}{most} items of a kind, which it does not")
        }
        _ => "does not fit".to_owned(),
    };
    sink.push(violation(validator, target, rule.keyword(), format!("{here} {says}")));
}

fn assertion_message(
    validator: &mut Validator<'_>,
    assertion: Assertion,
    operand: &Json,
    value: View<'_>,
) -> String {
    if let Some(measure) = assertion.measure() {
        let size = validator.size(measure, value, value.resolve()).unwrap_or(0);
        let (one, many) = match measure {
            Measure::Text => ("character", "characters"),
            Measure::List => ("item", "items"),
            Measure::Map => ("entry", "entries"),
        };
        let things = if size == 1 { one } else { many };
        let bound = if assertion.is_upper_bound() { "most" } else { "least" };
        return format!("has {size} {things}, expected at {bound} {operand}");
    }
    let bound = match (assertion, operand) {
        (Assertion::UniqueItems, _) => {
            let (later, first) = validator.duplicate_items(value).unwrap_or((0, 0));
            return format!("has the same item at {first} and at {later}");
        }
        (Assertion::Enum | Assertion::AnyForm, Json::Array(options)) => {
            let mut listed = format!("is {}, expected ", found_value(value));
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
    format!("is {}, expected {bound}{}", found_value(value), quote(operand))
}

fn closest_entry(validator: &mut Validator<'_>, name: &str, target: RuleTarget<'_>) -> Option<String> {
    let known = declared(validator, target.node, target.value.len().min(MAX_COMPARED));
    let mut given = Vec::new();
    for (step, _) in target.value.children().take(MAX_COMPARED) {
        if !known.contains(&key_of(step)) {
            given.push(key_of(step));
        }
    }
    closest_name(name, given).map(str::to_owned)
}

/// Counts entries not declared by a branch, up to a limit.
pub(super) fn count_undeclared(
    validator: &mut Validator<'_>,
    branch: usize,
    target: RuleTarget<'_>,
) -> usize {
    let known = declared(validator, branch, target.value.len().min(MAX_COMPARED));
    let mut undeclared = 0;
    for (step, _) in target.value.children().take(MAX_COMPARED) {
        undeclared += usize::from(!known.contains(&key_of(step)));
    }
    undeclared
}

/// Charges the budget for a comparison of each name with `others` names.
fn declared<'a>(validator: &mut Validator<'a>, node: usize, others: usize) -> Vec<&'a str> {
    let schema = validator.schema;
    let alike = schema.same_value_nodes(&[node]).len();
    let known = schema.declared(node);
    validator.consume_budget(alike * alike / 32 + known.len().saturating_mul(others) / 8);
    known
}

const MAX_COMPARED: usize = 100;

pub(super) fn report_no_branch(
    validator: &Validator<'_>,
    forms: usize,
    rule: &Rule,
    target: RuleTarget<'_>,
    sink: &mut ViolationSink,
) {
    let message = format!("{} fits none of {forms} forms", describe_path(validator, target));
    sink.push(violation(validator, target, rule.keyword(), message));
}

pub(super) fn only_missing(report: &ValidationReport, here: &str) -> bool {
    let misses = |violation: &Violation| violation.keyword == "required" && violation.instance_path == here;
    report.omitted == 0 && report.violations.iter().all(misses)
}

pub(super) fn report_missing(
    validator: &Validator<'_>,
    mut names: Vec<String>,
    target: RuleTarget<'_>,
    sink: &mut ViolationSink,
) {
    names.dedup();
    let listed: Vec<_> = names.iter().take(8).map(|name| shorten_name(name)).collect();
    let message = format!("{} has none of `{}`", describe_path(validator, target), listed.join("`, `"));
    let violation = violation(validator, target, "required", message);
    sink.push(Violation { name: names.into_iter().next(), ..violation });
}

pub(super) fn report_types(
    validator: &Validator<'_>,
    types: u8,
    rule: &Rule,
    target: RuleTarget<'_>,
    sink: &mut ViolationSink,
) {
    let resolved = target.value.resolve();
    // Whole numbers are also numbers. If one is expected, the message shows the fraction.
    let found = match resolved {
        ResolvedValue::Number(number) if types & types::WHOLE != 0 => format!("`{number}`"),
        resolved => type_names(self::types_of_value(resolved) & !types::WHOLE),
    };
    let expected = type_names(if types & types::NUMBER == 0 { types } else { types & !types::WHOLE });
    let message = format!("{} is {found}, expected {expected}", describe_path(validator, target));
    let violation = violation(validator, target, rule.keyword(), message);
    sink.push(Violation { expected_types: types, ..violation });
}

pub(super) fn report_undeclared(
    validator: &mut Validator<'_>,
    name: &str,
    keyword: &'static str,
    target: RuleTarget<'_>,
    sink: &mut ViolationSink,
) {
    if sink.is_full() {
        return;
    }
    let message = format!("{} takes no `{}`", describe_path(validator, target), shorten_name(name));
    let violation = violation(validator, target, keyword, message);
    let mut known = declared(validator, target.node, 32);
    known.retain(|known| !target.value.has(known));
    let near = closest_name(name, known).map(str::to_owned);
    let instance_path = [&violation.instance_path, "/", &escape(name)].concat();
    sink.push(Violation { instance_path, name: Some(name.to_owned()), suggestion: near, ..violation });
}

pub(super) fn report_name(
    validator: &Validator<'_>,
    name: &str,
    rule: &Rule,
    target: RuleTarget<'_>,
    sink: &mut ViolationSink,
) {
    if sink.is_full() {
        return;
    }
    let message =
        format!("{} may not have the name `{}`", describe_path(validator, target), shorten_name(name));
    let violation = violation(validator, target, rule.keyword(), message);
    let instance_path = [&violation.instance_path, "/", &escape(name)].concat();
    sink.push(Violation { instance_path, name: Some(name.to_owned()), ..violation });
}

/// The distance from being valid, and the expected types if only the type is wrong.
pub(super) fn distance(report: &ValidationReport, here: &str) -> (usize, Option<u8>) {
    let weight = |violation: &Violation| match (violation.keyword, violation.instance_path == here) {
        (_, true) if violation.expected_types != 0 => 100,
        // Forms usually differ by a constant.
        ("const" | "enum", _) => 20,
        _ => 1,
    };
    let only_kind = match report.violations.as_slice() {
        [only] if only.expected_types != 0 && only.instance_path == here => Some(only.expected_types),
        _ => None,
    };
    (report.violations.iter().map(weight).sum::<usize>() + report.omitted, only_kind)
}

pub(super) fn report_nearest(nearest: ViolationSink, forms: usize, sink: &mut ViolationSink) {
    for mut violation in nearest.report.violations {
        if forms > 1 && !violation.message.ends_with("forms") {
            violation.message = format!("{}, in the nearest of {forms} forms", violation.message);
        }
        sink.push(violation);
    }
    sink.report.omitted += nearest.report.omitted;
}
