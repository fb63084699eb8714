//! Stepgraph's edge.

pub mod http;
pub mod mcp;
pub mod model;
pub mod sse;
pub mod wire_js;
