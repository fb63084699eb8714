//! Determines the possible types at a path, and the values that `enum` and `const` allow.
//!
//! Invariants:
//! 1. The result includes everything that valid values may be.
//! 2. Rules not followed, such as conditions, allow everything.
//! 3. Beyond the work limit everything is allowed.

use super::Schema;
use super::rule::{Assertion, Properties, Rule, types};
use serde_json::Value as Json;
use stepgraph_expression::{Domain, Literal};
use stepgraph_text::collect::CollectVec;
use stepgraph_text::source::json_number;
use stepgraph_text::value::{Segment, json_equal};

/// Nested and total subschemas.
const MAX_DEPTH: usize = 60;
const SUBSCHEMA_BUDGET: usize = 500;
/// Beyond it only types are known.
const MAX_OPTIONS: usize = 200;
/// Of longer lists even the types are unknown, as each expression looks at them again.
const MAX_TYPED_OPTIONS: usize = 600;

static NULL: Json = Json::Null;

const ANY_NUMBER: u8 = types::NUMBER | types::WHOLE;

/// The possible values.
#[derive(Debug, Clone)]
pub struct PossibleValues<'s> {
    /// Bits of [`types`]. Numbers with fractions have both number bits.
    types: u8,
    /// All values, if few.
    pub options: Option<Vec<&'s Json>>,
    /// The least and the greatest number.
    range: Option<(f64, f64)>,
    /// Whether declared by a schema, not by a node type.
    pub is_declared: bool,
}

impl Schema {
    /// Possible values at a path.
    pub fn possible(&self, path: &[Segment]) -> PossibleValues<'_> {
        self.possible_within(path, &mut { SUBSCHEMA_BUDGET })
    }

    /// Subtracts the subschemas that it visits.
    pub(super) fn possible_within(&self, path: &[Segment], budget: &mut usize) -> PossibleValues<'_> {
        let found = Walk { schema: self, path, budget }.node(0, 0, 0);
        PossibleValues { is_declared: true, ..found }
    }
}

impl<'s> PossibleValues<'s> {
    const ANYTHING: Self = Self { types: u8::MAX, options: None, range: None, is_declared: false };

    /// Any text.
    pub fn text() -> Self {
        Self { types: types::TEXT, ..Self::ANYTHING }
    }

    /// Any number or boolean.
    pub fn scalar() -> Self {
        Self { types: ANY_NUMBER | types::BOOL, ..Self::ANYTHING }
    }

    /// Any list.
    pub fn list() -> Self {
        Self { types: types::LIST, ..Self::ANYTHING }
    }

    /// Any map.
    pub fn map() -> Self {
        Self { types: types::MAP, ..Self::ANYTHING }
    }

    /// Whether unknown. Includes schemas without valid values.
    pub fn is_unknown(&self) -> bool {
        let all = types::NAMES.len();
        let none = self.types == 0 || self.options.as_ref().is_some_and(Vec::is_empty);
        none || self.options.is_none() && self.types.trailing_ones() as usize >= all
    }

    /// Union of both.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.types |= other.types;
        self.is_declared &= other.is_declared;
        self.options = match (self.options, other.options) {
            (Some(mut own), Some(others)) if own.len() + others.len() <= MAX_OPTIONS => {
                own.extend(others);
                Some(own)
            }
            _ => None,
        };
        let both = self.range.zip(other.range);
        self.range = both.map(|((a, b), (c, d))| (a.min(c), b.max(d)));
        self
    }

    fn intersection(mut self, other: Self) -> Self {
        self.types &= other.types;
        self.options = match (self.options, other.options) {
            (Some(mut own), Some(others)) => {
                own.retain(|option| others.iter().any(|other| json_equal(option, other)));
                Some(own)
            }
            (own, others) => own.or(others),
        };
        self.range = match (self.range, other.range) {
            (Some((a, b)), Some((c, d))) => Some((a.max(c), b.min(d))),
            (own, others) => own.or(others),
        };
        self
    }

    /// One value.
    pub fn of_value(value: &'s Json) -> Self {
        Self::of(vec![value])
    }

    fn of_list(options: &'s [Json]) -> Self {
        if options.len() > MAX_TYPED_OPTIONS {
            return Self::ANYTHING;
        }
        Self::of(options.iter().collect_vec())
    }

    fn of(options: Vec<&'s Json>) -> Self {
        let types = types_of_all(&options);
        let options = Some(options).filter(|options| options.len() <= MAX_OPTIONS);
        Self { types, options, ..Self::ANYTHING }
    }

    /// Whether some value may equal it.
    pub fn may_equal(&self, literal: &Literal) -> bool {
        if let Some(options) = &self.options {
            let is_list = self.has(types::LIST) && literal.structure.is_some();
            return is_list || options.iter().any(|option| literal.equals(option));
        }
        let number = literal.number.or_else(|| {
            let bare = Literal::new(literal.text.as_str(), false);
            bare.number.filter(|_| literal.quoted)
        });
        let is_number = number.is_some_and(|number| {
            (self.has(types::NUMBER) || number.fract() == 0.0) && self.is_in_range(number)
        });
        self.has(types::TEXT)
            || self.has(types::NULL) && literal.is_null()
            || self.has(types::BOOL) && (literal.equals_bool(true) || literal.equals_bool(false))
            || self.has(ANY_NUMBER) && is_number
            || self.has(types::LIST) && literal.structure.as_ref().is_some_and(Json::is_array)
            || self.has(types::MAP) && literal.structure.as_ref().is_some_and(Json::is_object)
    }

    fn is_in_range(&self, number: f64) -> bool {
        self.range.is_none_or(|(min, max)| min <= number && number <= max)
    }

    /// The values for comparisons. `None` if they are not limited.
    pub fn domain(&self) -> Option<Domain> {
        match (&self.options, self.range) {
            // A lenient schema allows other forms of the options.
            (Some(options), _) if types_of_all(options) == self.types => {
                Some(Domain::OneOf(options.iter().map(|option| (*option).clone()).collect()))
            }
            (None, Some((min, max))) if self.types & !ANY_NUMBER == 0 && min <= max => {
                Some(Domain::Range(min, max))
            }
            _ => None,
        }
    }

    /// Whether some value may contain something.
    pub fn may_contain(&self) -> bool {
        self.has(types::TEXT | types::LIST | types::MAP)
    }

    /// Whether some value may be `null`.
    pub fn may_be_null(&self) -> bool {
        match &self.options {
            Some(options) => options.iter().any(|option| option.is_null()),
            None => self.has(types::NULL),
        }
    }

    /// Whether some value may have a type of both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.has(other.types)
    }

    /// Whether some value may be text.
    pub fn may_be_text(&self) -> bool {
        self.has(types::TEXT)
    }

    /// Whether some value may be a number.
    pub fn may_be_number(&self) -> bool {
        self.has(ANY_NUMBER)
    }

    pub(super) fn has(&self, types: u8) -> bool {
        self.types & types != 0
    }

    /// Types in words.
    pub fn describe(&self) -> String {
        let types = if self.has(types::NUMBER) { self.types & !types::WHOLE } else { self.types };
        let names = types::NAMES.iter().enumerate().filter(|(bit, _)| types & (1 << bit) != 0);
        names.map(|(_, (_, name))| *name).collect_vec().join(" or ")
    }
}

fn types_of_all(values: &[&Json]) -> u8 {
    values.iter().fold(0, |types, value| types | types_of(value))
}

fn types_of(value: &Json) -> u8 {
    match value {
        Json::Null => types::NULL,
        Json::Bool(_) => types::BOOL,
        Json::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => types::WHOLE,
        Json::Number(_) => ANY_NUMBER,
        Json::String(_) => types::TEXT,
        Json::Array(_) => types::LIST,
        Json::Object(_) => types::MAP,
    }
}

struct Walk<'s, 'p> {
    schema: &'s Schema,
    path: &'p [Segment],
    budget: &'p mut usize,
}

impl<'s> Walk<'s, '_> {
    fn node(&mut self, node: usize, at: usize, depth: usize) -> PossibleValues<'s> {
        let schema: &'s Schema = self.schema;
        let Some(node) = schema.nodes.get(node).filter(|_| depth <= MAX_DEPTH && *self.budget > 0) else {
            return PossibleValues::ANYTHING;
        };
        *self.budget -= 1;
        let mut found = PossibleValues::ANYTHING;
        for rule in node.rules.iter().filter(|rule| !matches!(rule, Rule::OrNull)) {
            found = found.intersection(self.rule(rule, at, depth + 1));
        }
        // Null is valid despite other rules, and has no children.
        let or_null = at == self.path.len() && matches!(node.rules.first(), Some(Rule::OrNull));
        let has_null =
            found.options.as_ref().is_some_and(|options| options.iter().any(|json| json.is_null()));
        if or_null && !has_null { found.union(PossibleValues::of(vec![&NULL])) } else { found }
    }

    fn rule(&mut self, rule: &'s Rule, at: usize, depth: usize) -> PossibleValues<'s> {
        match rule {
            Rule::Reference(target) => return self.node(*target, at, depth),
            Rule::All(branches) => {
                let whole = PossibleValues::ANYTHING;
                return branches
                    .iter()
                    .fold(whole, |all, branch| all.intersection(self.node(*branch, at, depth)));
            }
            Rule::Any(branches) | Rule::One(branches) => {
                let mut branches = branches.iter().map(|branch| self.node(*branch, at, depth));
                let first = branches.next().unwrap_or(PossibleValues::ANYTHING);
                return branches.fold(first, PossibleValues::union);
            }
            _ => {}
        }
        let Some(segment) = self.path.get(at) else { return of_rule(rule) };
        match (rule, segment) {
            (Rule::Properties(properties), Segment::Key(key)) => self.entry(properties, key, at, depth),
            (Rule::Items { prefix, rest }, Segment::Index(index)) => {
                match prefix.get(*index).or(rest.as_ref()) {
                    Some(item) => self.node(*item, at + 1, depth),
                    None => PossibleValues::ANYTHING,
                }
            }
            _ => PossibleValues::ANYTHING,
        }
    }

    fn entry(
        &mut self,
        properties: &'s Properties,
        key: &str,
        at: usize,
        depth: usize,
    ) -> PossibleValues<'s> {
        // Digits may be a list position.
        if key.parse::<usize>().is_ok() {
            return PossibleValues::ANYTHING;
        }
        let rest = properties.additional.filter(|_| properties.patterns.is_empty());
        match properties.named.get(key).copied().or(rest) {
            Some(schema) => self.node(schema, at + 1, depth),
            None => PossibleValues::ANYTHING,
        }
    }
}

fn is_numeric(value: &Json) -> bool {
    value.as_str().is_some_and(|text| json_number(text).is_some())
}

fn of_rule(rule: &Rule) -> PossibleValues<'_> {
    match rule {
        Rule::Types(types) if types & types::NUMBER != 0 => {
            PossibleValues { types: types | types::WHOLE, ..PossibleValues::ANYTHING }
        }
        Rule::Types(types) => PossibleValues { types: *types, ..PossibleValues::ANYTHING },
        Rule::Assert(Assertion::Minimum | Assertion::ExclusiveMinimum, Json::Number(number)) => {
            let range = number.as_f64().map(|min| (min, f64::INFINITY));
            PossibleValues { range, ..PossibleValues::ANYTHING }
        }
        Rule::Assert(Assertion::Maximum | Assertion::ExclusiveMaximum, Json::Number(number)) => {
            let range = number.as_f64().map(|max| (f64::NEG_INFINITY, max));
            PossibleValues { range, ..PossibleValues::ANYTHING }
        }
        Rule::Assert(Assertion::Const, value) => PossibleValues::of(vec![value]),
        Rule::Assert(Assertion::Enum, Json::Array(options)) => PossibleValues::of_list(options),
        // Lenient schemas accept a list of options, and numbers as text.
        Rule::Assert(Assertion::AnyForm, Json::Array(options))
            if options.len() <= MAX_TYPED_OPTIONS && !options.iter().any(is_numeric) =>
        {
            let found = PossibleValues::of_list(options);
            PossibleValues { types: found.types | types::TEXT | types::LIST, ..found }
        }
        _ => PossibleValues::ANYTHING,
    }
}
