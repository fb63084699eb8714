//! Completes members and operands whose type the expression itself decides: variables of macros, results of
//! functions, `math.`, timestamps and durations.

use super::{Candidate, Completer, CompletionKind};
use crate::language::expression_lexer::{self, Segment};
use crate::language::inference::MAX_HOPS;
use crate::language::typed_expression::{Receiver, TypedExpression};
use crate::language::value_type::ValueType;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::{Function, Syntax, Type};

impl Completer<'_, '_> {
    /// Up to the position.
    fn typed_expression(&self) -> TypedExpression {
        let (span, is_condition) = self.expression_span();
        let syntax = Syntax { bare_words: is_condition, ..Syntax::default() };
        TypedExpression::new(self.inference, &self.location, span, syntax, MAX_HOPS)
    }

    fn expression_span(&self) -> (Span, bool) {
        let (span, _) = expression_lexer::inner(self.inference.tree.text, self.context.span);
        let before = self.inference.tree.text.get(span.start..self.at).unwrap_or_default();
        match before.rfind("${") {
            Some(placeholder) => (Span::new(span.start + placeholder + 2, self.at), false),
            None => (Span::new(span.start.min(self.at), self.at), true),
        }
    }

    /// Whether a dot precedes the position, after something other than a path that begins with a root.
    pub(super) fn typed_member(&mut self) -> bool {
        let (span, _) = self.expression_span();
        let before = self.inference.tree.text.get(span.start..self.at).unwrap_or_default();
        let name = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !name.ends_with('.') {
            return false;
        }
        let Some((receiver, span)) = self.typed_expression().receiver(self.at) else { return false };
        let kind = match receiver {
            Receiver::Math => {
                self.math(span);
                return true;
            }
            Receiver::Value(kind) => kind,
        };
        let segment =
            Segment { text: "".into(), span, in_brackets: false, start: span.start.saturating_sub(1) };
        match kind {
            Type::Timestamp => self.methods_of("timestamp", span),
            Type::Duration => self.methods_of("duration", span),
            kind => self.path(&segment, &ValueType::from_schema(kind.to_schema())),
        }
        true
    }

    fn math(&mut self, span: Span) {
        let names = Function::functions().filter_map(|function| {
            let name = function.name();
            let short = name.strip_prefix("math.").unwrap_or(name);
            (Function::named(&format!("math.{short}")) == Some(function)).then_some((short, function))
        });
        for (rank, (name, function)) in (0..).zip(names) {
            self.function(rank, (name, function), span);
        }
    }

    pub(super) fn methods_of(&mut self, receiver: &str, span: Span) {
        let fits = |function: &Function| function.receivers().any(|found| found.starts_with(receiver));
        for (rank, function) in (100..).zip(Function::functions().filter(fits)) {
            self.function(rank, (function.name(), function), span);
        }
    }

    pub(super) fn function(&mut self, rank: u32, (name, function): (&str, Function), span: Span) {
        let docs = function.docs();
        let doc = format!("{}\n\n`{}` → `{}`", docs.summary, docs.example, docs.result);
        let (text, detail) = (format!("{name}("), function.signature_text());
        let candidate =
            Candidate { rank, kind: CompletionKind::Function, label: name, detail, doc: Some(doc) };
        self.add_term(candidate, &text, span, false);
    }

    /// In a macro, its variable is the most likely operand.
    pub(super) fn variables(&mut self, span: Span) {
        let expression = self.typed_expression();
        for (rank, (name, kind)) in (0..).zip(expression.variables(self.at)) {
            let detail = describe(&kind);
            let kind = CompletionKind::Value;
            self.add_term(
                Candidate { rank, kind, label: name, detail: &detail, doc: None },
                name,
                span,
                false,
            );
        }
    }

    /// Whether an operand belongs at the end of this text.
    pub(super) fn expects_operand(typed: &str) -> bool {
        let typed = typed.trim_end();
        let word = typed.strip_suffix("in").is_some_and(|rest| rest.ends_with([' ', ')', ']']));
        word || typed.is_empty()
            || typed.ends_with([
                '(', '[', '{', ',', ':', '?', '!', '&', '|', '=', '<', '>', '+', '-', '*', '/', '%',
            ])
    }
}

/// In the words of the other completions.
pub(crate) fn describe(kind: &Type) -> String {
    match kind {
        Type::Timestamp => "timestamp".to_owned(),
        Type::Duration => "duration".to_owned(),
        kind => ValueType::from_schema(kind.to_schema()).describe(),
    }
}
