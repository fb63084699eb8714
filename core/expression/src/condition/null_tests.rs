//! The values that a condition's result, or the parts beside one of its parts, exclude to be `null`.

use super::{Atom, Condition, Expression, Logic, Part, Predicate};
use crate::check::facts::{Fact, add_facts, joined_facts};
use crate::reference::Reference;

/// Of a part, no more other parts are read, so that a check takes linear time.
const MAX_PARTS: usize = 64;

/// A value that is not `null`.
#[derive(Debug, Clone, PartialEq)]
pub struct NotNull {
    /// The value, or a list.
    pub reference: Reference,
    /// Whether a part of the list's elements is not `null`, either.
    pub of_elements: bool,
    /// Whether the value is there, too, so that the parts before it are not `null` either.
    pub is_present: bool,
}

impl Condition {
    /// The values that are not `null` if the condition has the result.
    pub fn not_null(&self, holds: bool) -> Vec<NotNull> {
        match self {
            Self::Expression(expression) => expression.not_null(&expression.root, holds),
            _ => Vec::new(),
        }
    }

    /// The values that are not `null` wherever the part counts, since the parts beside it do not decide.
    pub fn not_null_beside(&self, part: Part) -> Vec<NotNull> {
        let mut found = Vec::new();
        if let Self::Expression(expression) = self {
            expression.add_beside(&expression.root, part, &mut found);
        }
        found
    }
}

impl Expression {
    fn not_null(&self, logic: &Logic, holds: bool) -> Vec<NotNull> {
        match logic {
            Logic::Atom(at) => {
                self.atoms.get(*at).and_then(|atom| of_atom(atom, holds)).into_iter().collect()
            }
            Logic::Computed(at) => {
                let mut facts = Vec::new();
                if let Some(computed) = self.computed.get(*at) {
                    add_facts(&computed.ast.root, holds, &mut facts);
                }
                facts.iter().filter_map(of_fact).collect()
            }
            Logic::Not(inner) => self.not_null(inner, !holds),
            Logic::All(parts) => joined_facts(holds, parts.iter().map(|part| self.not_null(part, holds))),
            Logic::Any(parts) => joined_facts(!holds, parts.iter().map(|part| self.not_null(part, holds))),
        }
    }

    /// Whether the logic contains the part.
    fn add_beside(&self, logic: &Logic, part: Part, found: &mut Vec<NotNull>) -> bool {
        let (parts, holds) = match logic {
            Logic::Atom(at) => return part == Part::Atom(*at),
            Logic::Computed(at) => return part == Part::Computed(*at),
            Logic::Not(inner) => return self.add_beside(inner, part, found),
            Logic::All(parts) => (parts, true),
            Logic::Any(parts) => (parts, false),
        };
        let Some(own) = parts.iter().position(|inner| self.add_beside(inner, part, found)) else {
            return false;
        };
        let others = parts.iter().enumerate().filter(|(at, _)| *at != own).take(MAX_PARTS);
        found.extend(others.flat_map(|(_, other)| self.not_null(other, holds)));
        true
    }
}

fn of_atom(atom: &Atom, holds: bool) -> Option<NotNull> {
    let excludes_null = match &atom.predicate {
        Predicate::Equals(literal) => literal.is_null() != holds,
        Predicate::Differs(literal) => literal.is_null() == holds,
        Predicate::Contains(_) => holds,
        // An order fails for `null`, and has a hint of its own.
        _ => false,
    };
    let found = || NotNull { reference: atom.reference.clone(), of_elements: false, is_present: holds };
    excludes_null.then(found)
}

fn of_fact(fact: &Fact) -> Option<NotNull> {
    let reference = Reference::parse(&fact.path).ok()?;
    Some(NotNull { reference, of_elements: fact.element.is_some(), is_present: fact.is_present })
}
