//! Prints conditions and templates in a canonical form. Equal forms behave the same in every run.

use super::plan_matching::{PlanMatching, Side};
use serde_json::Value as Json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::expression::condition::Expression;
use stepgraph_core::expression::{
    Atom, Computed, Condition, Literal, Logic, Predicate, Reference, Root, Template, TemplatePart,
};
use stepgraph_core::value::{json_text, number_text};

#[derive(Debug, Clone, Copy)]
pub(super) struct CanonicalNames<'w, 'a> {
    pub(super) matching: Option<&'w PlanMatching<'a>>,
    pub(super) side: Side,
    pub(super) scope: usize,
}

impl CanonicalNames<'_, '_> {
    pub(super) fn as_written() -> Self {
        Self { matching: None, side: Side::After, scope: 0 }
    }

    fn reference(&self, reference: &Reference) -> String {
        let Root::Output(name) = &reference.root else { return reference.to_string() };
        match self.matching.and_then(|matching| matching.canonical_key(self.side, self.scope, name)) {
            // Names never start with a space.
            Some(number) => {
                let root = Root::Output(number.clone());
                format!(" {}", Reference { root, path: reference.path.clone() })
            }
            None => reference.to_string(),
        }
    }

    pub(super) fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Fallback | Condition::Unreadable => String::new(),
            Condition::Expression(expression) => self.expr(&expression.root, expression),
        }
    }

    fn expr(&self, expr: &Logic, parts: &Expression) -> String {
        match expr {
            Logic::Atom(index) => parts.atoms.get(*index).map_or_else(String::new, |atom| self.atom(atom)),
            Logic::Computed(index) => {
                parts.computed.get(*index).map_or_else(String::new, |computed| self.computed(computed))
            }
            Logic::Not(inner) => match &**inner {
                Logic::Not(twice) => self.expr(twice, parts),
                other => format!("!({})", self.expr(other, parts)),
            },
            Logic::All(_) => self.join(expr, parts, "&&"),
            Logic::Any(_) => self.join(expr, parts, "||"),
        }
    }

    fn join(&self, expr: &Logic, parts: &Expression, joint: &str) -> String {
        let mut operands = Vec::new();
        flatten(expr, joint == "&&", &mut operands);
        let mut operands: Vec<String> =
            operands.into_iter().map(|operand| self.expr(operand, parts)).collect_vec();
        operands.sort_unstable();
        operands.dedup();
        if let [only] = operands.as_slice() {
            return only.clone();
        }
        format!("({})", operands.join(&format!(" {joint} ")))
    }

    fn computed(&self, computed: &Computed) -> String {
        let rename = |name: &str| {
            let matching = self.matching?;
            matching.canonical_key(self.side, self.scope, name).map(|number| format!(" {number}"))
        };
        computed.ast.with_outputs(&rename).to_string()
    }

    fn atom(&self, atom: &Atom) -> String {
        let reference = self.reference(&atom.reference);
        match &atom.predicate {
            Predicate::Equals(literal) => format!("{reference} == {}", print_literal(literal)),
            Predicate::Differs(literal) => format!("{reference} != {}", print_literal(literal)),
            Predicate::Contains(literal) => format!("{reference} contains {}", print_literal(literal)),
            Predicate::Less(bound) => format!("{reference} < {}", number_text(*bound)),
            Predicate::AtMost(bound) => format!("{reference} <= {}", number_text(*bound)),
            Predicate::Greater(bound) => format!("{reference} > {}", number_text(*bound)),
            Predicate::AtLeast(bound) => format!("{reference} >= {}", number_text(*bound)),
            Predicate::Exists => format!("{reference} exists"),
        }
    }

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
                TemplatePart::Text(text) => out.push_str(&text.replace("${", "$${")),
                TemplatePart::Placeholder { choices, fallback, .. } => {
                    let mut words: Vec<String> =
                        choices.iter().map(|choice| self.reference(choice)).collect_vec();
                    words.extend(fallback.as_ref().map(stepgraph_core::value::canonical_text));
                    out.extend(["${", words.join(" ?? ").as_str(), "}"]);
                }
                TemplatePart::Computed { computed, .. } => {
                    out.extend(["${", self.computed(computed).as_str(), "}"]);
                }
            }
        }
        out
    }
}

fn flatten<'e>(expr: &'e Logic, all: bool, parts: &mut Vec<&'e Logic>) {
    match (expr, all) {
        (Logic::All(inner), true) | (Logic::Any(inner), false) => {
            for part in inner {
                flatten(part, all, parts);
            }
        }
        _ => parts.push(expr),
    }
}

/// Marks quotes that change the meaning.
fn print_literal(literal: &Literal) -> String {
    let bare = Literal::new(literal.text.as_str(), false);
    let matters = literal.quoted && (bare.number.is_some() || bare.is_null());
    let text = json_text(&Json::String(literal.text.clone()));
    [if matters { "text " } else { "" }, &text].concat()
}

pub(super) fn printed_condition(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Fallback | Condition::Unreadable => None,
        Condition::Expression(_) => Some(condition.to_string()),
    }
}
