//! Stepgraph's edge.
