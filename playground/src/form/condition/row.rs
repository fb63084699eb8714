//! One comparison of a condition, and how it is printed: in quotes if it would parse differently without them.

use stepgraph_core::expression::{Atom, Literal, Logic, Predicate};
use stepgraph_core::value::number_text;

/// Comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `==`
    Equals,
    /// `!=`
    NotEquals,
    /// `.contains:`
    Contains,
    /// `!(… .contains:)`
    NotContains,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `.exists`
    Exists,
    /// `!(….exists)`
    Missing,
}

impl Operator {
    /// All operators, most common first.
    pub const ALL: [Self; 10] = [
        Self::Equals,
        Self::NotEquals,
        Self::Contains,
        Self::NotContains,
        Self::Exists,
        Self::Missing,
        Self::Less,
        Self::AtMost,
        Self::Greater,
        Self::AtLeast,
    ];

    /// Returns true if it has a right operand.
    pub fn has_operand(self) -> bool {
        !matches!(self, Self::Exists | Self::Missing)
    }

    /// Returns true if the right operand must be a number.
    pub fn needs_number(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::Greater | Self::AtLeast)
    }

    /// Returns the name in settings and lists.
    pub fn id(self) -> &'static str {
        match self {
            Self::Equals => "==",
            Self::NotEquals => "!=",
            Self::Contains => "contains",
            Self::NotContains => "lacks",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Exists => "exists",
            Self::Missing => "missing",
        }
    }

    /// Returns the operator with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.id() == id)
    }

    fn is_negated(self) -> bool {
        matches!(self, Self::NotContains | Self::Missing)
    }
}

/// A comparison as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Reference to the value.
    pub left: String,
    /// Operator.
    pub operator: Operator,
    /// Right operand without quotes.
    pub right: String,
    /// Whether the operand is text even if it looks like another type.
    pub is_text: bool,
    /// Source text with its `!`, or empty for a new row.
    pub(super) source: String,
}

impl Row {
    /// Creates a row without source text.
    pub fn new(left: &str, operator: Operator, right: &str) -> Self {
        Self {
            left: left.to_owned(),
            operator,
            right: right.to_owned(),
            is_text: false,
            source: String::new(),
        }
    }

    pub(super) fn print(&self, reprint: bool) -> String {
        if !reprint && !self.source.is_empty() {
            return self.source.clone();
        }
        let right = self.operand_text();
        let text = match self.operator {
            Operator::Contains | Operator::NotContains => [&self.left, ".contains:", &right].concat(),
            Operator::Exists | Operator::Missing => [&self.left, ".exists"].concat(),
            other => [&self.left, " ", other.id(), " ", &right].concat(),
        };
        if self.operator.is_negated() { ["!(", &text, ")"].concat() } else { text }
    }

    /// Returns the right operand with quotes if it needs them.
    fn operand_text(&self) -> String {
        let quoted = || serde_json::Value::from(self.right.as_str()).to_string();
        let special = |c: char| "&|()=<>!\"'".contains(c) || c.is_control();
        let odd = self.right.is_empty() || self.right.trim() != self.right || self.right.contains(special);
        let structure =
            self.right.starts_with(['[', '{']) && !self.right.contains("&&") && !self.right.contains("||");
        let is_odd =
            odd && !(structure && self.right.trim() == self.right && !self.right.contains(['(', ')']));
        if self.operator.needs_number() {
            self.right.clone()
        } else if self.is_text || is_odd {
            quoted()
        } else {
            self.right.clone()
        }
    }

    /// Applies a change. A changed row loses its source text.
    pub fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.clone();
        change(self);
        if *self != before {
            self.source = String::new();
        }
    }
}

pub(super) fn comparison_row(expr: &Logic, atoms: &[Atom], text: &str) -> Option<Row> {
    let (index, negated) = match expr {
        Logic::Atom(index) => (*index, false),
        Logic::Not(inner) => match &**inner {
            Logic::Atom(index) => (*index, true),
            _ => return None,
        },
        Logic::Computed(_) | Logic::All(_) | Logic::Any(_) => return None,
    };
    let atom = atoms.get(index)?;
    let literal = |literal: &Literal| (literal.text.clone(), literal.quoted);
    let number = |number: f64| (number_text(number), false);
    let (operator, (right, quoted)) = match (&atom.predicate, negated) {
        (Predicate::Equals(right), false) => (Operator::Equals, literal(right)),
        (Predicate::Differs(right), false) => (Operator::NotEquals, literal(right)),
        (Predicate::Contains(right), false) => (Operator::Contains, literal(right)),
        (Predicate::Contains(right), true) => (Operator::NotContains, literal(right)),
        (Predicate::Less(right), false) => (Operator::Less, number(*right)),
        (Predicate::AtMost(right), false) => (Operator::AtMost, number(*right)),
        (Predicate::Greater(right), false) => (Operator::Greater, number(*right)),
        (Predicate::AtLeast(right), false) => (Operator::AtLeast, number(*right)),
        (Predicate::Exists, false) => (Operator::Exists, (String::new(), false)),
        (Predicate::Exists, true) => (Operator::Missing, (String::new(), false)),
        // `!(a == b)` also holds if `a` is missing and `a != b` does not, so it is no row.
        _ => return None,
    };
    let left = text.get(atom.reference_span.start..atom.reference_span.end)?.to_owned();
    let written = if negated {
        with_negation(text, atom)?
    } else {
        text.get(atom.span.start..atom.span.end)?.trim_end().to_owned()
    };
    Some(Row { left, operator, right, is_text: quoted, source: written })
}

fn with_negation(text: &str, atom: &Atom) -> Option<String> {
    let before = text.get(..atom.span.start)?;
    let opened = before.trim_end().ends_with('(');
    let start = before.rfind('!')?;
    let rest = text.get(atom.span.end..)?;
    let end = if opened { atom.span.end + rest.find(')')? + 1 } else { atom.span.end };
    Some(text.get(start..end)?.trim_end().to_owned())
}
