//! The size of open-ended searches in tests.
//!
//! `STEPGRAPH_SEARCH` is a factor with the default 1. It never makes a search shorter. Only this file reads it.

/// Returns the factor for the number of attempts.
#[expect(clippy::disallowed_methods, reason = "who looks for more asks for more")]
pub fn factor() -> usize {
    std::env::var("STEPGRAPH_SEARCH").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
}

/// Returns a number of attempts times the factor.
pub fn tries(count: usize) -> usize {
    count.saturating_mul(factor())
}

/// Returns a number of random cases times the factor. Proptest counts cases in 32 bits.
pub fn cases(count: u32) -> u32 {
    count.saturating_mul(u32::try_from(factor()).unwrap_or(u32::MAX))
}
