//! The settings of each type of node that are fixed when the plan is read.
//!
//! Decides which values they take. What is said of another value is `stepgraph_core::node`'s.

use super::stage::Stage;
use super::{Join, meant};
use stepgraph_text::list::List;
use stepgraph_text::source::{Kind, Spanned};

/// A setting: its key, whether a value will do, and what is expected in words.
pub type Setting = (&'static str, fn(&Kind) -> bool, &'static str);

/// What every node type knows.
pub const TEMPLATES: Setting = ("templates", |kind| matches!(kind, Kind::Bool(_)), "`true` or `false`");

/// What node types have in common that ask a model.
const MODEL: Setting = ("model", is_text, "text");
/// Its instructions.
const SYSTEM: Setting = ("system", is_text, "text");
/// The most that it may answer.
const MAX_TOKENS: Setting = (
    "max_tokens",
    |kind| matches!(kind, Kind::Number(n) if n.as_u64().is_some_and(|n| n > 0)),
    "a whole number from 1 up",
);
/// How often it is asked for an answer.
const ATTEMPTS: Setting = ("attempts", is_small, "a whole number from 1 to 100");
/// How often it is asked while it calls tools.
const MAX_TURNS: Setting = (
    "max_turns",
    |kind| matches!(kind, Kind::Number(n) if n.as_u64().is_some_and(|n| (1..=1000).contains(&n))),
    "a whole number from 1 to 1000",
);
/// The name of the conversation that it goes on with.
const CONVERSATION: Setting =
    ("conversation", |kind| matches!(kind, Kind::Text(name) if is_name(name)), "a plain name");
/// Parameters that only the run may fill.
const TRUSTED: Setting = ("trusted", are_names, "a list of plain names of parameters");
/// How texts that a tool gives are read.
const PARSE: Setting = (PARSE_KEY, |kind| matches!(kind, Kind::Text(text) if text == "json"), "`json`");
/// The key of the setting that says how texts of a tool are read.
pub const PARSE_KEY: &str = "parse";
/// How freely it answers.
pub const TEMPERATURE: Setting = ("temperature", is_temperature, "a number from 0 to 2");
/// How long one call may take.
pub const CALL_TIMEOUT: &str = "call_timeout_ms";

/// Of a node that calls a tool.
pub const TOOL: [Setting; 2] = [PARSE, TEMPLATES];

/// Of a node that plans which tools to call.
pub const PLAN: [Setting; 8] =
    [MODEL, SYSTEM, MAX_TOKENS, ATTEMPTS, TRUSTED, CONVERSATION, TEMPERATURE, TEMPLATES];

/// Of a node that reasons.
pub const REACT: [Setting; 10] = [
    MODEL,
    SYSTEM,
    MAX_TOKENS,
    MAX_TURNS,
    ("tools", are_names, "a list of plain names of tools"),
    TRUSTED,
    ("plan", |kind| matches!(kind, Kind::Map(_)), "a JSON Schema"),
    CONVERSATION,
    TEMPERATURE,
    TEMPLATES,
];

/// Of a node that carries out a tool plan.
pub const GATHER: [Setting; 5] = [
    ("concurrency", is_small, "a whole number from 1 to 100"),
    (CALL_TIMEOUT, is_above_zero, "a number of milliseconds above 0"),
    TRUSTED,
    PARSE,
    TEMPLATES,
];

/// Of a node with several graphs.
pub const COMPOSITE: [Setting; 3] = [
    (
        "join",
        |kind| matches!(kind, Kind::Text(word) if Join::of(word).is_some()),
        "`all`, `any` or `settled`",
    ),
    (
        "concurrency",
        |kind| matches!(kind, Kind::Number(number) if number.as_f64().is_some_and(|n| n >= 1.0 && n.fract() == 0.0)),
        "a whole number from 1 up",
    ),
    TEMPLATES,
];

/// Of the stages, all together.
const STAGES: [Setting; 9] = [
    MODEL,
    SYSTEM,
    MAX_TOKENS,
    ATTEMPTS,
    (
        "deadline_ms",
        |kind| matches!(kind, Kind::Number(n) if n.as_f64().is_some_and(|n| n >= 0.0)),
        "a number of milliseconds",
    ),
    TRUSTED,
    CONVERSATION,
    TEMPERATURE,
    TEMPLATES,
];

/// Of a node that asks a model; the last three are an agent's alone.
const ANSWER: [&str; 10] = [
    "model",
    "system",
    "schema",
    "max_tokens",
    "conversation",
    "templates",
    "temperature",
    "tools",
    "max_turns",
    "trusted",
];

/// The settings of a stage.
pub fn of_stage(stage: Stage) -> Vec<Setting> {
    STAGES.iter().filter(|(key, ..)| stage.knows(key)).copied().list()
}

/// The settings of a node of type `kind`, which is `llm` or `agent`.
pub fn of_answer(kind: &str) -> &'static [&'static str] {
    let count = if kind == "agent" { ANSWER.len() } else { ANSWER.len() - 3 };
    ANSWER.get(..count).unwrap_or_default()
}

/// The settings of a built-in type.
pub fn known_settings(kind: &str) -> Vec<&'static str> {
    let keys = |settings: &[Setting]| settings.iter().map(|(key, ..)| *key).collect();
    match meant(kind) {
        kind @ ("llm" | "agent") => of_answer(kind).to_vec(),
        "plan" => keys(&PLAN),
        "react" => keys(&REACT),
        "gather" | "execute_tools" => keys(&GATHER),
        "tool" => keys(&TOOL),
        "parallel" | "map" => keys(&COMPOSITE),
        kind => match Stage::of(kind) {
            Some(stage) => keys(&of_stage(stage)),
            None => keys(&[TEMPLATES]),
        },
    }
}

/// A name that is fixed when the plan is read.
pub fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains("${")
}

/// A list of plain names.
pub fn are_names(kind: &Kind) -> bool {
    let is_name = |item: &Spanned| matches!(&item.kind, Kind::Text(name) if is_name(name));
    matches!(kind, Kind::List(items) if items.iter().all(is_name))
}

/// A number that some provider takes.
pub fn is_temperature(kind: &Kind) -> bool {
    matches!(kind, Kind::Number(n) if n.as_f64().is_some_and(|n| (0.0..=2.0).contains(&n)))
}

fn is_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(_))
}

/// A whole number from 1 to 100.
fn is_small(kind: &Kind) -> bool {
    matches!(kind, Kind::Number(number) if number.as_u64().is_some_and(|n| (1..=100).contains(&n)))
}

/// A number above 0.
fn is_above_zero(kind: &Kind) -> bool {
    matches!(kind, Kind::Number(number) if number.as_f64() > Some(0.0))
}
