//! Authoring of plans: [`edit`] applies edits, [`language`] answers editors, [`compare`] compares and merges,
//! [`interop`] converts other formats. Programs that only run plans do not need this crate.

pub mod compare;
pub mod edit;
pub mod interop;
pub mod language;
