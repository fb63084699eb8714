//! Narrows types: the parts that a test of `null` guards may calculate with the value.

use super::Checker;
use super::facts::{Fact, add_facts, add_used, facts_of_variable, path_text};
use crate::ast::{Call, Comprehension, Expr};
use crate::function::Function;
use crate::parser::is_path;
use crate::types::{Field, Object, Type};
use std::rc::Rc;

/// Further facts are not used, so that a check takes linear time.
const MAX_FACTS: usize = 64;

impl Checker<'_> {
    fn learn(&mut self, facts: Vec<Fact>) {
        let room = MAX_FACTS.saturating_sub(self.facts.len());
        self.facts.extend(facts.into_iter().take(room));
    }

    /// Checks the operands of `&&`, `||` and `!`.
    pub(super) fn conditions(&mut self, call: &Call) {
        match call.function {
            Some(Function::And) if self.narrows => self.joined(call, true),
            Some(Function::Or) if self.narrows => self.joined(call, false),
            _ => {
                for arg in &call.args {
                    self.condition(arg);
                }
            }
        }
    }

    /// Each operand counts only if the others do not decide.
    #[inline(never)]
    fn joined(&mut self, call: &Call, holds: bool) {
        let (known, mut used) = (self.facts.len(), Vec::new());
        let mut tests = Vec::new();
        for (at, arg) in call.args.iter().enumerate().take(MAX_FACTS) {
            let mut facts = Vec::new();
            add_facts(arg, holds, &mut facts);
            tests.extend(facts.into_iter().map(|fact| (at, fact)));
        }
        for (at, arg) in call.args.iter().enumerate() {
            let others = tests.iter().filter(|(other, _)| *other != at).map(|(_, fact)| fact.clone());
            self.learn(others.chain(used.iter().cloned()).collect());
            self.condition(arg);
            self.facts.truncate(known);
            if used.len() < MAX_FACTS {
                add_used(arg, holds, &mut used);
            }
        }
    }

    /// Infers a part that counts only if a condition has a result.
    pub(super) fn guarded(&mut self, condition: &Expr, holds: bool, part: &Expr) -> Type {
        let known = self.facts.len();
        if self.narrows {
            self.learn_result(condition, holds);
        }
        let kind = self.infer(part);
        self.facts.truncate(known);
        kind
    }

    #[inline(never)]
    fn learn_result(&mut self, condition: &Expr, holds: bool) {
        let mut facts = Vec::new();
        add_facts(condition, holds, &mut facts);
        add_used(condition, holds, &mut facts);
        self.learn(facts);
    }

    /// Hides facts about the name of a variable. Returns all facts, to put them back.
    #[inline(never)]
    pub(super) fn hide_facts(&mut self, name: &str) -> Vec<Fact> {
        // Also as a position, as in `list[x]`.
        let visible = self.facts.iter().filter(|fact| !fact.path.contains(name)).cloned().collect();
        std::mem::replace(&mut self.facts, visible)
    }

    /// The type without `null`, if a test excludes it.
    pub(super) fn narrowed(&self, expr: &Expr, kind: Type) -> Type {
        if self.facts.is_empty() { kind } else { self.without_tested_null(expr, kind) }
    }

    #[inline(never)]
    fn without_tested_null(&self, expr: &Expr, kind: Type) -> Type {
        let tests_elements = || self.facts.iter().any(|fact| fact.element.is_some());
        if !is_path(expr) || !kind.may_be_null() && (!is_list(&kind) || !tests_elements()) {
            return kind;
        }
        let path = path_text(expr);
        let certain = self.facts.iter().filter(|fact| fact.is_certain && fact.covers(&path));
        certain.fold(kind, |kind, fact| match (kind.without_null(), &fact.element) {
            (Type::List(element), Some(part)) if fact.path == path => {
                Type::list(without_null_at(&element, part, fact.is_present))
            }
            (kind, _) => kind,
        })
    }

    /// Whether a test or an earlier failure leaves no need for a hint about `null`.
    pub(super) fn is_tested(&self, expr: &Expr) -> bool {
        !self.facts.is_empty() && {
            let path = path_text(expr);
            self.facts.iter().any(|fact| fact.covers(&path))
        }
    }
}

fn is_list(kind: &Type) -> bool {
    kind.members().iter().any(|member| matches!(member, Type::List(_)))
}

/// The type of the elements that the condition of `filter` keeps.
#[inline(never)]
pub(super) fn kept_element(it: &Comprehension, element: Type) -> Type {
    let parts = facts_of_variable(it, true).into_iter();
    parts.fold(element, |kind, (part, is_present)| without_null_at(&kind, &part, is_present))
}

/// `part` has the names of fields, each after a dot. If the value `is_present`, so are the parts before it.
fn without_null_at(kind: &Type, part: &str, is_present: bool) -> Type {
    let Some(path) = part.strip_prefix('.') else { return kind.without_null() };
    let (name, rest) = path.split_at(path.find('.').unwrap_or(path.len()));
    let members = kind.members().iter().filter(|member| !is_present || **member != Type::Null);
    Type::one_of(members.map(|member| {
        let Type::Object(object) = member else { return member.clone() };
        let field = |field: &Field| {
            let is_part = field.name == name;
            let kind =
                if is_part { without_null_at(&field.kind, rest, is_present) } else { field.kind.clone() };
            Field { kind, ..field.clone() }
        };
        let fields = object.fields.iter().map(field).collect();
        Type::Object(Rc::new(Object { fields, ..Object::clone(object) }))
    }))
}
