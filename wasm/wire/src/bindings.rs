//! JavaScript bindings for the wire protocols.
//!
//! Each function parses its arguments, calls one function and serializes the result. JSON text crosses the
//! boundary in half the time of objects.
//!
//! Invariant: this package's TypeScript passes well-formed values. A malformed value counts as absent. Model
//! requests are stricter: an unreadable request is never sent.

pub mod auth;
pub mod mcp;
pub mod model;

use crate::http::HttpHead;
use serde_json::{Value, json};
use stepgraph_codec::json;

fn parse_head(status: u16, headers: &str) -> HttpHead {
    HttpHead { status, headers: json::pairs(&json::parse(headers)) }
}

fn failed_json(code: &str, message: &str) -> Value {
    json!({"type": "failed", "code": code, "message": message})
}
