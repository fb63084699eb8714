//! Stepgraph's WebAssembly boundary: JavaScript bindings of the engine, and the wire protocols.
//!
//! The protocol modules ([`sse`], [`http`], [`mcp`], [`model`]) are pure. They have no `fetch` and run in
//! native tests.
//!
//! Invariant: a binding converts its arguments, calls one function of the core, and converts the result.

pub mod expression;
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
