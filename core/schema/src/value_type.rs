//! Converts schemas to types, for the expression checker.
//!
//! Invariant: Types include every valid value, and are unknown beyond a limit.

use super::PathStatus;
use super::PossibleValues;
use super::check_path;
use super::path::is_within_limit;
use super::rule::types;
use super::{Patterns, Schema};
use std::cell::Cell;
use std::rc::Rc;
use stepgraph_expression::Type;
use stepgraph_expression::types::{Field, Object};
use stepgraph_text::value::Segment;

const MAX_DEPTH: usize = 5;
const MAX_FIELDS: usize = 60;
/// A name that no schema declares.
const OTHER: &str = "\u{1}";

impl Schema {
    /// Type at a path. `options` are the patterns, and whether to read which fields are required. Each part of the type
    /// and each subschema that describes it takes one from `budget`.
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use std::cell::Cell;
    /// use stepgraph_schema::{Patterns, Schema};
    /// let schema = json!({"type": "object", "required": ["days"], "properties": {"days": {"type": "array", "items": {"type": "number"}}}});
    /// let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
    /// let kind = |steps| schema.value_type(&[], (Patterns::default(), true), &Cell::new(steps)).to_string();
    /// assert_eq!(kind(1000), "{days: list(number), …}");
    /// assert_eq!(kind(0), "dyn");
    /// ```
    pub fn value_type(&self, path: &[Segment], options: (Patterns, bool), budget: &Cell<usize>) -> Type {
        let (patterns, is_precise) = options;
        let Some(at) = self.nodes_at(path) else { return Type::Dyn };
        let mut walk = TypeWalk { schema: self, patterns, is_precise, budget: budget.get() };
        let found = walk.type_at(&mut path.to_vec(), &at, 0);
        budget.set(walk.budget);
        found
    }
}

struct TypeWalk<'s> {
    schema: &'s Schema,
    patterns: Patterns,
    /// Whether to read which fields are required.
    is_precise: bool,
    budget: usize,
}

impl TypeWalk<'_> {
    /// `at` are the subschemas at the path.
    fn type_at(&mut self, path: &mut Vec<Segment>, at: &[usize], depth: usize) -> Type {
        if depth > MAX_DEPTH || self.budget == 0 {
            return Type::Dyn;
        }
        self.budget -= 1;
        let possible = self.schema.possible_within(path, &mut self.budget);
        if possible.is_unknown() {
            return Type::Dyn;
        }
        let mut members = scalars(&possible);
        if !possible.has(types::LIST | types::MAP) {
            return Type::one_of(members);
        }
        let nodes = self.schema.same_value_nodes(at);
        self.budget = self.budget.saturating_sub(nodes.len());
        if !is_within_limit(&nodes) {
            return Type::Dyn;
        }
        if possible.has(types::LIST) {
            // `prefixItems` may type the first elements.
            let first = self.child(path, &nodes, Segment::Index(0), depth);
            members.push(Type::list(first.or(&self.child(path, &nodes, Segment::Index(99), depth))));
        }
        if possible.has(types::MAP) {
            members.push(self.map(path, (at, &nodes), depth));
        }
        Type::one_of(members)
    }

    fn child(&mut self, path: &mut Vec<Segment>, nodes: &[usize], segment: Segment, depth: usize) -> Type {
        let at = self.schema.steps(nodes, &segment);
        path.push(segment);
        let found = self.type_at(path, &at, depth + 1);
        path.pop();
        found
    }

    /// `at` are the subschemas that the path leads to. `nodes` adds their branches and references.
    fn map(&mut self, path: &mut Vec<Segment>, (at, nodes): (&[usize], &[usize]), depth: usize) -> Type {
        let schema = self.schema;
        let names = schema.few_names(nodes, MAX_FIELDS);
        // A name that a pattern allows may resemble a declared one.
        let Some(names) = names.filter(|names| names.is_empty() || !schema.have_patterns(nodes)) else {
            return Type::Map(Rc::new(Type::Dyn));
        };
        let other = Segment::Key(OTHER.to_owned());
        if names.is_empty() {
            return Type::Map(Rc::new(self.child(path, nodes, other, depth)));
        }
        // A run needs no precise types.
        let needed = if self.is_precise { schema.required_by_all(at) } else { Vec::new() };
        let mut fields: Vec<Field> = Vec::with_capacity(names.len());
        for name in names {
            if fields.iter().all(|field| field.name != name) {
                let kind = self.child(path, nodes, Segment::Key(name.to_owned()), depth);
                let required = needed.contains(&name);
                fields.push(Field { name: name.to_owned(), kind, required });
            }
        }
        // Open if it accepts an undeclared name.
        path.push(other);
        let status = check_path(schema, path, self.patterns, &mut self.budget);
        path.pop();
        let is_complete = matches!(status, PathStatus::Undeclared(_));
        Type::Object(Rc::new(Object { fields, open: status != PathStatus::Impossible, is_complete }))
    }
}

fn scalars(possible: &PossibleValues<'_>) -> Vec<Type> {
    let all = [
        (types::NULL, Type::Null),
        (types::BOOL, Type::Bool),
        (types::NUMBER | types::WHOLE, Type::Number),
        (types::TEXT, Type::String),
    ];
    all.into_iter().filter(|(bits, _)| possible.has(*bits)).map(|(_, kind)| kind).collect()
}
