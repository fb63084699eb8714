//! Nodes that carry out a tool plan, or the calls that a model has just asked for.
//!
//! Decides which calls there are, what is wrong with each before it is made, and what their results become. One failed call stops no
//! other; making the calls is the machine's.
//!
//! Source: `docs/planning.md`.

use super::{Guard, settings};
use crate::capabilities::{Capabilities, Chosen};
use crate::diagnostic::{Code, Problems, Target};
use crate::failure::Failure;
use crate::graph::Texts;
use crate::kind::settings::{CALL_TIMEOUT, GATHER};
use crate::list::List;
use crate::source::Spanned;
use crate::tool::Catalogue;
use crate::toolplan::{MISSING, judged, texts};
use crate::value::Value;
use serde_json::{Value as Json, json};

/// What a node that gathers knows.
#[derive(Debug)]
pub struct Gatherer {
    guard: Guard,
    /// Whether parameters stand for themselves: `execute_tools`, whose calls can't know of each other.
    pub(crate) literal: bool,
    /// How many calls are under way at once.
    pub concurrency: u32,
    /// How long one call may take, in milliseconds. A call that takes longer has failed.
    pub(crate) call_timeout_ms: Option<f64>,
    /// Whether texts that tools give are read as JSON.
    pub(crate) parses: bool,
    /// Tools that a person is asked for before they are called, by their names in the catalogue.
    asks: Vec<String>,
}

/// One call, as it is to be made.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The tool.
    pub tool: String,
    /// A map whose strings may refer to other calls.
    pub parameters: Json,
    /// Why.
    pub reasoning: Json,
}

/// What is wrong with the settings.
pub(super) fn check(kind: &str, with: Option<&Spanned>, target: &Target, problems: &mut Problems) {
    settings::check(kind, &GATHER, with, target, problems);
}

impl Gatherer {
    /// From the settings of a node and what the host offers.
    pub(crate) fn of(with: Option<&Texts>, literal: bool, capabilities: &Capabilities) -> Self {
        let concurrency = with.and_then(|with| with.get("concurrency"));
        let call_timeout = with.and_then(|with| with.get(CALL_TIMEOUT));
        let concurrency = concurrency.as_ref().and_then(Texts::constant).and_then(Json::as_u64);
        let guard = Guard::of(with, capabilities);
        let tools = guard.tools();
        let asks = tools.iter().filter(|(name, tool)| capabilities.asks_first(name, tool, Chosen::ByModel));
        Self {
            asks: asks.map(|(name, _)| name.to_owned()).list(),
            literal,
            // Calls may depend on what others did, so they run one after another unless the plan says otherwise.
            concurrency: concurrency.and_then(|most| u32::try_from(most).ok()).unwrap_or(1),
            call_timeout_ms: call_timeout.as_ref().and_then(Texts::constant).and_then(Json::as_f64),
            parses: settings::parses(with),
            guard,
        }
    }

    /// Whether a person is asked before that tool is called.
    pub(crate) fn asks(&self, name: &str) -> bool {
        self.tools().entry(name).is_some_and(|(shown, _)| self.asks.iter().any(|asks| asks == shown))
    }

    /// The parameters of a call, holes and all.
    pub(crate) fn texts(&self, call: &Planned) -> Texts {
        if self.literal { Texts::Constant(call.parameters.clone()) } else { texts(&call.parameters) }
    }

    /// The tools it may call.
    pub(crate) fn tools(&self) -> &Catalogue {
        self.guard.tools()
    }

    /// What fills trusted parameters.
    pub(crate) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The calls of a tool plan, each with what is wrong with it before it is made.
    ///
    /// # Errors
    /// That the input holds no calls, or too many, or that the tool plan says it needs values which the run was not given.
    pub(crate) fn calls(
        &self,
        input: &Json,
        context: &Json,
    ) -> Result<Vec<(Planned, Option<Failure>)>, Failure> {
        let calls = input.get("tool_calls").unwrap_or(input);
        if !calls.is_array() {
            let message = "the input holds no list `tool_calls`";
            return Err(Failure::new("gather/no-calls", message));
        }
        let trust = self.guard.trust(context);
        let needs =
            input.get(MISSING).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        let missing: Vec<&str> = needs.filter(|name| trust.value(name).is_none()).list();
        if !missing.is_empty() {
            let message =
                format!("the tool plan needs `{}`, which this run was not given", missing.join("`, `"));
            return Err(Failure::new(Code::PlanMissingContext.slug(), message));
        }
        let judged = judged(&json!({"tool_calls": calls}), self.tools(), &trust, self.literal);
        if let Some(problem) =
            judged.diagnostics.iter().find(|problem| problem.code == Code::PlanTooManyCalls)
        {
            return Err(Failure::new(problem.code.slug(), problem.message.as_str()));
        }
        let wrong = |at: usize| {
            let of_call = |problem: &&crate::diagnostic::Diagnostic| {
                problem.is_error() && problem.target == Target::Call(at)
            };
            let first = judged.diagnostics.iter().find(of_call)?;
            // Nobody is asked again here: the help says what the plan's author can do.
            let help = first.help.as_ref().filter(|_| first.code == Code::PlanMissingContext);
            let message =
                help.map_or_else(|| first.message.clone(), |help| format!("{}; {help}", first.message));
            Some(Failure::new(first.code.slug(), message))
        };
        let planned = |call: &Json| Planned {
            tool: call.get("tool_name").and_then(Json::as_str).unwrap_or_default().to_owned(),
            parameters: call.get("parameters").cloned().unwrap_or_default(),
            reasoning: call.get("reasoning").cloned().unwrap_or_default(),
        };
        let calls = judged.plan.get("tool_calls").and_then(Json::as_array).into_iter().flatten();
        Ok(calls.enumerate().map(|(at, call)| (planned(call), wrong(at))).list())
    }
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Gathered<V> {
    /// The call as it was planned.
    pub(crate) call: Planned,
    /// The parameters as they were sent, without trusted ones.
    pub(crate) sent: Json,
    /// What it gave.
    pub(crate) result: Result<V, Failure>,
    /// How long it took.
    pub(crate) took_ms: f64,
}

/// A map of these entries.
fn record<V: Value>(space: &V::Space, entries: Vec<(&str, V)>) -> V {
    V::map(space, entries.into_iter().map(|(key, value)| (key.to_owned(), value)).list())
}

/// What the node gives: every result, and what can be counted of them.
#[inline(never)]
pub(crate) fn output<V: Value>(space: &V::Space, gathered: Vec<Gathered<V>>, took_ms: f64) -> V {
    let put = |json: Json| V::from_json(space, &json);
    let (mut names, mut results) = ([Vec::new(), Vec::new()], Vec::new());
    let mut data: Vec<(String, Vec<V>, usize)> = Vec::new();
    for Gathered { call, sent, result, took_ms } in gathered {
        let succeeded = result.is_ok();
        if let Some(names) = names.get_mut(usize::from(!succeeded)) {
            names.push(Json::from(call.tool.as_str()));
        }
        let outcome = match result {
            Ok(value) => {
                note(&mut data, &call.tool, Some(value.clone()));
                ("data", value)
            }
            Err(Failure { code, message }) => {
                note(&mut data, &call.tool, None);
                ("error", record(space, vec![("code", put(code.into())), ("message", put(message.into()))]))
            }
        };
        let entry = vec![
            ("tool_name", put(call.tool.into())),
            ("parameters", put(sent)),
            ("success", put(succeeded.into())),
            outcome,
            ("duration_ms", put(took_ms.into())),
            ("reasoning", put(call.reasoning)),
        ];
        results.push(record(space, entry));
    }
    let [successful, failed] = names;
    let all = successful.len() + failed.len();
    #[expect(clippy::cast_precision_loss, reason = "there are a few calls")]
    let rate = if all == 0 { 1.0 } else { successful.len() as f64 / all as f64 };
    let status = if all > 0 && successful.is_empty() { "failed" } else { "completed" };
    let mut entries = vec![
        ("tool_results".to_owned(), V::list(space, results)),
        ("successful_tools".to_owned(), put(successful.into())),
        ("failed_tools".to_owned(), put(failed.into())),
        ("total_execution_time_ms".to_owned(), put(took_ms.into())),
        ("success_rate".to_owned(), put(rate.into())),
        ("execution_status".to_owned(), put(status.into())),
    ];
    for (tool, mut values, times) in data {
        // Called more than once: a list, in the order of the calls.
        let value = if times > 1 && !values.is_empty() { Some(V::list(space, values)) } else { values.pop() };
        entries.extend(value.map(|value| (format!("{tool}{DATA}"), value)));
    }
    V::map(space, entries)
}

/// Notes what a call of a tool gave.
fn note<V>(data: &mut Vec<(String, Vec<V>, usize)>, tool: &str, value: Option<V>) {
    let at = data.iter().position(|(known, ..)| known == tool).unwrap_or_else(|| {
        data.push((tool.to_owned(), Vec::new(), 0));
        data.len() - 1
    });
    if let Some((_, values, times)) = data.get_mut(at) {
        values.extend(value);
        *times += 1;
    }
}

/// How the keys of the output end under which the data of each tool stands.
pub(crate) const DATA: &str = "_data";

/// JSON Schema of the output, but for the data of each tool.
pub const GIVES: &str = r#"{"type": "object", "properties": {
  "tool_results": {"type": "array", "description": "What came of each call, in order.", "items": {"type": "object", "properties": {
    "tool_name": {"type": "string"}, "parameters": {"type": "object"}, "success": {"type": "boolean"}, "data": {},
    "error": {"type": "object", "properties": {"code": {"type": "string"}, "message": {"type": "string"}}},
    "duration_ms": {"type": "number"}, "reasoning": {"type": "string"}}}},
  "successful_tools": {"type": "array", "items": {"type": "string"}}, "failed_tools": {"type": "array", "items": {"type": "string"}},
  "total_execution_time_ms": {"type": "number"}, "success_rate": {"type": "number", "description": "From 0 to 1; 1 for no calls."},
  "execution_status": {"enum": ["completed", "failed"]}}}"#;
