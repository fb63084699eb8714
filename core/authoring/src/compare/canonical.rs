//! Conditions and templates in a form that is the same for the same meaning.
//!
//! Decides what of their writing means nothing: blanks, quotes that change nothing, parentheses, the order of what is joined, and the
//! names of nodes that are only called otherwise now.
//!
//! Invariant: two that differ here may differ in a run; two that don't, can't.

use super::plan_matching::{PlanMatching, Side};
use serde_json::Value as Json;
use stepgraph_core::expr::{Atom, Condition, Expr, Literal, Part, Reference, Root, Template, Test};
use stepgraph_core::list::List;
use stepgraph_core::value::{json_text, number_text};

/// One side's names, seen from one graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct CanonicalNames<'w, 'a> {
    /// Who is who; nothing where names mean the same on both sides.
    pub(super) matching: Option<&'w PlanMatching<'a>>,
    pub(super) side: Side,
    pub(super) scope: usize,
}

impl CanonicalNames<'_, '_> {
    /// Names that mean the same on both sides.
    pub(super) fn as_written() -> Self {
        Self { matching: None, side: Side::After, scope: 0 }
    }

    fn reference(&self, reference: &Reference) -> String {
        let Root::Output(name) = &reference.root else { return reference.to_string() };
        match self.matching.and_then(|matching| matching.canonical_key(self.side, self.scope, name)) {
            // No name has a blank before it.
            Some(number) => {
                let root = Root::Output(number.clone());
                format!(" {}", Reference { root, path: reference.path.clone() })
            }
            None => reference.to_string(),
        }
    }

    /// A condition; nothing for a fallback.
    pub(super) fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Fallback | Condition::Unreadable => String::new(),
            Condition::Test(expression) => self.expr(&expression.root, &expression.atoms),
        }
    }

    fn expr(&self, expr: &Expr, atoms: &[Atom]) -> String {
        match expr {
            Expr::Atom(index) => atoms.get(*index).map_or_else(String::new, |atom| self.atom(atom)),
            Expr::Not(inner) => match &**inner {
                Expr::Not(twice) => self.expr(twice, atoms),
                other => format!("!({})", self.expr(other, atoms)),
            },
            Expr::All(_) => self.join(expr, atoms, "&&"),
            Expr::Any(_) => self.join(expr, atoms, "||"),
        }
    }

    fn join(&self, expr: &Expr, atoms: &[Atom], joint: &str) -> String {
        let mut parts = Vec::new();
        flatten(expr, joint == "&&", &mut parts);
        let mut parts: Vec<String> = parts.into_iter().map(|part| self.expr(part, atoms)).list();
        parts.sort_unstable();
        parts.dedup();
        if let [only] = parts.as_slice() {
            return only.clone();
        }
        format!("({})", parts.join(&format!(" {joint} ")))
    }

    fn atom(&self, atom: &Atom) -> String {
        let reference = self.reference(&atom.reference);
        match &atom.test {
            Test::Equals(literal) => format!("{reference} == {}", print_literal(literal)),
            Test::Differs(literal) => format!("{reference} != {}", print_literal(literal)),
            Test::Contains(literal) => format!("{reference} contains {}", print_literal(literal)),
            Test::Less(bound) => format!("{reference} < {}", number_text(*bound)),
            Test::AtMost(bound) => format!("{reference} <= {}", number_text(*bound)),
            Test::Greater(bound) => format!("{reference} > {}", number_text(*bound)),
            Test::AtLeast(bound) => format!("{reference} >= {}", number_text(*bound)),
            Test::Exists => format!("{reference} exists"),
        }
    }

    /// A text that may have holes.
    pub(super) fn text(&self, text: &str) -> String {
        if !text.contains("${") {
            return text.to_owned();
        }
        let Ok(Some(template)) = Template::parse(text) else { return text.to_owned() };
        self.template(&template)
    }

    fn template(&self, template: &Template) -> String {
        let mut out = String::new();
        for part in &template.parts {
            match part {
                Part::Text(text) => out.push_str(&text.replace("${", "$${")),
                Part::Hole { choices, fallback, .. } => {
                    let mut words: Vec<String> = choices.iter().map(|choice| self.reference(choice)).list();
                    words.extend(fallback.as_ref().map(stepgraph_core::value::canonical_text));
                    out.extend(["${", words.join(" ?? ").as_str(), "}"]);
                }
            }
        }
        out
    }
}

/// The parts of what is joined by the same word, however it is grouped.
fn flatten<'e>(expr: &'e Expr, all: bool, parts: &mut Vec<&'e Expr>) {
    match (expr, all) {
        (Expr::All(inner), true) | (Expr::Any(inner), false) => {
            for part in inner {
                flatten(part, all, parts);
            }
        }
        _ => parts.push(expr),
    }
}

/// A literal, in quotes only where these change what it means.
fn print_literal(literal: &Literal) -> String {
    let bare = Literal::new(literal.text.as_str(), false);
    let matters = literal.quoted && (bare.number.is_some() || bare.is_null());
    let text = json_text(&Json::String(literal.text.clone()));
    [if matters { "text " } else { "" }, &text].concat()
}

/// A condition as people read it; nothing for a fallback.
pub(super) fn printed_condition(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Fallback | Condition::Unreadable => None,
        Condition::Test(_) => Some(condition.to_string()),
    }
}
