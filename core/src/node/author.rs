//! The planner flow's nine node types, from request to plan.
//!
//! Outputs are words for edge conditions, further results are named outputs. The machine runs conversations.
//!
//! Files, by stage: `browsing` discovery, component browsing · `parameters` parameter discovery and mapping ·
//! `requirements` · `planning` and `markdown` the plan in Markdown · `generator` · `validator` · `result`. `text` holds
//! shared helpers.
//!
//! Invariants: 1. Instructions never vary, so that providers can cache them. 2. A failing model fails its node, an
//! invalid reply never: the last attempt has a default. 3. Models choose only offered components and workflows.
//!
//! Source: `docs/authoring.md`.

mod browsing;
mod generator;
mod markdown;
mod parameters;
mod planning;
mod requirements;
mod result;
mod text;
mod validator;

use super::checked_node::CheckedNode;
use super::guard::trusted_names;
use super::plan::ATTEMPTS;
use super::strategy_input::{NodeOutput, StrategyInput};
use super::{llm, settings};
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::DiagnosticCollector;
use crate::failure::Failure;
use crate::graph::TemplateValue;
use crate::kind::Stage;
use crate::kind::settings::stage_settings;
use crate::model::{ChatRequest, Conversation, Message, ModelErrorKind, Role};
use crate::tool::ToolRegistry;
use parameters::{Mapping, request_text};
use serde_json::Value as Json;

/// Characters of an invalid reply in the conversation.
const MAX_ECHOED_CHARS: usize = 4_000;

const CONVERSATION: &str = "planner";

fn default_max_tokens(stage: Stage) -> u32 {
    match stage {
        Stage::Generator => 8_192,
        Stage::Planning => 2_048,
        // Small replies, bounded by schemas.
        _ => 512,
    }
}

pub(super) fn check(stage: Stage, checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) {
    settings::check(&checked.node.kind, &stage_settings(stage), checked.with, checked.target, diagnostics);
    if stage.calls_model() {
        llm::check_model(checked, diagnostics);
    }
}

/// A stage's node.
#[derive(Debug)]
pub struct Author {
    stage: Stage,
    /// Expected milliseconds of the model. `missed_deadlines` records more.
    pub(crate) deadline_ms: Option<f64>,
    /// Model calls, or generated plans.
    attempts: u32,
    trusted: Vec<String>,
    host: Capabilities,
}

impl Author {
    pub(super) fn of(stage: Stage, with: Option<&TemplateValue>, host: &Capabilities) -> Self {
        let number = |key: &str| {
            with.and_then(|with| with.get(key))
                .as_ref()
                .and_then(TemplateValue::as_constant)
                .and_then(Json::as_f64)
        };
        let usual = match stage {
            Stage::Requirements => Some(2_000.0),
            Stage::Planning => Some(3_000.0),
            _ => None,
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be from 1 to 100"
        )]
        let attempts = number("attempts").map_or(ATTEMPTS, |attempts| attempts as u32);
        Self {
            stage,
            deadline_ms: number("deadline_ms").or(usual),
            attempts,
            trusted: trusted_names(with),
            host: host.clone(),
        }
    }

    pub(super) fn max_turns(&self) -> u32 {
        if self.stage == Stage::Generator { 1 } else { self.attempts }
    }

    pub(super) fn conversation(&self) -> Option<&'static str> {
        self.stage.shares_conversation().then_some(CONVERSATION)
    }

    /// Planning always does, generation if the Markdown plan is lost.
    pub(super) fn starts_new_conversation(&self, stored: &Conversation) -> bool {
        let first = stored.messages.iter().find(|message| message.role == Role::User);
        self.stage != Stage::Generator
            || first.is_none_or(|first| !first.content.starts_with(planning::REQUEST_HEADING))
    }

    fn tools(&self) -> &ToolRegistry {
        static EMPTY: std::sync::OnceLock<ToolRegistry> = std::sync::OnceLock::new();
        self.host.tools.as_ref().unwrap_or_else(|| EMPTY.get_or_init(ToolRegistry::default))
    }

    fn servers(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for server in self.tools().iter().filter_map(|(_, tool)| tool.server.as_ref()) {
            if !names.contains(server) {
                names.push(server.clone());
            }
        }
        names
    }

    pub(super) fn immediate_output(&self, strategy_input: &StrategyInput<'_>) -> Option<NodeOutput> {
        let request = request_text(strategy_input);
        match self.stage {
            Stage::Discovery => (request.is_empty() || !browsing::has_workflows(strategy_input.input))
                .then(|| browsing::no_workflow("there are no workflows")),
            Stage::ParameterDiscovery => request.is_empty().then(|| parameters::no_parameters("")),
            Stage::Requirements => request.is_empty().then(requirements::empty_request),
            Stage::Planning => browsing::chosen_components(strategy_input.input, self.tools())
                .is_empty()
                .then(|| planning::no_plan(strategy_input.input)),
            Stage::Mapping => {
                let mapping = self.mapping(strategy_input);
                // A failed generation needs no model call.
                let errors = strategy_input.input.get("generation_errors").and_then(Json::as_array);
                let nothing = request.is_empty() || errors.is_some_and(|errors| !errors.is_empty());
                (mapping.is_complete() || nothing).then(|| mapping.into_output())
            }
            Stage::Validator => {
                Some(validator::validate(strategy_input, &self.host, &self.trusted, self.attempts))
            }
            Stage::Result => Some(result::prepare(strategy_input.input)),
            Stage::Browsing | Stage::Generator => None,
        }
    }

    fn mapping(&self, strategy_input: &StrategyInput<'_>) -> Mapping {
        Mapping::of(strategy_input.input, self.host.patterns())
    }

    /// `continues` tells whether its conversation continues.
    pub(super) fn prepare_request(
        &self,
        request: &mut ChatRequest,
        strategy_input: &StrategyInput<'_>,
        continues: bool,
    ) {
        let text = request_text(strategy_input);
        let tools = self.tools();
        let (rules, schema, question) = match self.stage {
            Stage::Discovery => (
                browsing::FIND_PROMPT.to_owned(),
                browsing::FIND_SCHEMA,
                browsing::find_question(strategy_input.input, &text),
            ),
            Stage::ParameterDiscovery => (parameters::DISCOVER_PROMPT.to_owned(), parameters::SCHEMA, text),
            Stage::Requirements => (requirements::RULES.to_owned(), requirements::SCHEMA, text),
            Stage::Browsing => {
                let question =
                    format!("The request:\n{text}\n\n{}", browsing::requirements(strategy_input.input));
                (
                    browsing::BROWSE_PROMPT.to_owned() + &browsing::listing(tools),
                    browsing::BROWSE_SCHEMA,
                    question,
                )
            }
            Stage::Planning => (
                planning::SYSTEM.to_owned(),
                "",
                self.planning_request(strategy_input, &text) + planning::PLAN_PROMPT,
            ),
            Stage::Generator => {
                let question = generator::next_prompt(strategy_input.input, continues, || {
                    self.planning_request(strategy_input, &text)
                });
                (planning::SYSTEM.to_owned(), "", question)
            }
            _ => (
                parameters::MAP_PROMPT.to_owned(),
                parameters::SCHEMA,
                self.mapping(strategy_input).question(&text),
            ),
        };
        let own = request.messages.first().filter(|message| message.role == Role::System);
        let more = own.map_or_else(String::new, |message| format!("\n\n{}", message.content));
        let goes_on = continues && self.stage == Stage::Generator;
        let system = (!goes_on).then(|| Message::new(Role::System, rules + &more));
        request.messages = system.into_iter().chain([Message::new(Role::User, question)]).collect_vec();
        request.schema = crate::json::parse(schema);
        request.max_tokens = request.max_tokens.or(Some(default_max_tokens(self.stage)));
    }

    fn planning_request(&self, strategy_input: &StrategyInput<'_>, request: &str) -> String {
        planning::planning_prompt(strategy_input.input, request, self.tools(), &self.trusted)
    }

    pub(super) fn parse_reply(
        &self,
        answer: &str,
        strategy_input: &StrategyInput<'_>,
    ) -> Result<NodeOutput, Failure> {
        self.parse_reply_with(answer, strategy_input, false)
    }

    /// After the last invalid reply: its usable parts, or a default.
    pub(super) fn fallback_output(
        &self,
        answer: &str,
        strategy_input: &StrategyInput<'_>,
        failure: &Failure,
    ) -> Result<NodeOutput, Failure> {
        if self.stage == Stage::Generator {
            return Ok(generator::cut_off(strategy_input.input, failure));
        }
        self.parse_reply_with(answer, strategy_input, true).or_else(|last| match self.stage {
            Stage::Browsing => Ok(browsing::no_components(failure)),
            Stage::Discovery => Ok(browsing::no_workflow("")),
            Stage::ParameterDiscovery => Ok(parameters::no_parameters(&request_text(strategy_input))),
            Stage::Mapping => Ok(self.mapping(strategy_input).into_output()),
            _ => Err(last),
        })
    }

    fn parse_reply_with(
        &self,
        answer: &str,
        strategy_input: &StrategyInput<'_>,
        forgiving: bool,
    ) -> Result<NodeOutput, Failure> {
        let request = request_text(strategy_input);
        match self.stage {
            Stage::Discovery => browsing::find_output(answer, strategy_input.input),
            Stage::ParameterDiscovery => parameters::parse_discovery(answer, &request, &self.servers()),
            Stage::Requirements => {
                let servers = self.servers();
                let params = strategy_input.input.get("discovered_params");
                let context =
                    requirements::RequirementsContext { request: &request, servers: &servers, params };
                requirements::parse_reply(answer, &context, forgiving)
            }
            Stage::Browsing => browsing::browse_output(answer, self.tools(), forgiving),
            Stage::Planning => planning::parse_reply(answer, strategy_input.input, self.tools(), forgiving),
            Stage::Mapping => self.mapping(strategy_input).parse_reply(answer, &request),
            Stage::Generator | Stage::Validator | Stage::Result => {
                Ok(generator::parse_reply(answer, strategy_input.input))
            }
        }
    }

    /// Whether the stage's default replaces a failed model.
    pub(super) fn accepts_failure(failure: &Failure) -> bool {
        failure.code == ModelErrorKind::ContextLength.code()
    }

    /// Its beginning lets the model recognize it.
    pub(super) fn truncate_reply(message: &mut Message) {
        if let Some((at, _)) = message.content.char_indices().nth(MAX_ECHOED_CHARS) {
            message.content.truncate(at);
            message.content.push_str("… (cut off)");
            message.provider = None;
        }
    }

    pub(super) fn correction_message(&self, failure: &Failure) -> String {
        if self.stage == Stage::Planning {
            planning::correction_message(failure)
        } else {
            parameters::correction_message(failure)
        }
    }
}
