//! A page that edits a plan as text and as a drawing, and runs it.
//!
//! ## Rooms
//!
//! [`geometry`] points and boxes · [`layout`] where nodes stand.

pub mod geometry;
pub mod layout;
