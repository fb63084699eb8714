//! A model reasons for one turn, and its output decides the next node: an agent loop in the plan.
//!
//! The model submits by calling [`SUBMIT`], so that tools and a reply schema never conflict.
//!
//! Invariants: 1. Before the next model call, each call has one result, in order. 2. The offered tools never change. 3.
//! The conversation contains all that later visits need.
//!
//! Source: `docs/planning.md`.

use super::checked_node::CheckedNode;
use super::observation::{MAX_RESULT_BYTES, arguments_of, failure_text, too_large};
use super::{arguments, llm, settings, tool};
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target};
use crate::failure::Failure;
use crate::graph::{Node, TemplateValue};
use crate::kind::settings::REACT;
use crate::model::{Message, Role, ToolCall, ToolSpec};
use crate::schema::{Patterns, Schema};
use crate::source::{Spanned, ValueKind};
use crate::value::json_text;
use serde_json::{Value as Json, json};

pub(crate) const SUBMIT: &str = "SubmitPlan";
pub(crate) const MAX_CALLS: usize = 100;

pub(crate) const ANSWERED: &str = "finalize_answer";
pub(crate) const PLANNED: &str = "web_research";
pub(crate) const ACTS: &str = "execute_tools";

/// Output schema.
pub const OUTPUT_SCHEMA: &str = r#"{"enum": ["finalize_answer", "web_research", "execute_tools"]}"#;

/// `react` settings.
#[derive(Debug)]
pub struct Reasoner {
    plan: Option<Schema>,
    patterns: Patterns,
}

pub(super) fn check(checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) {
    let CheckedNode { node, target, with, capabilities } = checked;
    settings::check("react", &REACT, with, target, diagnostics);
    llm::check_model(checked, diagnostics);
    if let Some(entry) = with.and_then(|with| with.get("plan")) {
        check_plan(node, &entry.value, target, capabilities.patterns(), diagnostics);
    }
    let tools = with.and_then(|with| with.get("tools"));
    if let Some(ValueKind::List(items)) = tools.map(|entry| &entry.value.kind) {
        tool::check_named(items, capabilities, target, diagnostics);
    }
    let named = tools.and_then(|entry| entry.value.as_list());
    let taken = match named {
        Some(items) => items.iter().find(|item| item.as_text() == Some(SUBMIT)).map(|item| item.span),
        None => capabilities.has_tool(SUBMIT).then_some(node.kind_span),
    };
    if let Some(span) = taken {
        let message =
            format!("`{SUBMIT}` is how a model submits its plan, and no tool can have that name here");
        let diagnostic = Diagnostic::new(Code::ReservedTool, message).at(span).on(target.clone());
        diagnostics
            .push(diagnostic.help(format!("list in `with.tools` the tools to offer, without `{SUBMIT}`")));
    }
}

fn check_plan(
    node: &Node,
    value: &Spanned,
    target: &Target,
    patterns: Patterns,
    diagnostics: &mut DiagnosticCollector,
) {
    let schema = node.with.as_ref().and_then(|with| with.get("plan"));
    let Some(schema) = schema.as_ref().filter(|_| value.as_map().is_some()) else { return };
    let fixed = schema.as_constant();
    // Arguments are a map, and offered tools must not change between turns.
    if fixed.is_none_or(|fixed| fixed.get("type").is_some_and(|kind| kind != "object")) {
        let message = "`plan` must be the schema of a map, and have no templates";
        let diagnostic = Diagnostic::new(Code::WrongShape, message).at(value.span).on(target.clone());
        diagnostics.push(diagnostic.help("write `type: object`, with its fields under `properties`"));
    } else if let Some(fixed) = fixed {
        arguments::check_schema(fixed, value, patterns, target, diagnostics);
    }
}

#[derive(Debug)]
pub(crate) enum RequestedCall {
    Plan(Json),
    Tool(String, Json),
}

pub(crate) fn named_output_schema(name: &str, with: Option<&TemplateValue>) -> Option<Json> {
    match name {
        "answer" => Some(json!({"type": "string"})),
        "plan" => Some(plan_schema(with)),
        "tool_calls" => {
            crate::json::parse(super::plan::OUTPUT_SCHEMA)?.pointer("/properties/tool_calls").cloned()
        }
        _ => None,
    }
}

impl Reasoner {
    pub(super) fn of(with: Option<&TemplateValue>, capabilities: &Capabilities) -> Self {
        let patterns = capabilities.patterns();
        Self { plan: Schema::compile(&plan_schema(with), &(), patterns).ok(), patterns }
    }

    /// Validates [`SUBMIT`].
    ///
    /// # Errors
    /// Why the plan is invalid.
    pub(crate) fn validate_plan(&self, arguments: Json) -> Result<Json, Failure> {
        let Some(schema) = &self.plan else { return Ok(arguments) };
        schema
            .validate(&arguments, self.patterns)
            .to_result("the plan")
            .map(|()| arguments)
            .map_err(|message| Failure::new("react/invalid-plan", format!("{message}; submit it again")))
    }
}

/// The setting, or the default for search queries.
fn plan_schema(with: Option<&TemplateValue>) -> Json {
    let given = with.and_then(|with| with.get("plan"));
    let given = given.as_ref().and_then(TemplateValue::as_constant).filter(|schema| schema.is_object());
    given.cloned().unwrap_or_else(|| crate::json::parse(PLAN_SCHEMA).unwrap_or_default())
}

pub(super) fn submit_tool(with: Option<&TemplateValue>) -> ToolSpec {
    ToolSpec {
        name: SUBMIT.to_owned(),
        description: Some(SUBMIT_DESCRIPTION.to_owned()),
        input_schema: plan_schema(with),
    }
}

/// Model turns since the last user message.
pub(crate) fn turns_since_input(messages: &[Message]) -> usize {
    messages_since_input(messages).filter(|message| message.role == Role::Assistant).count()
}

fn messages_since_input(messages: &[Message]) -> impl DoubleEndedIterator<Item = &Message> {
    let from = messages.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
    messages.iter().skip(from)
}

pub(crate) fn repeated_call(messages: &[Message]) -> Option<&ToolCall> {
    let said: Vec<&Message> = messages_since_input(messages)
        .rev()
        .filter(|message| message.role == Role::Assistant)
        .take(3)
        .collect_vec();
    let [now, before, first] = said.as_slice() else { return None };
    let same = |a: &ToolCall, b: &ToolCall| a.name == b.name && arguments_of(a) == arguments_of(b);
    let repeated = |call: &ToolCall| {
        [before, first].iter().all(|message| message.tool_calls.iter().any(|other| same(call, other)))
    };
    now.tool_calls.first().filter(|_| now.tool_calls.iter().all(repeated))
}

/// The last message, if some calls lack results.
fn open_calls(messages: &[Message]) -> Option<(usize, &[ToolCall])> {
    let at = messages.iter().rposition(|message| message.role == Role::Assistant)?;
    let calls = &messages.get(at)?.tool_calls;
    (!calls.iter().all(|call| result_of(messages, at, call).is_some())).then_some((at, calls))
}

fn result_of<'a>(messages: &'a [Message], at: usize, call: &ToolCall) -> Option<&'a Message> {
    let answers = |message: &&Message| message.answers.as_ref().is_some_and(|it| it.call == call.id);
    messages.iter().skip(at).find(answers)
}

pub(crate) fn has_open_calls(messages: &[Message]) -> bool {
    open_calls(messages).is_some()
}

/// Adds missing results. `results` are those of the open calls, in order.
pub(crate) fn with_results(messages: &[Message], results: Option<&Json>) -> Vec<Message> {
    let Some((at, calls)) = open_calls(messages) else { return messages.to_vec() };
    let list = results.map(|results| results.get("tool_results").unwrap_or(results));
    let mut results = list.and_then(Json::as_array).into_iter().flatten();
    let mut all = messages.get(..=at).unwrap_or_default().to_vec();
    for call in calls {
        all.push(result_of(messages, at, call).cloned().unwrap_or_else(|| {
            let (content, failed) = result_text(results.next());
            Message::tool_result(call, content, failed)
        }));
    }
    all
}

fn result_text(result: Option<&Json>) -> (String, bool) {
    let Some(result) = result else {
        return (failure_text(&Failure::new("react/no-result", "this call has no result")), true);
    };
    let text = |json: &Json| json.as_str().map_or_else(|| json_text(json), str::to_owned);
    let told = match result.get("success").and_then(Json::as_bool) {
        None => Ok(text(result)),
        Some(true) => Ok(text(result.get("data").unwrap_or(&Json::Null))),
        Some(false) => {
            let error = result.get("error").unwrap_or(&Json::Null);
            let part = |key: &str| error.get(key).and_then(Json::as_str);
            let message = part("message").map_or_else(|| text(error), str::to_owned);
            Err(Failure::new(part("code").unwrap_or("tool/failed"), message))
        }
    };
    match told {
        Ok(text) if text.len() <= MAX_RESULT_BYTES => (text, false),
        Ok(text) => (failure_text(&too_large(&text.len().to_string())), true),
        Err(failure) => (failure_text(&failure), true),
    }
}

pub(crate) fn empty_reply(id: &str) -> Failure {
    let message = format!("the model of `{id}` returned an empty message: no answer, no call and no plan");
    Failure::new("react/no-answer", message)
}

pub(crate) fn too_many(id: &str, calls: usize) -> Failure {
    let message =
        format!("the model of `{id}` wanted {calls} calls in one message; at most {MAX_CALLS} are made");
    Failure::new("react/too-many-calls", message)
}

pub(crate) fn repeated_call_failure(id: &str, call: &ToolCall) -> Failure {
    let name = crate::diagnostic::shorten_name(&call.name);
    let message =
        format!("the model of `{id}` called `{name}` with the same arguments for the third time in a row");
    Failure::new("react/stuck", message)
}

pub(crate) fn turn_limit_failure(id: &str, turns: u32) -> Failure {
    let message = format!("`{id}` had neither an answer nor a plan after {turns} turns");
    Failure::new("react/turn-limit", message)
}

const SUBMIT_DESCRIPTION: &str = "Submits the plan and ends the planning. Call it by itself, once everything that the other tools can tell beforehand is known.";

/// As text: code would be three times as large.
const PLAN_SCHEMA: &str = r#"{"type": "object", "properties": {
    "query": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20, "description": "What to search for, one query each"},
    "rationale": {"type": "string", "description": "Why these queries answer the request"}},
  "required": ["query", "rationale"]}"#;
