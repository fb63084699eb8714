//! Plans as other programs have them, as JavaScript sees them.
