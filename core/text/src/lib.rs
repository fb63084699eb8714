//! Reads the text of a plan: YAML and JSON with places, references, conditions and templates. Says what is wrong as diagnostics.
//!
//! Knows nothing of nodes, graphs or runs.
//!
//! [`source`] text to a tree with places · [`expr`] references, conditions, templates · [`value`] what the engine asks of a value ·
//! [`json`] the JSON reader · [`number`] numbers as text · [`diagnostic`] what is wrong, as a value · [`names`] names and their
//! numbers · [`list`] lists of what comes one by one · [`lists`] lists by number, all in one · [`sort`] sorting, compiled once.

pub mod diagnostic;
pub mod expr;
pub mod json;
pub mod list;
pub mod lists;
pub mod names;
pub mod number;
pub mod sort;
pub mod source;
pub mod value;
