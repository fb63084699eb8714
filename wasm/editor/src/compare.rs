//! What differs between plans, and three-way merges, as JavaScript sees them.
