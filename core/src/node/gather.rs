//! Nodes that execute a tool plan, or a model's requested calls.
//!
//! A failed call doesn't stop others. The machine makes them.
//!
//! Source: `docs/planning.md`.

use super::{Guard, settings};
use crate::capabilities::{Capabilities, ChosenBy};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, DiagnosticCollector, Target};
use crate::failure::Failure;
use crate::graph::TemplateValue;
use crate::kind::settings::{CALL_TIMEOUT, GATHER};
use crate::source::Spanned;
use crate::tool::ToolRegistry;
use crate::toolplan::{MISSING, check_with, parse_parameters};
use crate::value::Value;
use serde_json::{Value as Json, json};

/// Execution settings.
#[derive(Debug)]
pub struct Gatherer {
    guard: Guard,
    /// Literal parameters, as in `execute_tools`, can't refer to other calls.
    pub(crate) literal: bool,
    /// Calls at once.
    pub concurrency: u32,
    pub(crate) call_timeout_ms: Option<f64>,
    pub(crate) parses_json: bool,
    approval_tools: Vec<String>,
}

/// Planned call.
#[derive(Debug, Clone)]
pub struct PlannedCall {
    /// Its tool.
    pub tool: String,
    /// A map whose strings may refer to other calls.
    pub parameters: Json,
    /// Model's reason.
    pub reasoning: Json,
}

pub(super) fn check(
    kind: &str,
    with: Option<&Spanned>,
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    settings::check(kind, &GATHER, with, target, diagnostics);
}

impl Gatherer {
    pub(crate) fn of(with: Option<&TemplateValue>, literal: bool, capabilities: &Capabilities) -> Self {
        let concurrency = with.and_then(|with| with.get("concurrency"));
        let call_timeout = with.and_then(|with| with.get(CALL_TIMEOUT));
        let concurrency = concurrency.as_ref().and_then(TemplateValue::as_constant).and_then(Json::as_u64);
        let guard = Guard::of(with, capabilities);
        let tools = guard.tools();
        let asks =
            tools.iter().filter(|(name, tool)| capabilities.needs_approval(name, tool, ChosenBy::Model));
        Self {
            approval_tools: asks.map(|(name, _)| name.to_owned()).collect_vec(),
            literal,
            // Calls may depend on side effects of others.
            concurrency: concurrency.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(1),
            call_timeout_ms: call_timeout
                .as_ref()
                .and_then(TemplateValue::as_constant)
                .and_then(Json::as_f64),
            parses_json: settings::parses_json(with),
            guard,
        }
    }

    pub(crate) fn needs_approval(&self, name: &str) -> bool {
        self.tools()
            .entry(name)
            .is_some_and(|(shown, _)| self.approval_tools.iter().any(|asks| asks == shown))
    }

    pub(crate) fn parse_parameters(&self, call: &PlannedCall) -> TemplateValue {
        if self.literal {
            TemplateValue::Constant(call.parameters.clone())
        } else {
            parse_parameters(&call.parameters)
        }
    }

    pub(crate) fn tools(&self) -> &ToolRegistry {
        self.guard.tools()
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Calls, each with its error, if any.
    ///
    /// # Errors
    /// No calls or too many, or missing values of the run.
    pub(crate) fn calls(
        &self,
        input: &Json,
        context: &Json,
    ) -> Result<Vec<(PlannedCall, Option<Failure>)>, Failure> {
        let calls = input.get("tool_calls").unwrap_or(input);
        if !calls.is_array() {
            let message = "the input contains no list `tool_calls`";
            return Err(Failure::new("gather/no-calls", message));
        }
        let trust = self.guard.trust(context);
        let needs =
            input.get(MISSING).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        let missing: Vec<&str> = needs.filter(|name| trust.value(name).is_none()).collect_vec();
        if !missing.is_empty() {
            let message =
                format!("the tool plan needs `{}`, which this run does not have", missing.join("`, `"));
            return Err(Failure::new(Code::PlanMissingContext.slug(), message));
        }
        let checked = check_with(&json!({"tool_calls": calls}), self.tools(), &trust, self.literal);
        if let Some(diagnostic) =
            checked.diagnostics.iter().find(|diagnostic| diagnostic.code == Code::PlanTooManyCalls)
        {
            return Err(Failure::new(diagnostic.code.slug(), diagnostic.message.as_str()));
        }
        let wrong = |at: usize| {
            let of_call = |diagnostic: &&crate::diagnostic::Diagnostic| {
                diagnostic.is_error() && diagnostic.target == Target::Call(at)
            };
            let first = checked.diagnostics.iter().find(of_call)?;
            // The help addresses the plan's author, since no model corrects the call.
            let help = first.help.as_ref().filter(|_| first.code == Code::PlanMissingContext);
            let message =
                help.map_or_else(|| first.message.clone(), |help| format!("{}; {help}", first.message));
            Some(Failure::new(first.code.slug(), message))
        };
        let planned = |call: &Json| PlannedCall {
            tool: call.get("tool_name").and_then(Json::as_str).unwrap_or_default().to_owned(),
            parameters: call.get("parameters").cloned().unwrap_or_default(),
            reasoning: call.get("reasoning").cloned().unwrap_or_default(),
        };
        let calls = checked.plan.get("tool_calls").and_then(Json::as_array).into_iter().flatten();
        Ok(calls.enumerate().map(|(at, call)| (planned(call), wrong(at))).collect_vec())
    }
}

#[derive(Debug)]
pub(crate) struct GatheredCall<V> {
    pub(crate) call: PlannedCall,
    /// As sent, without trusted ones.
    pub(crate) sent: Json,
    pub(crate) result: Result<V, Failure>,
    pub(crate) took_ms: f64,
}

fn to_map<V: Value>(space: &V::Arena, entries: Vec<(&str, V)>) -> V {
    V::map(space, entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect_vec())
}

#[inline(never)]
pub(crate) fn output<V: Value>(space: &V::Arena, gathered: Vec<GatheredCall<V>>, took_ms: f64) -> V {
    let put = |json: Json| V::from_json(space, &json);
    let (mut names, mut results) = ([Vec::new(), Vec::new()], Vec::new());
    let mut data: Vec<(String, Vec<V>, usize)> = Vec::new();
    for GatheredCall { call, sent, result, took_ms } in gathered {
        let succeeded = result.is_ok();
        if let Some(names) = names.get_mut(usize::from(!succeeded)) {
            names.push(Json::from(call.tool.as_str()));
        }
        let outcome = match result {
            Ok(value) => {
                add_data(&mut data, &call.tool, Some(value.clone()));
                ("data", value)
            }
            Err(Failure { code, message }) => {
                add_data(&mut data, &call.tool, None);
                ("error", to_map(space, vec![("code", put(code.into())), ("message", put(message.into()))]))
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
        results.push(to_map(space, entry));
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
        // In order, if a tool has several calls.
        let value = if times > 1 && !values.is_empty() { Some(V::list(space, values)) } else { values.pop() };
        entries.extend(value.map(|value| (format!("{tool}{DATA_SUFFIX}"), value)));
    }
    V::map(space, entries)
}

fn add_data<V>(data: &mut Vec<(String, Vec<V>, usize)>, tool: &str, value: Option<V>) {
    let at = data.iter().position(|(known, ..)| known == tool).unwrap_or_else(|| {
        data.push((tool.to_owned(), Vec::new(), 0));
        data.len() - 1
    });
    if let Some((_, values, times)) = data.get_mut(at) {
        values.extend(value);
        *times += 1;
    }
}

pub(crate) const DATA_SUFFIX: &str = "_data";

/// The output's JSON Schema, without data of tools.
pub const OUTPUT_SCHEMA: &str = r#"{"type": "object", "properties": {
  "tool_results": {"type": "array", "description": "What came of each call, in order.", "items": {"type": "object", "properties": {
    "tool_name": {"type": "string"}, "parameters": {"type": "object"}, "success": {"type": "boolean"}, "data": {},
    "error": {"type": "object", "properties": {"code": {"type": "string"}, "message": {"type": "string"}}},
    "duration_ms": {"type": "number"}, "reasoning": {"type": "string"}}}},
  "successful_tools": {"type": "array", "items": {"type": "string"}}, "failed_tools": {"type": "array", "items": {"type": "string"}},
  "total_execution_time_ms": {"type": "number"}, "success_rate": {"type": "number", "description": "From 0 to 1; 1 for no calls."},
  "execution_status": {"enum": ["completed", "failed"]}}}"#;
