//! Nodes that make a plan of a request: nine types, each a stage of the flow `author`.
//!
//! Decides which stage asks a model what, and what becomes of its answer: an action word as output, by which edges choose, and what was
//! found out under names of its own. The conversations are the machine's, as an agent's are.
//!
//! Files, by stage: `browsing` discovery, component browsing · `parameters` parameter discovery and mapping · `requirements` ·
//! `planning` and `markdown` the plan in words · `generator` · `validator` · `result`; `words` what they share.
//!
//! Invariants: 1. instructions are the same for every request, so that providers can cache them; 2. a model that fails fails its node, an
//! answer that will not do never does: in the end there is a default; 3. what was not offered can't be chosen.
//!
//! Source: `docs/authoring.md`.

mod browsing;
mod generator;
mod markdown;
mod parameters;
mod planning;
mod requirements;
mod result;
mod validator;
mod words;

use super::asked::{Asked, Told};
use super::guard::trusted;
use super::plan::ATTEMPTS;
use super::{llm, settings};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Problems, Target};
use crate::failure::Failure;
use crate::graph::{Node, Texts};
use crate::kind::Stage;
use crate::kind::settings::of_stage;
use crate::list::List;
use crate::model::{ChatRequest, Conversation, Message, ModelFault, Role};
use crate::source::Spanned;
use crate::tool::Catalogue;
use parameters::{Mapping, request_of};
use serde_json::Value as Json;

/// The longest answer that goes back to the model whole when it will not do, in characters.
const LONGEST_BACK: usize = 4_000;

/// The conversation of planning and generation unless the plan says otherwise.
const CONVERSATION: &str = "planner";

/// How many tokens the model may answer unless the plan says otherwise.
fn tokens(stage: Stage) -> u32 {
    match stage {
        Stage::Generator => 8_192,
        Stage::Planning => 2_048,
        // Their answers are small, and their schemas bound them.
        _ => 512,
    }
}

/// What is wrong with the settings.
pub(super) fn check(
    stage: Stage,
    node: &Node,
    target: &Target,
    with: Option<&Spanned>,
    capabilities: &Capabilities,
    problems: &mut Problems,
) {
    settings::check(&node.kind, &of_stage(stage), with, target, problems);
    if stage.asks() {
        llm::check_model(node, target, with, capabilities, problems);
    }
}

/// A node of one of the stages.
#[derive(Debug)]
pub struct Author {
    stage: Stage,
    /// How long the model may take before it is told, in milliseconds.
    pub(crate) deadline_ms: Option<f64>,
    /// How often the model is asked, or a plan generated, in all.
    attempts: u32,
    trusted: Vec<String>,
    host: Capabilities,
}

impl Author {
    /// From the settings of a node and what the host offers.
    pub(super) fn of(stage: Stage, with: Option<&Texts>, host: &Capabilities) -> Self {
        let number = |key: &str| {
            with.and_then(|with| with.get(key)).as_ref().and_then(Texts::constant).and_then(Json::as_f64)
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
            trusted: trusted(with),
            host: host.clone(),
        }
    }

    /// How often the model is asked at one visit.
    pub(super) fn turns(&self) -> u32 {
        if self.stage == Stage::Generator { 1 } else { self.attempts }
    }

    /// The conversation that it keeps to, when the plan names none.
    pub(super) fn conversation(&self) -> Option<&'static str> {
        self.stage.talks().then_some(CONVERSATION)
    }

    /// Whether it begins anew, whatever was said before: planning always, and generation where the plan in words is lost.
    pub(super) fn begins(&self, kept: &Conversation) -> bool {
        let first = kept.messages.iter().find(|message| message.role == Role::User);
        self.stage != Stage::Generator || first.is_none_or(|first| !first.content.starts_with(planning::HEAD))
    }

    fn tools(&self) -> &Catalogue {
        static NOTHING: std::sync::OnceLock<Catalogue> = std::sync::OnceLock::new();
        self.host.tools.as_ref().unwrap_or_else(|| NOTHING.get_or_init(Catalogue::default))
    }

    /// The names of the connected servers.
    fn servers(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for server in self.tools().iter().filter_map(|(_, tool)| tool.server.as_ref()) {
            if !names.contains(server) {
                names.push(server.clone());
            }
        }
        names
    }

    /// What it gives without asking a model; nothing when one is to be asked.
    pub(super) fn at_once(&self, asked: &Asked<'_>) -> Option<Told> {
        let request = request_of(asked);
        match self.stage {
            Stage::Discovery => (request.is_empty() || !browsing::has_workflows(asked.input))
                .then(|| browsing::not_found("there are no workflows")),
            Stage::ParameterDiscovery => request.is_empty().then(|| parameters::untouched("")),
            Stage::Requirements => request.is_empty().then(requirements::empty),
            Stage::Planning => {
                browsing::chosen(asked.input, self.tools()).is_empty().then(|| planning::nothing(asked.input))
            }
            Stage::Mapping => {
                let mapping = self.mapping(asked);
                // A generation that holds no plan is not worth a question.
                let errors = asked.input.get("generation_errors").and_then(Json::as_array);
                let nothing = request.is_empty() || errors.is_some_and(|errors| !errors.is_empty());
                (mapping.is_complete() || nothing).then(|| mapping.told())
            }
            Stage::Validator => Some(validator::judge(asked, &self.host, &self.trusted, self.attempts)),
            Stage::Result => Some(result::prepare(asked.input)),
            Stage::Browsing | Stage::Generator => None,
        }
    }

    fn mapping(&self, asked: &Asked<'_>) -> Mapping {
        Mapping::of(asked.input, self.host.patterns())
    }

    /// Makes a request of settings into what the model is to be asked; `continues` says whether its conversation goes on.
    pub(super) fn dress(&self, request: &mut ChatRequest, asked: &Asked<'_>, continues: bool) {
        let text = request_of(asked);
        let tools = self.tools();
        let (rules, schema, question) = match self.stage {
            Stage::Discovery => (
                browsing::FIND.to_owned(),
                browsing::FIND_SCHEMA,
                browsing::find_question(asked.input, &text),
            ),
            Stage::ParameterDiscovery => (parameters::DISCOVER.to_owned(), parameters::SCHEMA, text),
            Stage::Requirements => (requirements::RULES.to_owned(), requirements::SCHEMA, text),
            Stage::Browsing => {
                let question = format!("The request:\n{text}\n\n{}", browsing::requirements(asked.input));
                (browsing::BROWSE.to_owned() + &browsing::listing(tools), browsing::BROWSE_SCHEMA, question)
            }
            Stage::Planning => (planning::SYSTEM.to_owned(), "", self.opening(asked, &text) + planning::ASK),
            Stage::Generator => {
                let question = generator::question(asked.input, continues, || self.opening(asked, &text));
                (planning::SYSTEM.to_owned(), "", question)
            }
            _ => (parameters::MAP.to_owned(), parameters::SCHEMA, self.mapping(asked).question(&text)),
        };
        let own = request.messages.first().filter(|message| message.role == Role::System);
        let more = own.map_or_else(String::new, |message| format!("\n\n{}", message.content));
        let goes_on = continues && self.stage == Stage::Generator;
        let system = (!goes_on).then(|| Message::new(Role::System, rules + &more));
        request.messages = system.into_iter().chain([Message::new(Role::User, question)]).list();
        request.schema = crate::json::parse(schema);
        request.max_tokens = request.max_tokens.or(Some(tokens(self.stage)));
    }

    /// What is to be planned.
    fn opening(&self, asked: &Asked<'_>, request: &str) -> String {
        planning::question(asked.input, request, self.tools(), &self.trusted)
    }

    /// What an answer becomes.
    ///
    /// # Errors
    /// Why it will not do.
    pub(super) fn output(&self, answer: &str, asked: &Asked<'_>) -> Result<Told, Failure> {
        self.judge(answer, asked, false)
    }

    /// What an answer becomes that will not do when the model is not asked again: what can be made of it, or a default.
    pub(super) fn last_resort(
        &self,
        answer: &str,
        asked: &Asked<'_>,
        failure: &Failure,
    ) -> Result<Told, Failure> {
        if self.stage == Stage::Generator {
            return Ok(generator::cut_off(asked.input, failure));
        }
        self.judge(answer, asked, true).or_else(|last| match self.stage {
            Stage::Browsing => Ok(browsing::no_choice(failure)),
            Stage::Discovery => Ok(browsing::not_found("")),
            Stage::ParameterDiscovery => Ok(parameters::untouched(&request_of(asked))),
            Stage::Mapping => Ok(self.mapping(asked).told()),
            _ => Err(last),
        })
    }

    fn judge(&self, answer: &str, asked: &Asked<'_>, forgiving: bool) -> Result<Told, Failure> {
        let request = request_of(asked);
        match self.stage {
            Stage::Discovery => browsing::find_output(answer, asked.input),
            Stage::ParameterDiscovery => parameters::discover(answer, &request, &self.servers()),
            Stage::Requirements => {
                let servers = self.servers();
                let params = asked.input.get("discovered_params");
                let known = requirements::Known { request: &request, servers: &servers, params };
                requirements::output(answer, &known, forgiving)
            }
            Stage::Browsing => browsing::browse_output(answer, self.tools(), forgiving),
            Stage::Planning => planning::output(answer, asked.input, self.tools(), forgiving),
            Stage::Mapping => self.mapping(asked).output(answer, &request),
            Stage::Generator | Stage::Validator | Stage::Result => Ok(generator::output(answer, asked.input)),
        }
    }

    /// Whether a stage goes on with its default, as after an answer that will not do, though the model gave none.
    pub(super) fn forgives(failure: &Failure) -> bool {
        failure.code == ModelFault::ContextLength.code()
    }

    /// Cuts off an answer that will not do, before it goes back to the model: its beginning is enough to know it by.
    pub(super) fn shorten(message: &mut Message) {
        if let Some((at, _)) = message.content.char_indices().nth(LONGEST_BACK) {
            message.content.truncate(at);
            message.content.push_str("… (cut off)");
            message.provider = None;
        }
    }

    /// What the model is told of an answer that will not do.
    pub(super) fn again(&self, failure: &Failure) -> String {
        if self.stage == Stage::Planning { planning::again(failure) } else { parameters::again(failure) }
    }
}
