//! Finds the values that a condition tests for `null`.
//!
//! Invariant: a missing value is no error, so only `null` counts.

use crate::ast::{Call, Comprehension, Expr, Kind, Literal};
use crate::base::is_key_char;
use crate::function::{Form, Function};
use crate::parser::{TYPE_NAMES, is_path};

/// A path that is not `null` in a part of the expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fact {
    /// As [`path_text`] writes it.
    pub(crate) path: String,
    /// The path is a list, and this part of each element is not `null`: empty for the element, or `.price`.
    pub(crate) element: Option<String>,
    /// Whether the value is there, too, so that the parts before it are not `null` either.
    pub(crate) is_present: bool,
    /// Whether the type loses `null`. Otherwise only the hint about `null` is left out, since an earlier part would
    /// have failed.
    pub(super) is_certain: bool,
}

impl Fact {
    fn tested(path: &Expr, is_present: bool) -> Self {
        Self { path: path_text(path), element: None, is_present, is_certain: true }
    }

    fn used(path: &Expr) -> Self {
        Self { is_certain: false, ..Self::tested(path, false) }
    }

    /// Whether the value at the path is not `null`.
    pub(super) fn covers(&self, path: &str) -> bool {
        match self.path.strip_prefix(path) {
            Some("") => true,
            Some(rest) => self.is_present && rest.starts_with(['.', '[']),
            None => false,
        }
    }
}

/// The same text for `a.b` and `a["b"]`.
pub(crate) fn path_text(expr: &Expr) -> String {
    let is_plain = |key: &str| !key.is_empty() && key.chars().all(is_key_char);
    match &expr.kind {
        Kind::Select(select) => [&path_text(&select.operand), ".", &select.field.text].concat(),
        Kind::Index(index) => match &index.index.kind {
            Kind::Literal(Literal::Text(key)) if is_plain(key) => {
                [&path_text(&index.operand), ".", key].concat()
            }
            _ => [&path_text(&index.operand), "[", &index.index.to_string(), "]"].concat(),
        },
        _ => expr.to_string(),
    }
}

/// A comparison with `null`, or of a type. `has` is none, because `null` is a value.
struct NullTest<'e> {
    path: &'e Expr,
    /// The path is not `null` if the test has this result.
    when: bool,
}

impl<'e> NullTest<'e> {
    fn of(left: &'e Expr, right: &'e Expr, equal: bool) -> Option<Self> {
        let test = Self::of_sides(left, right, equal).or_else(|| Self::of_sides(right, left, equal));
        test.filter(|test| is_path(test.path))
    }

    fn of_sides(side: &'e Expr, other: &Expr, equal: bool) -> Option<Self> {
        if is_null(other) {
            return Some(Self { path: side, when: !equal });
        }
        let is_null_type = match &other.kind {
            Kind::Ident(name) if TYPE_NAMES.contains(&name.text.as_str()) => name.text == "null_type",
            _ => is_null(type_operand(other).filter(|operand| matches!(operand.kind, Kind::Literal(_)))?),
        };
        Some(Self { path: type_operand(side)?, when: equal != is_null_type })
    }
}

/// The operand of `type`.
fn type_operand(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        Kind::Call(Call { function: Some(Function::TypeOf), args, .. }) => args.first(),
        _ => None,
    }
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Literal(Literal::Null))
}

/// Whether `null` is equal to no value of the expression.
fn excludes_null(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Literal(literal) => *literal != Literal::Null,
        Kind::List(items) => items.iter().all(excludes_null),
        _ => false,
    }
}

/// Adds the facts that follow from the result of a condition.
pub(crate) fn add_facts(expr: &Expr, holds: bool, facts: &mut Vec<Fact>) {
    let call = match &expr.kind {
        Kind::Call(call) => call,
        Kind::Comprehension(it) => return add_element_facts(it, holds, facts),
        _ => return,
    };
    match (call.function, call.args.as_slice()) {
        (Some(Function::Not), [inner]) => add_facts(inner, !holds, facts),
        (Some(function @ (Function::And | Function::Or)), args) => {
            let parts = args.iter().map(|arg| {
                let mut part = Vec::new();
                add_facts(arg, holds, &mut part);
                part
            });
            facts.extend(joined_facts((function == Function::And) == holds, parts));
        }
        (Some(function @ (Function::Equal | Function::NotEqual)), [left, right]) => {
            let equal = function == Function::Equal;
            if let Some(test) = NullTest::of(left, right, equal) {
                facts.extend((test.when == holds).then(|| Fact::tested(test.path, holds)));
            } else if equal == holds {
                let sides = [(left, right), (right, left)].into_iter();
                let compared = sides.filter(|(path, other)| is_path(path) && excludes_null(other));
                facts.extend(compared.map(|(path, _)| Fact::tested(path, holds)));
            }
        }
        (Some(Function::In), [null, list]) if !holds && is_null(null) && is_path(list) => {
            facts.push(Fact { element: Some(String::new()), ..Fact::tested(list, false) });
        }
        (Some(Function::In), [path, list]) if holds && is_path(path) && excludes_null(list) => {
            facts.push(Fact::tested(path, true));
        }
        _ => {}
    }
}

/// The facts of all parts, or those that each of them has.
pub(crate) fn joined_facts<F: PartialEq>(all: bool, mut parts: impl Iterator<Item = Vec<F>>) -> Vec<F> {
    if all {
        return parts.flatten().collect();
    }
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |mut common, part| {
        common.retain(|fact| part.contains(fact));
        common
    })
}

/// If `all` holds, its condition does for each element. If `exists` does not hold, its condition holds for none.
fn add_element_facts(it: &Comprehension, holds: bool, facts: &mut Vec<Fact>) {
    let expected = if holds { Function::All } else { Function::Exists };
    if it.function != expected || !is_path(&it.range) {
        return;
    }
    for (element, is_present) in facts_of_variable(it, holds) {
        facts.push(Fact { element: Some(element), ..Fact::tested(&it.range, holds && is_present) });
    }
}

/// The parts of a macro's variable that are not `null` if its condition has a result, and whether they are there.
pub(super) fn facts_of_variable(it: &Comprehension, holds: bool) -> Vec<(String, bool)> {
    let mut facts = Vec::new();
    add_facts(&it.body, holds, &mut facts);
    let parts = facts.into_iter().filter(|fact| fact.element.is_none()).filter_map(|fact| {
        let rest = fact.path.strip_prefix(it.variable.text.as_str())?;
        let is_part = rest.is_empty() || rest.starts_with('.') && !rest.contains('[');
        is_part.then(|| (rest.to_owned(), fact.is_present))
    });
    parts.collect()
}

/// Adds the paths that have made the evaluation fail if they are `null`. `holds` is the result of a condition.
pub(super) fn add_used(expr: &Expr, holds: bool, facts: &mut Vec<Fact>) {
    use Function::{Add, And, Contains, Divide, Dyn, Greater, GreaterEqual, Less, LessEqual};
    use Function::{Modulo, Multiply, Negate, Not, Or, Subtract, TypeOf};
    let call = match &expr.kind {
        Kind::Call(call) => call,
        Kind::Comprehension(it) => return facts.extend(is_path(&it.range).then(|| Fact::used(&it.range))),
        _ => return,
    };
    let Some(function) = call.function else { return };
    let is_strict = match function {
        Not => return call.args.iter().for_each(|arg| add_used(arg, !holds, facts)),
        // No operand has decided, so none has failed.
        And | Or => (function == And) == holds,
        Add | Subtract | Multiply | Divide | Modulo | Negate => true,
        Less | LessEqual | Greater | GreaterEqual => true,
        Contains | Dyn | TypeOf => false,
        function => function.form() == Form::Function,
    };
    for operand in call.target.iter().map(|target| &**target).chain(&call.args).filter(|_| is_strict) {
        if is_path(operand) {
            facts.push(Fact::used(operand));
        } else {
            add_used(operand, holds, facts);
        }
    }
}
