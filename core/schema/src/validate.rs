//! Validates rules without subschemas, within limits.
//!
//! Invariants:
//! 1. Tried branches create no messages.
//! 2. After an abort, only the abort itself is reported.
//! 3. The check for unique items is linear in the list's text.
//!
//! [`super::applicators`] has the other rules.

use super::instance::{InstancePath, ResolvedValue, Step, Validity, View};
use super::rule::{Assertion, Measure, Rule, count, names as names_in};
use super::{MAX_VIOLATIONS, Patterns, Schema, ValidationReport, Violation, decimal, lenient, messages};
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_text::value::canonical_text;

/// Nested subschemas. The stack in WebAssembly holds more.
const MAX_DEPTH: u32 = 600;

const MAX_DEPTH_AT_VALUE: u32 = 120;

/// Rules, items and blocks of text: some tenths of a second.
const WORK_BUDGET: u64 = 2_000_000;

const NUMBER_COST: usize = 8;

pub(super) struct Validator<'a> {
    pub(super) schema: &'a Schema,
    pub(super) patterns: Patterns,
    /// Root name in messages.
    pub(super) whole: &'a str,
    /// Entered resources, outermost first.
    pub(super) scope: Vec<usize>,
    budget: u64,
    depth: u32,
    /// Subschemas since the last child.
    depth_at_value: u32,
    pub(super) abort_reason: Option<&'static str>,
}

/// A quiet sink, for a tried branch, collects nothing.
#[derive(Debug, Default)]
pub(super) struct ViolationSink {
    pub(super) report: ValidationReport,
    pub(super) quiet: bool,
}

impl ViolationSink {
    /// Counts the violation if the list is full.
    pub(super) fn is_full(&mut self) -> bool {
        let full = self.report.violations.len() >= MAX_VIOLATIONS;
        self.report.omitted += usize::from(full);
        full
    }

    pub(super) fn push(&mut self, violation: Violation) {
        if !self.is_full() {
            self.report.violations.push(violation);
        }
    }
}

/// Empty if no rule needs them.
pub(super) type EvaluatedChildren = Vec<Validity>;

#[derive(Clone, Copy)]
pub(super) struct RuleTarget<'a> {
    pub(super) node: usize,
    pub(super) path: &'a InstancePath<'a>,
    pub(super) value: View<'a>,
}

pub(super) fn validate(
    schema: &Schema,
    value: View<'_>,
    patterns: Patterns,
    whole: &str,
) -> ValidationReport {
    let mut validator = Validator {
        schema,
        patterns,
        whole,
        scope: Vec::new(),
        budget: WORK_BUDGET,
        depth: 0,
        depth_at_value: 0,
        abort_reason: None,
    };
    let mut sink = ViolationSink::default();
    let path = InstancePath::ROOT;
    let target = RuleTarget { node: 0, path: &path, value };
    validator.validate_target(target, &mut sink, &mut Vec::new());
    if let Some(why) = validator.abort_reason {
        sink.report.is_incomplete = true;
        sink.report.violations.truncate(MAX_VIOLATIONS - 1);
        sink.push(messages::violation(&validator, target, "$ref", why.to_owned()));
    }
    sink.report
}

impl<'s> Validator<'s> {
    /// Adds evaluated children to `seen`.
    pub(super) fn validate_target(
        &mut self,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        seen: &mut EvaluatedChildren,
    ) -> Validity {
        let schema: &'s Schema = self.schema;
        let Some(node) = schema.nodes.get(target.node) else { return Validity::Maybe };
        if matches!((node.rules.first(), target.value.resolve()), (Some(Rule::OrNull), ResolvedValue::Null)) {
            return Validity::Yes;
        }
        if !self.enter() {
            return Validity::Maybe;
        }
        let entered = self.scope.last() != Some(&node.resource);
        if entered {
            self.scope.push(node.resource);
        }
        let mut own = Vec::new();
        if schema.tracks_evaluated && self.consume_budget(target.value.len() / 16) {
            own.resize(target.value.len(), Validity::No);
        }
        let mut validity = Validity::Yes;
        for rule in &node.rules {
            validity = validity.min(self.rule(rule, target, sink, &mut own));
            if validity == Validity::No && sink.quiet {
                break;
            }
        }
        if entered {
            self.scope.pop();
        }
        self.depth -= 1;
        self.depth_at_value -= 1;
        if self.abort_reason.is_some() {
            return Validity::Maybe;
        }
        merge(seen, &own, validity);
        validity
    }

    pub(super) fn validate_child(&mut self, target: RuleTarget<'_>, sink: &mut ViolationSink) -> Validity {
        let still = std::mem::take(&mut self.depth_at_value);
        let validity = self.validate_target(target, sink, &mut Vec::new());
        self.depth_at_value = still;
        validity
    }

    fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.abort("the value and its schema are nested too deeply to be checked");
        } else if self.depth_at_value >= MAX_DEPTH_AT_VALUE {
            self.abort("the schema leads back to itself without end");
        }
        if !self.consume_budget(1) {
            return false;
        }
        self.depth += 1;
        self.depth_at_value += 1;
        true
    }

    /// False after the budget or an abort.
    pub(super) fn consume_budget(&mut self, work: usize) -> bool {
        let work = u64::try_from(work).unwrap_or(u64::MAX);
        match self.budget.checked_sub(work) {
            Some(left) => self.budget = left,
            None => self.abort("the value and its schema are too large to be checked"),
        }
        self.abort_reason.is_none()
    }

    fn abort(&mut self, why: &'static str) {
        self.abort_reason = self.abort_reason.or(Some(why));
    }

    fn rule(
        &mut self,
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Validity {
        if !self.consume_budget(1) {
            return Validity::Maybe;
        }
        let applied = self.apply(rule, target, sink, own);
        if let Some(validity) = applied {
            return validity;
        }
        let validity = self.assert_rule(rule, target);
        if validity == Validity::No && !sink.quiet {
            messages::report_rule(self, rule, target, sink);
        }
        validity
    }

    fn assert_rule(&mut self, rule: &Rule, target: RuleTarget<'_>) -> Validity {
        let resolved = target.value.resolve();
        match (rule, resolved) {
            (Rule::Never, _) => Validity::No,
            (_, ResolvedValue::Unknown) => Validity::Maybe,
            (Rule::Types(types), resolved) => {
                Validity::from_bool(types & messages::types_of_value(resolved) != 0)
            }
            (Rule::Assert(assertion, operand), resolved) => {
                self.assert(*assertion, operand, target.value, resolved)
            }
            (Rule::DependentRequired(key, names), ResolvedValue::Map) if target.value.has(key) => {
                self.consume_budget(names.as_array().map_or(0, Vec::len));
                Validity::from_bool(names_in(names).all(|name| target.value.has(name)))
            }
            _ => Validity::Yes,
        }
    }

    fn assert(
        &mut self,
        assertion: Assertion,
        operand: &Json,
        value: View<'_>,
        resolved: ResolvedValue<'_>,
    ) -> Validity {
        if let Some(measure) = assertion.measure() {
            return match self.size(measure, value, resolved) {
                _ if measure == Measure::Text && matches!(resolved, ResolvedValue::UnknownText) => {
                    Validity::Maybe
                }
                Some(size) if assertion.is_upper_bound() => Validity::from_bool(size <= count(operand)),
                Some(size) => Validity::from_bool(size >= count(operand)),
                None => Validity::Yes,
            };
        }
        match (assertion, resolved, operand) {
            (Assertion::Const, ..) => {
                let mut work = 0;
                let validity = value.equals(operand, &mut work);
                self.consume_budget(work);
                validity
            }
            (Assertion::Enum, _, Json::Array(options)) => self.is_one_of(value, options),
            (Assertion::AnyForm, _, Json::Array(options)) => {
                let mut work = 0;
                let validity = lenient::any_form(value, options, &mut work);
                self.consume_budget(work);
                validity
            }
            (Assertion::MultipleOf, ResolvedValue::Number(number), Json::Number(unit)) => {
                self.consume_budget(NUMBER_COST);
                Validity::from_bool(decimal::is_multiple(number, unit))
            }
            (_, ResolvedValue::Number(number), Json::Number(limit)) => {
                self.consume_budget(NUMBER_COST);
                let order = decimal::compare(number, limit);
                Validity::from_bool(match assertion {
                    Assertion::Minimum => order.is_ge(),
                    Assertion::Maximum => order.is_le(),
                    Assertion::ExclusiveMinimum => order.is_gt(),
                    _ => order.is_lt(),
                })
            }
            (Assertion::Pattern, ResolvedValue::UnknownText, _) => Validity::Maybe,
            (Assertion::Pattern, ResolvedValue::Text(text), Json::String(pattern)) => {
                self.matches(pattern, text)
            }
            (Assertion::UniqueItems, ResolvedValue::List, Json::Bool(true)) => {
                self.duplicate_items(value).map_or_else(|validity| validity, |_| Validity::No)
            }
            (Assertion::Required, ResolvedValue::Map, Json::Array(names)) => {
                self.consume_budget(names.len());
                Validity::from_bool(names_in(operand).all(|name| value.has(name)))
            }
            _ => Validity::Yes,
        }
    }

    fn is_one_of(&mut self, value: View<'_>, options: &[Json]) -> Validity {
        let mut validity = Validity::No;
        for option in options {
            let mut work = 1;
            validity = validity.max(value.equals(option, &mut work));
            if !self.consume_budget(work) || validity == Validity::Yes {
                break;
            }
        }
        validity
    }

    pub(super) fn matches(&mut self, pattern: &str, text: &str) -> Validity {
        if !self.consume_budget(1 + text.len() / 16) {
            return Validity::Maybe;
        }
        let (validity, work) = self.patterns.test(pattern, text);
        self.consume_budget(work);
        validity
    }

    pub(super) fn size(
        &mut self,
        measure: Measure,
        value: View<'_>,
        resolved: ResolvedValue<'_>,
    ) -> Option<u64> {
        let size = match (measure, resolved) {
            (Measure::Text, ResolvedValue::Text(text)) => {
                self.consume_budget(text.len() / 16);
                text.chars().count()
            }
            (Measure::List, ResolvedValue::List) | (Measure::Map, ResolvedValue::Map) => value.len(),
            _ => return None,
        };
        u64::try_from(size).ok()
    }

    /// False beyond the budget or after an abort.
    pub(super) fn duplicate_items(&mut self, list: View<'_>) -> Result<(usize, usize), Validity> {
        self.consume_budget(list.len());
        let mut earlier: HashMap<String, usize> = HashMap::new();
        let mut validity = Validity::Yes;
        for (at, (_, item)) in list.children().enumerate() {
            let Some(text) = item.known().map(canonical_text) else {
                validity = Validity::Maybe;
                continue;
            };
            if !self.consume_budget(text.len() / 16) {
                return Err(Validity::Maybe);
            }
            if let Some(first) = earlier.insert(text, at) {
                return Ok((at, first));
            }
        }
        Err(validity)
    }
}

/// Children of a possibly invalid subschema may not count.
pub(super) fn merge(seen: &mut EvaluatedChildren, own: &EvaluatedChildren, validity: Validity) {
    for (seen, own) in seen.iter_mut().zip(own) {
        *seen = (*seen).max((*own).min(validity));
    }
}

pub(super) fn key_of(step: Step<'_>) -> &str {
    if let Step::Key(key) = step { key } else { "" }
}
