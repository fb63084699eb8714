//! JSON exchanged with JavaScript. The crate has no bindings, because modules export those of every linked
//! crate.
//!
//! `inline` lets the caller's crate compile each function. Otherwise the engine's module would be 3 kB
//! larger, gzipped.
//!
//! Invariant: offsets are bytes in the core and UTF-16 units in JSON.

pub mod capabilities;
pub mod diagnostics;
pub mod files;
pub mod json;
