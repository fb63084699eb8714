//! Painting of the visible part of a scene, from lists sorted by style.
//!
//! Distant nodes are boxes, nearer ones have titles, and readable ones are DOM elements.
//!
//! Files: `indexed_scene` scene with indexes, names and states · `display_list` visible elements · `hit_test` element
//! under a pointer · `connect_rules` valid edges · `scroll_reuse` pixels to reuse after scrolling.
//!
//! Invariants: 1. lists contain only visible elements and the focused node. 2. frames reuse the lists, so only a
//! larger frame allocates memory. 3. in small plans nodes are DOM elements at every zoom, for screen readers.

mod connect_rules;
mod display_list;
mod hit_test;
mod indexed_scene;
mod scroll_reuse;

pub use connect_rules::{ConnectError, connect_error};
pub use display_list::{DisplayList, EdgeStyle, LevelOfDetail};
pub use hit_test::GROUP_HEADER_HEIGHT;
pub use indexed_scene::{ElementState, Flags, IndexedScene};
pub use scroll_reuse::{scroll_shift, uncovered_rects};

#[cfg(test)]
mod tests;
