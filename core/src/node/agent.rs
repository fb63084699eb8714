//! Models that call tools until they answer, and shared conversations.
//!
//! Decides the offered tools, their names, and the calls' targets. Models observe errors. The machine runs the loop.
//!
//! Invariants: 1. Every provider accepts the wire names, and each refers to one tool. 2. A tool list always yields the
//! same names.
//!
//! Source: `docs/agents.md`.

use super::author::Author;
use super::checked_node::CheckedNode;
use super::observation::arguments_of;
use super::plan::{self, Planner};
use super::react::{self, Reasoner};
use super::{Action, Guard, ModelStrategy, llm, tool};
use crate::capabilities::{Capabilities, ChosenBy};
use crate::collect::CollectVec;
use crate::diagnostic::{DiagnosticCollector, closest_name, shorten_name};
use crate::graph::TemplateValue;
use crate::model::{ChatReply, FinishReason, ToolCall, ToolSpec};
use crate::source::{Spanned, ValueKind};
use crate::tool::{ToolInfo, ToolRegistry};
use crate::value::plain_text;
use serde_json::{Value as Json, json};
use std::collections::HashSet;

const MAX_TURNS: u32 = 8;
/// Accepted by all providers.
const MAX_NAME_LENGTH: usize = 64;
/// An agent, or an `llm` that shares a conversation.
#[derive(Debug)]
pub struct Agent {
    /// Callable tools.
    pub tools: Vec<OfferedTool>,
    /// Model calls.
    pub max_turns: u32,
    /// Shared conversation.
    pub conversation: Option<String>,
    /// An `llm`: one call per attempt.
    pub is_single_call: bool,
    /// Parses replies.
    pub strategy: Option<ModelStrategy>,
    /// Fills trusted parameters for tools.
    pub guard: Option<Guard>,
}

/// Offered tool.
#[derive(Debug)]
pub struct OfferedTool {
    /// Registry name.
    pub name: String,
    /// For the model.
    pub spec: ToolSpec,
    /// Whether calls need approval.
    pub needs_approval: bool,
}

pub(crate) fn of(id: &str, action: &Action, capabilities: &Capabilities) -> Option<Agent> {
    let (with, is_single_call) = match action {
        Action::Agent(with) => (with.as_ref(), false),
        Action::Plan(with) | Action::React(with) | Action::Author(_, with) => (with.as_ref(), false),
        Action::Llm(with) => (with.as_ref(), true),
        _ => return None,
    };
    let setting = |key: &str| {
        with.and_then(|with| with.get(key)).as_ref().and_then(TemplateValue::as_constant).cloned()
    };
    let conversation = setting("conversation").and_then(|name| name.as_str().map(str::to_owned));
    if is_single_call {
        conversation.as_ref()?;
        return Some(Agent {
            tools: Vec::new(),
            max_turns: 1,
            conversation,
            is_single_call,
            strategy: None,
            guard: None,
        });
    }
    let mind = match action {
        Action::Plan(_) => Some(ModelStrategy::Planner(Planner::of(with, capabilities))),
        Action::Author(stage, _) => {
            let author = Author::of(*stage, with, capabilities);
            let conversation = conversation.or_else(|| author.conversation().map(str::to_owned));
            let (max_turns, mind) = (author.max_turns(), Some(ModelStrategy::Author(Box::new(author))));
            return Some(Agent {
                tools: Vec::new(),
                max_turns,
                conversation,
                is_single_call,
                strategy: mind,
                guard: None,
            });
        }
        Action::React(_) => Some(ModelStrategy::Reasoner(Reasoner::of(with, capabilities))),
        _ => None,
    };
    let reasons = mind.as_ref().is_some_and(|mind| mind.as_reasoner().is_some());
    let calls = mind.is_none() || reasons;
    let (key, limit) = if calls { ("max_turns", MAX_TURNS) } else { ("attempts", plan::ATTEMPTS) };
    let turns = setting(key).and_then(|turns| u32::try_from(turns.as_u64()?).ok());
    let mut tools = if calls { offered_tools(setting("tools").as_ref(), capabilities) } else { Vec::new() };
    let guard = calls.then(|| Guard::of(with, capabilities));
    if let Some(guard) = &guard {
        for tool in &mut tools {
            tool.spec.input_schema = guard.visible_schema(&tool.spec.input_schema);
        }
    }
    let mut conversation = conversation;
    if reasons {
        tools.push(OfferedTool {
            name: react::SUBMIT.to_owned(),
            spec: react::submit_tool(with),
            needs_approval: false,
        });
        // Turns share one conversation, other nodes only if the plan says so.
        conversation = conversation.or_else(|| Some(id.to_owned()));
    }
    Some(Agent {
        tools,
        max_turns: turns.unwrap_or(limit),
        conversation,
        is_single_call,
        strategy: mind,
        guard,
    })
}

fn offered_tools(named: Option<&Json>, capabilities: &Capabilities) -> Vec<OfferedTool> {
    let nothing = ToolRegistry::default();
    let registry = capabilities.tools.as_ref().unwrap_or(&nothing);
    let chosen: Vec<(String, Option<&ToolInfo>)> = match named.and_then(Json::as_array) {
        None => registry.iter().map(|(name, tool)| (name.to_owned(), Some(tool))).collect_vec(),
        Some(names) => {
            let mut seen = HashSet::new();
            let entry = |name: &str| match registry.entry(name) {
                Some((name, tool)) => (name.to_owned(), Some(tool)),
                None => (name.to_owned(), None),
            };
            let all = names.iter().filter_map(Json::as_str).map(entry);
            all.filter(|(name, _)| seen.insert(name.clone())).collect_vec()
        }
    };
    let names: Vec<&str> = chosen.iter().map(|(name, _)| name.as_str()).collect_vec();
    let wires = wire_names(&names);
    let offer = |((name, tool), wire): ((String, Option<&ToolInfo>), String)| OfferedTool {
        needs_approval: tool.is_some_and(|tool| capabilities.needs_approval(&name, tool, ChosenBy::Model)),
        spec: ToolSpec {
            name: wire,
            description: tool.and_then(|tool| tool.description.clone()),
            input_schema: tool.map_or_else(|| json!({"type": "object"}), |tool| tool.input_schema.clone()),
        },
        name,
    };
    chosen.into_iter().zip(wires).map(offer).collect_vec()
}

/// In order, mostly unchanged.
fn wire_names(names: &[&str]) -> Vec<String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_plain = |name: &str| !name.is_empty() && name.len() <= MAX_NAME_LENGTH && name.chars().all(fine);
    let mut taken: HashSet<String> =
        names.iter().filter(|name| is_plain(name)).map(|name| (*name).to_owned()).collect();
    let mut wires = Vec::with_capacity(names.len());
    for name in names {
        if is_plain(name) {
            wires.push((*name).to_owned());
            continue;
        }
        let plain: String =
            name.chars().map(|c| if fine(c) { c } else { '_' }).take(MAX_NAME_LENGTH).collect();
        let mut wire = plain.clone();
        let mut number = 1;
        while wire.is_empty() || !taken.insert(wire.clone()) {
            number += 1;
            let ending = format!("_{number}");
            wire = plain.chars().take(MAX_NAME_LENGTH - ending.len()).collect::<String>() + &ending;
        }
        wires.push(wire);
    }
    wires
}

impl Agent {
    /// Returns the tool's position and the arguments.
    ///
    /// # Errors
    /// A code and a message for the model: unknown tool, or arguments that are no map.
    pub fn resolve_call(&self, call: &ToolCall) -> Result<(usize, Json), (&'static str, String)> {
        let Some(at) = self.tools.iter().position(|tool| tool.spec.name == call.name) else {
            let names = || self.tools.iter().map(|tool| tool.spec.name.as_str());
            let help = match closest_name(&call.name, names()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the tools are {}", names().collect_vec().join(", ")),
            };
            return Err(("tool/unknown", format!("there is no tool `{}`; {help}", shorten_name(&call.name))));
        };
        match arguments_of(call) {
            Some(arguments) => Ok((at, arguments)),
            None => Err((
                "tool/invalid-arguments",
                format!("the arguments of tool `{}` must be a JSON object", shorten_name(&call.name)),
            )),
        }
    }
}

/// A map with `text` or `tool_calls` is a whole reply, anything else its text.
pub(crate) fn stub_reply(value: &Json) -> ChatReply {
    let Some(map) =
        value.as_object().filter(|map| map.contains_key("text") || map.contains_key("tool_calls"))
    else {
        return ChatReply::new(plain_text(value));
    };
    let mut map = map.clone();
    map.entry("text").or_insert_with(|| Json::from(""));
    let calls = map.get("tool_calls").and_then(Json::as_array).is_some_and(|calls| !calls.is_empty());
    let finish = if calls { FinishReason::ToolCalls } else { FinishReason::Stop };
    map.entry("finish").or_insert_with(|| Json::from(finish.as_str()));
    ChatReply::from_json(&Json::Object(map)).unwrap_or_else(|| ChatReply::new(""))
}

/// Keeps the provider's id, unless missing or duplicate.
pub(crate) fn assign_call_ids(calls: &mut [ToolCall], turn: u32) {
    let mut seen = HashSet::new();
    for (index, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || seen.contains(&call.id) {
            call.id = format!("call_{turn}_{index}");
        }
        seen.insert(call.id.clone());
    }
}

pub(super) fn check(checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) {
    let CheckedNode { node, target, with, capabilities } = checked;
    llm::check("agent", checked, diagnostics);
    let entry = with.and_then(Spanned::as_map).unwrap_or_default().iter().find(|entry| entry.key == "tools");
    let Some(tools) = &capabilities.tools else { return };
    let Some(ValueKind::List(items)) = entry.map(|entry| &entry.value.kind) else {
        if tools.is_empty() {
            diagnostics.push(llm::no_tools(node, target));
        }
        return;
    };
    tool::check_named(items, capabilities, target, diagnostics);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_wire_are_plain_and_each_its_own() {
        let long = "x".repeat(70);
        for (names, expected) in [
            (vec!["search", "a-b_c"], vec!["search", "a-b_c"]),
            (vec!["github.search", "files/read"], vec!["github_search", "files_read"]),
            // Valid names stay, whatever precedes them.
            (vec!["a.b", "a_b", "a/b"], vec!["a_b_2", "a_b", "a_b_3"]),
            (vec!["día"], vec!["d_a"]),
        ] {
            assert_eq!(wire_names(&names), expected);
        }
        let wires = wire_names(&[&long, &format!("{long}y")]);
        assert!(wires.iter().all(|wire| wire.len() == MAX_NAME_LENGTH) && wires[0] != wires[1], "{wires:?}");
    }

    #[test]
    fn stubs_answer_with_texts_and_calls() {
        for (value, text, calls, finish) in [
            (json!("hi"), "hi", 0, FinishReason::Stop),
            (json!({"a": 1}), "{\"a\":1}", 0, FinishReason::Stop),
            (json!({"tool_calls": [{"name": "f"}]}), "", 1, FinishReason::ToolCalls),
            (json!({"text": "cut", "finish": "length"}), "cut", 0, FinishReason::Length),
        ] {
            let reply = stub_reply(&value);
            assert_eq!((reply.text.as_str(), reply.tool_calls.len(), reply.finish), (text, calls, finish));
        }
    }

    #[test]
    fn calls_without_a_name_of_their_own_get_one() {
        let call = |id: &str| ToolCall { id: id.into(), name: "f".into(), arguments: json!({}) };
        let mut calls = [call("a"), call(""), call("a")];
        assign_call_ids(&mut calls, 2);
        assert_eq!(calls.map(|call| call.id), ["a", "call_2_1", "call_2_2"]);
    }
}
