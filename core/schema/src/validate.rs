//! Checking a value: the rules of one subschema, one after another.
//!
//! Decides what each plain rule makes of a value, and when checking is given up. Rules that hold subschemas are in
//! [`super::applicators`].
//!
//! Invariants:
//! 1. nothing is written for a reader while a branch is only tried;
//! 2. once checking is given up nothing further is claimed, and that it was is told;
//! 3. a list of distinct items is told from one with repeats in time linear in its text.

use super::instance::{Fit, Look, Place, Step, View};
use super::rule::{Assertion, Measure, Rule, count, names as names_in};
use super::{MAX_VIOLATIONS, Patterns, Report, Schema, Violation, decimal, lenient, messages};
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_text::value::canonical_text;

/// How many subschemas may be entered inside each other. The stack of a WebAssembly module holds more.
const MAX_DEPTH: u32 = 600;

/// How many may be entered without going further into the value.
const MAX_STILL: u32 = 120;

/// How many rules, items and stretches of text are looked at; some tenths of a second.
const BUDGET: u64 = 2_000_000;

/// What it takes to compare two numbers.
const NUMBER: usize = 8;

/// What the checking of one value needs.
pub(super) struct Checking<'a> {
    pub(super) schema: &'a Schema,
    pub(super) patterns: Patterns,
    /// What messages call the value itself.
    pub(super) whole: &'a str,
    /// The resources that led here, outermost first.
    pub(super) scope: Vec<usize>,
    budget: u64,
    depth: u32,
    /// How many subschemas were entered since the last step into the value.
    still: u32,
    /// Why checking was given up.
    pub(super) halted: Option<&'static str>,
}

/// What becomes of violations: nothing while a branch is only tried.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) report: Report,
    pub(super) quiet: bool,
}

impl Sink {
    /// Whether violations are only counted from here on; counts one.
    pub(super) fn is_full(&mut self) -> bool {
        let full = self.report.violations.len() >= MAX_VIOLATIONS;
        self.report.more += usize::from(full);
        full
    }

    pub(super) fn push(&mut self, violation: Violation) {
        if !self.is_full() {
            self.report.violations.push(violation);
        }
    }
}

/// Which children of a value were looked at by some rule; empty where nobody asks.
pub(super) type Seen = Vec<Fit>;

/// Where a rule is applied, and to what.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) node: usize,
    pub(super) place: &'a Place<'a>,
    pub(super) value: View<'a>,
}

/// What is wrong with a value.
pub(super) fn check(schema: &Schema, value: View<'_>, patterns: Patterns, whole: &str) -> Report {
    let mut checking = Checking {
        schema,
        patterns,
        whole,
        scope: Vec::new(),
        budget: BUDGET,
        depth: 0,
        still: 0,
        halted: None,
    };
    let mut sink = Sink::default();
    let place = Place::WHOLE;
    let at = At { node: 0, place: &place, value };
    checking.node(at, &mut sink, &mut Vec::new());
    if let Some(why) = checking.halted {
        sink.report.unfinished = true;
        sink.report.violations.truncate(MAX_VIOLATIONS - 1);
        sink.push(messages::violation(&checking, at, "$ref", why.to_owned()));
    }
    sink.report
}

impl<'s> Checking<'s> {
    /// Whether the value fits the subschema; `seen` is told what its rules looked at.
    pub(super) fn node(&mut self, at: At<'_>, sink: &mut Sink, seen: &mut Seen) -> Fit {
        let schema: &'s Schema = self.schema;
        let Some(node) = schema.nodes.get(at.node) else { return Fit::Maybe };
        if matches!((node.rules.first(), at.value.look()), (Some(Rule::OrNull), Look::Null)) {
            return Fit::Yes;
        }
        if !self.enter() {
            return Fit::Maybe;
        }
        let entered = self.scope.last() != Some(&node.resource);
        if entered {
            self.scope.push(node.resource);
        }
        let mut own = Vec::new();
        if schema.tracks && self.spend(at.value.len() / 16) {
            own.resize(at.value.len(), Fit::No);
        }
        let mut fit = Fit::Yes;
        for rule in &node.rules {
            fit = fit.min(self.rule(rule, at, sink, &mut own));
            if fit == Fit::No && sink.quiet {
                break;
            }
        }
        if entered {
            self.scope.pop();
        }
        self.depth -= 1;
        self.still -= 1;
        if self.halted.is_some() {
            return Fit::Maybe;
        }
        merge(seen, &own, fit);
        fit
    }

    /// The same for a part of a value.
    pub(super) fn part(&mut self, at: At<'_>, sink: &mut Sink) -> Fit {
        let still = std::mem::take(&mut self.still);
        let fit = self.node(at, sink, &mut Vec::new());
        self.still = still;
        fit
    }

    fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.halt("the value and its schema are nested too deeply to be checked");
        } else if self.still >= MAX_STILL {
            self.halt("the schema leads back to itself without end");
        }
        if !self.spend(1) {
            return false;
        }
        self.depth += 1;
        self.still += 1;
        true
    }

    /// Takes work into account; false once there is too much of it, or checking was given up.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        let work = u64::try_from(work).unwrap_or(u64::MAX);
        match self.budget.checked_sub(work) {
            Some(left) => self.budget = left,
            None => self.halt("the value and its schema are too large to be checked"),
        }
        self.halted.is_none()
    }

    fn halt(&mut self, why: &'static str) {
        self.halted = self.halted.or(Some(why));
    }

    /// What one rule makes of the value.
    fn rule(&mut self, rule: &Rule, at: At<'_>, sink: &mut Sink, own: &mut Seen) -> Fit {
        if !self.spend(1) {
            return Fit::Maybe;
        }
        let applied = self.apply(rule, at, sink, own);
        if let Some(fit) = applied {
            return fit;
        }
        let fit = self.plain(rule, at);
        if fit == Fit::No && !sink.quiet {
            messages::tell(self, rule, at, sink);
        }
        fit
    }

    /// What a rule without subschemas makes of the value.
    fn plain(&mut self, rule: &Rule, at: At<'_>) -> Fit {
        let look = at.value.look();
        match (rule, look) {
            (Rule::Never, _) => Fit::No,
            (_, Look::Hole) => Fit::Maybe,
            (Rule::Kinds(kinds), look) => Fit::when(kinds & messages::kinds(look) != 0),
            (Rule::Assert(assertion, operand), look) => self.assert(*assertion, operand, at.value, look),
            (Rule::DependentRequired(key, names), Look::Map) if at.value.has(key) => {
                self.spend(names.as_array().map_or(0, Vec::len));
                Fit::when(names_in(names).all(|name| at.value.has(name)))
            }
            _ => Fit::Yes,
        }
    }

    fn assert(&mut self, assertion: Assertion, operand: &Json, value: View<'_>, look: Look<'_>) -> Fit {
        if let Some(measure) = assertion.measure() {
            return match self.size(measure, value, look) {
                _ if measure == Measure::Text && matches!(look, Look::SomeText) => Fit::Maybe,
                Some(size) if assertion.is_most() => Fit::when(size <= count(operand)),
                Some(size) => Fit::when(size >= count(operand)),
                None => Fit::Yes,
            };
        }
        match (assertion, look, operand) {
            (Assertion::Const, ..) => {
                let mut work = 0;
                let fit = value.equals(operand, &mut work);
                self.spend(work);
                fit
            }
            (Assertion::Enum, _, Json::Array(options)) => self.listed(value, options),
            (Assertion::AnyForm, _, Json::Array(options)) => {
                let mut work = 0;
                let fit = lenient::any_form(value, options, &mut work);
                self.spend(work);
                fit
            }
            (Assertion::MultipleOf, Look::Number(number), Json::Number(unit)) => {
                self.spend(NUMBER);
                Fit::when(decimal::is_multiple(number, unit))
            }
            (_, Look::Number(number), Json::Number(limit)) => {
                self.spend(NUMBER);
                let order = decimal::compare(number, limit);
                Fit::when(match assertion {
                    Assertion::Minimum => order.is_ge(),
                    Assertion::Maximum => order.is_le(),
                    Assertion::ExclusiveMinimum => order.is_gt(),
                    _ => order.is_lt(),
                })
            }
            (Assertion::Pattern, Look::SomeText, _) => Fit::Maybe,
            (Assertion::Pattern, Look::Text(text), Json::String(pattern)) => self.matches(pattern, text),
            (Assertion::UniqueItems, Look::List, Json::Bool(true)) => {
                self.repeat(value).map_or_else(|fit| fit, |_| Fit::No)
            }
            (Assertion::Required, Look::Map, Json::Array(names)) => {
                self.spend(names.len());
                Fit::when(names_in(operand).all(|name| value.has(name)))
            }
            _ => Fit::Yes,
        }
    }

    /// Whether a value is one of the options.
    fn listed(&mut self, value: View<'_>, options: &[Json]) -> Fit {
        let mut fit = Fit::No;
        for option in options {
            let mut work = 1;
            fit = fit.max(value.equals(option, &mut work));
            if !self.spend(work) || fit == Fit::Yes {
                break;
            }
        }
        fit
    }

    /// Whether some part of a text matches a pattern.
    pub(super) fn matches(&mut self, pattern: &str, text: &str) -> Fit {
        if !self.spend(1 + text.len() / 16) {
            return Fit::Maybe;
        }
        let (fit, work) = self.patterns.test(pattern, text);
        self.spend(work);
        fit
    }

    /// How large a value is, when it is of the kind that is measured.
    pub(super) fn size(&mut self, measure: Measure, value: View<'_>, look: Look<'_>) -> Option<u64> {
        let size = match (measure, look) {
            (Measure::Text, Look::Text(text)) => {
                self.spend(text.len() / 16);
                text.chars().count()
            }
            (Measure::List, Look::List) | (Measure::Map, Look::Map) => value.len(),
            _ => return None,
        };
        u64::try_from(size).ok()
    }

    /// The positions of an item and of an earlier one that is the same; else whether there are certainly none.
    pub(super) fn repeat(&mut self, list: View<'_>) -> Result<(usize, usize), Fit> {
        self.spend(list.len());
        let mut earlier: HashMap<String, usize> = HashMap::new();
        let mut fit = Fit::Yes;
        for (at, (_, item)) in list.children().enumerate() {
            let Some(text) = item.known().map(canonical_text) else {
                fit = Fit::Maybe;
                continue;
            };
            if !self.spend(text.len() / 16) {
                return Err(Fit::Maybe);
            }
            if let Some(first) = earlier.insert(text, at) {
                return Ok((at, first));
            }
        }
        Err(fit)
    }
}

/// Adds what one subschema looked at to what others did; what may not fit may not have looked.
pub(super) fn merge(seen: &mut Seen, own: &Seen, fit: Fit) {
    for (seen, own) in seen.iter_mut().zip(own) {
        *seen = (*seen).max((*own).min(fit));
    }
}

/// Whether `step` leads to a child of that name.
pub(super) fn key(step: Step<'_>) -> &str {
    if let Step::Key(key) = step { key } else { "" }
}
