//! Decides what a plan means and what happens in a run; knows nothing of who answers, of time, or of JavaScript.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Rooms
//!
//! [`graph`] the plan as a document · [`node`] what types of nodes do · [`machine`] a run as a pure function · [`host`] and [`driver`]
//! who answers, who waits · [`cassette`] recorded runs · [`stub`] stand-ins · [`trace`] what happened, as JSON · [`tool`], [`model`]
//! neutral shapes · [`toolplan`] what a model planned · [`flows`] the plans that come with it.
//!
//! Below: `stepgraph-text` and `stepgraph-schema`. Above: `stepgraph-authoring`.

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

// What stands below the engine: who uses it by its paths here need not know on which floor it is.
pub use stepgraph_plan::{graph, key, kind, secret_names};
pub use stepgraph_schema as schema;
pub use stepgraph_text::{diagnostic, expr, json, list, lists, names, number, sort, source, value};
