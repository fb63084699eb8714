//! Finds entries that a schema does not declare, although it does not reject them.
//!
//! A schema that declares some entries usually lists all that the tool reads. Another entry is most often misspelt or
//! invented.
//!
//! Invariants:
//! 1. An entry that some branch, reference or condition of the schema declares is not undeclared.
//! 2. If the schema says anything about additional entries, itself or in a branch, the search reports none.
//! 3. The work is limited. Beyond the limit the search reports nothing more.

use super::instance::{InstancePath, Partial, ResolvedValue, Step, View};
use super::rule::{Assertion, Rule, names as names_in, types};
use super::{MAX_VIOLATIONS, Schema};
use stepgraph_text::diagnostic::closest_name;
use stepgraph_text::value::Segment;

const SUBSCHEMA_BUDGET: usize = 20_000;
const MAX_DEPTH: usize = 100;

/// An entry that the schema does not declare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndeclaredProperty {
    /// The location of the map, as a JSON pointer.
    pub map: String,
    /// Its name.
    pub name: String,
    /// A similar declared name.
    pub suggestion: Option<String>,
}

impl Schema {
    /// Returns the undeclared entries of a value, up to [`MAX_VIOLATIONS`]. Considers only maps for which the schema
    /// declares some entries.
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

    /// Returns the names that these subschemas declare for one map, or `None` if the map may have others.
    fn known(&self, alike: &[usize]) -> Option<Vec<&'a str>> {
        let schema: &'a Schema = self.schema;
        let (mut names, mut speaks) = (Vec::new(), false);
        if alike.len() > MAX_DEPTH {
            return None;
        }
        for node in alike {
            let rules = &schema.nodes.get(*node)?.rules;
            // This branch accepts any map.
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
