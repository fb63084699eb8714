//! Conditions as rows of reference, operator and operand.
//!
//! Rows show comparisons joined by "all" or "any", with one level of groups. Other conditions stay text.
//!
//! Invariants: 1. an edit keeps unchanged parts verbatim. 2. the printed condition parses to the same rows. 3. a
//! condition that does not parse has no rows.

mod row;

pub use row::{Operator, Row};

use row::comparison_row;
use stepgraph_core::expression::{Condition, Logic};

/// Operator that joins rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Join {
    /// All hold.
    All,
    /// At least one holds.
    Any,
}

/// A row or a group in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionPart {
    /// A single row.
    Row(Row),
    /// Rows joined with the inverse operator.
    Group(Vec<Row>),
}

/// A condition as rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Operator that joins the parts.
    pub join: Join,
    /// Parts in order.
    pub parts: Vec<ConditionPart>,
}

/// Index of a row: the part, then the row in its group.
pub type RowIndex = (usize, usize);

impl Rows {
    /// Parses a condition. An empty condition has no rows. Returns `None` if rows cannot show it.
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
        let row = |expr: &Logic| comparison_row(expr, &expression.atoms, text);
        let rows = |parts: &[Logic]| parts.iter().map(row).collect::<Option<Vec<Row>>>();
        let (join, parts) = match &expression.root {
            Logic::All(parts) => (Join::All, parts.as_slice()),
            Logic::Any(parts) => (Join::Any, parts.as_slice()),
            one => (Join::All, std::slice::from_ref(one)),
        };
        let part = |expr: &Logic| match (join, expr) {
            (Join::All, Logic::Any(inner)) | (Join::Any, Logic::All(inner)) => {
                rows(inner).map(ConditionPart::Group)
            }
            (_, expr) => row(expr).map(ConditionPart::Row),
        };
        Some(Self { join, parts: parts.iter().map(part).collect::<Option<_>>()? })
    }

    /// Prints the condition.
    pub fn to_text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| self.print_part(part, false)).collect();
        let text = parts.join(self.join.as_str());
        // Verbatim parts may parse differently in a new context. Then all rows are printed again.
        if Self::parse(&text).is_some_and(|read| read.is_equivalent(self)) {
            return text;
        }
        let parts: Vec<String> = self.parts.iter().map(|part| self.print_part(part, true)).collect();
        parts.join(self.join.as_str())
    }

    /// Applies a change and returns the new text. Unchanged parts stay verbatim.
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

    /// Replaces only the changed rows in the text. Returns `None` if the structure changed.
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

    /// Returns all rows with their indexes.
    pub fn rows(&self) -> impl Iterator<Item = (RowIndex, &Row)> {
        self.parts.iter().enumerate().flat_map(|(at, part)| {
            let rows = match part {
                ConditionPart::Row(row) => std::slice::from_ref(row),
                ConditionPart::Group(rows) => rows.as_slice(),
            };
            rows.iter().enumerate().map(move |(inner, row)| ((at, inner), row))
        })
    }

    /// Returns a row.
    pub fn row_mut(&mut self, at: RowIndex) -> Option<&mut Row> {
        match self.parts.get_mut(at.0)? {
            ConditionPart::Row(row) => Some(row),
            ConditionPart::Group(rows) => rows.get_mut(at.1),
        }
    }

    /// Removes a row. A group with one row left becomes a row.
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

    /// Adds a row to the group of a part, or at the end.
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

    /// Compares the meaning, not the text.
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
    fn as_str(self) -> &'static str {
        match self {
            Self::All => " && ",
            Self::Any => " || ",
        }
    }

    /// Returns the other operator.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::All => Self::Any,
            Self::Any => Self::All,
        }
    }
}
