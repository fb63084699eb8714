//! Finds comparisons of one value that never hold together, such as `n == 3 && n == 4`, and those of which one
//! always holds, such as `n != 3 || n != 4`.
//!
//! Invariants:
//! 1. A missing value satisfies no comparison. So "always" means each value that is there.
//! 2. Only comparisons with literals count, and only those that one `&&` or `||` joins.

use super::Checker;
use super::domain::literal_value;
use crate::ast::{Call, Expr, Kind};
use crate::base::{Span, json_equal, shorten_name};
use crate::condition::{Atom, Condition, Expression, Logic, Predicate};
use crate::error::{CONSTANT, Error};
use crate::evaluate::{EXACT, holds};
use crate::function::Function;
use crate::literal::{Literal, number_of};
use serde_json::Value as Json;

/// Further comparisons of one chain are not compared.
const MAX_COMPARED: usize = 64;

/// The values that satisfy a comparison.
enum Accepted {
    Only(Vec<Json>),
    Except(Vec<Json>),
    /// Numbers on one side of this.
    Order(Function, f64),
}

struct Comparison {
    /// As printed.
    path: String,
    accepted: Accepted,
    span: Span,
}

impl Accepted {
    fn accepts(&self, value: &Json) -> bool {
        let is_in = |values: &[Json]| values.iter().any(|known| json_equal(known, value));
        match self {
            Self::Only(values) => is_in(values),
            Self::Except(values) => !is_in(values),
            Self::Order(function, bound) => {
                let order = value.as_f64().and_then(|number| number.partial_cmp(bound));
                order.is_some_and(|order| holds(*function, order))
            }
        }
    }

    /// Whether no value satisfies both.
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Only(values), other) | (other, Self::Only(values)) => {
                !values.iter().any(|value| other.accepts(value))
            }
            (Self::Order(a, from), Self::Order(b, to)) => {
                let is_upper = |function: &Function| matches!(function, Function::Less | Function::LessEqual);
                let (lower, upper) = if is_upper(a) { ((b, to), (a, from)) } else { ((a, from), (b, to)) };
                let strict = [a, b].iter().any(|it| matches!(it, Function::Less | Function::Greater));
                is_upper(a) != is_upper(b) && (lower.1 > upper.1 || strict && lower.1 >= upper.1)
            }
            _ => false,
        }
    }

    /// The other values. Those of an order are numbers, since it fails for others.
    fn negated(self) -> Self {
        match self {
            Self::Only(values) => Self::Except(values),
            Self::Except(values) => Self::Only(values),
            Self::Order(function, bound) => Self::Order(
                match function {
                    Function::Less => Function::GreaterEqual,
                    Function::LessEqual => Function::Greater,
                    Function::Greater => Function::LessEqual,
                    _ => Function::Less,
                },
                bound,
            ),
        }
    }

    /// Of a condition, where a literal also equals its text.
    fn by_condition(predicate: &Predicate) -> Option<Self> {
        Some(match predicate {
            Predicate::Equals(literal) => Self::Only(meanings(literal)),
            Predicate::Differs(literal) => Self::Except(meanings(literal)),
            Predicate::Less(bound) => Self::Order(Function::Less, *bound),
            Predicate::AtMost(bound) => Self::Order(Function::LessEqual, *bound),
            Predicate::Greater(bound) => Self::Order(Function::Greater, *bound),
            Predicate::AtLeast(bound) => Self::Order(Function::GreaterEqual, *bound),
            Predicate::Contains(_) | Predicate::Exists => return None,
        })
    }
}

/// All values that equal a literal of a condition.
fn meanings(literal: &Literal) -> Vec<Json> {
    let text = literal.text.as_str();
    let mut values = vec![Json::from(text), Json::Null, Json::from(true), Json::from(false)];
    values.extend(number_of(text).map(Json::from));
    values.extend(literal.structure.clone());
    values.retain(|value| literal.equals(value));
    values
}

impl Comparison {
    fn of_atom(atom: &Atom) -> Option<Self> {
        let accepted = Accepted::by_condition(&atom.predicate)?;
        Some(Self { path: atom.reference.to_string(), accepted, span: atom.span })
    }

    /// `None` unless a path is compared with literals.
    fn of_expr(expr: &Expr) -> Option<Self> {
        let Kind::Call(call) = &expr.kind else { return None };
        let [left, right] = call.args.as_slice() else { return None };
        let function = call.function?;
        let (path, accepted) = match (&left.kind, &right.kind, function) {
            (_, Kind::List(items), Function::In) => {
                let values: Option<Vec<Json>> = items.iter().map(value_of).collect();
                (left, Accepted::Only(values?))
            }
            (Kind::Literal(_), _, function) => (right, compared(function.mirrored(), value_of(left)?)?),
            (_, Kind::Literal(_), function) => (left, compared(function, value_of(right)?)?),
            _ => return None,
        };
        let is_path = matches!(path.kind, Kind::Ident(_) | Kind::Select(_) | Kind::Index(_));
        is_path.then(|| Self { path: path.to_string(), accepted, span: expr.span })
    }
}

fn compared_path(expr: &Expr) -> Option<&Expr> {
    let Kind::Call(call) = &expr.kind else { return None };
    call.args.iter().find(|arg| matches!(arg.kind, Kind::Ident(_) | Kind::Select(_) | Kind::Index(_)))
}

fn value_of(expr: &Expr) -> Option<Json> {
    match &expr.kind {
        Kind::Literal(literal) => literal_value(literal),
        _ => None,
    }
}

/// `None` for an order of texts.
fn compared(function: Function, value: Json) -> Option<Accepted> {
    use Function::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    match function {
        Equal => Some(Accepted::Only(vec![value])),
        NotEqual => Some(Accepted::Except(vec![value])),
        Less | LessEqual | Greater | GreaterEqual => {
            // An evaluation compares whole numbers exactly.
            let bound = value.as_f64().filter(|bound| bound.abs() < EXACT)?;
            Some(Accepted::Order(function, bound))
        }
        _ => None,
    }
}

/// The first two that contradict each other. `any` says whether `||` joins them.
fn contradiction(comparisons: Vec<Comparison>, any: bool) -> Option<(Span, Span)> {
    let mut known: Vec<Comparison> = Vec::new();
    for next in comparisons.into_iter().take(MAX_COMPARED) {
        let next = Comparison { accepted: if any { next.accepted.negated() } else { next.accepted }, ..next };
        let other = known.iter().find(|it| it.path == next.path && it.accepted.excludes(&next.accepted));
        if let Some(other) = other {
            return Some((other.span, next.span));
        }
        known.push(next);
    }
    None
}

fn report(any: bool, place: Span, first: &str, second: &str) -> Error {
    let (first, second) = (shorten_name(first), shorten_name(second));
    let (message, help) = if any {
        (
            format!("`{first}` or `{second}` holds for each value"),
            "join them with `&&`, or correct one of them",
        )
    } else {
        (
            format!("`{first}` and `{second}` never hold together"),
            "join them with `||`, or correct one of them",
        )
    };
    Error::new(CONSTANT, place, &message).help(help)
}

impl Checker<'_> {
    /// Reports contradictions between the operands of `&&` or `||`.
    pub(super) fn report_contradiction(&mut self, call: &Call) {
        // Most operands compare different values.
        let mut paths = call.args.iter().take(MAX_COMPARED).filter_map(compared_path);
        let mut known: Vec<&Expr> = Vec::new();
        if paths.any(|path| {
            known.contains(&path) || {
                known.push(path);
                false
            }
        }) {
            self.find_contradiction(call);
        }
    }

    #[inline(never)]
    fn find_contradiction(&mut self, call: &Call) {
        let any = call.function == Some(Function::Or);
        let comparisons = call.args.iter().filter_map(Comparison::of_expr).collect();
        let Some((first, second)) = contradiction(comparisons, any) else { return };
        let operand = |span: Span| call.args.iter().find(|arg| arg.span == span).map(ToString::to_string);
        let (first, last) = (operand(first).unwrap_or_default(), operand(second).unwrap_or_default());
        self.errors.push(report(any, second, &first, &last));
    }
}

impl Condition {
    /// Contradictions between the comparisons of a condition, whose text is `text`.
    ///
    /// # Example
    /// ```
    /// use stepgraph_expression::Condition;
    /// let text = "last.n == 3 && last.n == 4";
    /// let errors = Condition::parse(text).unwrap().contradictions(text);
    /// assert_eq!(errors[0].message, "`last.n == 3` and `last.n == 4` never hold together");
    /// ```
    pub fn contradictions(&self, text: &str) -> Vec<Error> {
        let Self::Expression(expression) = self else { return Vec::new() };
        let mut errors = Vec::new();
        visit(&expression.root, expression, text, &mut errors);
        errors
    }
}

fn visit(logic: &Logic, expression: &Expression, text: &str, errors: &mut Vec<Error>) {
    let (parts, any) = match logic {
        Logic::Atom(_) | Logic::Computed(_) => return,
        Logic::Not(inner) => return visit(inner, expression, text, errors),
        Logic::All(parts) => (parts, false),
        Logic::Any(parts) => (parts, true),
    };
    let comparison = |part: &Logic| match part {
        Logic::Atom(at) => Comparison::of_atom(expression.atoms.get(*at)?),
        Logic::Computed(at) => Comparison::of_expr(&expression.computed.get(*at)?.ast.root),
        _ => None,
    };
    if let Some((first, second)) = contradiction(parts.iter().filter_map(comparison).collect(), any) {
        let written = |span: Span| text.get(span.start..span.end).unwrap_or_default().trim();
        let place = Span::new(second.start, second.start + written(second).len());
        errors.push(report(any, place, written(first), written(second)));
    }
    for part in parts {
        visit(part, expression, text, errors);
    }
}
