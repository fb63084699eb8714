//! The text of a plan: YAML and JSON with spans, references, conditions, templates, and their diagnostics.
//!
//! This crate does not depend on nodes, graphs or runs.
//!
//! - [`source`]: parses a text to a tree with spans.
//! - [`expr`]: references, conditions, templates.
//! - [`value`]: the interface of the engine to values.
//! - [`json`]: the JSON reader.
//! - [`parse_float`]: decimal text to floats.
//! - [`diagnostic`]: errors, warnings and hints.
//! - [`interner`]: names and their numbers.
//! - [`collect`]: iterators to `Vec`.
//! - [`adjacency`]: adjacency lists in one buffer.
//! - [`sort`]: sorting, compiled once.

pub mod adjacency;
pub mod collect;
pub mod diagnostic;
pub mod expr;
pub mod interner;
pub mod json;
pub mod parse_float;
pub mod sort;
pub mod source;
pub mod value;
