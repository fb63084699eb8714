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
mod failure_codes;
mod fuzz;
mod graph_edits;
mod hostile_plans;
mod incomplete_text;
mod interleavings;
mod interop;
mod join_table;
mod language;
mod pace;
mod print_roundtrip;
mod properties;
mod react;
mod scopes;
mod source_differential;
mod source_properties;
mod tidy;
mod toolplans;
mod transitions;
mod yaml_fast_path;
mod yaml_suite;
