//! Settings by node type. `stepgraph_core::node` reports invalid ones.

use super::stage::Stage;
use super::{Join, resolve_alias};
use stepgraph_expression::{duration_ms, timestamp_ms};
use stepgraph_text::collect::CollectVec;
use stepgraph_text::source::{Spanned, ValueKind};

/// A setting: key, check, description of valid values.
pub type Setting = (&'static str, fn(&ValueKind) -> bool, &'static str);

/// Setting of all node types.
pub const TEMPLATES: Setting = ("templates", |kind| matches!(kind, ValueKind::Bool(_)), "`true` or `false`");

const MODEL: Setting = ("model", is_text, "text");
const SYSTEM: Setting = ("system", is_text, "text");
const MAX_TOKENS: Setting = (
    "max_tokens",
    |kind| matches!(kind, ValueKind::Number(n) if n.as_u64().is_some_and(|n| n > 0)),
    "a whole number from 1 up",
);
const ATTEMPTS: Setting = ("attempts", is_small, "a whole number from 1 to 100");
/// Model calls per tool loop.
const MAX_TURNS: Setting = (
    "max_turns",
    |kind| matches!(kind, ValueKind::Number(n) if n.as_u64().is_some_and(|n| (1..=1000).contains(&n))),
    "a whole number from 1 to 1000",
);
const CONVERSATION: Setting =
    ("conversation", |kind| matches!(kind, ValueKind::Text(name) if is_name(name)), "a plain name");
/// Parameters that only the run may fill.
const TRUSTED: Setting = ("trusted", are_names, "a list of plain names of parameters");
/// How to parse the text of a tool.
const PARSE: Setting = (PARSE_KEY, |kind| matches!(kind, ValueKind::Text(text) if text == "json"), "`json`");
/// Its key.
pub const PARSE_KEY: &str = "parse";
/// Sampling temperature.
pub const TEMPERATURE: Setting = ("temperature", is_temperature, "a number from 0 to 2");
/// Call timeout.
pub const CALL_TIMEOUT: &str = "call_timeout_ms";

/// Values that a `set` node computes.
pub const VALUES: &str = "values";
/// Length of a wait, in milliseconds.
pub const MS: &str = "ms";
/// When the wait ends.
pub const UNTIL: &str = "until";

/// `set` settings.
pub const SET: [Setting; 2] = [
    (
        VALUES,
        |kind| matches!(kind, ValueKind::Map(entries) if !entries.is_empty()),
        "a map with at least one entry",
    ),
    TEMPLATES,
];

/// `wait` settings: `ms` or `until`.
pub const WAIT: [Setting; 3] = [
    (MS, is_delay, "a number of milliseconds from 0 up, or a duration such as `5s`"),
    (UNTIL, is_time, "a time such as `2026-12-01T08:00:00Z`"),
    TEMPLATES,
];

/// `tool` settings.
pub const TOOL: [Setting; 2] = [PARSE, TEMPLATES];

/// `plan` settings.
pub const PLAN: [Setting; 8] =
    [MODEL, SYSTEM, MAX_TOKENS, ATTEMPTS, TRUSTED, CONVERSATION, TEMPERATURE, TEMPLATES];

/// `react` settings.
pub const REACT: [Setting; 10] = [
    MODEL,
    SYSTEM,
    MAX_TOKENS,
    MAX_TURNS,
    ("tools", are_names, "a list of plain names of tools"),
    TRUSTED,
    ("plan", |kind| matches!(kind, ValueKind::Map(_)), "a JSON Schema"),
    CONVERSATION,
    TEMPERATURE,
    TEMPLATES,
];

/// `gather` settings.
pub const GATHER: [Setting; 5] = [
    ("concurrency", is_small, "a whole number from 1 to 100"),
    (CALL_TIMEOUT, is_above_zero, "a number of milliseconds above 0"),
    TRUSTED,
    PARSE,
    TEMPLATES,
];

/// A run begins this many elements of a `map` without a pause. More would hold the thread past the run's limits. The
/// branches of a `parallel` are as many as its text has.
pub const MAX_CONCURRENCY: u32 = 1000;

/// For several graphs.
pub const COMPOSITE: [Setting; 3] = [
    (
        "join",
        |kind| matches!(kind, ValueKind::Text(word) if Join::of(word).is_some()),
        "`all`, `any` or `settled`",
    ),
    (
        "concurrency",
        |kind| matches!(kind, ValueKind::Number(number) if number.as_f64().is_some_and(|n| (1.0..=f64::from(MAX_CONCURRENCY)).contains(&n) && n.fract() == 0.0)),
        "a whole number from 1 to 1000",
    ),
    TEMPLATES,
];

const STAGES: [Setting; 9] = [
    MODEL,
    SYSTEM,
    MAX_TOKENS,
    ATTEMPTS,
    (
        "deadline_ms",
        |kind| matches!(kind, ValueKind::Number(n) if n.as_f64().is_some_and(|n| n >= 0.0)),
        "a number of milliseconds",
    ),
    TRUSTED,
    CONVERSATION,
    TEMPERATURE,
    TEMPLATES,
];

/// The last three are for `agent` only.
const MODEL_SETTINGS: [&str; 10] = [
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

/// Stage settings.
pub fn stage_settings(stage: Stage) -> Vec<Setting> {
    STAGES.iter().filter(|(key, ..)| stage.has_setting(key)).copied().collect_vec()
}

/// For `llm` or `agent`.
pub fn model_settings(kind: &str) -> &'static [&'static str] {
    let count = if kind == "agent" { MODEL_SETTINGS.len() } else { MODEL_SETTINGS.len() - 3 };
    MODEL_SETTINGS.get(..count).unwrap_or_default()
}

/// Built-in settings.
pub fn known_settings(kind: &str) -> Vec<&'static str> {
    let keys = |settings: &[Setting]| settings.iter().map(|(key, ..)| *key).collect();
    match resolve_alias(kind) {
        kind @ ("llm" | "agent") => model_settings(kind).to_vec(),
        "plan" => keys(&PLAN),
        "react" => keys(&REACT),
        "gather" | "execute_tools" => keys(&GATHER),
        "tool" => keys(&TOOL),
        "set" => keys(&SET),
        "wait" => keys(&WAIT),
        "parallel" | "map" => keys(&COMPOSITE),
        kind => match Stage::of(kind) {
            Some(stage) => keys(&stage_settings(stage)),
            None => keys(&[TEMPLATES]),
        },
    }
}

/// Whether a text is a name without placeholders.
pub fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains("${")
}

/// Whether a value is a list of such names.
pub fn are_names(kind: &ValueKind) -> bool {
    let is_name = |item: &Spanned| matches!(&item.kind, ValueKind::Text(name) if is_name(name));
    matches!(kind, ValueKind::List(items) if items.iter().all(is_name))
}

/// Whether some provider accepts the temperature.
pub fn is_temperature(kind: &ValueKind) -> bool {
    matches!(kind, ValueKind::Number(n) if n.as_f64().is_some_and(|n| (0.0..=2.0).contains(&n)))
}

/// Milliseconds or a template.
fn is_delay(kind: &ValueKind) -> bool {
    match kind {
        ValueKind::Number(number) => number.as_f64() >= Some(0.0),
        ValueKind::Text(text) if duration_ms(text).is_some_and(|ms| ms >= 0.0) => true,
        kind => is_template(kind),
    }
}

/// RFC 3339 or a template.
fn is_time(kind: &ValueKind) -> bool {
    is_template(kind) || matches!(kind, ValueKind::Text(text) if timestamp_ms(text).is_some())
}

fn is_template(kind: &ValueKind) -> bool {
    matches!(kind, ValueKind::Text(text) if text.contains("${"))
}

fn is_text(kind: &ValueKind) -> bool {
    matches!(kind, ValueKind::Text(_))
}

fn is_small(kind: &ValueKind) -> bool {
    matches!(kind, ValueKind::Number(number) if number.as_u64().is_some_and(|n| (1..=100).contains(&n)))
}

fn is_above_zero(kind: &ValueKind) -> bool {
    matches!(kind, ValueKind::Number(number) if number.as_f64() > Some(0.0))
}
