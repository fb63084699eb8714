//! What an editor of plans asks while a person types: problems, completion, hover, definitions, names, symbols, formatting.
//!
//! Decides what is said of a place in a text. Every answer is a pure function of a document and a byte offset; nothing here waits,
//! draws or knows a protocol, so a page, a terminal and a language server share it.
//!
//! Source: design sections 4 and 14.

mod document;

pub use document::Document;
