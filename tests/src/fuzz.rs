//! Fuzzing: random inputs, and the properties that hold for all of them.
//!
//! A [`Target`] asserts, and returns a hash of the outcome. An input with a new outcome joins the corpus, so the search
//! needs only the stable compiler. See `docs/fuzzing.md`.
//!
//! Invariant: a seed determines the inputs and their order.

pub mod dictionary;
mod interop;
mod model;
pub mod mutate;
pub mod search;
pub mod seeds;
pub mod text;
pub mod wire;

use std::hash::{DefaultHasher, Hash, Hasher};

/// A fuzzed function.
#[derive(Debug)]
pub struct Target {
    /// Name on the command line and in `tests/suite/fuzz`.
    pub name: &'static str,
    /// Asserts properties, and returns a hash of the outcome.
    pub check: fn(&[u8]) -> u64,
    /// Returns initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Its dictionary.
    pub words: &'static [&'static str],
}

/// All targets.
pub const TARGETS: [Target; 10] = [
    Target { name: "plan", check: text::plan, seeds: seeds::plans, words: dictionary::PLAN },
    Target {
        name: "condition",
        check: text::condition,
        seeds: seeds::conditions,
        words: dictionary::CONDITION,
    },
    Target { name: "template", check: text::template, seeds: seeds::templates, words: dictionary::TEMPLATE },
    Target { name: "sse", check: wire::sse, seeds: seeds::streams, words: dictionary::STREAM },
    Target { name: "rpc", check: wire::rpc, seeds: seeds::messages, words: dictionary::MESSAGE },
    Target { name: "answer", check: wire::answer, seeds: seeds::answers, words: dictionary::MESSAGE },
    Target { name: "model", check: model::answer, seeds: model::seeds, words: model::WORDS },
    Target { name: "exchange", check: wire::exchange, seeds: seeds::exchanges, words: dictionary::EXCHANGE },
    Target {
        name: "flowchart",
        check: interop::flowchart,
        seeds: interop::flowcharts,
        words: interop::FLOWCHART,
    },
    Target {
        name: "workflow",
        check: interop::workflow,
        seeds: interop::workflows,
        words: interop::WORKFLOW,
    },
];

fn hash_of(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
