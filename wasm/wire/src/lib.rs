//! The wire protocols and their JavaScript bindings: MCP, signing in, models.
//!
//! The protocol modules ([`sse`], [`http`], [`mcp`], [`model`]) are pure. They have no `fetch` and run in
//! native tests.
//!
//! Invariant: only JSON text crosses between this module and the engine's, so the first client loads it.

pub mod bindings;
pub mod http;
pub mod mcp;
pub mod model;
pub mod sse;
