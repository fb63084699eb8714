//! Reads, checks and prints plans.
//!
#![doc = include_str!("../README.md")]

pub mod graph;
pub mod key;
pub mod kind;
pub mod secret_names;
pub mod stub;
