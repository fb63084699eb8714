//! Every test of this crate in one binary.
//!
//! A binary of its own for each file would link the same crates thirty times.

mod agents;
mod author;
mod cassettes;
mod codes;
mod compare;
mod compliance;
mod conditions;
mod conformance;
mod dataflow;
mod diagnostics;
mod document;
mod edits;
mod exchange;
mod failure_codes;
mod fuzz;
mod graph_edits;
mod half_typed;
mod hostile;
mod join_table;
mod language;
mod orders;
mod pace;
mod plain;
mod printed;
mod properties;
mod react;
mod scopes;
mod source_agrees;
mod source_holds;
mod tidy;
mod toolplans;
mod transitions;
mod yaml_suite;
