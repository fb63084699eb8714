//! JavaScript bindings for the wire protocols. JSON text crosses the boundary in half the time of objects.
//!
//! Invariant: a malformed value counts as absent, but an unreadable model request is never sent.

pub mod auth;
pub mod mcp;
pub mod model;
pub mod parts;

use crate::http::HttpHead;
use serde_json::{Value, json};
use stepgraph_codec::json;

fn parse_head(status: u16, headers: &str) -> HttpHead {
    HttpHead { status, headers: json::pairs(&json::parse(headers)) }
}

fn failed_json(code: &str, message: &str) -> Value {
    json!({"type": "failed", "code": code, "message": message})
}
