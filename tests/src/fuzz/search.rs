//! Searches for an input that breaks a target.
//!
//! The runner has the clock and writes files.
//!
//! Invariant: a target and a seed determine the inputs and their order.

use super::Target;
use super::mutate::{Numbers, mutate};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const MAX_STORED_INPUTS: usize = 4000;

/// A search over one target.
#[derive(Debug)]
pub struct Search<'a> {
    target: &'a Target,
    corpus: Vec<Vec<u8>>,
    seeds: usize,
    outcomes: HashSet<u64>,
    numbers: Numbers,
    /// Number of attempts.
    pub tried: usize,
}

impl<'a> Search<'a> {
    /// Starts from a target's seeds and regressions.
    pub fn new(target: &'a Target, seed: u64) -> Self {
        let mut kept = (target.seeds)();
        kept.extend(regressions(target.name).into_iter().map(|(_, bytes)| bytes));
        let seeds = kept.len();
        Self { target, corpus: kept, seeds, outcomes: HashSet::new(), numbers: Numbers::new(seed), tried: 0 }
    }

    /// Returns initial inputs first, then mutations.
    pub fn propose(&mut self) -> Vec<u8> {
        if self.tried < self.seeds {
            return self.corpus[self.tried].clone();
        }
        let count = self.corpus.len();
        // Recent inputs are mutated more often.
        let recent = count.saturating_sub(count / 4 + 1);
        let at = if self.numbers.below(3) == 0 {
            recent + self.numbers.below(count - recent)
        } else {
            self.numbers.below(count)
        };
        let other = self.numbers.below(count);
        mutate(&self.corpus[at], &self.corpus[other], self.target.words, &mut self.numbers)
    }

    /// Tries an input, and stores it if its outcome is new.
    ///
    /// # Errors
    /// The panic's message.
    pub fn attempt(&mut self, input: &[u8]) -> Result<(), String> {
        self.tried += 1;
        let sight = run_target(self.target, input)?;
        if self.outcomes.insert(sight) && self.tried > self.seeds && self.corpus.len() < MAX_STORED_INPUTS {
            self.corpus.push(input.to_vec());
        }
        Ok(())
    }

    /// Counts different outcomes.
    pub fn outcome_count(&self) -> usize {
        self.outcomes.len()
    }
}

/// Returns the outcome's hash.
///
/// # Errors
/// The panic's message.
pub fn run_target(target: &Target, input: &[u8]) -> Result<u64, String> {
    catch_unwind(AssertUnwindSafe(|| (target.check)(input))).map_err(|thrown| {
        let text = thrown.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| thrown.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
    })
}

/// Removes parts of a failing input while it still fails.
pub fn shortest(target: &Target, input: &[u8]) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut size = best.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            let mut shorter = best.clone();
            drop(shorter.drain(at..(at + size).min(best.len())));
            if run_target(target, &shorter).is_err() { best = shorter } else { at += size }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    best
}

/// Returns a target's regressions folder.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/fuzz").join(target)
}

/// Returns regressions: paths and bytes.
pub fn regressions(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder(target)).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files.into_iter().filter_map(|path| std::fs::read(&path).ok().map(|bytes| (path, bytes))).collect()
}
