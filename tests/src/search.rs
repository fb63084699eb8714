//! How far tests search that could go on for ever.
//!
//! `STEPGRAPH_SEARCH` is a factor, 1 unless it is set. It never makes a search shorter.
//! Nothing else reads it: what is the same in every run does not ask.

/// How many times as much is tried as in every run.
#[expect(clippy::disallowed_methods, reason = "who looks for more asks for more")]
pub fn factor() -> usize {
    std::env::var("STEPGRAPH_SEARCH").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
}

/// So many tries, times the factor.
pub fn tries(count: usize) -> usize {
    count.saturating_mul(factor())
}

/// The same for a list of random cases, whose number is narrower.
pub fn cases(count: u32) -> u32 {
    count.saturating_mul(u32::try_from(factor()).unwrap_or(u32::MAX))
}
