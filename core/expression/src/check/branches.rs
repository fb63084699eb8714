//! Types of the branches of `?:` and `??`.

use crate::ast::{Call, Expr, Kind};
use crate::base::Span;
use crate::types::{Field, Object, Type};
use std::rc::Rc;

pub(super) fn is_empty_list(branch: &Expr) -> bool {
    matches!(&branch.kind, Kind::List(items) if items.is_empty())
}

fn is_empty_map(branch: &Expr) -> bool {
    matches!(&branch.kind, Kind::Map(entries) if entries.is_empty())
}

/// An empty list or map takes the type of another branch.
pub(super) fn branch_types(branches: &[Expr], types: Vec<Type>) -> Vec<Type> {
    let are_full = !branches.iter().any(|branch| is_empty_list(branch) || is_empty_map(branch));
    if are_full { types } else { typed_empties(branches, types) }
}

/// In `x + []`, the empty list takes the type of `x`.
#[inline(never)]
pub(super) fn typed_operands(call: &Call, operands: &mut [(Span, Type)]) {
    let types = operands.iter().map(|(_, kind)| kind.clone()).collect();
    operands.iter_mut().zip(branch_types(&call.args, types)).for_each(|(operand, kind)| operand.1 = kind);
}

/// Apart from the rest, since most branches have a type of their own.
#[inline(never)]
fn typed_empties(branches: &[Expr], mut types: Vec<Type>) -> Vec<Type> {
    for is_empty in [is_empty_list, is_empty_map] {
        let Some(empty) = branches.iter().position(is_empty).and_then(|first| types.get(first)) else {
            continue;
        };
        // One search for all empty branches, since there may be thousands.
        let mut members = types.iter().flat_map(Type::members);
        let other = members.find(|kind| *kind != empty && kind.describe() == empty.describe());
        if let Some(other) = other.map(with_optional_fields) {
            let taking = branches.iter().zip(&mut types).filter(|(branch, _)| is_empty(branch));
            taking.for_each(|(_, kind)| *kind = other.clone());
        }
    }
    types
}

/// An empty map lacks the fields of another.
fn with_optional_fields(kind: &Type) -> Type {
    let Type::Object(object) = kind else { return kind.clone() };
    let fields = object.fields.iter().map(|field| Field { required: false, ..field.clone() }).collect();
    Type::Object(Rc::new(Object { fields, ..Object::clone(object) }))
}
