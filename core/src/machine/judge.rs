//! Whether a comparison holds.
//!
//! Decides what each operator means on each kind of value. Data that is not there satisfies nothing: on a missing path
//! every comparison is false, and only `.exists` and `!` speak of absence.
//!
//! Source: design section 5, "Comparison".

use super::program::Ask;
use crate::expr::Literal;
use crate::value::{Path, TextView, Value, View};

/// Whether what stands at the end of `path` in `value` satisfies `ask`.
pub(super) fn holds<V: Value>(value: &V, path: &Path, ask: Ask, literals: &[Literal]) -> bool {
    let view = value.view(path);
    if view == View::Missing {
        return false;
    }
    match (ask, view) {
        (Ask::Exists, _) => true,
        (Ask::Equals(literal), _) => equals(value, path, view, literal, literals),
        (Ask::Differs(literal), _) => !equals(value, path, view, literal, literals),
        (Ask::Contains(literal), _) => {
            literals.get(literal as usize).is_some_and(|lit| contains(value, path, view, lit))
        }
        (Ask::Less(bound), View::Number(number)) => number < bound,
        (Ask::AtMost(bound), View::Number(number)) => number <= bound,
        (Ask::Greater(bound), View::Number(number)) => number > bound,
        (Ask::AtLeast(bound), View::Number(number)) => number >= bound,
        _ => false,
    }
}

fn equals<V: Value>(value: &V, path: &Path, view: View<'_>, number: u32, literals: &[Literal]) -> bool {
    let Some(literal) = literals.get(number as usize) else { return false };
    match view {
        View::Missing => false,
        View::Null => literal.is_null(),
        View::Bool(truth) => literal.text == if truth { "true" } else { "false" },
        View::Number(number) => literal.equals_number(number),
        View::Text(TextView::Here(text)) => text == literal.text,
        View::Text(TextView::Literal(same)) => {
            same == number || literals.get(same as usize).is_some_and(|other| other.text == literal.text)
        }
        View::Text(TextView::Elsewhere) => false,
        View::List | View::Map => {
            literal.structure.is_some() && value.json(path).is_some_and(|json| literal.equals(&json))
        }
    }
}

/// Part of a text, an element of a list, a key of a map.
fn contains<V: Value>(value: &V, path: &Path, view: View<'_>, literal: &Literal) -> bool {
    match view {
        View::Text(TextView::Here(text)) => text.contains(&literal.text),
        View::Text(_) => value.text(path).is_some_and(|text| text.contains(&literal.text)),
        View::List => value.json(path).is_some_and(|json| {
            json.as_array().is_some_and(|items| items.iter().any(|item| literal.equals(item)))
        }),
        View::Map => value.has_key(path, &literal.text),
        _ => false,
    }
}
