//! Converts parsed conditions to rows.

use super::operator::Operator;
use super::row::{OperandKind, Row, list_operand};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::ast::{Call, Expr, Kind, Literal};
use stepgraph_core::expression::condition::Expression;
use stepgraph_core::expression::{Atom, Condition, Function, Logic, Predicate, Reference};
use stepgraph_core::value::number_text;

pub(super) fn row(part: &Logic, expression: &Expression, text: &str, source: &str) -> Row {
    let (inner, negated) = match part {
        Logic::Not(inner) => (&**inner, true),
        other => (other, false),
    };
    let decoder = Decoder { text };
    let found = match inner {
        Logic::Atom(at) => expression.atoms.get(*at).and_then(|atom| decoder.atom(atom, negated)),
        Logic::Computed(at) => {
            expression.computed.get(*at).and_then(|computed| decoder.computed(&computed.ast.root, negated))
        }
        Logic::Not(_) | Logic::All(_) | Logic::Any(_) => None,
    };
    let row = found.unwrap_or_else(|| Row::new(without_parentheses(source), Operator::Expression, ""));
    Row { source: source.to_owned(), ..row }
}

pub(super) fn whole(text: &str) -> Row {
    let source = text.trim().to_owned();
    Row { source, ..Row::new(text.trim(), Operator::Expression, "") }
}

pub(super) fn without_parentheses(source: &str) -> &str {
    let inner = source.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let same = |inner: &&str| canonical(inner).is_some_and(|text| canonical(source) == Some(text));
    inner.filter(same).map_or(source, str::trim)
}

/// `None` if it does not parse.
pub(super) fn canonical(text: &str) -> Option<String> {
    Condition::parse(text).ok().map(|condition| condition.to_string())
}

struct Decoder<'t> {
    text: &'t str,
}

impl<'t> Decoder<'t> {
    fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    fn path(&self, expr: &Expr) -> Option<String> {
        let is_path = matches!(expr.kind, Kind::Ident(_) | Kind::Select(_) | Kind::Index(_));
        let written = Some(self.slice(expr.span).to_owned()).into_iter().chain([expr.to_string()]);
        written.filter(|_| is_path).find(|written| Reference::parse(written).is_ok())
    }

    fn atom(&self, atom: &Atom, negated: bool) -> Option<Row> {
        let literal = |literal: &stepgraph_core::expression::Literal| {
            let kind = if literal.quoted { OperandKind::Text } else { OperandKind::Literal };
            (literal.text.clone(), kind)
        };
        let number = |number: f64| (number_text(number), OperandKind::Literal);
        let nothing = || (String::new(), OperandKind::Literal);
        let (operator, (right, kind)) = match (&atom.predicate, negated) {
            (Predicate::Equals(right), false) => (Operator::Equals, literal(right)),
            (Predicate::Differs(right), false) => (Operator::NotEquals, literal(right)),
            (Predicate::Contains(right), false) => (Operator::Contains, literal(right)),
            (Predicate::Contains(right), true) => (Operator::NotContains, literal(right)),
            (Predicate::Less(right), false) => (Operator::Less, number(*right)),
            (Predicate::AtMost(right), false) => (Operator::AtMost, number(*right)),
            (Predicate::Greater(right), false) => (Operator::Greater, number(*right)),
            (Predicate::AtLeast(right), false) => (Operator::AtLeast, number(*right)),
            (Predicate::Exists, false) => (Operator::Exists, nothing()),
            (Predicate::Exists, true) => (Operator::Missing, nothing()),
            // If `a` is missing, `!(a == b)` holds, but `a != b` doesn't.
            _ => return None,
        };
        let written = self.slice(atom.reference_span);
        let left = match Reference::parse(written) {
            Ok(_) => written.to_owned(),
            Err(_) => atom.reference.to_string(),
        };
        Some(Row { kind, ..Row::new(&left, operator, &right) })
    }

    fn computed(&self, expr: &Expr, negated: bool) -> Option<Row> {
        if let Some(left) = self.path(expr) {
            return Some(Row::new(&left, if negated { Operator::IsFalse } else { Operator::IsTrue }, ""));
        }
        let Kind::Call(call) = &expr.kind else { return None };
        let function = call.function?;
        let operands: Vec<&Expr> = call.target.iter().map(|target| &**target).chain(&call.args).collect();
        let is_method = call.target.is_some();
        let row = match (function, operands.as_slice(), negated) {
            (Function::Has, [path], _) => {
                Row::new(&self.path(path)?, if negated { Operator::Missing } else { Operator::Exists }, "")
            }
            (Function::Contains, [path, right], _) => {
                let operator = if negated { Operator::NotContains } else { Operator::Contains };
                return Some(Row { is_call: true, ..self.with_text(path, operator, right)? });
            }
            (Function::StartsWith, [path, right], false) => {
                return self.with_text(path, Operator::StartsWith, right);
            }
            (Function::EndsWith, [path, right], false) => {
                return self.with_text(path, Operator::EndsWith, right);
            }
            (Function::Matches, [path, right], false) if is_method => {
                return self.with_text(path, Operator::Matches, right);
            }
            (Function::In, [path, right], false) => {
                let listed = match &right.kind {
                    Kind::List(items) => list_operand(items),
                    _ => None,
                };
                match listed {
                    Some(listed) => Row::new(&self.path(path)?, Operator::In, &listed),
                    None => self.with_value(&self.path(path)?, Operator::In, right),
                }
            }
            (function, [left, right], false) => return self.comparison(function, left, right),
            _ => return None,
        };
        Some(Row { is_call: true, ..row })
    }

    fn comparison(&self, function: Function, left: &Expr, right: &Expr) -> Option<Row> {
        let (plain, of_size) = match function {
            Function::Equal => (Operator::Equals, Some(Operator::SizeEquals)),
            Function::NotEqual => (Operator::NotEquals, None),
            Function::Less => (Operator::Less, Some(Operator::SizeLess)),
            Function::LessEqual => (Operator::AtMost, Some(Operator::SizeAtMost)),
            Function::Greater => (Operator::Greater, Some(Operator::SizeGreater)),
            Function::GreaterEqual => (Operator::AtLeast, Some(Operator::SizeAtLeast)),
            _ => return None,
        };
        if let Some(path) = self.path(left) {
            return Some(self.with_value(&path, plain, right));
        }
        let Kind::Call(Call { function: Some(Function::Size), target, args, .. }) = &left.kind else {
            return None;
        };
        let path = self.path(target.as_deref().or(args.first())?)?;
        let is_number = matches!(right.kind, Kind::Literal(Literal::Int(_) | Literal::Double(_)));
        let kind = if is_number { OperandKind::Literal } else { OperandKind::Value };
        Some(Row { kind, ..self.with_value(&path, of_size?, right) })
    }

    fn with_value(&self, left: &str, operator: Operator, right: &Expr) -> Row {
        let right = Row::new(left, operator, self.slice(right.span));
        Row { kind: OperandKind::Value, ..right }
    }

    fn with_text(&self, path: &Expr, operator: Operator, right: &Expr) -> Option<Row> {
        let left = self.path(path)?;
        Some(match &right.kind {
            Kind::Literal(Literal::Text(text)) => {
                Row { kind: OperandKind::Text, ..Row::new(&left, operator, text) }
            }
            _ => self.with_value(&left, operator, right),
        })
    }
}
