//! Converts schemas to types, for the expression checker.
//!
//! Invariant: Types include every valid value, and are unknown beyond a limit.

use super::PathStatus;
use super::PossibleValues;
use super::rule::types;
use super::{Patterns, Schema};
use std::rc::Rc;
use stepgraph_expression::Type;
use stepgraph_expression::types::{Field, Object};
use stepgraph_text::value::Segment;

/// Depth, converted values, and fields of a map.
const MAX_DEPTH: usize = 5;
const VALUE_BUDGET: usize = 200;
const MAX_FIELDS: usize = 60;
/// A name that no schema declares.
const OTHER: &str = "\u{1}";

impl Schema {
    /// Type at a path.
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use stepgraph_schema::{Patterns, Schema};
    /// let schema = json!({"type": "object", "required": ["days"], "properties": {"days": {"type": "array", "items": {"type": "number"}}}});
    /// let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
    /// assert_eq!(schema.value_type(&[], (Patterns::default(), true)).to_string(), "{days: list(number), …}");
    /// ```
    pub fn value_type(&self, path: &[Segment], (patterns, is_precise): (Patterns, bool)) -> Type {
        let mut path = path.to_vec();
        TypeWalk { schema: self, patterns, is_precise, budget: VALUE_BUDGET }.type_at(&mut path, 0)
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
    fn type_at(&mut self, path: &mut Vec<Segment>, depth: usize) -> Type {
        if depth > MAX_DEPTH || self.budget == 0 {
            return Type::Dyn;
        }
        self.budget -= 1;
        let possible = self.schema.possible(path);
        if possible.is_unknown() {
            return Type::Dyn;
        }
        let mut members = scalars(&possible);
        if possible.has(types::LIST) {
            // `prefixItems` may type the first elements.
            let first = self.child(path, Segment::Index(0), depth);
            members.push(Type::list(first.or(&self.child(path, Segment::Index(99), depth))));
        }
        if possible.has(types::MAP) {
            members.push(self.map(path, depth));
        }
        members.into_iter().reduce(|all, member| all.or(&member)).unwrap_or_default()
    }

    fn child(&mut self, path: &mut Vec<Segment>, segment: Segment, depth: usize) -> Type {
        path.push(segment);
        let found = self.type_at(path, depth + 1);
        path.pop();
        found
    }

    fn map(&mut self, path: &mut Vec<Segment>, depth: usize) -> Type {
        let schema = self.schema;
        if schema.name_count_at(path) > MAX_FIELDS {
            return Type::Map(Rc::new(Type::Dyn));
        }
        let names = schema.names_at(path);
        if names.is_empty() {
            return Type::Map(Rc::new(self.child(path, Segment::Key(OTHER.to_owned()), depth)));
        }
        // A run needs no precise types.
        let needed = if self.is_precise { schema.required_at(path) } else { Vec::new() };
        let mut fields: Vec<Field> = Vec::with_capacity(names.len());
        for name in names {
            if fields.iter().all(|field| field.name != name) {
                let kind = self.child(path, Segment::Key(name.to_owned()), depth);
                let required = needed.contains(&name);
                fields.push(Field { name: name.to_owned(), kind, required });
            }
        }
        // Open if it accepts an undeclared name.
        path.push(Segment::Key(OTHER.to_owned()));
        let other = schema.path_status(path, self.patterns);
        path.pop();
        let is_complete = matches!(other, PathStatus::Undeclared(_)) && !schema.has_patterns_at(path);
        Type::Object(Rc::new(Object { fields, open: other != PathStatus::Impossible, is_complete }))
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
