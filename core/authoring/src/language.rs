//! What an editor of plans asks while a person types: problems, completion, hover, definitions, names, symbols, formatting.
//!
//! Decides what is said of a place in a text. Every answer is a pure function of a document and a byte offset; nothing here waits,
//! draws or knows a protocol, so a page, a terminal and a language server share it.
//!
//! Files: `document` the text and what is known of it · `syntax_tree` and `completion_context` where a place is, however broken the text · `expression_lexer`
//! conditions and templates while they are typed · `plan_format` what may stand where · `partial_graph`, `inference`, `value_type` what is known of nodes and values ·
//! `complete`, `hover`, `navigation`, `rename`, `symbols`, `folding`, `code_actions`, `semantic_tokens`, `format`, `plan_schema` the answers · `condition_text` conditions in words · `markdown` text of strangers.
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
mod markdown;
mod navigation;
mod partial_graph;
pub mod plan_format;
mod plan_schema;
mod rename;
mod semantic_tokens;
mod symbols;
mod syntax_tree;
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
