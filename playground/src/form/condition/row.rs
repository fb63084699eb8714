//! A row of a condition. It prints quotes if it would parse differently without.

use super::operator::Operator;
use stepgraph_core::expression::ast::{Kind, Literal};
use stepgraph_core::expression::{Ast, Condition, Function, Logic, Predicate, ROOTS, Syntax, parse};

/// Right operand kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// Unquoted, such as a number.
    Literal,
    /// Text of any look.
    Text,
    /// A run value or expression.
    Value,
}

/// A condition's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// A reference, or for [`Operator::Expression`] the condition's text.
    pub left: String,
    /// Operator.
    pub operator: Operator,
    /// Unquoted right operand.
    pub right: String,
    /// Its kind.
    pub kind: OperandKind,
    /// Written as a call: `has(a)`, `a.contains("b")`.
    pub(super) is_call: bool,
    /// Includes its `!` and parentheses. Empty for a new row.
    pub(super) source: String,
}

impl Row {
    /// A new row has no source text.
    pub fn new(left: &str, operator: Operator, right: &str) -> Self {
        Self {
            left: left.to_owned(),
            operator,
            right: right.to_owned(),
            kind: OperandKind::Literal,
            is_call: false,
            source: String::new(),
        }
    }

    /// The row's text.
    pub fn to_text(&self) -> String {
        self.print(false)
    }

    pub(super) fn print(&self, reprint: bool) -> String {
        if !reprint && !self.source.is_empty() {
            return self.source.clone();
        }
        let (before, after) = self.frame();
        if self.operator.has_operand() {
            return [&before, &self.operand_text(), after].concat();
        }
        [&before, after].concat()
    }

    /// Texts around the right operand.
    pub fn frame(&self) -> (String, &'static str) {
        let left = self.left.as_str();
        let is_call = self.is_call || self.kind == OperandKind::Value;
        let size = |operator: &str| (["size(", left, ") ", operator, " "].concat(), "");
        match self.operator {
            Operator::Contains if is_call => ([left, ".contains("].concat(), ")"),
            Operator::Contains => ([left, ".contains:"].concat(), ""),
            Operator::NotContains if is_call => (["!", left, ".contains("].concat(), ")"),
            Operator::NotContains => (["!(", left, ".contains:"].concat(), ")"),
            Operator::Exists if self.is_call => (["has(", left, ")"].concat(), ""),
            Operator::Exists => ([left, ".exists"].concat(), ""),
            Operator::Missing if self.is_call => (["!has(", left, ")"].concat(), ""),
            Operator::Missing => (["!(", left, ".exists)"].concat(), ""),
            Operator::IsTrue | Operator::Expression => (left.to_owned(), ""),
            Operator::IsFalse => (["!", left].concat(), ""),
            Operator::StartsWith => ([left, ".startsWith("].concat(), ")"),
            Operator::EndsWith => ([left, ".endsWith("].concat(), ")"),
            Operator::Matches => ([left, ".matches("].concat(), ")"),
            Operator::SizeEquals => size("=="),
            Operator::SizeLess => size("<"),
            Operator::SizeAtMost => size("<="),
            Operator::SizeGreater => size(">"),
            Operator::SizeAtLeast => size(">="),
            other => ([left, " ", other.id(), " "].concat(), ""),
        }
    }

    fn operand_text(&self) -> String {
        let quoted = || serde_json::Value::from(self.right.as_str()).to_string();
        match self.operator {
            _ if self.kind == OperandKind::Value => value_text(&self.right),
            operator if operator.needs_number() => self.right.clone(),
            Operator::In => list_text(&self.right),
            Operator::StartsWith | Operator::EndsWith | Operator::Matches => quoted(),
            Operator::Contains | Operator::NotContains if self.is_call => quoted(),
            _ if self.kind == OperandKind::Text || !is_bare(&self.right) => quoted(),
            _ => self.right.clone(),
        }
    }

    /// A changed row loses its source text.
    pub fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.clone();
        change(self);
        if *self != before {
            self.source = String::new();
        }
    }

    /// A writable row with an expression operand.
    pub fn is_value(&self) -> bool {
        expression(&self.right).is_some() && self.is_complete()
    }

    /// Its parts parse as what they are.
    pub fn is_complete(&self) -> bool {
        Condition::parse(&self.print(true)).is_ok_and(|condition| condition != Condition::Fallback)
    }
}

pub(super) fn expression(text: &str) -> Option<Ast> {
    let parsed = parse(text, Syntax { roots: &ROOTS, ..Syntax::default() });
    parsed.errors.is_empty().then_some(parsed.ast)
}

/// Adds parentheses below a comparison's precedence.
fn value_text(text: &str) -> String {
    use Function::{
        And, Coalesce, Conditional, Equal, Greater, GreaterEqual, In, Less, LessEqual, NotEqual, Or,
    };
    let function = expression(text).and_then(|ast| match ast.root.kind {
        Kind::Call(call) => call.function,
        _ => None,
    });
    let is_loose = matches!(
        function,
        Some(
            And | Or
                | Coalesce
                | Conditional
                | Equal
                | NotEqual
                | Less
                | LessEqual
                | Greater
                | GreaterEqual
                | In
        )
    );
    let trimmed = text.trim();
    let is_wrapped = trimmed.starts_with('(') && trimmed.ends_with(')');
    if is_loose && !is_wrapped { ["(", text, ")"].concat() } else { text.to_owned() }
}

fn is_bare(right: &str) -> bool {
    let special = |c: char| "&|()=<>!\"'".contains(c) || c.is_control();
    let odd = right.is_empty() || right.trim() != right || right.contains(special);
    let structure = right.starts_with(['[', '{']) && !right.contains("&&") && !right.contains("||");
    if odd && !(structure && right.trim() == right && !right.contains(['(', ')'])) {
        return false;
    }
    // It may begin like an expression.
    let Ok(Condition::Expression(read)) = Condition::parse(&["last == ", right].concat()) else {
        return false;
    };
    let atom = read.atoms.first().filter(|_| matches!(read.root, Logic::Atom(0)));
    atom.is_some_and(|atom| matches!(&atom.predicate, Predicate::Equals(literal) if literal.text == right))
}

/// Converts `tea, 2` to a list.
fn list_text(right: &str) -> String {
    let item = |part: &str| {
        let part = part.trim();
        let is_constant = |literal: &Literal| !matches!(literal, Literal::Text(_) | Literal::Null);
        match expression(part).map(|ast| ast.root.kind) {
            Some(Kind::Literal(literal)) if is_constant(&literal) => part.to_owned(),
            _ => serde_json::Value::from(part).to_string(),
        }
    };
    let items: Vec<String> = right.split(',').filter(|part| !part.trim().is_empty()).map(item).collect();
    ["[", &items.join(", "), "]"].concat()
}

/// As `tea, 2`, if that is reversible.
pub(super) fn list_operand(list: &[stepgraph_core::expression::ast::Expr]) -> Option<String> {
    let item = |expr: &stepgraph_core::expression::ast::Expr| match &expr.kind {
        Kind::Literal(Literal::Text(text)) => Some(text.clone()),
        Kind::Literal(_) => Some(expr.to_string()),
        _ => None,
    };
    let text = list.iter().map(item).collect::<Option<Vec<String>>>()?.join(", ");
    let Kind::List(again) = expression(&list_text(&text))?.root.kind else { return None };
    (again == list && !list.is_empty()).then_some(text)
}
