//! Entries of which a schema does not speak, though it does not refuse them.
//!
//! Decides what a tool would certainly not look at: where its schema names the entries of a map and leaves open whether there may be
//! others, one that it does not name is most often a name misspelt or made up.
//!
//! Invariants:
//! 1. an entry that some branch, reference or condition of the schema names is no stranger;
//! 2. where the schema says anything of further entries, itself or in a branch, that is all that is to be said;
//! 3. the work is bounded, and past the bound nothing is said.

use super::instance::{InstancePath, Partial, ResolvedValue, Step, View};
use super::rule::{Assertion, Rule, names as names_in, types};
use super::{MAX_VIOLATIONS, Schema};
use stepgraph_text::diagnostic::closest_name;
use stepgraph_text::value::Segment;

/// How many subschemas are looked at in all, and how deep.
const SUBSCHEMA_BUDGET: usize = 20_000;
const MAX_DEPTH: usize = 100;

/// An entry of which the schema does not speak.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndeclaredProperty {
    /// Where the map stands, as a JSON pointer.
    pub map: String,
    /// Its name.
    pub name: String,
    /// The name that was probably meant.
    pub suggestion: Option<String>,
}

impl Schema {
    /// The entries in a value of which the schema does not speak, though it names others beside them; the first [`MAX_VIOLATIONS`].
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use stepgraph_schema::{Partial, Patterns, Schema};
    /// let schema = json!({"properties": {"city": {"type": "string"}}});
    /// let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
    /// let strangers = schema.undeclared_properties(&Partial::Known(&json!({"citty": "Lima"})));
    /// assert_eq!(strangers[0].suggestion.as_deref(), Some("city"));
    /// ```
    pub fn undeclared_properties(&self, value: &Partial<'_>) -> Vec<UndeclaredProperty> {
        super::find_undeclared(self, value)
    }
}

/// What of a value a schema does not name.
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
            let mut next = Vec::new();
            for node in &alike {
                self.schema.step(*node, &segment, &mut next);
            }
            if !next.is_empty() {
                self.walk(&next, child, &InstancePath { above: Some(path), step }, depth + 1);
            }
        }
    }

    /// The names that these subschemas have for the entries of one map; nothing where others may be there.
    fn known(&self, alike: &[usize]) -> Option<Vec<&'a str>> {
        let schema: &'a Schema = self.schema;
        let (mut names, mut speaks) = (Vec::new(), false);
        if alike.len() > MAX_DEPTH {
            return None;
        }
        for node in alike {
            let rules = &schema.nodes.get(*node)?.rules;
            // A branch that is satisfied with any map.
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
