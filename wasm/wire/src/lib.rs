//! The wire protocols and their JavaScript bindings: MCP, signing in, models.
//!
//! Invariants: the protocol modules ([`sse`], [`http`], [`mcp`], [`model`]) are pure. Only JSON text crosses
//! to the engine's module, so the first client loads this one.

pub mod bindings;
pub mod http;
pub mod mcp;
pub mod model;
mod names;
pub mod sse;
