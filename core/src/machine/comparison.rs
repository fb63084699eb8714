//! Evaluates comparisons. If a value is missing, all are false, except `.exists` and `!`.
//!
//! Only numbers have an order: anything else is an error, as in expressions.

use super::program::CompiledPredicate;
use crate::expression::{Function, Literal};
use crate::value::{Path, TextView, Value, View};

/// The operator of a comparison whose value has no order.
pub(super) type Unordered = Function;

#[inline]
pub(super) fn evaluate_comparison<V: Value>(
    value: &V,
    path: &Path,
    predicate: CompiledPredicate,
    literals: &[Literal],
) -> Result<bool, Unordered> {
    let view = value.view(path);
    if view == View::Missing {
        return Ok(false);
    }
    let literal = |number: u32| literals.get(number as usize).map(|literal| (number, literal));
    Ok(match (predicate, view) {
        (CompiledPredicate::Exists, _) => true,
        (CompiledPredicate::Operand, _) => false,
        (CompiledPredicate::Equals(number), _) => {
            literal(number).is_some_and(|literal| equals(value, path, view, literal, literals))
        }
        (CompiledPredicate::Differs(number), _) => {
            literal(number).is_some_and(|literal| !equals(value, path, view, literal, literals))
        }
        (CompiledPredicate::Contains(number), _) => {
            literal(number).is_some_and(|literal| contains(value, path, view, literal, literals))
        }
        (CompiledPredicate::Less(bound), View::Number(number)) => number < bound,
        (CompiledPredicate::AtMost(bound), View::Number(number)) => number <= bound,
        (CompiledPredicate::Greater(bound), View::Number(number)) => number > bound,
        (CompiledPredicate::AtLeast(bound), View::Number(number)) => number >= bound,
        (CompiledPredicate::Less(_), _) => return Err(Function::Less),
        (CompiledPredicate::AtMost(_), _) => return Err(Function::LessEqual),
        (CompiledPredicate::Greater(_), _) => return Err(Function::Greater),
        (CompiledPredicate::AtLeast(_), _) => return Err(Function::GreaterEqual),
    })
}

type NumberedLiteral<'a> = (u32, &'a Literal);

fn equals<V: Value>(
    value: &V,
    path: &Path,
    view: View<'_>,
    literal: NumberedLiteral<'_>,
    literals: &[Literal],
) -> bool {
    match view {
        View::List | View::Map => {
            literal.1.structure.is_some() && value.json(path).is_some_and(|json| literal.1.equals(&json))
        }
        scalar => equals_scalar(scalar, literal, literals),
    }
}

fn equals_scalar(view: View<'_>, (number, literal): NumberedLiteral<'_>, literals: &[Literal]) -> bool {
    match view {
        View::Null => literal.is_null(),
        View::Bool(truth) => literal.equals_bool(truth),
        View::Number(found) => literal.equals_number(found),
        View::Text(TextView::Inline(text)) => text == literal.text,
        View::Text(TextView::Literal(same)) => {
            same == number || literals.get(same as usize).is_some_and(|other| other.text == literal.text)
        }
        _ => false,
    }
}

/// A text contains text, a list an element, a map a key.
fn contains<V: Value>(
    value: &V,
    path: &Path,
    view: View<'_>,
    literal: NumberedLiteral<'_>,
    literals: &[Literal],
) -> bool {
    match view {
        View::Text(TextView::Inline(text)) => text.contains(&literal.1.text),
        View::Text(_) => value.text_contains(path, &literal.1.text, literal.0),
        View::List if literal.1.structure.is_some() => has_structure(value, path, literal.1),
        View::List if literal.1.is_only_text() => value.has_text(path, &literal.1.text, literal.0),
        View::List => has_scalar(value, path, literal, literals),
        View::Map => value.has_key(path, &literal.1.text),
        _ => false,
    }
}

fn has_scalar<V: Value>(value: &V, path: &Path, literal: NumberedLiteral<'_>, literals: &[Literal]) -> bool {
    let mut index = 0;
    while let Some(element) = value.element(path, index) {
        if equals_scalar(element, literal, literals) {
            return true;
        }
        index += 1;
    }
    false
}

fn has_structure<V: Value>(value: &V, path: &Path, literal: &Literal) -> bool {
    let list = value.json(path);
    list.as_ref()
        .and_then(|list| list.as_array())
        .is_some_and(|items| items.iter().any(|item| literal.equals(item)))
}
