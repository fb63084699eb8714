//! Edits plans, answers editors, compares plans and reads other formats.
//!
#![doc = include_str!("../README.md")]

pub mod compare;
pub mod edit;
pub mod interop;
pub mod language;
