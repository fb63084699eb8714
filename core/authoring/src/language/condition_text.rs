//! A condition in words that a person reads.
//!
//! Decides how comparisons and their joints are said; what they mean is decided by [`stepgraph_core::expr`].

use super::markdown::code;
use stepgraph_core::expr::{Condition, Expr, Literal, Test};
use stepgraph_core::value::number_text;

/// A condition in words, as Markdown.
pub(crate) fn describe_condition(condition: &Condition) -> String {
    match condition {
        Condition::Fallback => "nothing else holds".to_owned(),
        Condition::Unreadable => "its condition, which can't be read, holds".to_owned(),
        Condition::Test(expression) => describe_expr(&expression.root, condition, false),
    }
}

/// Reading bounds how deep expressions are nested.
fn describe_expr(expr: &Expr, condition: &Condition, inner: bool) -> String {
    let joined = |parts: &[Expr], joint: &str| {
        let said =
            parts.iter().map(|part| describe_expr(part, condition, true)).collect::<Vec<_>>().join(joint);
        if inner { format!("({said})") } else { said }
    };
    match expr {
        Expr::Atom(index) => match condition.atoms().get(*index) {
            Some(atom) => {
                let what = code(&atom.reference.to_string());
                let literal = |literal: &Literal| {
                    if literal.text.is_empty() { "empty text".to_owned() } else { code(&literal.text) }
                };
                match &atom.test {
                    Test::Equals(value) => format!("{what} is {}", literal(value)),
                    Test::Differs(value) => format!("{what} is there and is not {}", literal(value)),
                    Test::Contains(value) => format!("{what} contains {}", literal(value)),
                    Test::Less(number) => format!("{what} is less than {}", number_text(*number)),
                    Test::AtMost(number) => format!("{what} is at most {}", number_text(*number)),
                    Test::Greater(number) => format!("{what} is more than {}", number_text(*number)),
                    Test::AtLeast(number) => format!("{what} is at least {}", number_text(*number)),
                    Test::Exists => format!("{what} is there"),
                }
            }
            None => String::new(),
        },
        Expr::Not(inner) => format!("it is not so that {}", describe_expr(inner, condition, true)),
        Expr::All(parts) => joined(parts, " and "),
        Expr::Any(parts) => joined(parts, " or "),
    }
}
