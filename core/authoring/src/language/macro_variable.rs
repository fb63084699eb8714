//! Finds a macro's variable, such as `x` in `last.items.map(x, x.price)`, and all places that use it.
//!
//! Invariant: a name means the variable of the nearest macro around it, whose list is not part of the macro.

use super::Document;
use super::completion_context::CompletionContext;
use super::expression_lexer::{inner, scalar};
use super::plan_format::{PlanLocation, ValueSpec};
use super::syntax_tree::SyntaxTree;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::expression::ast::{Comprehension, Expr, Kind, Name};
use stepgraph_core::expression::{Syntax, parse};
use stepgraph_core::source::edit::apply_edits;

/// A variable, with positions in the file.
pub(crate) struct MacroVariable {
    /// The definition comes first.
    pub(crate) spans: Vec<Span>,
    expression: Span,
    is_condition: bool,
}

impl MacroVariable {
    /// `None` if the position is at no variable.
    pub(crate) fn at(document: &Document, at: usize) -> Option<Self> {
        let tree = SyntaxTree::new(document.text(), document.format());
        let context = CompletionContext::new(&tree, at)?;
        let location = PlanLocation::new(&tree, &context.path, &context.items);
        let is_condition = matches!(location.spec, ValueSpec::Condition);
        let (expression, syntax) = expression_at(tree.text, context.span, at, is_condition)?;
        let is_condition = syntax.bare_words;
        let spans = variable_spans(tree.text, expression, is_condition, at)?;
        Some(Self { spans, expression, is_condition })
    }

    /// Whether the same places mean the variable after these edits, in text order.
    pub(crate) fn survives(&self, text: &str, edits: &[TextEdit]) -> bool {
        let Some(definition) = self.spans.first() else { return false };
        let after = apply_edits(text, edits);
        // All edits are inside the expression.
        let rest = text.len() - self.expression.end;
        let expression = Span::new(self.expression.start, after.len() - rest);
        let found = variable_spans(&after, expression, self.is_condition, definition.start);
        found.is_some_and(|spans| {
            spans.len() == self.spans.len() && spans.first().is_some_and(|it| it.start == definition.start)
        })
    }
}

/// The expression at a position in a value, without `${` and `}`.
pub(crate) fn expression_at(
    text: &str,
    value: Span,
    at: usize,
    is_condition: bool,
) -> Option<(Span, Syntax<'static>)> {
    let lexed = scalar(text, value, is_condition);
    let placeholder = lexed.placeholders.iter().find(|span| span.start <= at && at <= span.end);
    let span = match placeholder {
        Some(span) => {
            let closed = text.get(..span.end)?.ends_with('}');
            Span::new(span.start + 2, (span.end - usize::from(closed)).max(span.start + 2))
        }
        None if is_condition => inner(text, value).0,
        None => return None,
    };
    Some((span, Syntax { bare_words: placeholder.is_none(), ..Syntax::default() }))
}

/// Escaped quotes keep their length, so the positions hold.
pub(crate) fn without_escapes(raw: &str) -> String {
    raw.replace("\\\"", " \"").replace("''", " '")
}

fn variable_spans(text: &str, expression: Span, bare_words: bool, at: usize) -> Option<Vec<Span>> {
    let raw = text.get(expression.start..expression.end)?;
    let ast = parse(&without_escapes(raw), Syntax { bare_words, ..Syntax::default() }).ast;
    let found = binding(&ast.root, at.checked_sub(expression.start)?, &mut Vec::new())?;
    let mut spans = vec![found.variable.span];
    parts_of(found).for_each(|part| add_uses(part, &found.variable.text, &mut spans));
    let in_file = |span: &Span| Span::new(span.start + expression.start, span.end + expression.start);
    Some(spans.iter().map(in_file).collect_vec())
}

/// The parts of a macro that see its variable.
fn parts_of(it: &Comprehension) -> impl Iterator<Item = &Expr> {
    it.filter.iter().map(|filter| &**filter).chain([&*it.body])
}

fn is_at(name: &Name, at: usize) -> bool {
    name.span.start <= at && at <= name.span.end && !name.text.is_empty()
}

/// The parser limits the recursion.
fn binding<'e>(expr: &'e Expr, at: usize, around: &mut Vec<&'e Comprehension>) -> Option<&'e Comprehension> {
    match &expr.kind {
        Kind::Ident(name) if is_at(name, at) => {
            around.iter().rev().find(|it| it.variable.text == name.text).copied()
        }
        Kind::Comprehension(it) if is_at(&it.variable, at) => Some(it),
        Kind::Comprehension(it) => binding(&it.range, at, around).or_else(|| {
            around.push(it);
            let found = parts_of(it).find_map(|part| binding(part, at, around));
            around.pop();
            found
        }),
        _ => {
            let mut found = None;
            expr.each(&mut |part| found = found.or_else(|| binding(part, at, around)));
            found
        }
    }
}

fn add_uses(expr: &Expr, variable: &str, spans: &mut Vec<Span>) {
    match &expr.kind {
        Kind::Ident(name) if name.text == variable => spans.push(name.span),
        Kind::Comprehension(it) => {
            add_uses(&it.range, variable, spans);
            if it.variable.text != variable {
                parts_of(it).for_each(|part| add_uses(part, variable, spans));
            }
        }
        _ => expr.each(&mut |part| add_uses(part, variable, spans)),
    }
}
