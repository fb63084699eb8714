//! Parts of a condition whose failure does not count.

use super::{Condition, Expression, Logic};
use crate::ast::{Kind, Literal};

impl Condition {
    /// Indexes of [`Self::computed`] whose failure does not count, because a literal beside them decides, as in
    /// `1 / 0 == 1 || true`.
    pub fn excused(&self) -> Vec<usize> {
        let mut found = Vec::new();
        if let Self::Expression(expression) = self {
            add_excused(&expression.root, expression, false, &mut found);
        }
        found
    }
}

fn add_excused(logic: &Logic, expression: &Expression, is_excused: bool, found: &mut Vec<usize>) {
    let (parts, value) = match logic {
        Logic::Atom(_) => return,
        Logic::Not(inner) => return add_excused(inner, expression, is_excused, found),
        Logic::Computed(at) => return found.extend(is_excused.then_some(*at)),
        Logic::All(parts) => (parts, false),
        Logic::Any(parts) => (parts, true),
    };
    let decides = |part: &Logic| {
        let Logic::Computed(at) = part else { return false };
        expression.computed.get(*at).is_some_and(
            |part| matches!(&part.ast.root.kind, Kind::Literal(Literal::Bool(known)) if *known == value),
        )
    };
    let is_excused = is_excused || parts.iter().any(decides);
    for part in parts {
        add_excused(part, expression, is_excused, found);
    }
}
