//! Prints a condition with only the necessary parentheses and quotes. The text parses to an equal condition.

use super::{Atom, Condition, Expression, Logic, Predicate, Reference, print_expression};
use crate::ast::Kind;
use crate::base::number_text;
use crate::function::Function;
use std::fmt;

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fallback => f.write_str("default"),
            Self::Unreadable => f.write_str("?"),
            Self::Expression(expression) => {
                write_expr(f, &expression.root, expression, LOWEST_PRECEDENCE, false)
            }
        }
    }
}

/// Outside all operators.
const LOWEST_PRECEDENCE: u8 = 0;

/// `outer` is the precedence of the operator around it. Only outside parentheses (not `grouped`) may a bare
/// literal have unbalanced ones.
fn write_expr(
    f: &mut fmt::Formatter<'_>,
    expr: &Logic,
    parts_of: &Expression,
    outer: u8,
    grouped: bool,
) -> fmt::Result {
    let (parts, joint, own) = match expr {
        Logic::Atom(index) => {
            let Some(atom) = parts_of.atoms.get(*index) else { return Ok(()) };
            return if grouped { write!(f, "{atom:#}") } else { write!(f, "{atom}") };
        }
        Logic::Computed(index) => {
            let Some(computed) = parts_of.computed.get(*index) else { return Ok(()) };
            let loose = outer > LOWEST_PRECEDENCE && binds_loosely(&computed.ast.root.kind);
            let (open, close) = if loose { ("(", ")") } else { ("", "") };
            return write!(f, "{open}{}{close}", print_expression(&computed.ast));
        }
        // Parentheses around a literal with unbalanced ones would end it elsewhere.
        Logic::Not(inner) if !grouped && has_unbalanced_end(inner, parts_of) => {
            f.write_str("!")?;
            return write_expr(f, inner, parts_of, outer, false);
        }
        Logic::Not(inner) if is_tight(inner, parts_of) => {
            f.write_str("!")?;
            return write_expr(f, inner, parts_of, LOWEST_PRECEDENCE, grouped);
        }
        Logic::Not(inner) => {
            f.write_str("!(")?;
            write_expr(f, inner, parts_of, LOWEST_PRECEDENCE, true)?;
            return f.write_str(")");
        }
        Logic::Any(parts) => (parts, " || ", 1),
        Logic::All(parts) => (parts, " && ", 2),
    };
    let group = own <= outer;
    f.write_str(if group { "(" } else { "" })?;
    for (i, part) in parts.iter().enumerate() {
        f.write_str(if i > 0 { joint } else { "" })?;
        write_expr(f, part, parts_of, own, group || grouped)?;
    }
    f.write_str(if group { ")" } else { "" })
}

/// Binds less tightly than `&&` and `||`.
fn binds_loosely(kind: &Kind) -> bool {
    matches!(kind, Kind::Call(call) if matches!(call.function, Some(Function::Conditional | Function::Coalesce)))
}

/// Whether `!` needs no parentheses, which count as another level.
fn is_tight(expr: &Logic, parts_of: &Expression) -> bool {
    match expr {
        Logic::Not(inner) => is_tight(inner, parts_of),
        Logic::Computed(index) => parts_of
            .computed
            .get(*index)
            .is_some_and(|computed| !matches!(computed.ast.root.kind, Kind::Call(_))),
        Logic::Atom(_) | Logic::All(_) | Logic::Any(_) => false,
    }
}

/// The part below all negations has a bare literal with unbalanced parentheses.
fn has_unbalanced_end(expr: &Logic, parts_of: &Expression) -> bool {
    match expr {
        Logic::Not(inner) => has_unbalanced_end(inner, parts_of),
        Logic::Atom(index) => match parts_of.atoms.get(*index).map(|atom| &atom.predicate) {
            Some(Predicate::Equals(literal) | Predicate::Differs(literal) | Predicate::Contains(literal)) => {
                !literal.quoted && literal.has_unbalanced_parens()
            }
            _ => false,
        },
        Logic::Computed(_) | Logic::All(_) | Logic::Any(_) => false,
    }
}

/// `{:#}` is for use within parentheses.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reference = &self.reference;
        let (operator, literal) = match &self.predicate {
            Predicate::Equals(literal) => (" == ", literal),
            Predicate::Differs(literal) => (" != ", literal),
            Predicate::Contains(literal) => (".contains:", literal),
            ordering => return write_ordering(f, reference, ordering),
        };
        write!(f, "{reference}{operator}")?;
        if f.alternate() { write!(f, "{literal:#}") } else { write!(f, "{literal}") }
    }
}

fn write_ordering(f: &mut fmt::Formatter<'_>, reference: &Reference, predicate: &Predicate) -> fmt::Result {
    match predicate {
        Predicate::Equals(_) | Predicate::Differs(_) | Predicate::Contains(_) => Ok(()),
        Predicate::Less(number) => write!(f, "{reference} < {}", number_text(*number)),
        Predicate::AtMost(number) => write!(f, "{reference} <= {}", number_text(*number)),
        Predicate::Greater(number) => write!(f, "{reference} > {}", number_text(*number)),
        Predicate::AtLeast(number) => write!(f, "{reference} >= {}", number_text(*number)),
        Predicate::Exists => write!(f, "{reference}.exists"),
    }
}
