//! Parses the text of a plan: YAML and JSON with positions. Reports mistakes as diagnostics.
//!
//! This crate does not depend on nodes, graphs or runs.
//!
//! [`source`] text to a tree with places · [`reference_syntax`] keys and roots of references · [`value`] what the engine asks of a value ·
//! [`json`] the JSON reader · [`parse_float`] numbers as text · [`diagnostic`] what is wrong, as a value · [`interner`] names and their
//! numbers · [`collect`] lists of what comes one by one · [`adjacency`] lists by number, all in one · [`sort`] sorting, compiled once.

pub mod adjacency;
pub mod collect;
pub mod diagnostic;
pub mod interner;
pub mod json;
pub mod parse_float;
pub mod reference_syntax;
pub mod sort;
pub mod source;
pub mod value;
