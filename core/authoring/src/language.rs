//! The language service for plan files, also for broken text.
//!
//! Every answer is a pure function of a document and a byte offset, without I/O and protocol, so a web page,
//! a terminal and a language server share it.
//!
//! Source: `docs/editors.md`.

mod code_actions;
mod complete;
mod completion_context;
mod condition_text;
mod document;
mod expression_lexer;
mod format;
mod hover;
mod inference;
mod macro_variable;
mod markdown;
mod navigation;
mod partial_graph;
pub mod plan_format;
mod plan_schema;
mod rename;
mod semantic_tokens;
mod symbols;
mod syntax_tree;
mod typed_expression;
mod value_type;

pub use code_actions::{CodeAction, code_actions};
pub use complete::{Completion, CompletionKind, complete};
pub use document::Document;
pub use format::format;
pub use hover::{Hover, hover};
pub use navigation::{definition, references};
pub use plan_schema::plan_schema;
pub use rename::{prepare_rename, rename};
pub use semantic_tokens::{SemanticToken, SemanticTokenKind, matching_brackets, semantic_tokens};
pub use symbols::{FoldingRange, Symbol, SymbolKind, folding_ranges, symbols};
