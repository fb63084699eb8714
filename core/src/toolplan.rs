//! Checks a tool plan: the tool calls that a planning model wants, with parameters and reasoning.
//!
//! Collects all errors at once, because the model receives them and answers again. Makes no calls.
//!
//! Files: `check` the parameters of one call · `reference_syntax` recognizes references in text · `resolve` fills
//! references.
//!
//! Invariants:
//! 1. A checked plan has no trusted parameter. A value that the model wrote for one is discarded and reported. The
//!    run's own value is merged in when the call is made.
//! 2. A tool plan without errors names only available tools, and references only earlier calls.
//! 3. A plan with more than [`MAX_CALLS`] calls is refused without a check of its calls.
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

/// The maximum number of calls in a tool plan.
pub const MAX_CALLS: usize = 1000;

/// The key for trusted values that the plan needs and the run lacks.
pub(crate) const MISSING: &str = "missing_context";

/// The key for trusted parameters whose value from the model was discarded.
const DISCARDED: &str = "discarded";

/// The parameters that a model must not fill, and the run's values for them.
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
    /// Returns the value of a trusted parameter. A text of whitespace counts as missing.
    pub(crate) fn value(&self, name: &str) -> Option<&Json> {
        self.context
            .get(name)
            .filter(|value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty()))
    }
}

/// A tool plan ready to execute, with its diagnostics.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedToolPlan {
    /// `{plan, tool_calls: [{tool_name, parameters, reasoning}], reasoning, needs_user_email, needs_context,
    /// response_strategy}`. Absent fields are empty. `missing_context` lists values that some call needs and the run
    /// lacks. `discarded` lists trusted parameters that the model wrote.
    pub plan: Json,
    /// All diagnostics, in the order of the calls.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckedToolPlan {
    /// Whether it can be executed.
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The errors that another answer of the model could fix.
    pub(crate) fn correctable(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).filter(|diagnostic| {
            ![Code::PlanMissingContext, Code::PlanInvalidContext].contains(&diagnostic.code)
        })
    }
}

/// Parses a model's text: a JSON object, with or without a code fence or surrounding text.
///
/// # Errors
/// The text contains no JSON object.
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

/// Checks a tool plan against the available tools.
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

/// Checks a tool plan. With `literal` parameters, no text is a reference.
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
    /// Whether parameters are verbatim and have no references.
    literal: bool,
    diagnostics: Vec<Diagnostic>,
    /// The trusted values that some call needs.
    needed: Vec<String>,
    /// The needed values that the run lacks.
    missing: Vec<String>,
    discarded: Vec<String>,
}

impl ToolPlanChecker<'_> {
    fn report(&mut self, at: usize, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.on(Target::Call(at)));
    }

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
