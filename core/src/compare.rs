//! What differs between two plans in meaning, and three versions of a plan as one.
//!
//! Decides what counts as a change. Layout, comments, order of keys and format don't.
//!
//! Source: design section 4 (hash of meaning).
