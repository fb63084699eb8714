//! Finds comparisons whose result follows from `enum`, `const`, `minimum` and `maximum`.
//!
//! Invariant: a domain includes every value. A missing value satisfies no comparison.

use super::Checker;
use crate::ast::{Call, Expr, Kind, Literal};
use crate::base::{Segment, Span, closest_name, json_equal, number_text, shorten_name};
use crate::error::{CONSTANT, Error};
use crate::function::Function;
use crate::parser::is_comparison;
use serde_json::{Map, Value as Json};

/// More values are not compared one by one.
const MAX_VALUES: usize = 200;
const MAX_LISTED: usize = 8;
const MAX_DEPTH: usize = 16;
/// Positions that stand for all of a list: the first two, which `prefixItems` may declare, and a later one.
pub const ELEMENTS: [usize; 3] = [0, 1, 99];

/// Help for a comparison with a number outside the limits of a schema.
pub const WITHIN_LIMITS: &str = "compare it with a number within these limits, or change the schema";

/// The values that a part of the data may have.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// One of these.
    OneOf(Vec<Json>),
    /// A number from the first to the second.
    Range(f64, f64),
}

impl Domain {
    /// Reads the schema of a root, and follows a path in it. `None` if the values are not limited.
    pub fn from_schema(root: &Json, path: &[Segment]) -> Option<Self> {
        let mut at = root;
        for segment in path {
            let schema = resolved(root, at)?;
            at = match segment {
                Segment::Key(key) => schema.get("properties")?.get(key)?,
                Segment::Index(_) if schema.contains_key("prefixItems") => return None,
                Segment::Index(_) => schema.get("items")?,
            };
        }
        Self::of_keywords(resolved(root, at)?)
    }

    fn of_keywords(schema: &Map<String, Json>) -> Option<Self> {
        if let Some(value) = schema.get("const") {
            return Some(Self::OneOf(vec![value.clone()]));
        }
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            return Some(Self::OneOf(values.clone())).filter(|_| values.len() <= MAX_VALUES);
        }
        let is_number = matches!(schema.get("type").and_then(Json::as_str), Some("integer" | "number"));
        let bound = |name: &str| schema.get(name).and_then(Json::as_f64);
        let min =
            bound("minimum").into_iter().chain(bound("exclusiveMinimum")).fold(f64::NEG_INFINITY, f64::max);
        let max = bound("maximum").into_iter().chain(bound("exclusiveMaximum")).fold(f64::INFINITY, f64::min);
        let limited = min > f64::NEG_INFINITY || max < f64::INFINITY;
        (is_number && limited && min <= max).then_some(Self::Range(min, max))
    }

    /// The values of both.
    #[must_use]
    pub fn union(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::OneOf(mut own), Self::OneOf(others)) if own.len() + others.len() <= MAX_VALUES => {
                for other in others {
                    if !own.contains(&other) {
                        own.push(other);
                    }
                }
                Some(Self::OneOf(own))
            }
            (own, other) => {
                let ((a, b), (c, d)) = (own.bounds()?, other.bounds()?);
                Some(Self::Range(a.min(c), b.max(d)))
            }
        }
    }

    /// The least and the greatest number. `None` if some values are no numbers.
    fn bounds(&self) -> Option<(f64, f64)> {
        match self {
            Self::Range(min, max) => Some((*min, *max)),
            Self::OneOf(values) => {
                let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
                for value in values {
                    let number = value.as_f64()?;
                    (min, max) = (min.min(number), max.max(number));
                }
                (min <= max).then_some((min, max))
            }
        }
    }

    /// Whether no value is in both.
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::OneOf(own), Self::OneOf(others)) => {
                own.iter().all(|value| others.iter().all(|other| !json_equal(value, other)))
            }
            (Self::OneOf(values), Self::Range(min, max)) | (Self::Range(min, max), Self::OneOf(values)) => {
                let outside =
                    |value: &Json| value.as_f64().is_none_or(|number| number < *min || number > *max);
                values.iter().all(outside)
            }
            (Self::Range(a, b), Self::Range(c, d)) => b < c || d < a,
        }
    }

    /// The result of a comparison, if it is the same for all values.
    pub fn compare(&self, function: Function, other: &Self) -> Option<bool> {
        match function {
            Function::Equal => self.excludes(other).then_some(false),
            Function::NotEqual => self.excludes(other).then_some(true),
            Function::Greater | Function::GreaterEqual => other.compare(function.mirrored(), self),
            Function::Less | Function::LessEqual => {
                let ((a, b), (c, d)) = (self.bounds()?, other.bounds()?);
                let is_strict = function == Function::Less;
                if if is_strict { b < c } else { b <= c } {
                    return Some(true);
                }
                (if is_strict { a >= d } else { a > d }).then_some(false)
            }
            _ => None,
        }
    }

    /// In words, after "is".
    pub fn describe(&self) -> String {
        match self {
            Self::Range(min, max) if max <= min => number_text(*min),
            Self::Range(min, f64::INFINITY) => format!("at least {}", number_text(*min)),
            Self::Range(f64::NEG_INFINITY, max) => format!("at most {}", number_text(*max)),
            Self::Range(min, max) => format!("from {} to {}", number_text(*min), number_text(*max)),
            Self::OneOf(values) => {
                let mut words: Vec<String> = values.iter().take(MAX_LISTED).map(word).collect();
                if values.len() > MAX_LISTED {
                    return format!("{} or another of its values", words.join(", "));
                }
                let last = words.pop().unwrap_or_default();
                if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) }
            }
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let values = if let Self::OneOf(values) = self { values.as_slice() } else { &[] };
        values.iter().filter_map(Json::as_str)
    }
}

fn word(value: &Json) -> String {
    match value {
        Json::String(text) => format!("`{}`", shorten_name(text)),
        other => format!("`{}`", shorten_name(&other.to_string())),
    }
}

/// Follows `$ref` within the document.
fn resolved<'s>(root: &'s Json, schema: &'s Json) -> Option<&'s Map<String, Json>> {
    let mut at = schema;
    for _ in 0..MAX_DEPTH {
        let map = at.as_object()?;
        let Some(pointer) = map.get("$ref").and_then(Json::as_str) else { return Some(map) };
        at = root.pointer(pointer.strip_prefix('#')?)?;
    }
    None
}

impl Checker<'_> {
    /// Few comparisons need a closer look, which most pages don't load.
    pub(super) fn may_be_decided(&self, call: &Call) -> bool {
        let is_size =
            |expr: &Expr| matches!(&expr.kind, Kind::Call(it) if it.function == Some(Function::Size));
        let length = |expr: &Expr| expr.span.end - expr.span.start;
        let [left, right] = call.args.as_slice() else { return false };
        let is_literal = |expr: &Expr| matches!(expr.kind, Kind::Literal(_));
        self.wants_warnings
            && (self.has_values
                || is_size(left) && is_literal(right)
                || is_literal(left) && is_size(right)
                || !is_literal(left) && !is_literal(right) && length(left) == length(right))
    }

    /// Reports a comparison that has the same result for all values.
    #[inline(never)]
    pub(super) fn report_decided(&mut self, function: Function, call: &Call, expr: &Expr) {
        let [left, right] = call.args.as_slice() else { return };
        if is_comparison(function) && is_same(left, right) {
            let message = format!("`{}` is compared with itself", shorten_name(&left.to_string()));
            let error = Error::new(CONSTANT, expr.span, &message);
            return self.errors.push(error.help("compare it with another value, or write `has(x)`"));
        }
        let is_in = function == Function::In;
        let other = if is_in { self.elements(right) } else { self.domain(right) };
        let (Some(a), Some(b)) = (self.domain(left), other) else { return };
        let Some(holds) = a.compare(if is_in { Function::Equal } else { function }, &b) else {
            if is_in {
                self.report_strangers(left, &a, right);
            }
            return;
        };
        let is_literal = matches!(left.kind, Kind::Literal(_));
        // Constants have a message of their own.
        if is_literal && matches!(right.kind, Kind::Literal(_) | Kind::List(_)) {
            return;
        }
        let (data, limits, literal) = if is_literal { (right, &b, left) } else { (left, &a, right) };
        let verb = if is_literal && is_in { "contains only" } else { "is" };
        let always = if holds { "holds for each value" } else { "never holds" };
        let message = format!("the comparison {always}: `{data}` {verb} {}", limits.describe());
        let error = Error::new(CONSTANT, expr.span, &message);
        let meant = match &literal.kind {
            Kind::Literal(Literal::Text(text)) => {
                closest_name(text, limits.texts()).map(|meant| (text, meant))
            }
            _ => None,
        };
        self.errors.push(match (meant, limits) {
            (Some((text, meant)), _) => suggest(error, literal.span, text, meant),
            (_, Domain::Range(..)) => error.help(WITHIN_LIMITS),
            _ => error.help("compare it with one of its values"),
        });
    }

    /// Reports `hgih` in `last.level in ["low", "hgih"]`.
    fn report_strangers(&mut self, member: &Expr, values: &Domain, list: &Expr) {
        let Kind::List(items) = &list.kind else { return };
        for item in items {
            let Kind::Literal(literal) = &item.kind else { continue };
            if self.domain(item).is_some_and(|it| values.excludes(&it)) {
                let message = format!("`{member}` is never this: it is {}", values.describe());
                let error = Error::new(CONSTANT, item.span, &message);
                let meant = match literal {
                    Literal::Text(text) => closest_name(text, values.texts()).map(|meant| (text, meant)),
                    _ => None,
                };
                self.errors.push(match meant {
                    Some((text, meant)) => suggest(error, item.span, text, meant),
                    None => error.help("remove it, or write one of the values"),
                });
            }
        }
    }

    /// `None` if the values are not limited.
    pub(super) fn domain(&self, expr: &Expr) -> Option<Domain> {
        match &expr.kind {
            Kind::Literal(literal) => Some(Domain::OneOf(vec![literal_value(literal)?])),
            Kind::Ident(name) if let Some(at) = self.variable(&name.text) => {
                self.variables.get(at)?.domain.clone()
            }
            Kind::Ident(_) | Kind::Select(_) | Kind::Index(_) => {
                let mut path = Vec::new();
                let root = self.path(expr, &mut path)?;
                (self.values)(root, &path)
            }
            Kind::Call(call) => self.domain_of_call(call),
            _ => None,
        }
    }

    fn domain_of_call(&self, call: &Call) -> Option<Domain> {
        if call.function == Some(Function::Size) {
            return Some(Domain::Range(0.0, f64::INFINITY));
        }
        let mut domains = call.args.iter().map(|arg| self.domain(arg));
        match (call.function?, call.args.as_slice()) {
            (Function::Conditional, [_, ..]) => domains.skip(1).try_fold_union(),
            (Function::Negate, [_]) => {
                let (min, max) = domains.next()??.bounds()?;
                // No negative zero.
                Some(Domain::Range(0.0 - max, 0.0 - min))
            }
            (Function::Add, [_, _]) => {
                let ((a, b), (c, d)) = (domains.next()??.bounds()?, domains.next()??.bounds()?);
                Some(Domain::Range(a + c, b + d))
            }
            (Function::Subtract, [_, _]) => {
                let ((a, b), (c, d)) = (domains.next()??.bounds()?, domains.next()??.bounds()?);
                Some(Domain::Range(a - d, b - c))
            }
            _ => None,
        }
    }

    /// The values of a list's elements.
    pub(super) fn elements(&self, list: &Expr) -> Option<Domain> {
        if let Kind::List(items) = &list.kind {
            return items.iter().map(|item| self.domain(item)).try_fold_union();
        }
        let mut path = Vec::new();
        let root = self.path(list, &mut path)?;
        let element = |at: usize| {
            let mut path = path.clone();
            path.push(Segment::Index(at));
            (self.values)(root, &path)
        };
        ELEMENTS.into_iter().map(element).try_fold_union()
    }

    /// Fills in the path from the root, whose name it returns. `None` for other expressions.
    fn path<'e>(&self, expr: &'e Expr, path: &mut Vec<Segment>) -> Option<&'e str> {
        let mut at = expr;
        let root = loop {
            let (operand, segment) = match &at.kind {
                Kind::Ident(name) => break name.text.as_str(),
                Kind::Select(select) => (&select.operand, Segment::Key(select.field.text.clone())),
                Kind::Index(index) => {
                    let segment = match &index.index.kind {
                        Kind::Literal(Literal::Text(key)) => Segment::Key(key.clone()),
                        Kind::Literal(Literal::Int(at)) => Segment::Index(usize::try_from(*at).ok()?),
                        _ => return None,
                    };
                    (&index.operand, segment)
                }
                _ => return None,
            };
            path.push(segment);
            at = operand;
        };
        path.reverse();
        self.variable(root).is_none().then_some(root)
    }
}

/// Literals have a message of their own.
fn is_same(left: &Expr, right: &Expr) -> bool {
    let reads =
        |expr: &Expr| matches!(expr.kind, Kind::Ident(_) | Kind::Select(_) | Kind::Index(_) | Kind::Call(_));
    reads(left) && reads(right) && left.to_string() == right.to_string()
}

/// Replaces the text within its quotes, unless it has escapes.
fn suggest(error: Error, span: Span, text: &str, meant: &str) -> Error {
    let error = error.help(&format!("did you mean `{}`?", shorten_name(meant)));
    let plain = meant.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    if plain && span.end - span.start == text.len() + 2 {
        error.fix(Span::new(span.start + 1, span.end - 1), meant)
    } else {
        error
    }
}

pub(super) fn literal_value(literal: &Literal) -> Option<Json> {
    Some(match literal {
        Literal::Null => Json::Null,
        Literal::Bool(truth) => Json::from(*truth),
        Literal::Int(number) => Json::from(*number),
        Literal::Double(number) => serde_json::Number::from_f64(*number)?.into(),
        Literal::Text(text) => Json::from(text.as_str()),
    })
}

trait Unite {
    /// `None` if one of them is not limited, or if there are none.
    fn try_fold_union(self) -> Option<Domain>;
}

impl<I: Iterator<Item = Option<Domain>>> Unite for I {
    fn try_fold_union(mut self) -> Option<Domain> {
        let first = self.next()??;
        self.try_fold(first, |all, next| all.union(next?))
    }
}
