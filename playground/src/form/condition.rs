//! Conditions as rows: what is looked at, what is asked of it, and with what it is compared.
//!
//! Decides which conditions can be shown so: comparisons joined by "all" or "any", with groups of such one level deep. Others stay text.
//!
//! Invariants: 1. what is not changed is written as it was, to the letter: a change of a part replaces that part alone; 2. what is written
//! reads as the rows that were shown; 3. a condition that can't be read has no rows.

mod row;

pub use row::{Operator, Row};

use row::comparison_row;
use stepgraph_core::expr::{Condition, Expr};

/// How rows belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Join {
    /// All hold.
    All,
    /// At least one holds.
    Any,
}

/// A row, or several in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionPart {
    /// A comparison.
    Row(Row),
    /// Several, joined the other way.
    Group(Vec<Row>),
}

/// A condition as rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// How the parts belong together.
    pub join: Join,
    /// The parts, in order.
    pub parts: Vec<ConditionPart>,
}

/// Where a row is: which part, and which row of a group.
pub type RowIndex = (usize, usize);

impl Rows {
    /// The rows of a condition: none of one that is empty, nothing of one that is no rows.
    ///
    /// # Example
    /// ```
    /// use stepgraph_playground::form::condition::{Join, Rows};
    /// let rows = Rows::parse("last==ok && output.a.score>=0.5").unwrap();
    /// assert_eq!((rows.join, rows.parts.len()), (Join::All, 2));
    /// assert_eq!(rows.to_text(), "last==ok && output.a.score>=0.5");
    /// assert!(Rows::parse("!(last==a && last==b)").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let nothing = Self { join: Join::All, parts: Vec::new() };
        let expression = match Condition::parse(text).ok()? {
            Condition::Fallback if text.trim().is_empty() => return Some(nothing),
            Condition::Fallback | Condition::Unreadable => return None,
            Condition::Expression(expression) => expression,
        };
        let row = |expr: &Expr| comparison_row(expr, &expression.atoms, text);
        let rows = |parts: &[Expr]| parts.iter().map(row).collect::<Option<Vec<Row>>>();
        let (join, parts) = match &expression.root {
            Expr::All(parts) => (Join::All, parts.as_slice()),
            Expr::Any(parts) => (Join::Any, parts.as_slice()),
            one => (Join::All, std::slice::from_ref(one)),
        };
        let part = |expr: &Expr| match (join, expr) {
            (Join::All, Expr::Any(inner)) | (Join::Any, Expr::All(inner)) => {
                rows(inner).map(ConditionPart::Group)
            }
            (_, expr) => row(expr).map(ConditionPart::Row),
        };
        Some(Self { join, parts: parts.iter().map(part).collect::<Option<_>>()? })
    }

    /// The condition that says this.
    pub fn to_text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| self.print_part(part, false)).collect();
        let text = parts.join(self.join.as_str());
        // Letters that were left as they stood may read otherwise in new company: then they are written anew.
        if Self::parse(&text).is_some_and(|read| read.is_equivalent(self)) {
            return text;
        }
        let parts: Vec<String> = self.parts.iter().map(|part| self.print_part(part, true)).collect();
        parts.join(self.join.as_str())
    }

    /// The text after a change of it: of the parts that stay not a letter is changed.
    pub fn rewrite(&self, before: &str, change: impl FnOnce(&mut Self)) -> String {
        let mut after = self.clone();
        change(&mut after);
        if after == *self {
            return before.to_owned();
        }
        let kept = after.replace_changed_rows(self, before);
        kept.filter(|text| Self::parse(text).is_some_and(|read| read.is_equivalent(&after)))
            .unwrap_or_else(|| after.to_text())
    }

    /// The same text with single rows replaced, where only rows have changed and everything else stands as before.
    fn replace_changed_rows(&self, before: &Self, text: &str) -> Option<String> {
        let rows = |of: &Self| of.rows().map(|(_, row)| row.clone()).collect::<Vec<Row>>();
        let (old, new) = (rows(before), rows(self));
        if old.len() != new.len() || self.join != before.join || self.parts.len() != before.parts.len() {
            return None;
        }
        let mut out = String::new();
        let mut rest = text;
        for (old, new) in old.iter().zip(&new) {
            let at = rest.find(&old.source)?;
            out.push_str(rest.get(..at)?);
            out.push_str(&if old == new { old.source.clone() } else { new.print(true) });
            rest = rest.get(at + old.source.len()..)?;
        }
        out.push_str(rest);
        Some(out)
    }

    /// All rows with their places.
    pub fn rows(&self) -> impl Iterator<Item = (RowIndex, &Row)> {
        self.parts.iter().enumerate().flat_map(|(at, part)| {
            let rows = match part {
                ConditionPart::Row(row) => std::slice::from_ref(row),
                ConditionPart::Group(rows) => rows.as_slice(),
            };
            rows.iter().enumerate().map(move |(inner, row)| ((at, inner), row))
        })
    }

    /// A row.
    pub fn row_mut(&mut self, at: RowIndex) -> Option<&mut Row> {
        match self.parts.get_mut(at.0)? {
            ConditionPart::Row(row) => Some(row),
            ConditionPart::Group(rows) => rows.get_mut(at.1),
        }
    }

    /// Takes a row away; a group goes with its last one, and one of one row is none.
    pub fn remove(&mut self, at: RowIndex) {
        let removed = match self.parts.get_mut(at.0) {
            Some(ConditionPart::Group(rows)) if rows.len() > 1 && at.1 < rows.len() => {
                rows.remove(at.1);
                None
            }
            Some(_) => Some(at.0),
            None => None,
        };
        if let Some(part) = removed {
            self.parts.remove(part);
        }
        if let Some(part) = self.parts.get_mut(at.0)
            && let ConditionPart::Group(rows) = part
            && let [only] = rows.as_slice()
        {
            *part = ConditionPart::Row(only.clone());
        }
    }

    /// Adds a row: to the group of a part, or at the end.
    pub fn add(&mut self, row: Row, beside: Option<usize>) {
        match beside.and_then(|at| self.parts.get_mut(at)) {
            Some(ConditionPart::Group(rows)) => rows.push(row),
            Some(part @ ConditionPart::Row(_)) => {
                if let ConditionPart::Row(first) = part.clone() {
                    *part = ConditionPart::Group(vec![first, row]);
                }
            }
            None => self.parts.push(ConditionPart::Row(row)),
        }
    }

    fn print_part(&self, part: &ConditionPart, reprint: bool) -> String {
        match part {
            ConditionPart::Row(row) => row.print(reprint),
            ConditionPart::Group(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| row.print(reprint)).collect();
                ["(", &rows.join(self.join.inverse().as_str()), ")"].concat()
            }
        }
    }

    /// Whether two say the same, however they are written.
    fn is_equivalent(&self, other: &Self) -> bool {
        let bare = |rows: &Self| {
            let row = |(at, row): (RowIndex, &Row)| {
                (at, row.left.clone(), row.operator, row.operator.has_operand().then(|| row.right.clone()))
            };
            rows.rows().map(row).collect::<Vec<_>>()
        };
        let alike = self.parts.len() < 2 || self.join == other.join;
        let shape = |rows: &Self| {
            rows.parts.iter().map(|part| matches!(part, ConditionPart::Group(_))).collect::<Vec<_>>()
        };
        alike && shape(self) == shape(other) && bare(self) == bare(other)
    }
}

impl Join {
    /// How it is written.
    fn as_str(self) -> &'static str {
        match self {
            Self::All => " && ",
            Self::Any => " || ",
        }
    }

    /// The other one.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::All => Self::Any,
            Self::Any => Self::All,
        }
    }
}
