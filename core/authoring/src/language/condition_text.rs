//! Describes conditions in prose.

use super::markdown::code;
use stepgraph_core::expression::{Condition, Literal, Logic, Predicate};
use stepgraph_core::value::number_text;

pub(crate) fn describe_condition(condition: &Condition) -> String {
    match condition {
        Condition::Fallback => "no other condition holds".to_owned(),
        Condition::Unreadable => "its condition, which can't be read, holds".to_owned(),
        Condition::Expression(expression) => describe_expr(&expression.root, condition, false),
    }
}

/// The parser limits the recursion.
fn describe_expr(expr: &Logic, condition: &Condition, inner: bool) -> String {
    let joined = |parts: &[Logic], joint: &str| {
        let said =
            parts.iter().map(|part| describe_expr(part, condition, true)).collect::<Vec<_>>().join(joint);
        if inner { format!("({said})") } else { said }
    };
    match expr {
        Logic::Atom(index) => match condition.atoms().get(*index) {
            Some(atom) => {
                let what = code(&atom.reference.to_string());
                let literal = |literal: &Literal| {
                    if literal.text.is_empty() { "empty text".to_owned() } else { code(&literal.text) }
                };
                match &atom.predicate {
                    Predicate::Equals(value) => format!("{what} is {}", literal(value)),
                    Predicate::Differs(value) => format!("{what} is there and is not {}", literal(value)),
                    Predicate::Contains(value) => format!("{what} contains {}", literal(value)),
                    Predicate::Less(number) => format!("{what} is less than {}", number_text(*number)),
                    Predicate::AtMost(number) => format!("{what} is at most {}", number_text(*number)),
                    Predicate::Greater(number) => format!("{what} is more than {}", number_text(*number)),
                    Predicate::AtLeast(number) => format!("{what} is at least {}", number_text(*number)),
                    Predicate::Exists => format!("{what} is there"),
                }
            }
            None => String::new(),
        },
        Logic::Computed(index) => match condition.computed().get(*index) {
            Some(computed) => format!("{} holds", code(&computed.ast.to_string())),
            None => String::new(),
        },
        Logic::Not(inner) => format!("it is not so that {}", describe_expr(inner, condition, true)),
        Logic::All(parts) => joined(parts, " and "),
        Logic::Any(parts) => joined(parts, " or "),
    }
}
