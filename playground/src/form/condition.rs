//! Conditions as rows of reference, operator and operand, joined by "all" or "any", with one level of groups. Anything
//! else is a row with text.
//!
//! Invariants: 1. edits keep unchanged parts verbatim. 2. printing and parsing yields the same rows. 3. an invalid
//! condition has no rows.

mod decode;
mod layout;
mod operator;
mod row;

pub use operator::{Operator, Shape};
pub use row::{OperandKind, Row};

use decode::{canonical, without_parentheses};
use layout::Layout;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::expression::condition::Expression;
use stepgraph_core::expression::{Atom, Computed, Condition, Logic, Predicate};
use stepgraph_core::source::edit::apply_edits;

/// Joins rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Join {
    /// All hold.
    All,
    /// At least one holds.
    Any,
}

/// Row or group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionPart {
    /// A row.
    Row(Row),
    /// Joined with the inverse operator.
    Group(Vec<Row>),
}

/// A condition's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Joins the parts.
    pub join: Join,
    /// In order.
    pub parts: Vec<ConditionPart>,
}

/// The part, then the row in its group.
pub type RowIndex = (usize, usize);

#[derive(Debug, Default)]
struct Positions {
    rows: Vec<Span>,
    parts: Vec<Span>,
    joins: Vec<Span>,
}

impl Rows {
    /// Parses a condition. Empty ones have no rows. `None` if rows can't show it.
    ///
    /// # Example
    /// ```
    /// use stepgraph_playground::form::condition::{Join, Operator, Rows};
    /// let rows = Rows::parse("last==ok && output.a.score>=0.5").unwrap();
    /// assert_eq!((rows.join, rows.parts.len()), (Join::All, 2));
    /// assert_eq!(rows.to_text(), "last==ok && output.a.score>=0.5");
    /// let rows = Rows::parse("size(last.items) > 2 || last.n * 2 > input.n").unwrap();
    /// let operators: Vec<Operator> = rows.rows().map(|(_, row)| row.operator).collect();
    /// assert_eq!(operators, [Operator::SizeGreater, Operator::Expression]);
    /// assert!(Rows::parse("default").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self::parse_with_positions(text)?.0)
    }

    fn parse_with_positions(text: &str) -> Option<(Self, Positions)> {
        let nothing = Self { join: Join::All, parts: Vec::new() };
        let expression = match Condition::parse(text).ok()? {
            Condition::Fallback if text.trim().is_empty() => return Some((nothing, Positions::default())),
            Condition::Fallback | Condition::Unreadable => return None,
            Condition::Expression(expression) => expression,
        };
        let split = Layout::new(&expression, text).and_then(|layout| Self::split(&expression, text, &layout));
        Some(split.unwrap_or_else(|| {
            let row = decode::whole(text);
            let start = text.len() - text.trim_start().len();
            let span = Span::new(start, start + row.left.len());
            let positions = Positions { rows: vec![span], parts: vec![span], joins: Vec::new() };
            (Self { join: Join::All, parts: vec![ConditionPart::Row(row)] }, positions)
        }))
    }

    /// `None` if a part alone means something else.
    fn split(expression: &Expression, text: &str, layout: &Layout<'_>) -> Option<(Self, Positions)> {
        let (join, parts) = match &expression.root {
            Logic::All(parts) => (Join::All, parts.as_slice()),
            Logic::Any(parts) => (Join::Any, parts.as_slice()),
            one => (Join::All, std::slice::from_ref(one)),
        };
        let mut positions = Positions { joins: layout.joins().collect(), ..Positions::default() };
        let mut first = 0;
        let mut row = |part: &Logic, positions: &mut Positions| {
            let span = layout.part(first, Layout::count(part))?;
            first += Layout::count(part);
            positions.rows.push(span);
            let row = decode::row(part, expression, text, layout.text(span));
            let meaning = Condition::Expression(Expression { root: part.clone(), ..expression.clone() });
            (canonical(&row.source)? == meaning.to_string()).then_some(row)
        };
        let mut found = Vec::with_capacity(parts.len());
        let mut leaf = 0;
        for part in parts {
            positions.parts.push(layout.part(leaf, Layout::count(part))?);
            leaf += Layout::count(part);
            found.push(match (join, part) {
                (Join::All, Logic::Any(inner)) | (Join::Any, Logic::All(inner)) => {
                    let rows = inner.iter().map(|part| row(part, &mut positions));
                    ConditionPart::Group(rows.collect::<Option<_>>()?)
                }
                (_, part) => ConditionPart::Row(row(part, &mut positions)?),
            });
        }
        Some((Self { join, parts: found }, positions))
    }

    /// The condition's text.
    pub fn to_text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| self.print_part(part, false)).collect();
        let text = parts.join(self.join.as_str());
        let parts: Vec<String> = self.parts.iter().map(|part| self.print_part(part, true)).collect();
        let printed = parts.join(self.join.as_str());
        // In a new context verbatim parts may parse differently. Then all rows are reprinted.
        if has_same_meaning(&text, &printed) { text } else { printed }
    }

    /// Applies a change. The new text keeps unchanged parts verbatim.
    pub fn rewrite(&self, before: &str, change: impl FnOnce(&mut Self)) -> String {
        let mut after = self.clone();
        change(&mut after);
        if after == *self {
            return before.to_owned();
        }
        let kept = Self::parse_with_positions(before).and_then(|(_, positions)| {
            let edits = after.edits_since(self, &positions)?;
            Some(apply_edits(before, &edits))
        });
        let printed = after.to_text();
        kept.filter(|text| has_same_meaning(text, &printed)).unwrap_or(printed)
    }

    /// Edits that turn `before` into these rows. `None` if the text must be reprinted.
    fn edits_since(&self, before: &Self, positions: &Positions) -> Option<Vec<TextEdit>> {
        let edit = |span: Span, text: String| TextEdit { span, text };
        if self.join != before.join {
            if self.parts != before.parts {
                return None;
            }
            let flip = |span: &Span| {
                let (parts, join) = (&positions.parts, self.join);
                let is_inner = parts.iter().any(|part| part.start < span.start && span.end < part.end);
                let sign = if is_inner { join.inverse() } else { join };
                edit(*span, sign.as_str().trim().to_owned())
            };
            // Expressions have their own operators.
            let is_plain = |(_, row): (RowIndex, &Row)| !row.left.contains(['&', '|']);
            return self.rows().all(is_plain).then(|| positions.joins.iter().map(flip).collect());
        }
        let (old, new) = (&before.parts, &self.parts);
        let same = |(a, b): &(&ConditionPart, &ConditionPart)| a == b;
        let head = old.iter().zip(new).take_while(same).count();
        let most = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
        let (gone, come) = (old.get(head..old.len() - tail)?, new.get(head..new.len() - tail)?);
        let join = self.join.as_str();
        let printed = || come.iter().map(|part| self.print_part(part, false)).collect::<Vec<_>>().join(join);
        let part = |at: usize| positions.parts.get(at).copied();
        match (gone, come) {
            ([], []) => Some(Vec::new()),
            ([], _) if head > 0 => {
                Some(vec![edit(Span::at(part(head - 1)?.end), [join, &printed()].concat())])
            }
            (_, []) if head + gone.len() < old.len() => {
                Some(vec![edit(Span::new(part(head)?.start, part(head + gone.len())?.start), String::new())])
            }
            (_, []) if head > 0 => {
                let end = part(head + gone.len() - 1)?.end;
                Some(vec![edit(Span::new(part(head - 1)?.end, end), String::new())])
            }
            ([ConditionPart::Group(old)], [ConditionPart::Group(new)]) if old.len() == new.len() => {
                let first = before.parts.get(..head)?.iter().map(ConditionPart::len).sum::<usize>();
                let spans = positions.rows.get(first..first + old.len())?;
                let changed = old.iter().zip(new).zip(spans).filter(|((old, new), _)| old != new);
                Some(changed.map(|((_, new), span)| edit(*span, Self::wrapped(new, true, true))).collect())
            }
            ([_, ..], [_, ..]) => {
                let span = Span::new(part(head)?.start, part(head + gone.len() - 1)?.end);
                Some(vec![edit(span, printed())])
            }
            _ => None,
        }
    }

    /// Rows with indexes.
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

    /// Removes a row. A group of one becomes a row.
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

    /// Adds to a part's group, or at the end.
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
            ConditionPart::Row(row) => Self::wrapped(row, self.parts.len() > 1, reprint),
            ConditionPart::Group(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| Self::wrapped(row, true, reprint)).collect();
                ["(", &rows.join(self.join.inverse().as_str()), ")"].concat()
            }
        }
    }

    /// Loose expressions get parentheses beside other rows.
    fn wrapped(row: &Row, is_joined: bool, reprint: bool) -> String {
        let text = row.print(reprint);
        let is_expression = row.operator == Operator::Expression;
        let is_bare = is_joined && is_expression && without_parentheses(&text) == text;
        if is_bare && binds_loosely(&text) { ["(", &text, ")"].concat() } else { text }
    }
}

fn has_same_meaning(text: &str, other: &str) -> bool {
    let (Ok(Condition::Expression(one)), Ok(Condition::Expression(two))) =
        (Condition::parse(text), Condition::parse(other))
    else {
        return text == other;
    };
    let predicates = |(a, b): (&Predicate, &Predicate)| match (a, b) {
        (Predicate::Equals(a), Predicate::Equals(b))
        | (Predicate::Differs(a), Predicate::Differs(b))
        | (Predicate::Contains(a), Predicate::Contains(b)) => a.text == b.text,
        (a, b) => a == b,
    };
    let is_same_atom =
        |(a, b): (&Atom, &Atom)| a.reference == b.reference && predicates((&a.predicate, &b.predicate));
    let is_same_tree = |(a, b): (&Computed, &Computed)| a.ast == b.ast;
    one.root == two.root
        && one.atoms.iter().zip(&two.atoms).all(is_same_atom)
        && one.computed.iter().zip(&two.computed).all(is_same_tree)
}

/// Whether a text needs parentheses beside `&&` or `||`.
fn binds_loosely(text: &str) -> bool {
    let Ok(Condition::Expression(expression)) = Condition::parse(text) else { return false };
    let joins = |root: &Logic| matches!(root, Logic::All(_) | Logic::Any(_));
    let beside = ["last.a == 1 && ", text, " && last.b == 1"].concat();
    let count = |text: &str| Rows::parse(text).map_or(0, |rows| rows.parts.len());
    joins(&expression.root) || count(&beside) != 3
}

impl ConditionPart {
    fn len(&self) -> usize {
        match self {
            Self::Row(_) => 1,
            Self::Group(rows) => rows.len(),
        }
    }
}

impl Join {
    fn as_str(self) -> &'static str {
        match self {
            Self::All => " && ",
            Self::Any => " || ",
        }
    }

    /// The other operator.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::All => Self::Any,
            Self::Any => Self::All,
        }
    }
}
