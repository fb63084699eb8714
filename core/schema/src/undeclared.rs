//! Finds entries that a schema neither declares nor rejects, usually misspelt or invented.
//!
//! Invariants:
//! 1. An entry is declared if any branch, reference or condition declares it.
//! 2. A schema that mentions additional entries, even in a branch, has none undeclared.
//! 3. Beyond the work limit nothing is reported.

use super::instance::{InstancePath, Partial, ResolvedValue, Step, View};
use super::path::is_within_limit;
use super::rule::{Assertion, Rule, names as names_in, types};
use super::{MAX_VIOLATIONS, Schema};
use stepgraph_text::diagnostic::closest_name;
use stepgraph_text::value::Segment;

const SUBSCHEMA_BUDGET: usize = 20_000;
const MAX_DEPTH: usize = 100;

/// Undeclared entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndeclaredProperty {
    /// JSON pointer.
    pub map: String,
    /// Its name.
    pub name: String,
    /// A similar name.
    pub suggestion: Option<String>,
}

impl Schema {
    /// Up to [`MAX_VIOLATIONS`] undeclared entries of maps with declared ones.
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use stepgraph_schema::{Partial, Patterns, Schema};
    /// let schema = json!({"properties": {"city": {"type": "string"}}});
    /// let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
    /// let undeclared = schema.undeclared_properties(&Partial::Known(&json!({"citty": "Lima"})));
    /// assert_eq!(undeclared[0].suggestion.as_deref(), Some("city"));
    /// ```
    pub fn undeclared_properties(&self, value: &Partial<'_>) -> Vec<UndeclaredProperty> {
        super::find_undeclared(self, value)
    }
}

pub(super) fn find(schema: &Schema, value: &Partial<'_>) -> Vec<UndeclaredProperty> {
    let mut search = Search { schema, budget: SUBSCHEMA_BUDGET, found: Vec::new() };
    search.walk(&[0], View::of(value), &InstancePath::ROOT, 0);
    search.found
}

struct Search<'a> {
    schema: &'a Schema,
    budget: usize,
    found: Vec<UndeclaredProperty>,
}

impl<'a> Search<'a> {
    fn walk(&mut self, nodes: &[usize], value: View<'_>, path: &InstancePath<'_>, depth: usize) {
        let is_map = matches!(value.resolve(), ResolvedValue::Map);
        if depth > MAX_DEPTH || value.len() == 0 {
            return;
        }
        let alike = self.schema.same_value_nodes(nodes);
        if !is_within_limit(&alike) {
            return;
        }
        let Some(left) = self.budget.checked_sub(alike.len()) else { return };
        self.budget = left;
        if is_map && let Some(known) = self.known(&alike) {
            self.check_entries(&known, value, path);
        }
        for (step, child) in value.children() {
            let segment = match step {
                Step::Key(key) => Segment::Key(key.to_owned()),
                Step::Index(at) => Segment::Index(at),
                Step::Whole => continue,
            };
            let next = self.schema.steps(&alike, &segment);
            if !next.is_empty() {
                self.walk(&next, child, &InstancePath { above: Some(path), step }, depth + 1);
            }
        }
    }

    /// Declared names, `None` if the map may have others.
    fn known(&self, alike: &[usize]) -> Option<Vec<&'a str>> {
        let schema: &'a Schema = self.schema;
        let (mut names, mut speaks) = (Vec::new(), false);
        for node in alike {
            let rules = &schema.nodes.get(*node)?.rules;
            // Any map is valid.
            if matches!(rules.as_slice(), [] | [Rule::OrNull])
                || matches!(rules.as_slice(), [Rule::Types(types)] if types & types::MAP != 0)
            {
                return None;
            }
            for rule in rules {
                match rule {
                    Rule::Properties(properties)
                        if properties.additional.is_none() && properties.patterns.is_empty() =>
                    {
                        speaks = true;
                        for name in &properties.names {
                            names.push(name.as_str());
                        }
                    }
                    Rule::Assert(Assertion::Required, needed) => names.extend(names_in(needed)),
                    Rule::Properties(_)
                    | Rule::Names(_)
                    | Rule::Dynamic(..)
                    | Rule::Unevaluated { map: true, .. }
                    | Rule::Assert(Assertion::Const | Assertion::Enum | Assertion::AnyForm, _) => {
                        return None;
                    }
                    _ => {}
                }
            }
        }
        speaks.then_some(names)
    }

    fn check_entries(&mut self, known: &[&str], value: View<'_>, path: &InstancePath<'_>) {
        for (step, _) in value.children() {
            let Step::Key(key) = step else { continue };
            if known.contains(&key) || self.found.len() >= MAX_VIOLATIONS {
                continue;
            }
            let mut free = known.to_vec();
            free.retain(|name| !value.has(name));
            let near = closest_name(key, free).map(str::to_owned);
            self.found.push(UndeclaredProperty {
                map: path.pointer(),
                name: key.to_owned(),
                suggestion: near,
            });
        }
    }
}
