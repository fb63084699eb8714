//! The plan as a document: reads it, says what is wrong with it on every path, prints it.
//!
//! Knows which types of node there are. Does not know what a host can do, nor how a plan runs: that is `stepgraph-core`.
//!
//! [`graph`] the plan, its graphs, nodes and edges · [`kind`] the types of nodes: their settings and outputs · [`stub`] what a plan's
//! tests say of stubs · [`secret_names`] which names say that a secret stands under them · [`key`] names that are almost known.
//!
//! Below: `stepgraph-text` and `stepgraph-schema`.

pub mod graph;
pub mod key;
pub mod kind;
pub mod secret_names;
pub mod stub;
