//! What an editor of plans asks while a person types: problems, completion, hover, definitions, names, symbols, formatting.
//!
//! Decides what is said of a place in a text. Every answer is a pure function of a document and a byte offset; nothing here waits,
//! draws or knows a protocol, so a page, a terminal and a language server share it.
//!
//! Files: `document` the text and what is known of it · `sketch` and `context` where a place is, however broken the text · `expression`
//! conditions and templates while they are typed · `model` what may stand where · `nodes`, `given`, `shape` what is known of nodes and values ·
//! `complete`, `hover`, `define`, `rename`, `symbols`, `folding`, `actions`, `tokens`, `format`, `plan_schema` the answers · `words` conditions in words · `markdown` text of strangers.
//!
//! Source: `docs/editors.md`.

mod actions;
mod complete;
mod context;
mod define;
mod document;
mod expression;
mod format;
mod given;
mod hover;
mod markdown;
pub mod model;
mod nodes;
mod plan_schema;
mod rename;
mod shape;
mod sketch;
mod symbols;
mod tokens;
mod words;

pub use actions::{Action, actions};
pub use complete::{Completion, CompletionKind, complete};
pub use define::{definition, references};
pub use document::Document;
pub use format::format;
pub use hover::{Hover, hover};
pub use plan_schema::plan_schema;
pub use rename::{prepare_rename, rename};
pub use symbols::{Fold, Symbol, SymbolKind, folding, symbols};
pub use tokens::{Token, TokenKind, brackets, tokens};
