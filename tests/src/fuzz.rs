//! Fuzzing: random texts and bytes, and the properties that hold for all of them.
//!
//! A [`Target`] is a plain function over bytes that asserts. It returns a hash of the outcome, such as the diagnostics
//! found. An input with a new outcome joins the corpus and is mutated further. The engine's own output guides the
//! search, so the stable compiler is enough. `docs/fuzzing.md` explains how to search for longer.
//!
//! Files: `interop` plans of other programs · [`text`] plans, conditions, templates · [`wire`] event streams, JSON-RPC,
//! whole exchanges · `model` answers of models · [`mutate`] mutations · [`dictionary`] words for inputs · [`seeds`]
//! initial inputs · [`search`] the search.
//!
//! Invariant: the same seed gives the same inputs in the same order.

pub mod dictionary;
mod interop;
mod model;
pub mod mutate;
pub mod search;
pub mod seeds;
pub mod text;
pub mod wire;

use std::hash::{DefaultHasher, Hash, Hasher};

/// A function that is fuzzed.
#[derive(Debug)]
pub struct Target {
    /// The name on the command line and of its folder in `tests/suite/fuzz`.
    pub name: &'static str,
    /// Asserts the properties of an input and returns a hash of the outcome.
    pub check: fn(&[u8]) -> u64,
    /// Returns the initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The dictionary of its inputs.
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

/// Hashes an outcome.
fn hash_of(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
