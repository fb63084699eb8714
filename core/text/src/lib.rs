//! Parses the text of a plan.
//!
#![doc = include_str!("../README.md")]

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
