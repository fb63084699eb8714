//! Decides what a plan means and what happens in a run; knows nothing of who answers, of time, or of JavaScript.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Rooms
//!
//! From the ground up; each uses only those before it, which a test holds it to. [`flows`] the plans that come with it · [`tool`],
//! [`model`] neutral shapes · [`failure`] why a call gave nothing · [`capabilities`] what a host can do · [`toolplan`] what a model
//! planned · [`node`] what types of nodes do · [`check`] what is wrong with a plan for a host · [`machine`] a run as a pure function ·
//! [`stub`] stand-ins · [`trace`] what happened, as JSON · [`cassette`] recorded runs · [`host`] and [`driver`] who answers, who
//! waits · [`replay`] recorded runs once more.
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
pub mod replay;
pub mod stub;
pub mod tool;
pub mod toolplan;
pub mod trace;

use stepgraph_plan::key;

// What stands below the engine: who uses it by its paths here need not know on which floor it is.
pub use stepgraph_plan::{graph, kind, secret_names};
pub use stepgraph_schema as schema;
pub use stepgraph_text::{diagnostic, expr, json, list, lists, names, number, sort, source, value};
