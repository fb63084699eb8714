//! Evaluates a condition before a run, when only some values are known.

use crate::expression::condition::Part;
use crate::expression::{Atom, Computed, Condition, Predicate, Reference, Root};
use crate::value::get_path;
use serde_json::{Map, Value as Json};

/// What is known about the value of a root.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fact<'a> {
    Unknown,
    /// If it is not whole, it may have more entries.
    Known {
        value: &'a Json,
        is_whole: bool,
    },
    /// Any value but this text.
    OtherThan(&'static str),
}

/// `None` if it depends on something unknown, or is a fallback.
pub(crate) fn evaluate<'c, 'a>(
    condition: &'c Condition,
    has_failed: bool,
    fact: &dyn Fn(&'c Reference) -> Fact<'a>,
) -> Option<bool> {
    let Condition::Expression(expression) = condition else { return None };
    let holds = |part: Part| match part {
        Part::Atom(at) => expression.atoms.get(at).and_then(|atom| atom_holds(atom, has_failed, fact)),
        Part::Computed(at) => {
            expression.computed.get(at).and_then(|part| computed_holds(part, has_failed, fact))
        }
    };
    expression.root.eval(&mut |part| holds(part).ok_or(())).ok()
}

fn atom_holds<'c, 'a>(
    atom: &'c Atom,
    has_failed: bool,
    fact: &dyn Fn(&'c Reference) -> Fact<'a>,
) -> Option<bool> {
    let reference = &atom.reference;
    if reference.root == Root::Error && !has_failed {
        return Some(false);
    }
    match fact(reference) {
        Fact::Unknown => None,
        Fact::OtherThan(text) => match &atom.predicate {
            _ if !reference.path.is_empty() => None,
            Predicate::Equals(literal) if literal.text == text => Some(false),
            Predicate::Differs(literal) if literal.text == text => Some(true),
            _ => None,
        },
        Fact::Known { value, is_whole } => match get_path(value, &reference.path) {
            Some(Json::String(text)) => Some(holds_for_text(&atom.predicate, text)),
            Some(Json::Null) => None,
            Some(_) => (atom.predicate == Predicate::Exists).then_some(true),
            // What is missing satisfies no comparison.
            None => (is_whole || !value.is_object()).then_some(false),
        },
    }
}

fn holds_for_text(test: &Predicate, text: &str) -> bool {
    match test {
        Predicate::Equals(literal) => literal.text == text,
        Predicate::Differs(literal) => literal.text != text,
        Predicate::Contains(literal) => text.contains(&literal.text),
        Predicate::Exists => true,
        Predicate::Less(_) | Predicate::AtMost(_) | Predicate::Greater(_) | Predicate::AtLeast(_) => false,
    }
}

fn computed_holds<'c, 'a>(
    part: &'c Computed,
    has_failed: bool,
    fact: &dyn Fn(&'c Reference) -> Fact<'a>,
) -> Option<bool> {
    let mut references = part.references.iter();
    if !has_failed && references.any(|it| it.needed_to_hold && it.reference.root == Root::Error) {
        return Some(false);
    }
    let (mut last, mut outputs) = (Json::Null, Map::new());
    for found in &part.references {
        let Fact::Known { value, is_whole } = fact(&found.reference) else { return None };
        let path = &found.reference.path;
        if !is_whole && (path.is_empty() || get_path(value, path).is_none()) {
            return None;
        }
        match &found.reference.root {
            Root::Last => last = value.clone(),
            Root::Output(name) => drop(outputs.insert(name.clone(), value.clone())),
            _ => return None,
        }
    }
    let scope = Map::from_iter([("last".to_owned(), last), ("output".to_owned(), Json::Object(outputs))]);
    match part.evaluate_json(&Json::Object(scope)).ok()? {
        Some(Json::Bool(holds)) => Some(holds),
        Some(_) => None,
        // A condition on something missing does not hold.
        None => Some(false),
    }
}
