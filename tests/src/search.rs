//! The size of open-ended searches in tests.
//!
//! Only this file reads `STEPGRAPH_SEARCH`, a factor of at least 1.

/// Returns the factor.
#[expect(clippy::disallowed_methods, reason = "who looks for more asks for more")]
pub fn factor() -> usize {
    std::env::var("STEPGRAPH_SEARCH").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
}

/// Multiplies a number of attempts.
pub fn tries(count: usize) -> usize {
    count.saturating_mul(factor())
}

/// Multiplies a number of random cases. Proptest counts in 32 bits.
pub fn cases(count: u32) -> u32 {
    count.saturating_mul(u32::try_from(factor()).unwrap_or(u32::MAX))
}
