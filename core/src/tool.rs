//! The neutral shapes of a conversation with a language model (placeholder replaced in this change).
