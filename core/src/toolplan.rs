//! What a model that plans has answered: which tools to call with which parameters, and why.
//!
//! Decides whether such a tool plan can be carried out with the tools there are. All problems are found at once: they go back to the
//! model, which is asked again. Calls nothing.
//!
//! Files: `check` the parameters of one call · `reference_syntax` what in a text is a reference · `resolve` what references become.
//!
//! Invariants:
//! 1. a judged plan holds no trusted parameter: what the model wrote for one is thrown away and told, and the run's own value joins
//!    the arguments when the call is made;
//! 2. a tool plan without errors names only tools that are there, and refers only to calls before its own;
//! 3. of more than [`MAX_CALLS`] calls none is looked at.
//!
//! Source: `docs/planning.md`.

mod check;
mod reference_syntax;
mod resolve;

pub(crate) use check::{SAME_VALUE_KEYWORDS, argument_subschemas};
pub(crate) use resolve::{dependencies, parse_parameters, resolve};

use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Target, closest_name, shorten_name};
use crate::json;
use crate::tool::ToolRegistry;
use serde_json::{Map, Value as Json, json};

/// How many calls a tool plan may have.
pub const MAX_CALLS: usize = 1000;

/// The key of a tool plan under which the trusted values stand that it needs and the run was not given.
pub(crate) const MISSING: &str = "missing_context";

/// The key under which the trusted parameters stand that the model wrote a value for.
const DISCARDED: &str = "discarded";

/// Which parameters a model must not fill, and what stands in for them.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// The names of the parameters.
    pub names: Vec<String>,
    /// The run's context: a map from name to value.
    pub context: Json,
}

impl Default for Trust {
    fn default() -> Self {
        Self { names: vec!["user_email".to_owned()], context: Json::Null }
    }
}

impl Trust {
    /// The value of a trusted parameter; a blank text is none.
    pub(crate) fn value(&self, name: &str) -> Option<&Json> {
        self.context
            .get(name)
            .filter(|value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty()))
    }
}

/// A tool plan as it is to be carried out, and what is to be said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedToolPlan {
    /// `{plan, tool_calls: [{tool_name, parameters, reasoning}], reasoning, needs_user_email, needs_context, response_strategy}`;
    /// what was not written is empty. With `missing_context` where the run was not given a value that some call needs, and
    /// `discarded` where the model wrote a value for a trusted parameter.
    pub plan: Json,
    /// All problems, in the order of the calls.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckedToolPlan {
    /// Whether it can be carried out.
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// What is wrong with it that another answer of the model could mend.
    pub(crate) fn correctable(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).filter(|diagnostic| {
            ![Code::PlanMissingContext, Code::PlanInvalidContext].contains(&diagnostic.code)
        })
    }
}

/// Reads what a model wrote: a JSON object, with or without a fence or words around it.
///
/// # Errors
/// That it is none.
pub fn parse(text: &str) -> Result<Json, Box<Diagnostic>> {
    let whole = json::parse(text.trim());
    let inner = || {
        let (from, to) = (text.find('{')?, text.rfind('}')?);
        json::parse(text.get(from..=to)?)
    };
    let found = whole.filter(Json::is_object).or_else(inner);
    found.filter(Json::is_object).ok_or_else(|| {
        let diagnostic =
            Diagnostic::new(Code::PlanNotJson, format!("`{}` is no JSON object", shorten_name(text.trim())));
        Box::new(diagnostic.help("answer with one JSON object and nothing else"))
    })
}

/// Judges a tool plan by the tools there are.
///
/// # Example
/// ```
/// use serde_json::json;
/// use stepgraph_core::tool::{ToolRegistry, ToolInfo};
/// use stepgraph_core::toolplan::{Trust, check};
///
/// let tool = json!({"name": "jobs", "input_schema": {"properties": {"user_email": {"type": "string"}}, "required": ["user_email"]}});
/// let tools = ToolRegistry::new(ToolInfo::from_json(&tool));
/// let trust = Trust { context: json!({"user_email": "a@b.c"}), ..Trust::default() };
/// let judged = check(&json!({"tool_calls": [{"tool_name": "jobs"}]}), &tools, &trust);
/// assert!(judged.is_sound());
/// assert_eq!(judged.plan["needs_user_email"], true);
/// // The email joins the parameters when the tool is called: a plan is shown to models and kept in files.
/// assert_eq!(judged.plan["tool_calls"][0]["parameters"], json!({}));
/// ```
pub fn check(plan: &Json, tools: &ToolRegistry, trust: &Trust) -> CheckedToolPlan {
    check_with(plan, tools, trust, false)
}

/// The same; nothing is a reference where parameters are `literal`.
pub(crate) fn check_with(plan: &Json, tools: &ToolRegistry, trust: &Trust, literal: bool) -> CheckedToolPlan {
    let mut checker = ToolPlanChecker {
        tools,
        trust,
        literal,
        diagnostics: Vec::new(),
        needed: Vec::new(),
        missing: Vec::new(),
        discarded: Vec::new(),
    };
    let calls: Vec<Json> = match plan.get("tool_calls") {
        Some(Json::Array(calls)) if calls.len() > MAX_CALLS => {
            let message = format!("the plan has {} calls, and {MAX_CALLS} are the most", calls.len());
            let diagnostic = Diagnostic::new(Code::PlanTooManyCalls, message);
            checker.diagnostics.push(diagnostic.help("plan fewer calls"));
            Vec::new()
        }
        Some(Json::Array(calls)) => {
            calls.iter().enumerate().map(|(at, call)| checker.check_call(at, call, calls)).collect_vec()
        }
        found => {
            let message = match found {
                None => "the plan has no `tool_calls`".to_owned(),
                Some(other) => format!("`tool_calls` is a list, not {}", kind(other)),
            };
            let diagnostic = Diagnostic::new(Code::PlanInvalidType, message);
            checker.diagnostics.push(diagnostic.help("give `tool_calls` a list, which may be empty"));
            Vec::new()
        }
    };
    let said = |key: &str| plan.get(key).cloned().unwrap_or_else(|| Json::from(""));
    let ToolPlanChecker { diagnostics, needed: needs, missing, discarded, .. } = checker;
    let mut plan = json!({
        "plan": said("plan"), "tool_calls": calls, "reasoning": said("reasoning"),
        "needs_user_email": needs.iter().any(|name| name == "user_email"), "needs_context": needs,
        "response_strategy": said("response_strategy"),
    });
    for (key, names) in [(MISSING, missing), (DISCARDED, discarded)] {
        if let (Some(plan), false) = (plan.as_object_mut(), names.is_empty()) {
            plan.insert(key.to_owned(), json!(names));
        }
    }
    CheckedToolPlan { plan, diagnostics }
}

struct ToolPlanChecker<'a> {
    tools: &'a ToolRegistry,
    trust: &'a Trust,
    /// Whether parameters stand for themselves, whatever they look like.
    literal: bool,
    diagnostics: Vec<Diagnostic>,
    /// The trusted values that some call needs.
    needed: Vec<String>,
    /// Those of them that the run was not given.
    missing: Vec<String>,
    /// The trusted parameters that the model wrote a value for.
    discarded: Vec<String>,
}

impl ToolPlanChecker<'_> {
    fn report(&mut self, at: usize, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.on(Target::Call(at)));
    }

    /// Judges one call; gives it as it is to be carried out.
    fn check_call(&mut self, at: usize, call: &Json, all: &[Json]) -> Json {
        let name = call.get("tool_name").and_then(Json::as_str).filter(|name| !name.is_empty());
        let given = match call.get("parameters") {
            None | Some(Json::Null) => Map::new(),
            Some(Json::Object(given)) => given.clone(),
            Some(other) => {
                let message = format!("`parameters` of `call[{at}]` is a map, not {}", kind(other));
                let diagnostic = Diagnostic::new(Code::PlanInvalidType, message);
                self.report(at, diagnostic.help("give `parameters` a map from name to value"));
                Map::new()
            }
        };
        let parameters = match name {
            Some(name) if self.tools.get(name).is_some() => self.check_parameters(at, name, given, all),
            Some(name) => {
                self.report_unknown_tool(at, name);
                given
            }
            None => {
                let diagnostic =
                    Diagnostic::new(Code::PlanUnknownTool, format!("`call[{at}]` names no tool"));
                self.report(at, diagnostic.help("give it a `tool_name`"));
                given
            }
        };
        let reasoning = call.get("reasoning").cloned().unwrap_or_else(|| Json::from(""));
        json!({"tool_name": name.unwrap_or_default(), "parameters": parameters, "reasoning": reasoning})
    }

    fn report_unknown_tool(&mut self, at: usize, name: &str) {
        if let Some(reason) = self.tools.unavailable(name) {
            let message =
                format!("`call[{at}]` calls `{}`, which can't be called: {reason}", shorten_name(name));
            let diagnostic = Diagnostic::new(Code::PlanUnknownTool, message);
            return self.report(at, diagnostic.help("call one of the tools that are listed"));
        }
        let message = format!("`call[{at}]` calls `{}`, and there is no such tool", shorten_name(name));
        let clashes = self.tools.ambiguous_names(name).unwrap_or_default();
        let help = match closest_name(name, self.tools.names()) {
            _ if !clashes.is_empty() => format!("say which is meant: `{}`", clashes.join("` or `")),
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "call one of the tools that are listed".to_owned(),
        };
        self.report(at, Diagnostic::new(Code::PlanUnknownTool, message).help(help));
    }
}

/// What a value is, in words.
fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
