//! Fuzzing: texts and bytes that nobody would write, and what must hold of them all the same.
//!
//! A [`Target`] is a plain function of bytes that asserts. It gives a number that says what the input came to, such as which
//! problems were found: an input that came to something new is kept and changed further. So the search is guided by
//! what the engine *says*, which needs no compiler but the stable one. `docs/fuzzing.md` tells how to search for longer.
//!
//! Files: `interop` plans of other programs · [`text`] plans, conditions, templates · [`wire`] event streams, JSON-RPC, whole exchanges · `model` answers of models · [`mutate`] how inputs
//! are changed · [`dictionary`] what they are made of · [`seeds`] where they begin · [`search`] the search.
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

/// Something that is fuzzed.
#[derive(Debug)]
pub struct Target {
    /// Its name on the command line, and that of its folder in `tests/suite/fuzz`.
    pub name: &'static str,
    /// What must hold of any input; gives a number for what the input came to.
    pub check: fn(&[u8]) -> u64,
    /// Where the search begins.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What its inputs are made of.
    pub words: &'static [&'static str],
}

/// Everything that is fuzzed.
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

/// The number of something an input came to.
fn hash_of(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
