//! What of a drawing is painted, and how: lists of positions, sorted by ink, for what is seen and nothing else.
//!
//! Decides what is worth drawing at which zoom. Far away nodes are boxes of one colour and edges are strokes; nearer, boxes have their
//! titles; where they can be read they are elements of the page, which have the focus, names and handles. Knows nothing of a browser:
//! the page walks the lists.
//!
//! Files: `indexed_scene` what is known of a drawing as a whole: indexes, names, how each thing fares · `display_list` what is seen of it now · `hit_test` what
//! lies under a pointer · `connect_rules` where an edge may lead · `scroll_reuse` what of a picture stays when it is moved.
//!
//! Invariants: 1. what can't be seen is in no list; 2. a picture's lists are used again: a frame asks for memory only when it shows more
//! than any before; 3. in small plans nodes are elements however far away, so that nothing is hidden from who doesn't see the drawing.

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
