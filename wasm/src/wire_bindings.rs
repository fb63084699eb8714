//! The wire protocols as classes and functions of JavaScript.
//!
//! Decides nothing: every function turns text into a shape of ours, calls one function, and turns the answer into text.
//! JSON text crosses the border in half the time that objects take.
//!
//! Invariant: what comes from TypeScript of this package is well-formed; should it not be, the value is as if absent. A
//! question to a model is more than that: one that can't be read as a whole is not sent.

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
