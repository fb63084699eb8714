//! Checks a model's tool plan: calls with parameters and reasoning. Collects all errors for the model.
//!
//! Files: `check` the parameters of one call · `reference_syntax` recognizes references in text · `resolve` fills
//! references.
//!
//! Invariants:
//! 1. Checked plans have no trusted parameters. A model's value is discarded and reported, and each call gets
//!    the run's own.
//! 2. A plan that has no errors names only available tools, and references only earlier calls.
//! 3. More than [`MAX_CALLS`] calls are refused unchecked.
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

/// Maximum calls.
pub const MAX_CALLS: usize = 1000;

/// Trusted values that the run lacks.
pub(crate) const MISSING: &str = "missing_context";

/// Trusted parameters whose model value was discarded.
const DISCARDED: &str = "discarded";

/// Parameters that the model must not fill, and the run's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// Parameter names.
    pub names: Vec<String>,
    /// Values by name.
    pub context: Json,
}

impl Default for Trust {
    fn default() -> Self {
        Self { names: vec!["user_email".to_owned()], context: Json::Null }
    }
}

impl Trust {
    /// Whitespace counts as missing.
    pub(crate) fn value(&self, name: &str) -> Option<&Json> {
        self.context
            .get(name)
            .filter(|value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty()))
    }
}

/// An executable plan with diagnostics.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedToolPlan {
    /// `{plan, tool_calls: [{tool_name, parameters, reasoning}], reasoning, needs_user_email, needs_context, response_strategy}`.
    /// Absent fields are empty. `missing_context` lists needed values that the run lacks, `discarded` trusted
    /// parameters that the model wrote.
    pub plan: Json,
    /// In call order.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckedToolPlan {
    /// Whether it can run.
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Errors that another answer could fix.
    pub(crate) fn correctable(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).filter(|diagnostic| {
            ![Code::PlanMissingContext, Code::PlanInvalidContext].contains(&diagnostic.code)
        })
    }
}

/// Finds a JSON object in a model's text.
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

/// Checks a tool plan.
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

/// `literal` parameters have no references.
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
                Some(other) => format!("`tool_calls` is a list, not {}", value_kind(other)),
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
    /// Verbatim parameters.
    literal: bool,
    diagnostics: Vec<Diagnostic>,
    /// Trusted values that calls need.
    needed: Vec<String>,
    /// References to values that the run lacks.
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
                let message = format!("`parameters` of `call[{at}]` is a map, not {}", value_kind(other));
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

fn value_kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
