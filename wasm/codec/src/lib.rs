//! JSON exchanged with JavaScript. A separate crate without bindings, because modules export the bindings of
//! every linked crate.
//!
//! `inline` lets the caller's crate compile each function. Otherwise the engine's module would be 3 kB
//! larger, gzipped.
//!
//! Invariant: offsets are bytes in the core and UTF-16 units in JSON.

pub mod capabilities;
pub mod diagnostics;
pub mod files;
pub mod json;
