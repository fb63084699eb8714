//! Semantic tokens of a plan, also in broken text, but not of plain YAML.
//!
//! Invariants: tokens are in text order, stay on one line and do not overlap.
//!
//! Source: the Language Server Protocol, semantic tokens.

use super::Document;
use super::expression_lexer::{self, ExprToken};
use super::navigation::unquoted;
use super::plan_format::{KeyNames, PlanLocation, ValueSpec, built_in};
use super::syntax_tree::{SyntaxTree, ValueForm};
use stepgraph_core::diagnostic::Span;

/// A token's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SemanticTokenKind {
    /// Format key.
    Key,
    /// Node type.
    Type,
    /// Node name.
    Node,
    /// A tool.
    Tool,
    /// Model, input, server or branch.
    Name,
    /// `last`, `output`.
    Root,
    /// Path step.
    Property,
    /// Comparison, logical operator.
    Operator,
    /// A text literal.
    Text,
    /// A number.
    Number,
    /// `default`, `true`.
    Keyword,
    /// Dots, brackets, `${`, `}`.
    Punctuation,
}

impl SemanticTokenKind {
    /// Indexes are numbers.
    pub const ALL: [Self; 12] = [
        Self::Key,
        Self::Type,
        Self::Node,
        Self::Tool,
        Self::Name,
        Self::Root,
        Self::Property,
        Self::Operator,
        Self::Text,
        Self::Number,
        Self::Keyword,
        Self::Punctuation,
    ];

    /// JSON name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Type => "type",
            Self::Node => "node",
            Self::Tool => "tool",
            Self::Name => "name",
            Self::Root => "root",
            Self::Property => "property",
            Self::Operator => "operator",
            Self::Text => "text",
            Self::Number => "number",
            Self::Keyword => "keyword",
            Self::Punctuation => "punctuation",
        }
    }
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// In bytes.
    pub span: Span,
    /// The kind.
    pub kind: SemanticTokenKind,
    /// Defined here.
    pub is_definition: bool,
}

/// Tokens in text order.
pub fn semantic_tokens(document: &Document) -> Vec<SemanticToken> {
    let tree = SyntaxTree::new(document.text(), document.format());
    let locations = PlanLocation::all(&tree);
    let mut painter = TokenCollector { tree: &tree, tokens: Vec::new() };
    for (at, location) in locations.iter().enumerate().skip(1) {
        let holder = locations.get(tree.item(at).parent);
        painter.item(at, location, holder);
    }
    let mut found = painter.tokens;
    found.sort_by_key(|token| token.span);
    let mut end = 0;
    found.retain(|token| {
        let apart = token.span.start >= end && token.span.end > token.span.start;
        if apart {
            end = token.span.end;
        }
        apart
    });
    found
}

/// Pairs of brackets in conditions and templates.
pub fn matching_brackets(document: &Document) -> Vec<(Span, Span)> {
    let text = document.text();
    let mut open: Vec<(Span, char)> = Vec::new();
    let mut pairs = Vec::new();
    for token in semantic_tokens(document).iter().filter(|token| token.kind == SemanticTokenKind::Punctuation)
    {
        let word = text.get(token.span.start..token.span.end).unwrap_or_default();
        match word {
            "${" => open.push((token.span, '}')),
            "(" => open.push((token.span, ')')),
            "[" => open.push((token.span, ']')),
            "}" | ")" | "]" => {
                let fits = open.iter().rposition(|(_, close)| word.starts_with(*close));
                if let Some(at) = fits {
                    let begin = open.get(at).map(|(span, _)| *span).unwrap_or_default();
                    open.truncate(at);
                    pairs.push((begin, token.span));
                }
            }
            _ => {}
        }
    }
    pairs
}

struct TokenCollector<'s, 't> {
    tree: &'s SyntaxTree<'t>,
    tokens: Vec<SemanticToken>,
}

impl TokenCollector<'_, '_> {
    fn add(&mut self, kind: SemanticTokenKind, span: Span, is_definition: bool) {
        let one_line = !self.tree.slice(span).contains(['\n', '\r']);
        if one_line {
            self.tokens.push(SemanticToken { span, kind, is_definition });
        }
    }

    fn item(&mut self, at: usize, location: &PlanLocation, holder: Option<&PlanLocation>) {
        let item = self.tree.item(at);
        if let (Some(key), Some(holder)) = (item.key, holder) {
            let (kind, is_definition) = match holder.spec {
                ValueSpec::Map(_) | ValueSpec::Settings | ValueSpec::Behaviour
                    if location.field.is_some() =>
                {
                    (SemanticTokenKind::Key, false)
                }
                ValueSpec::Named(KeyNames::DeclaredNodes, _) => (SemanticTokenKind::Node, true),
                ValueSpec::Named(KeyNames::NodeKeys | KeyNames::NodeIds, _) => {
                    (SemanticTokenKind::Node, false)
                }
                ValueSpec::Named(KeyNames::Tools, _) => (SemanticTokenKind::Tool, false),
                ValueSpec::Named(KeyNames::NodeTypes, _) => (SemanticTokenKind::Type, false),
                ValueSpec::Named(..) => (SemanticTokenKind::Name, true),
                _ => (SemanticTokenKind::Property, false),
            };
            self.add(kind, unquoted(self.tree, key), is_definition);
        }
        if item.form == ValueForm::Scalar {
            self.scalar(item.value, location);
        }
    }

    fn scalar(&mut self, value: Span, location: &PlanLocation) {
        let raw = self.tree.slice(value);
        let span = unquoted(self.tree, value);
        let kind = match location.spec {
            ValueSpec::Condition => return self.expression(value, true),
            ValueSpec::Input
            | ValueSpec::Template
            | ValueSpec::NumberTemplate
            | ValueSpec::Any
            | ValueSpec::Schema
            | ValueSpec::Model
                if raw.contains("${") =>
            {
                return self.expression(value, false);
            }
            ValueSpec::NodeType => match built_in(self.tree.slice(span)) {
                Some(_) => SemanticTokenKind::Type,
                None => SemanticTokenKind::Tool,
            },
            ValueSpec::NodeKey | ValueSpec::NodeId => SemanticTokenKind::Node,
            ValueSpec::Tool => SemanticTokenKind::Tool,
            ValueSpec::Model => SemanticTokenKind::Name,
            ValueSpec::Enum(_) | ValueSpec::Bool | ValueSpec::Decision => SemanticTokenKind::Keyword,
            ValueSpec::Behaviour if location.field.is_some() || matches!(raw, "echo" | "input" | "last") => {
                SemanticTokenKind::Keyword
            }
            ValueSpec::FailureCode | ValueSpec::OneOrMany(_) => SemanticTokenKind::Keyword,
            ValueSpec::Number { .. } | ValueSpec::NumberTemplate | ValueSpec::Pair | ValueSpec::Format => {
                SemanticTokenKind::Number
            }
            _ => return,
        };
        self.add(kind, span, false);
    }

    fn expression(&mut self, value: Span, condition: bool) {
        let lexed = expression_lexer::scalar(self.tree.text, value, condition);
        let names: Vec<Span> = lexed
            .atoms
            .iter()
            .filter_map(|atom| {
                let output = atom.segments.first().is_some_and(|root| root.text == "output");
                atom.segments.get(1).filter(|_| output).map(|name| name.span)
            })
            .collect();
        let mut names = names.iter().peekable();
        for (part, span) in &lexed.tokens {
            while names.next_if(|name| name.end <= span.start).is_some() {}
            let is_name = names.peek().is_some_and(|name| *name == span);
            let word = self.tree.slice(*span);
            let kind = match part {
                ExprToken::Key if is_name => SemanticTokenKind::Node,
                ExprToken::Root => SemanticTokenKind::Root,
                ExprToken::Key => SemanticTokenKind::Property,
                ExprToken::Index => SemanticTokenKind::Number,
                ExprToken::Operator => SemanticTokenKind::Operator,
                ExprToken::Keyword => SemanticTokenKind::Keyword,
                ExprToken::Punctuation => SemanticTokenKind::Punctuation,
                ExprToken::Literal if stepgraph_core::source::json_number(word).is_some() => {
                    SemanticTokenKind::Number
                }
                ExprToken::Literal if matches!(word, "true" | "false" | "null") => SemanticTokenKind::Keyword,
                ExprToken::Literal => SemanticTokenKind::Text,
            };
            self.add(kind, *span, false);
        }
    }
}
