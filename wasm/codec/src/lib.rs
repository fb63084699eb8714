//! JSON that crosses the border to JavaScript, for both modules: the engine's and the editor's.
//!
//! Decides how diagnostics are written and how what a host offers is read. A crate of its own, without any binding: what is bound in
//! a crate is exported by every module that is linked with it.
//!
//! Everything here is `inline`, so that it becomes a part of the crate that calls it, as if it stood there: the engine's module would
//! else be 3 kB larger, gzipped.
//!
//! Invariant: places are bytes in the core and UTF-16 units in JSON, and this is where the one becomes the other.

pub mod capabilities;
pub mod diagnostics;
pub mod json;
