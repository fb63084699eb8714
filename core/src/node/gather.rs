//! Nodes that carry out a tool plan.
//!
//! Decides which calls there are, what is wrong with each before it is made, and what their results become. One failed call stops no
//! other; making the calls is the machine's.
//!
//! Source: seed 001; design section 8, "Plan and gather"; `docs/planning.md`.

use super::plan::{are_names, is_small, trusted};
use super::settings;
use crate::diagnostic::{Problems, Target};
use crate::graph::Texts;
use crate::host::Capabilities;
use crate::machine::Failure;
use crate::source::Spanned;
use crate::tool::Catalogue;
use crate::toolplan::{Trust, judge};
use crate::value::Value;
use serde_json::{Value as Json, json};

/// What a node that gathers knows.
#[derive(Debug)]
pub struct Gatherer {
    tools: Catalogue,
    trusted: Vec<String>,
    /// How many calls are under way at once.
    pub concurrency: u32,
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

const SETTINGS: [settings::Setting; 3] = [
    ("concurrency", is_small, "a whole number from 1 to 100"),
    ("trusted", are_names, "a list of plain names of parameters"),
    settings::TEMPLATES,
];

/// What is wrong with the settings.
pub(super) fn check(with: Option<&Spanned>, target: &Target, problems: &mut Problems) {
    settings::check("gather", &SETTINGS, with, target, problems);
}

impl Gatherer {
    /// From the settings of a node and what the host offers.
    pub(crate) fn of(with: Option<&Texts>, capabilities: &Capabilities) -> Self {
        let concurrency = with.and_then(|with| with.get("concurrency"));
        let concurrency = concurrency.as_ref().and_then(Texts::constant).and_then(Json::as_u64);
        let tools = capabilities.tools.clone().unwrap_or_default();
        let asks = tools.iter().filter(|(name, tool)| capabilities.asks_first(name, tool));
        Self {
            asks: asks.map(|(name, _)| name.to_owned()).collect(),
            trusted: trusted(with),
            // One after another unless the plan says otherwise, as the seed has it.
            concurrency: concurrency.and_then(|most| u32::try_from(most).ok()).unwrap_or(1),
            tools,
        }
    }

    /// Whether a person is asked before that tool is called.
    pub(crate) fn asks(&self, name: &str) -> bool {
        self.tools.entry(name).is_some_and(|(shown, _)| self.asks.iter().any(|asks| asks == shown))
    }

    /// The tools it may call.
    pub(crate) fn tools(&self) -> &Catalogue {
        &self.tools
    }

    /// The calls of a tool plan, each with what is wrong with it before it is made.
    ///
    /// # Errors
    /// That the input holds no calls.
    pub(crate) fn calls(
        &self,
        input: &Json,
        context: &Json,
    ) -> Result<Vec<(Planned, Option<Failure>)>, Failure> {
        let calls = input.get("tool_calls").unwrap_or(input);
        if !calls.is_array() {
            let message = "the input of `gather` holds no list `tool_calls`";
            return Err(Failure::new("gather/no-calls", message));
        }
        let trust = Trust { names: self.trusted.clone(), context: context.clone() };
        let judged = judge(&json!({"tool_calls": calls}), &self.tools, &trust);
        let wrong = |at: usize| {
            let of_call = |problem: &&crate::diagnostic::Diagnostic| {
                problem.is_error() && problem.target == Target::Call(at)
            };
            let first = judged.diagnostics.iter().find(of_call)?;
            Some(Failure::new(first.code.slug(), first.message.as_str()))
        };
        let planned = |call: &Json| Planned {
            tool: call.get("tool_name").and_then(Json::as_str).unwrap_or_default().to_owned(),
            parameters: call.get("parameters").cloned().unwrap_or_default(),
            reasoning: call.get("reasoning").cloned().unwrap_or_default(),
        };
        let calls = judged.plan.get("tool_calls").and_then(Json::as_array).into_iter().flatten();
        Ok(calls.enumerate().map(|(at, call)| (planned(call), wrong(at))).collect())
    }
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Gathered<V> {
    /// The call as it was planned.
    pub(crate) call: Planned,
    /// The parameters as they were sent.
    pub(crate) sent: Json,
    /// What it gave.
    pub(crate) result: Result<V, Failure>,
    /// How long it took.
    pub(crate) took_ms: f64,
}

/// What the node gives: every result, and what can be counted of them.
pub(crate) fn output<V: Value>(space: &V::Space, gathered: Vec<Gathered<V>>, took_ms: f64) -> V {
    let json = |json: Json| V::from_json(space, &json);
    let names = |succeeded: bool| {
        let of = gathered.iter().filter(|it| it.result.is_ok() == succeeded);
        json(of.map(|it| Json::from(it.call.tool.as_str())).collect())
    };
    let (all, failed) = (gathered.len(), gathered.iter().filter(|it| it.result.is_err()).count());
    #[expect(clippy::cast_precision_loss, reason = "there are a few calls")]
    let rate = if all == 0 { 1.0 } else { (all - failed) as f64 / all as f64 };
    let status = if all > 0 && failed == all { "failed" } else { "completed" };
    let mut entries = vec![
        ("successful_tools".to_owned(), names(true)),
        ("failed_tools".to_owned(), names(false)),
        ("total_execution_time_ms".to_owned(), json(Json::from(took_ms))),
        ("success_rate".to_owned(), json(Json::from(rate))),
        ("execution_status".to_owned(), json(Json::from(status))),
    ];
    let mut data: Vec<(String, Vec<V>, usize)> = Vec::new();
    let mut results = Vec::with_capacity(all);
    for Gathered { call, sent, result, took_ms } in gathered {
        let known = data.iter_mut().find(|(tool, ..)| *tool == call.tool);
        let (values, times) = match known {
            Some((_, values, times)) => (values, times),
            None => {
                data.push((call.tool.clone(), Vec::new(), 0));
                let Some((_, values, times)) = data.last_mut() else { continue };
                (values, times)
            }
        };
        *times += 1;
        let outcome = match result {
            Ok(value) => {
                values.push(value.clone());
                ("data".to_owned(), value)
            }
            Err(Failure { code, message }) => {
                ("error".to_owned(), json(json!({"code": code, "message": message})))
            }
        };
        let entry = vec![
            ("tool_name".to_owned(), json(Json::from(call.tool))),
            ("parameters".to_owned(), json(sent)),
            ("success".to_owned(), json(Json::from(outcome.0 == "data"))),
            outcome,
            ("duration_ms".to_owned(), json(Json::from(took_ms))),
            ("reasoning".to_owned(), json(call.reasoning)),
        ];
        results.push(V::map(space, entry));
    }
    entries.insert(0, ("tool_results".to_owned(), V::list(space, results)));
    for (tool, mut values, times) in data {
        let key = format!("{tool}_data");
        match values.len() {
            0 => {}
            1 if times == 1 => entries.extend(values.pop().map(|value| (key, value))),
            // Called more than once: a list, in the order of the calls.
            _ => entries.push((key, V::list(space, values))),
        }
    }
    V::map(space, entries)
}
