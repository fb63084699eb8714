//! Decides the meaning of a plan and the course of a run. Knows no host, no clock and no JavaScript.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! Each uses only those before it, as a test enforces. [`flows`] built-in planner flows · [`tool`], [`model`] neutral
//! shapes · [`failure`] failures of calls · [`capabilities`] abilities of a host · [`toolplan`] tool calls that a model
//! planned · [`node`] the node types · [`check`] diagnostics of a plan for a host · [`machine`] a run as a pure
//! function · [`stub`] stubs · [`trace_json`] the trace as JSON · [`cassette`] recorded runs · [`host`] and [`driver`]
//! answering calls · [`replay`] replaying recorded runs.
//!
//! Below: `stepgraph-plan`, `stepgraph-schema` and `stepgraph-text`. Above: `stepgraph-authoring`.

pub mod capabilities;
pub mod cassette;
pub mod check;
pub mod driver;
pub mod failure;
pub mod flows;
pub mod host;
pub mod machine;
pub mod model;
pub mod node;
mod partial_condition;
pub mod replay;
pub mod stub;
pub mod tool;
pub mod toolplan;
pub mod trace_json;

use stepgraph_plan::key;

// Users need not know in which crate an item is.
pub use stepgraph_expression as expression;

/// Values and paths.
pub mod value {
    pub use stepgraph_expression::Value;
    pub use stepgraph_text::value::*;
}

pub use stepgraph_plan::{graph, kind, secret_names};
pub use stepgraph_schema as schema;
pub use stepgraph_text::{adjacency, collect, diagnostic, interner, json, parse_float, sort, source};
