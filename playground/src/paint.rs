//! Paints a scene's visible part from lists by style: distant nodes as boxes, nearer ones with titles, readable ones as
//! DOM elements.
//!
//! Invariants: 1. lists have only visible elements and the focused node. 2. only a larger frame allocates. 3. small
//! plans have DOM nodes at every zoom, for screen readers.

mod badge;
mod connect_rules;
mod display_list;
mod hit_test;
mod indexed_scene;
mod scroll_reuse;

pub use connect_rules::{ConnectError, connect_error};
pub use display_list::{DisplayList, EdgeStyle, LevelOfDetail};
pub use hit_test::GROUP_HEADER_HEIGHT;
pub use indexed_scene::{Element, ElementState, Flags, IndexedScene};
pub use scroll_reuse::{scroll_shift, uncovered_rects};

#[cfg(test)]
mod tests;
