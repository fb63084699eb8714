//! Applies a runner's message. Invalid ones change nothing.
//!
//! Source: `playground/js/run/protocol.ts`.

use super::apply_event::value_of;
use super::run_model::{CallProgress, Problem, Question, Run, RunOutcome};
use super::test_results::{TestResult, tested};
use serde_json::Value as Json;

/// Runner state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RunState {
    /// No active run.
    #[default]
    Idle,
    /// Running.
    Running,
    /// Paused by the debugger.
    Paused {
        /// Next node.
        node_path: Option<String>,
        /// `breakpoint`, `step` or `pause`.
        why: String,
    },
}

/// Message result.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageResult {
    /// New events.
    Events,
    /// Open calls' progress.
    Updates,
    /// Runner state.
    State(RunState),
    /// Added or removed.
    QuestionsChanged,
    /// Run ended.
    Ended,
    /// Results, or why there are none.
    TestsFinished(Result<Vec<TestResult>, String>),
    /// Request number, text, whether truncated.
    Value(u64, String, bool),
}

impl Run {
    /// Applies a message.
    pub fn apply_message(&mut self, message: &Json) -> Option<MessageResult> {
        match text(message, "type") {
            "events" => {
                for event in list(message, "events") {
                    self.apply_event(event);
                }
                Some(MessageResult::Events)
            }
            "updates" => {
                for update in list(message, "updates") {
                    self.apply_update(update);
                }
                Some(MessageResult::Updates)
            }
            "state" => Some(MessageResult::State(parse_state(message))),
            "approval" | "question" => {
                self.questions.push(parse_question(message));
                Some(MessageResult::QuestionsChanged)
            }
            "settled" => {
                self.questions.retain(|question| question.call != text(message, "call"));
                Some(MessageResult::QuestionsChanged)
            }
            "ended" => {
                self.questions.clear();
                self.progress.clear();
                self.outcome = Some(parse_outcome(message, self.times.len()));
                Some(MessageResult::Ended)
            }
            "test-results" => Some(MessageResult::TestsFinished(tested(message))),
            "value" => Some(MessageResult::Value(
                whole(message, "id") as u64,
                text(message, "text").to_owned(),
                flag(message, "cut"),
            )),
            _ => None,
        }
    }

    fn apply_update(&mut self, update: &Json) {
        let name = text(update, "call");
        if !self.call_of.contains_key(name) {
            return;
        }
        let live: &mut CallProgress = self.progress.entry(name.to_owned()).or_default();
        live.text.push_str(text(update, "text"));
        live.thinking.push_str(text(update, "thinking"));
        if update.get("progress").is_some() {
            live.progress = Some((number(update, "progress"), update.get("total").and_then(Json::as_f64)));
            text(update, "message").clone_into(&mut live.message);
        }
    }
}

fn parse_state(message: &Json) -> RunState {
    match text(message, "state") {
        "running" => RunState::Running,
        "paused" => RunState::Paused {
            node_path: optional(message, "nodePath"),
            why: text(message, "why").to_owned(),
        },
        _ => RunState::Idle,
    }
}

fn parse_question(message: &Json) -> Question {
    Question {
        call: text(message, "call").to_owned(),
        node_path: text(message, "nodePath").to_owned(),
        tool: optional(message, "tool"),
        input: message.get("input").cloned().unwrap_or_default(),
        title: optional(message, "title"),
        guarded_call: message
            .get("next")
            .filter(|call| !call.is_null())
            .map(|call| (text(call, "tool").to_owned(), call.get("arguments").cloned().unwrap_or_default())),
        server: optional(message, "server"),
        schema: message.get("schema").filter(|schema| !schema.is_null()).cloned(),
    }
}

fn parse_outcome(message: &Json, event: usize) -> RunOutcome {
    RunOutcome {
        outcome: text(message, "outcome").to_owned(),
        code: optional(message, "code"),
        message: optional(message, "message"),
        node_path: optional(message, "nodePath"),
        last: value_of(message.get("last"), event),
        ms: number(message, "ms"),
        counts: ["steps", "calls", "retries"].map(|name| whole(message, name) as u64),
        tokens: message.get("tokens").and_then(Json::as_u64),
        problems: list(message, "problems").iter().map(parse_problem).collect(),
    }
}

fn parse_problem(one: &Json) -> Problem {
    let end = |name| one.get(name).and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
    Problem {
        code: text(one, "code").to_owned(),
        is_error: text(one, "severity") == "error",
        message: text(one, "message").to_owned(),
        help: optional(one, "help"),
        location: optional(one, "location"),
        span: end("start").zip(end("end")),
    }
}

/// Default: empty.
pub(super) fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Default: 0.
pub(super) fn number(json: &Json, name: &str) -> f64 {
    json.get(name).and_then(Json::as_f64).unwrap_or_default()
}

pub(super) fn flag(json: &Json, name: &str) -> bool {
    json.get(name).and_then(Json::as_bool).unwrap_or_default()
}

/// Default: empty.
pub(super) fn list<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    json.get(name).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn optional(json: &Json, name: &str) -> Option<String> {
    json.get(name).and_then(Json::as_str).map(str::to_owned)
}

/// Default: 0.
pub(super) fn whole(json: &Json, name: &str) -> usize {
    json.get(name).and_then(Json::as_u64).and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}
