//! The engine's JavaScript bindings: each converts its arguments, calls one function of the core, and
//! converts the result.

pub mod parts;

pub mod expression;
pub mod graph;
pub mod run_support;
pub mod schema;
pub mod stubs;
pub mod toolplan;

pub use stepgraph_engine as engine;
