//! A condition as text again, which reads the same.
//!
//! Decides where parentheses and quotes stand: those that are needed, and no others.

use super::{Atom, Condition, Expr, Predicate, Reference};
use crate::value::number_text;
use std::fmt;

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fallback => f.write_str("default"),
            Self::Unreadable => f.write_str("?"),
            Self::Expression(expression) => {
                write_expr(f, &expression.root, &expression.atoms, LOWEST_PRECEDENCE, false)
            }
        }
    }
}

/// How tightly nothing at all binds.
const LOWEST_PRECEDENCE: u8 = 0;

/// Writes an expression. `outer` is how tightly what stands around it binds; `grouped` tells that a parenthesis is open, outside
/// of which a literal ends where the next condition begins, whatever parentheses it holds.
fn write_expr(
    f: &mut fmt::Formatter<'_>,
    expr: &Expr,
    atoms: &[Atom],
    outer: u8,
    grouped: bool,
) -> fmt::Result {
    let (parts, joint, own) = match expr {
        Expr::Atom(index) => {
            let Some(atom) = atoms.get(*index) else { return Ok(()) };
            return if grouped { write!(f, "{atom:#}") } else { write!(f, "{atom}") };
        }
        // A parenthesis would end a literal that has one too many, so none stands around it.
        Expr::Not(inner) if !grouped && has_unbalanced_end(inner, atoms) => {
            f.write_str("!")?;
            return write_expr(f, inner, atoms, outer, false);
        }
        Expr::Not(inner) => {
            f.write_str("!(")?;
            write_expr(f, inner, atoms, LOWEST_PRECEDENCE, true)?;
            return f.write_str(")");
        }
        Expr::Any(parts) => (parts, " || ", 1),
        Expr::All(parts) => (parts, " && ", 2),
    };
    let group = own <= outer;
    f.write_str(if group { "(" } else { "" })?;
    for (i, part) in parts.iter().enumerate() {
        f.write_str(if i > 0 { joint } else { "" })?;
        write_expr(f, part, atoms, own, group || grouped)?;
    }
    f.write_str(if group { ")" } else { "" })
}

/// Whether what is negated, however often, is compared with a bare literal whose parentheses don't match.
fn has_unbalanced_end(expr: &Expr, atoms: &[Atom]) -> bool {
    match expr {
        Expr::Not(inner) => has_unbalanced_end(inner, atoms),
        Expr::Atom(index) => match atoms.get(*index).map(|atom| &atom.predicate) {
            Some(Predicate::Equals(literal) | Predicate::Differs(literal) | Predicate::Contains(literal)) => {
                !literal.quoted && literal.has_unbalanced_parens()
            }
            _ => false,
        },
        Expr::All(_) | Expr::Any(_) => false,
    }
}

/// With `#`, as it is written within parentheses.
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
