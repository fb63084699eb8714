//! Stepgraph's edge: what JavaScript sees of the engine, and the wire protocols.
//!
//! Decides how values and calls cross the border, nothing else. The protocol rooms ([`sse`], [`http`], [`mcp`], [`model`])
//! are pure: they know no `fetch` and run in native tests.
//!
//! Invariants: a binding converts, calls one function of the core, and converts back.

pub mod graph;
pub mod http;
pub mod json;
pub mod mcp;
pub mod model;
pub mod pack;
pub mod run;
pub mod sse;
pub mod value;
pub mod wire_js;
