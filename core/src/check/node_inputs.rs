//! Checks inputs from templates or previous nodes.
//!
//! Reports only certain errors: wrong or missing arguments, and a `map` over no list. One unusable possible input
//! suffices.

use super::inference::{Inference, ReferenceSite};
use super::known_value::{KnownValue, PathCheck};
use super::null_tests;
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Severity, Span, shorten_name};
use crate::expression::{Reference, Root, Template, TemplatePart};
use crate::graph::{Graph, Node, TemplateValue};
use crate::kind::CompositeKind;
use crate::node::arguments::descend;
use crate::node::plan::{CONTEXT, USER_QUERY};
use crate::node::{self, Action, trusted_names};
use crate::schema::{Patterns, Schema};
use crate::source::{Entry, Spanned};
use crate::tool::{ArgumentMismatch, ToolRegistry, template_arguments};
use crate::value::Segment;

/// `find_input` finds the input in the document.
pub(super) fn check<'a>(
    (graph, scope, position): (&'a Graph, usize, usize),
    find_input: impl Fn() -> Option<&'a Spanned>,
    capabilities: &'a Capabilities,
    inference: &mut Inference<'_, 'a>,
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position).filter(|node| !node.is_broken) else { return };
    let node_input = || NodeInput { node, input_value: find_input() };
    let found = match node::action(node, &graph.node_path(node), capabilities) {
        Some(Action::Composite(composite)) if composite.kind == CompositeKind::Map => {
            let elements = inference.input_of(scope, position);
            node_input().check_map_input(&elements, inference.patterns).into_iter().collect_vec()
        }
        Some(Action::Tool(name)) if node.input.as_ref().is_none_or(is_one_reference) => {
            let tools = capabilities.tools.as_ref().filter(|tools| tools.get(&name).is_some());
            let Some(tools) = tools else { return };
            let arguments = inference.input_of(scope, position);
            node_input().check_arguments(&arguments, &name, tools)
        }
        Some(Action::Tool(name)) => {
            let Some(tools) = capabilities.tools.as_ref() else { return };
            let Some(written) = node_input().input_value else { return };
            mistyped_arguments(written, (scope, position), (&name, tools), inference)
        }
        Some(Action::Plan(with)) => node_input().check_plan_input(&trusted_names(with.as_ref())),
        _ => return,
    };
    for diagnostic in found {
        diagnostics.push(diagnostic.on(graph.target(node)));
    }
}

stepgraph_lazy::lazy! {
    /// Lazy, because the check of a tool's other arguments is, too.
    fn mistyped_arguments(
        written: &Spanned,
        place: (usize, usize),
        tool: (&str, &ToolRegistry),
        inference: &mut Inference<'_, '_>
    ) -> Vec<Diagnostic> = find_mistyped;
}

/// Finds templates of a type that the tool's schema does not allow at their place.
#[inline(never)]
fn find_mistyped(
    written: &Spanned,
    (scope, position): (usize, usize),
    (name, tools): (&str, &ToolRegistry),
    inference: &mut Inference<'_, '_>,
) -> Vec<Diagnostic> {
    let Some(template) = inference.node(scope, position).and_then(|(_, node)| node.input.as_ref()) else {
        return Vec::new();
    };
    let Some(schema) = tools.lenient_schema(name, true) else { return Vec::new() };
    let mut found = Vec::new();
    for argument in template_arguments(template) {
        let value = inference.compiled_value(argument.template, scope, position);
        let Some(given) = value.possible_constants(&[]) else { continue };
        let (at, _) = descend(written, argument.steps());
        let Some(message) = argument.mismatch(schema, &given) else {
            let wanted = schema.possible(&argument.path);
            let refuses_null = given.may_be_null() && !wanted.may_be_null() && !wanted.is_unknown();
            if refuses_null
                && !given.is_unknown()
                && let Some(reference) = only_reference(argument.template)
            {
                let place = (scope, ReferenceSite::Node(position), None);
                if !null_tests::is_tested(reference, place, inference) {
                    found.push(may_be_null(reference, name).at(at.span));
                }
            }
            continue;
        };
        let diagnostic = Diagnostic::new(Code::InvalidArguments, message).at(at.span);
        let diagnostic = diagnostic.help(match input_name(argument.template).filter(|_| scope == 0) {
            Some(input) => format!("pass another value, or change the type of `{input}` in `inputs`"),
            None => format!("change it to match the schema of tool `{}`", shorten_name(name)),
        });
        let severity = if given.is_declared { diagnostic.severity } else { Severity::Warning };
        found.push(Diagnostic { severity, ..diagnostic });
    }
    found
}

/// A run fails here if the value is null.
fn may_be_null(reference: &Reference, tool: &str) -> Diagnostic {
    let value = shorten_name(&reference.to_string());
    let message = format!("`{value}` may be null, which tool `{}` does not accept here", shorten_name(tool));
    let help =
        format!("write a default, as in `${{{value} ?? …}}`, or test it before, as in `{value} != null`");
    Diagnostic::new(Code::ExpressionNull, message).help(help)
}

/// The name of an input of the plan, if the template is that input.
fn input_name(template: &TemplateValue) -> Option<&str> {
    match only_reference(template)? {
        Reference { root: Root::Input, path } => match path.as_slice() {
            [Segment::Key(name)] => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The path, if the template is one.
fn only_reference(template: &TemplateValue) -> Option<&Reference> {
    let TemplateValue::Template(Template { parts }, _) = template else { return None };
    let [TemplatePart::Placeholder { choices, fallback: None, .. }] = parts.as_slice() else { return None };
    if let [reference] = choices.as_slice() { Some(reference) } else { None }
}

fn is_one_reference(template: &TemplateValue) -> bool {
    only_reference(template).is_some()
}

struct NodeInput<'g> {
    node: &'g Node,
    input_value: Option<&'g Spanned>,
}

impl NodeInput<'_> {
    fn span(&self) -> Span {
        let name = self.node.tool.as_ref().map_or(self.node.kind_span, |tool| tool.span);
        self.input_value.map_or(name, |value| value.span)
    }

    fn check_map_input(&self, known_value: &KnownValue<'_>, patterns: Patterns) -> Option<Diagnostic> {
        let is_no_list = |value: &&KnownValue<'_>| {
            let first = value.check_path(&[Segment::Index(0)], patterns);
            !value.may_be_list() || matches!(first, PathCheck::Invalid(0, _))
        };
        let values = known_value.alternatives();
        // Fallbacks apply only to missing values, unknown here.
        let may_use_fallback = self.node.input.as_ref().is_some_and(|input| !is_one_reference(input));
        if may_use_fallback && !values.iter().all(is_no_list) {
            return None;
        }
        let other = values.into_iter().find(is_no_list)?;
        let message = format!("`map` runs over a list, and its input is {}", other.describe());
        let diagnostic = Diagnostic::new(Code::NotAList, message).at(self.span());
        Some(diagnostic.help("give it a list, as in `input: \"${output.<node>.items}\"`"))
    }

    /// If the input has `user_query`, models receive only `context`.
    fn check_plan_input(&self, trusted: &[String]) -> Vec<Diagnostic> {
        let entries = self.input_value.and_then(Spanned::as_map).unwrap_or_default();
        if !entries.iter().any(|entry| entry.key == USER_QUERY) {
            return Vec::new();
        }
        let unknown = entries.iter().filter(|entry| ![USER_QUERY, CONTEXT].contains(&entry.key.as_str()));
        let report = |entry: &Entry| {
            let name = shorten_name(&entry.key);
            let message =
                format!("`plan` reads `{USER_QUERY}` and `{CONTEXT}` of its input, and no `{name}`");
            let diagnostic = Diagnostic::new(Code::UnreadInput, message).at(entry.key_span);
            diagnostic.help(if trusted.contains(&entry.key) {
                format!("pass the value to the run: `context: {{{name}: …}}`, or `--context {name}=…`")
            } else {
                format!("put it into `{CONTEXT}`, which the model reads")
            })
        };
        unknown.map(report).collect_vec()
    }

    /// Reports the first unusable value.
    fn check_arguments(
        &self,
        known_value: &KnownValue<'_>,
        name: &str,
        tools: &ToolRegistry,
    ) -> Vec<Diagnostic> {
        let found = known_value.alternatives().into_iter().map(|value| self.mismatches(value, name, tools));
        found.into_iter().find(|diagnostics| !diagnostics.is_empty()).unwrap_or_default()
    }

    fn mismatches(&self, known_value: &KnownValue<'_>, name: &str, tools: &ToolRegistry) -> Vec<Diagnostic> {
        let diagnostic = |message: String| Diagnostic::new(Code::InvalidArguments, message).at(self.span());
        let help = |diagnostic: Diagnostic| match self.input_value {
            None => diagnostic.help("set `input` to the tool's arguments"),
            Some(_) => diagnostic.help("write a map with an entry for each argument"),
        };
        if matches!(known_value, KnownValue::Text) {
            let mut diagnostic = diagnostic(format!("{} is text, and a tool takes a map", self.subject()));
            // The text may be a map's JSON.
            diagnostic.severity = Severity::Warning;
            return vec![help(diagnostic)];
        }
        let said = match known_value.to_partial() {
            Some(partial) => mismatch_messages(&tools.mismatches(name, &partial, self.subject())),
            None if known_value.may_be_text() => Vec::new(),
            None => self.missing_arguments(known_value, name, tools),
        };
        said.into_iter().map(|message| help(diagnostic(message))).collect_vec()
    }

    fn subject(&self) -> &'static str {
        if self.input_value.is_some() { "the input" } else { "the previous output" }
    }

    /// Required arguments that the value lacks.
    fn missing_arguments(
        &self,
        known_value: &KnownValue<'_>,
        name: &str,
        tools: &ToolRegistry,
    ) -> Vec<String> {
        let needed = tools.lenient_schema(name, true).map(Schema::required).unwrap_or_default();
        let lacks = |key: &&str| {
            let found = known_value.check_path(&[Segment::Key((*key).to_owned())], tools.patterns());
            matches!(found, PathCheck::Invalid(0, _) | PathCheck::Uncertain(0, _))
        };
        let message = |key: &str| format!("{} has no `{}`", self.subject(), shorten_name(key));
        needed.into_iter().filter(lacks).map(message).collect_vec()
    }
}

fn mismatch_messages(misfits: &[ArgumentMismatch]) -> Vec<String> {
    let message = |misfit: &ArgumentMismatch| match misfit {
        ArgumentMismatch::Violation(violation) => violation.message.clone(),
        ArgumentMismatch::Undeclared(stranger) => {
            format!("the tool's schema names no argument `{}`", shorten_name(&stranger.name))
        }
    };
    misfits.iter().map(message).collect_vec()
}
