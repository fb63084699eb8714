//! Edits of plans, as JavaScript sees them.
