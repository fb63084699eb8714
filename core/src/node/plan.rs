//! A model plans tool calls without making them.
//!
//! The machine runs the conversation, and returns invalid replies with all errors.
//!
//! Invariants: 1. The model sees no trusted parameters. 2. Only the tool list affects the instructions.
//!
//! Source: `docs/planning.md`.

use super::checked_node::CheckedNode;
use super::guard::{trusted_names, visible_schema};
use super::{llm, settings};
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Diagnostic, DiagnosticCollector};
use crate::failure::Failure;
use crate::graph::TemplateValue;
use crate::kind::settings::PLAN;
use crate::model::{ChatRequest, Message, Role};
use crate::tool::ToolRegistry;
use crate::toolplan::{self, Trust};
use crate::value::{json_text, plain_text};
use serde_json::Value as Json;

/// Input keys: request and further information.
pub(crate) const USER_QUERY: &str = "user_query";
pub(crate) const CONTEXT: &str = "context";

pub(super) const ATTEMPTS: u32 = 3;

const MAX_LISTED: usize = 20;

/// `plan` settings.
#[derive(Debug)]
pub struct Planner {
    tools: ToolRegistry,
    trusted: Vec<String>,
}

pub(super) fn check(checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) {
    settings::check("plan", &PLAN, checked.with, checked.target, diagnostics);
    llm::check_model(checked, diagnostics);
}

impl Planner {
    pub(super) fn of(with: Option<&TemplateValue>, capabilities: &Capabilities) -> Self {
        Self { tools: capabilities.tools.clone().unwrap_or_default(), trusted: trusted_names(with) }
    }

    pub(crate) fn prepare_request(&self, request: &mut ChatRequest, input: &Json, context: &Json) {
        let own = request.messages.first().filter(|message| message.role == Role::System);
        let more = own.map_or_else(String::new, |message| format!("\n\n{}", message.content));
        let system = Message::new(Role::System, self.instructions() + &more);
        let asked = Message::new(Role::User, self.question(input, context));
        request.messages = vec![system, asked];
        request.schema = Some(self.schema());
    }

    fn instructions(&self) -> String {
        let mut text = RULES.to_owned();
        for (name, tool) in self.tools.iter() {
            let mut told = tool.clone();
            (told.name, told.input_schema) =
                (name.to_owned(), visible_schema(&tool.input_schema, &self.trusted));
            (told.output_schema, told.annotations, told.server) = (None, None, None);
            text.push_str(&json_text(&told.to_json()));
            text.push('\n');
        }
        text
    }

    fn question(&self, input: &Json, context: &Json) -> String {
        let query = input.get(USER_QUERY).and_then(Json::as_str).or_else(|| input.as_str());
        let mut text = query.map_or_else(|| json_text(input), str::to_owned);
        if let Some(more) = input.get(CONTEXT).filter(|more| !more.is_null()) {
            text.push_str("\n\nWhat else is known: ");
            text.push_str(&plain_text(more));
        }
        let trust = Trust { names: Vec::new(), context: context.clone() };
        let known = |name: &&String| trust.value(name).is_some();
        let (given, missing): (Vec<&String>, Vec<&String>) = self.trusted.iter().partition(known);
        for (names, what) in [(given, "given by the run"), (missing, "not known")] {
            for name in names {
                text.push_str("\n\n`");
                text.push_str(name);
                text.push_str("` is ");
                text.push_str(what);
                text.push('.');
            }
        }
        text
    }

    fn schema(&self) -> Json {
        let mut schema = crate::json::parse(SCHEMA).unwrap_or_default();
        let names: Vec<Json> = self.tools.names().map(Json::from).collect_vec();
        let name = schema.pointer_mut("/properties/tool_calls/items/properties/tool_name");
        if let (Some(name), false) = (name.and_then(Json::as_object_mut), names.is_empty()) {
            name.insert("enum".to_owned(), Json::Array(names));
        }
        schema
    }

    /// Parses a reply.
    ///
    /// # Errors
    /// The first error's code, and all messages.
    pub(crate) fn parse_reply(&self, answer: &str, context: &Json) -> Result<Json, Failure> {
        let plan = toolplan::parse(answer).map_err(|diagnostic| diagnostics_failure(&[*diagnostic]))?;
        let trust = Trust { names: self.trusted.clone(), context: context.clone() };
        let checked = toolplan::check(&plan, &self.tools, &trust);
        // No reply can provide missing values of the run, which the tool plan lists.
        let errors: Vec<Diagnostic> = checked.correctable().cloned().collect_vec();
        if errors.is_empty() { Ok(checked.plan) } else { Err(diagnostics_failure(&errors)) }
    }

    pub(crate) fn correction_message(failure: &Failure) -> String {
        format!(
            "This plan can't be carried out: {}. Answer with the whole plan again, as one JSON object.",
            failure.message
        )
    }
}

fn diagnostics_failure(diagnostics: &[Diagnostic]) -> Failure {
    let code = diagnostics.first().map_or("plan/not-json", |diagnostic| diagnostic.code.slug());
    let one = |diagnostic: &Diagnostic| match &diagnostic.help {
        Some(help) => format!("{} ({help})", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut said: Vec<String> = diagnostics.iter().take(MAX_LISTED).map(one).collect_vec();
    if let Some(more) = diagnostics.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        said.push(format!("and {more} more"));
    }
    Failure::new(code, said.join("; "))
}

const RULES: &str = "\
You plan which tools to call in order to answer a request; you call none yourself. Answer with one JSON object:
{\"plan\": what will be done, in a sentence or two,
 \"tool_calls\": [{\"tool_name\": a name from the list, \"parameters\": {name: value}, \"reasoning\": why}],
 \"reasoning\": why this plan, \"response_strategy\": how to answer the person with what the calls give}
The calls are carried out in their order. A parameter may take what an earlier call gave: \"${call[0].items[0].id}\" is a part of the result of the first call. \
Give every parameter that a tool requires, of the kind its schema says, and no others. When no tool is needed, `tool_calls` is empty.
The tools, one a line:
";

/// As text: code would be three times as large.
const SCHEMA: &str = r#"{"type": "object", "properties": {
    "plan": {"type": "string"},
    "tool_calls": {"type": "array", "items": {
        "type": "object",
        "properties": {"tool_name": {"type": "string"}, "parameters": {"type": "object"}, "reasoning": {"type": "string"}},
        "required": ["tool_name", "parameters", "reasoning"]}},
    "reasoning": {"type": "string"}, "response_strategy": {"type": "string"}},
  "required": ["plan", "tool_calls", "reasoning", "response_strategy"]}"#;

/// Output schema.
pub const OUTPUT_SCHEMA: &str = r#"{"type": "object", "properties": {
  "plan": {"type": "string"}, "reasoning": {"type": "string"}, "response_strategy": {"type": "string"},
  "tool_calls": {"type": "array", "items": {"type": "object", "properties": {
    "tool_name": {"type": "string"}, "parameters": {"type": "object"}, "reasoning": {"type": "string"}}}},
  "needs_user_email": {"type": "boolean"}, "needs_context": {"type": "array", "items": {"type": "string"}},
  "missing_context": {"type": "array", "items": {"type": "string"}, "description": "Trusted values that a call needs and the run was not given."},
  "discarded": {"type": "array", "items": {"type": "string"}, "description": "Trusted parameters that the model wrote a value for."}}}"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolInfo;
    use serde_json::json;

    fn planner() -> Planner {
        let tools = json!([
            {"name": "jobs", "description": "Current jobs", "input_schema": {
                "type": "object", "properties": {"user_email": {"type": "string"}, "page": {"type": "integer"}}, "required": ["user_email"]}},
        ]);
        let tools = tools.as_array().into_iter().flatten().filter_map(ToolInfo::from_json);
        Planner { tools: ToolRegistry::new(tools), trusted: Trust::default().names }
    }

    #[test]
    fn trusted_parameters_are_not_shown() {
        let text = planner().instructions();
        assert!(text.contains("\"page\"") && text.contains("\"jobs\""), "{text}");
        assert!(!text.contains("user_email"), "{text}");
    }

    #[test]
    fn questions_say_what_is_known() {
        let planner = planner();
        for (input, context, expect) in [
            (
                json!("my jobs?"),
                json!({"user_email": "a@b.c"}),
                "my jobs?\n\n`user_email` is given by the run.",
            ),
            (json!({"user_query": "my jobs?"}), json!(null), "my jobs?\n\n`user_email` is not known."),
            (
                json!({"user_query": "a", "context": {"b": 1}}),
                json!({"user_email": "a@b.c"}),
                "a\n\nWhat else is known: {\"b\":1}\n\n`user_email` is given by the run.",
            ),
        ] {
            assert_eq!(planner.question(&input, &context), expect);
        }
    }

    #[test]
    fn answers_become_plans_or_all_that_is_wrong() {
        let planner = planner();
        let context = json!({"user_email": "a@b.c"});
        let plan = planner.parse_reply("{\"tool_calls\": [{\"tool_name\": \"jobs\"}]}", &context).unwrap();
        assert_eq!(plan["tool_calls"][0]["parameters"], json!({}));
        assert_eq!((&plan["needs_user_email"], plan.get("discarded")), (&json!(true), None));
        let failure = planner
            .parse_reply("{\"tool_calls\": [{\"tool_name\": \"job\"}, {\"tool_name\": \"jobs\", \"parameters\": {\"page\": \"x\"}}]}", &context)
            .unwrap_err();
        assert_eq!(failure.code, "plan/unknown-tool");
        assert!(
            failure.message.contains("did you mean `jobs`?") && failure.message.contains("call[1]"),
            "{failure:?}"
        );
        assert_eq!(planner.parse_reply("no", &context).unwrap_err().code, "plan/not-json");
    }
}
