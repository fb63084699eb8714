//! Types of [`KnownValue`] for the expression checker.

use super::KnownValue;
use crate::collect::CollectVec;
use crate::expression::Type;
use crate::expression::types::{Field, Object};
use crate::schema::Patterns;
use crate::value::{Segment, get_path};
use serde_json::Value as Json;
use std::cell::Cell;
use std::rc::Rc;

/// Deeper values have unknown types. The output of a `map` takes four levels.
const MAX_DEPTH: usize = 16;

/// The rest of a value has unknown types. Subschemas take one step, and each list doubles those that are visited.
const MAX_STEPS: usize = 2_000;
const STEPS_PER_PART: usize = 4;

/// The patterns, whether to read which fields are required, and the steps left.
type Options<'o> = (Patterns, bool, &'o Cell<usize>);

impl KnownValue<'_> {
    /// `options` are the patterns, and whether to read which fields are required.
    pub(in crate::check) fn value_type(&self, (patterns, required): (Patterns, bool)) -> Type {
        self.type_at(&[], (patterns, required, &Cell::new(MAX_STEPS)), 0)
    }

    fn type_at(&self, path: &[Segment], options: Options<'_>, depth: usize) -> Type {
        let (patterns, required, left) = options;
        if depth > MAX_DEPTH || !takes_parts(1, left) {
            return Type::Dyn;
        }
        let next = |known: &KnownValue<'_>, path: &[Segment]| known.type_at(path, options, depth + 1);
        match (self, path) {
            (Self::Text, []) => Type::String,
            (Self::Scalar, []) => Type::Number.or(&Type::Bool),
            (Self::Constant(json), path) => {
                get_path(json, path).map_or(Type::Dyn, |part| constant_type(part, left))
            }
            (Self::Schema(schema), path) => schema.value_type(path, (patterns, required), left),
            (Self::Tool(schema), path) => schema.value_type(path, (patterns, required), left),
            (Self::Part(base, before), path) => next(base, &before.iter().chain(path).cloned().collect_vec()),
            (Self::OneOf(values), path) => Type::one_of(values.iter().map(|known| next(known, path))),
            // A part of the names would turn the others into typos.
            (Self::Map { entries, .. }, []) if entries.len() > left.get() / STEPS_PER_PART => {
                Type::Map(Rc::new(Type::Dyn))
            }
            (Self::Map { entries, is_closed }, []) => {
                let field = |(name, known): &(&str, super::Shared<'_>)| Field {
                    name: (*name).to_owned(),
                    kind: next(known, &[]),
                    required: true,
                };
                let fields = entries.iter().map(field).collect_vec();
                Type::Object(Rc::new(Object { fields, open: !is_closed, is_complete: true }))
            }
            (Self::Map { entries, .. }, [Segment::Key(key), rest @ ..]) => {
                entries.get(key).map_or(Type::Dyn, |known| next(known, rest))
            }
            (Self::List(item), []) => Type::list(next(item, &[])),
            (Self::List(item), [Segment::Index(_), rest @ ..]) => next(item, rest),
            // More keys are possible.
            (Self::ExtensibleMap(base, _), []) => match next(base, &[]) {
                Type::Object(object) => {
                    Type::Object(Rc::new(Object { open: true, is_complete: false, ..Object::clone(&object) }))
                }
                other => other,
            },
            _ => Type::Dyn,
        }
    }
}

fn constant_type(json: &Json, left: &Cell<usize>) -> Type {
    let Json::Array(items) = json else { return Type::of_json(json) };
    if !takes_parts(items.len(), left) {
        return Type::list(Type::Dyn);
    }
    Type::list(Type::one_of(items.iter().map(|item| constant_type(item, left))))
}

/// Whether enough steps are left for so many parts.
fn takes_parts(count: usize, left: &Cell<usize>) -> bool {
    let rest = left.get().checked_sub(count.saturating_mul(STEPS_PER_PART));
    if let Some(rest) = rest {
        left.set(rest);
    }
    rest.is_some()
}
