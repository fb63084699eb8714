//! Stepgraph's edge: what JavaScript sees of the engine, and the wire protocols.
//!
//! Decides how values and calls cross the border, nothing else. The protocol rooms ([`sse`], [`http`], [`mcp`], [`model`])
//! are pure: they know no `fetch` and run in native tests.
//!
//! Invariants: a binding converts, calls one function of the core, and converts back.

pub mod graph;
pub mod http;
pub mod mcp;
pub mod model;
pub mod run_support;
pub mod schema;
pub mod sse;
pub mod stubs;
pub mod toolplan;
pub mod wire_bindings;

pub use stepgraph_engine as engine;
