//! The table of spellings.
