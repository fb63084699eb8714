//! Checks that the engine and [`crate::flat_oracle::condition`] read a condition alike.
//!
//! Compares a notation in which different meanings have different texts.

use crate::flat_oracle::Operator;
use crate::flat_oracle::condition::{Reading, Term, read};
use serde_json::Value as Json;
use stepgraph_core::expression::{Atom, Condition, Literal, Logic, Predicate, Reference, Root};
use stepgraph_core::value::Segment;

fn describe_condition(condition: &Condition) -> String {
    match condition {
        Condition::Fallback => "fallback".to_owned(),
        Condition::Unreadable => "unreadable".to_owned(),
        Condition::Expression(expression) => describe_expr(&expression.root, &expression.atoms),
    }
}

fn describe_expr(expr: &Logic, atoms: &[Atom]) -> String {
    let all = |parts: &[Logic], sign: &str| {
        let mut parts = parts.iter().map(|part| describe_expr(part, atoms));
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |joined, part| format!("({joined} {sign} {part})"))
    };
    match expr {
        Logic::Atom(index) => describe_atom(&atoms[*index]),
        Logic::Computed(_) => "computed".to_owned(),
        Logic::Not(inner) => format!("!{}", describe_expr(inner, atoms)),
        Logic::All(parts) => all(parts, "and"),
        Logic::Any(parts) => all(parts, "or"),
    }
}

fn describe_atom(atom: &Atom) -> String {
    // `+ 0.0` turns -0 into 0.
    let quoted = |literal: &Literal| describe_literal(&literal.text, literal.quoted);
    let text = |number: &f64| (number + 0.0).to_string();
    let (sign, other) = match &atom.predicate {
        Predicate::Exists => ("exists", String::new()),
        Predicate::Equals(literal) => ("Equals", quoted(literal)),
        Predicate::Differs(literal) => ("Differs", quoted(literal)),
        Predicate::Contains(literal) => ("Contains", quoted(literal)),
        Predicate::Less(number) => ("Less", text(number)),
        Predicate::AtMost(number) => ("AtMost", text(number)),
        Predicate::Greater(number) => ("Greater", text(number)),
        Predicate::AtLeast(number) => ("AtLeast", text(number)),
    };
    format!("[{} {sign} {other}]", describe_reference(&atom.reference))
}

/// Quotes matter only if the bare text reads as JSON or has blanks at its ends.
fn describe_literal(text: &str, quoted: bool) -> String {
    let other = serde_json::from_str::<Json>(text).is_ok() || text.trim() != text;
    format!("{text:?} {}", quoted && other)
}

fn describe_reference(reference: &Reference) -> String {
    let root = match &reference.root {
        Root::Last => "last",
        Root::Input => "input",
        Root::Memory => "memory",
        Root::Item => "item",
        Root::Index => "index",
        Root::Error => "error",
        Root::Context => "context",
        Root::Call => "call",
        Root::Output(name)
            if ["last", "item", "index", "error", "context", "call"].contains(&name.as_str()) =>
        {
            &format!("output.{name}")
        }
        Root::Output(name) => name,
    };
    let path = reference.path.iter().map(|segment| match segment {
        Segment::Key(key) => Json::from(key.as_str()),
        Segment::Index(index) => Json::from(*index),
    });
    format!("{root}{:?}", path.collect::<Vec<_>>())
}

fn describe_reading(reading: &Reading) -> String {
    match reading {
        Reading::Fallback => "fallback".to_owned(),
        Reading::Test(term) => describe_term(term),
    }
}

fn describe_term(term: &Term) -> String {
    match term {
        Term::Exists(look) => format!("[{}{:?} exists ]", look.root, look.path),
        Term::Not(inner) => format!("!{}", describe_term(inner)),
        Term::And(a, b) => format!("({} and {})", describe_term(a), describe_term(b)),
        Term::Or(a, b) => format!("({} or {})", describe_term(a), describe_term(b)),
        Term::Compare(look, operator, literal) => {
            let other = match operator {
                Operator::Equals | Operator::Differs | Operator::Contains => {
                    describe_literal(&literal.text, literal.quoted)
                }
                _ => (literal.number().unwrap_or(f64::NAN) + 0.0).to_string(),
            };
            format!("[{}{:?} {operator:?} {other}]", look.root, look.path)
        }
    }
}

/// Checks that both read a text alike and that printing preserves it. Returns the reading.
///
/// # Panics
/// If they differ.
pub fn assert_same_reading(text: &str) -> Option<Reading> {
    let engine = Condition::parse(text);
    if engine.as_ref().is_err_and(|error| error.message.contains("too deeply")) {
        // The plain reader has no depth limit.
        return None;
    }
    let plain = read(text).or_else(|| {
        // Expressions allow blanks within a path, the printed form has none.
        read(&engine.as_ref().ok()?.to_string())
    });
    let computes = engine.as_ref().is_ok_and(|condition| !condition.computed().is_empty());
    let is_expression = |reading: &Reading| match reading {
        Reading::Fallback => false,
        Reading::Test(term) => has_expression(term),
    };
    let (found, expected) =
        (engine.as_ref().ok().map(describe_condition), plain.as_ref().map(describe_reading));
    // The plain reader knows no expressions.
    let skips = computes || found != expected && plain.as_ref().is_some_and(is_expression);
    assert!(skips || found == expected, "{text:?}: {found:?} is not {expected:?}, {engine:?}");
    if let Ok(condition) = &engine {
        let printed = condition.to_string();
        let again = Condition::parse(&printed);
        assert!(again.is_ok(), "{text:?} is printed as {printed:?}");
        let Ok(again) = again else { return plain };
        assert_eq!(
            describe_condition(&again),
            describe_condition(condition),
            "{text:?} is printed as {printed:?}"
        );
        assert_eq!(again.to_string(), printed, "{text:?}");
    }
    plain.filter(|_| !skips)
}

fn has_expression(term: &Term) -> bool {
    match term {
        Term::Exists(_) => false,
        Term::Not(inner) => has_expression(inner),
        Term::And(a, b) | Term::Or(a, b) => has_expression(a) || has_expression(b),
        Term::Compare(_, _, literal) => {
            let is_json = serde_json::from_str::<Json>(&literal.text).is_ok();
            !literal.quoted && !is_json && begins_expression(&literal.text)
        }
    }
}

fn begins_expression(text: &str) -> bool {
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let roots = ["last", "input", "output", "item", "index", "error", "context", "memory", "call"];
    let after = text.get(word.len()..).unwrap_or_default();
    text.starts_with(['"', '\'', '(', '[', '{', '-', '+'])
        || text.starts_with("${")
        || text.strip_prefix('.').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
        || matches!(word.as_str(), "true" | "false" | "null")
        || roots.contains(&word.as_str()) && after.starts_with(['.', '['])
        || after.starts_with('(')
        // Raw texts, and bytes, which are refused.
        || matches!(word.to_ascii_lowercase().as_str(), "r" | "b" | "rb" | "br") && after.starts_with(['"', '\''])
}
