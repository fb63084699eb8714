//! JSON exchanged with JavaScript, for both modules: the engine and the editor.
//!
//! Serializes diagnostics, and reads the capabilities and the files of hosts. A separate crate without bindings, because every module
//! linked with a crate exports the crate's bindings.
//!
//! Everything here is `inline`, so the compiler treats it as part of the calling crate. Otherwise the engine's module
//! would be 3 kB larger, gzipped.
//!
//! Invariant: offsets are bytes in the core and UTF-16 units in JSON. This crate converts between them.

pub mod capabilities;
pub mod diagnostics;
pub mod files;
pub mod json;
