//! Edits edges, and checks conditions in a copy of the text, so results match the text editor's.

use super::{EditOutcome, PlanEditor};
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_authoring::language::{Completion, CompletionKind, Document, complete};
use stepgraph_core::diagnostic::{Diagnostic, Span, Target, TextEdit};
use stepgraph_core::expression::is_key_char;
use stepgraph_core::source::edit::apply_edits;

/// Marks the typed text in the copy. No plan contains it.
pub const PLACEHOLDER: &str = "stepgraph_condition_is_tried_here";

/// Check result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConditionCheck {
    /// Diagnostics.
    pub problems: Vec<String>,
    /// At the cursor.
    pub proposals: Vec<Proposal>,
}

/// Possible completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Label.
    pub label: String,
    /// Short description.
    pub detail: String,
    /// Bytes to replace.
    pub span: Span,
    /// Replacement.
    pub text: String,
}

impl PlanEditor {
    /// Changes the ends.
    pub fn reconnect(
        &mut self,
        line: usize,
        from: Option<usize>,
        to: Option<usize>,
        at_ms: f64,
    ) -> EditOutcome {
        self.refresh();
        let key = |node: Option<usize>| Some(self.scene.nodes.get(node?)?.key.clone());
        let (from, to) = (key(from), key(to));
        let Some(edge) = self.scene.edges.get(line) else { return Ok(Vec::new()) };
        let reconnect = GraphEdit::Reconnect { scope: edge.scope.clone(), edge: edge.index, from, to };
        self.apply_all(&[reconnect], "reconnect", at_ms)
    }

    /// Empty removes it.
    pub fn set_condition(&mut self, scope: &str, edge: usize, condition: &str, at_ms: f64) -> EditOutcome {
        let condition = Some(condition.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        let set = GraphEdit::SetCondition { scope: scope.to_owned(), edge, condition };
        self.apply_all(&[set], "condition", at_ms)
    }

    /// `cursor` is a byte offset.
    pub fn check_condition(&self, scope: &str, edge: usize, typed: &str, cursor: usize) -> ConditionCheck {
        let mark = GraphEdit::SetCondition {
            scope: scope.to_owned(),
            edge,
            condition: Some(PLACEHOLDER.to_owned()),
        };
        let target = Target::Condition(scope.to_owned(), edge);
        let is_own = |problem: &Diagnostic, _| problem.target == target;
        let mark = [mark];
        let mut check = self.check_in_copy(&mark, typed, cursor, is_own).unwrap_or_default();
        // The language service takes a right side for text.
        if let Some(start) = operand_start(typed, cursor).filter(|_| check.proposals.is_empty()) {
            let operand = typed.get(start..cursor).unwrap_or_default();
            let alone = self.check_in_copy(&mark, operand, operand.len(), is_own).unwrap_or_default();
            let is_operand = |found: &Proposal| found.label != "default";
            let shifted = |found: Proposal| Proposal { span: found.span.shifted(start), ..found };
            check.proposals = alone.proposals.into_iter().filter(is_operand).map(shifted).collect();
        }
        check
    }

    /// The edits contain [`PLACEHOLDER`].
    pub fn check_template(&self, edits: &[GraphEdit], typed: &str, cursor: usize) -> ConditionCheck {
        let is_own = |problem: &Diagnostic, value: Span| {
            problem.span.is_some_and(|span| value.start <= span.start && span.end <= value.end)
        };
        self.check_in_copy(edits, typed, cursor, is_own).unwrap_or_default()
    }

    fn check_in_copy(
        &self,
        edits: &[GraphEdit],
        typed: &str,
        cursor: usize,
        is_own: impl Fn(&Diagnostic, Span) -> bool,
    ) -> Option<ConditionCheck> {
        let marked = self.document.edit(edits).ok()?.text;
        let at = marked.find(PLACEHOLDER)?;
        // Unquoted input could change the file's structure.
        let is_quoted =
            marked.get(..at).is_some_and(|before| before.ends_with('"') || before.ends_with('\''));
        let open = if is_quoted { at - 1 } else { at };
        let close = at + PLACEHOLDER.len() + usize::from(is_quoted);
        let json = marked.trim_start().starts_with('{') && marked.get(open..=open) == Some("\"");
        let written = QuotedCondition::new(typed, json);
        let edits = [TextEdit { span: Span::new(open, close), text: written.text.clone() }];
        let mut copy = Document::new(apply_edits(&marked, &edits), self.document.format());
        copy.set_capabilities(self.document.capabilities().clone());
        let value = Span::new(open, open + written.text.len());
        let problems = copy.diagnostics().iter().filter(|problem| is_own(problem, value));
        let problems = problems.map(|problem| {
            let help = problem.help.as_deref().map(|help| [" — ", help].concat()).unwrap_or_default();
            [problem.message.as_str(), &help].concat()
        });
        let found = complete(&copy, open + written.to_quoted(cursor));
        let proposals = found.into_iter().filter_map(|found| {
            let (start, end) =
                (found.edit.span.start.checked_sub(open)?, found.edit.span.end.checked_sub(open)?);
            let span = Span::new(written.to_typed(start)?, written.to_typed(end)?);
            Some(Proposal { detail: describe(&found), label: found.label, span, text: found.edit.text })
        });
        Some(ConditionCheck { problems: problems.collect(), proposals: proposals.collect() })
    }
}

/// A function's effect, else the type.
fn describe(found: &Completion) -> String {
    let documentation = found.documentation.as_deref().filter(|_| found.kind == CompletionKind::Function);
    let effect = documentation.and_then(|text| text.lines().next());
    effect.or(found.detail.as_deref()).unwrap_or_default().to_owned()
}

/// After an operator, bracket or comma.
fn operand_start(typed: &str, cursor: usize) -> Option<usize> {
    let before = typed.get(..cursor)?;
    let is_quoted = |mark: char| before.matches(mark).count() % 2 == 1;
    if is_quoted('"') || is_quoted('\'') {
        return None;
    }
    let start = before.trim_end_matches(|c: char| is_key_char(c) || c == '.' || c == '[' || c == ']').len();
    let lead = before.get(..start)?.trim_end();
    lead.ends_with(['<', '>', '=', '+', '-', '*', '/', '%', '(', ',', '?', ':', '&', '|', '!'])
        .then_some(start)
}

struct QuotedCondition {
    text: String,
    /// Per input byte, and the end.
    offsets: Vec<usize>,
}

impl QuotedCondition {
    fn new(typed: &str, json: bool) -> Self {
        let quote = if json { '"' } else { '\'' };
        let mut text = String::from(quote);
        let mut places = Vec::with_capacity(typed.len() + 1);
        for c in typed.chars() {
            places.extend(std::iter::repeat_n(text.len(), c.len_utf8()));
            match c {
                '\'' if !json => text.push_str("''"),
                '"' | '\\' if json => text.extend(['\\', c]),
                c if c.is_control() => text.push(' '),
                c => text.push(c),
            }
        }
        places.push(text.len());
        text.push(quote);
        Self { text, offsets: places }
    }

    fn to_quoted(&self, typed: usize) -> usize {
        self.offsets.get(typed).or(self.offsets.last()).copied().unwrap_or_default()
    }

    fn to_typed(&self, vertex: usize) -> Option<usize> {
        self.offsets.iter().position(|known| *known == vertex)
    }
}
