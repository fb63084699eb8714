//! Reads, checks and prints plans.
//!
//! Knows the node types. `stepgraph-core` knows the capabilities of hosts and runs plans.
//!
//! [`graph`] the plan, its graphs, nodes and edges · [`kind`] node types, their settings and outputs · [`stub`] stubs
//! for tests · [`secret_names`] names of secrets · [`key`] misspelt names.
//!
//! Depends on `stepgraph-text` and `stepgraph-schema`.

pub mod graph;
pub mod key;
pub mod kind;
pub mod secret_names;
pub mod stub;
