//! Checks what nodes are given that do not say it in place: a value that a template or the node before hands on.
//!
//! Decides what is certain: arguments that the tool does not take or misses, a `map` over what is no list. Where several values may
//! come, one that can't be used is enough: the run that brings it fails here.

use super::inference::Inference;
use super::known::{Found, Known};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, Severity, Span, brief};
use crate::expr::{Part, Template};
use crate::graph::{Graph, Node, Texts};
use crate::kind::Shape;
use crate::list::List;
use crate::node::plan::{MORE, REQUEST};
use crate::node::{self, Action, trusted};
use crate::schema::{Patterns, Schema};
use crate::source::{Entry, Spanned};
use crate::tool::{Catalogue, Misfit};
use crate::value::Segment;

/// Checks what the node at a position is given; `written` finds its input in the document.
pub(super) fn check<'a>(
    (graph, scope, position): (&'a Graph, usize, usize),
    written: impl Fn() -> Option<&'a Spanned>,
    capabilities: &'a Capabilities,
    inference: &mut Inference<'_, 'a>,
    problems: &mut Problems,
) {
    let Some(node) = graph.nodes.get(position).filter(|node| !node.is_broken) else { return };
    let given = || Given { node, written: written() };
    let found = match node::action(node, &graph.place(node), capabilities) {
        Some(Action::Fan(fan)) if fan.shape == Shape::Map => {
            let elements = inference.input_of(scope, position);
            given().elements(&elements, inference.patterns).into_iter().list()
        }
        Some(Action::Tool(name)) if node.input.as_ref().is_none_or(is_one_reference) => {
            let tools = capabilities.tools.as_ref().filter(|tools| tools.get(&name).is_some());
            let Some(tools) = tools else { return };
            let arguments = inference.input_of(scope, position);
            given().arguments(&arguments, &name, tools)
        }
        Some(Action::Plan(with)) => given().unasked(&trusted(with.as_ref())),
        _ => return,
    };
    for problem in found {
        problems.push(problem.on(graph.target(node)));
    }
}

/// Whether the value is what one reference leads to.
fn is_one_reference(texts: &Texts) -> bool {
    let Texts::Template(Template { parts }, _) = texts else { return false };
    matches!(&**parts, [Part::Hole { choices, fallback: None, .. }] if choices.len() == 1)
}

struct Given<'g> {
    node: &'g Node,
    written: Option<&'g Spanned>,
}

impl Given<'_> {
    /// Where the input stands, or without one what the node does.
    fn span(&self) -> Span {
        let name = self.node.tool.as_ref().map_or(self.node.kind_span, |tool| tool.span);
        self.written.map_or(name, |value| value.span)
    }

    /// Reports a `map` whose input can't be a list.
    fn elements(&self, known: &Known<'_>, patterns: Patterns) -> Option<Diagnostic> {
        let is_no_list = |value: &&Known<'_>| {
            let first = value.follow(&[Segment::Index(0)], patterns);
            !value.may_be_list() || matches!(first, Found::Nowhere(0, _))
        };
        let values = known.alternatives();
        // What stands in for another value is taken where that is missing, which nobody knows.
        let stands_in = self.node.input.as_ref().is_some_and(|input| !is_one_reference(input));
        if stands_in && !values.iter().all(is_no_list) {
            return None;
        }
        let other = values.into_iter().find(is_no_list)?;
        let message = format!("`map` runs over a list, and its input is {}", other.describe());
        let problem = Diagnostic::new(Code::NotAList, message).at(self.span());
        Some(problem.help("give it a list, as in `input: \"${output.<node>.items}\"`"))
    }

    /// Reports what the input of a `plan` says that no model is told: with `user_query` it has `context`, and no more.
    fn unasked(&self, trusted: &[String]) -> Vec<Diagnostic> {
        let entries = self.written.and_then(Spanned::as_map).unwrap_or_default();
        if !entries.iter().any(|entry| entry.key == REQUEST) {
            return Vec::new();
        }
        let unknown = entries.iter().filter(|entry| ![REQUEST, MORE].contains(&entry.key.as_str()));
        let report = |entry: &Entry| {
            let name = brief(&entry.key);
            let message = format!("`plan` reads `{REQUEST}` and `{MORE}` of its input, and no `{name}`");
            let problem = Diagnostic::new(Code::UnreadInput, message).at(entry.key_span);
            problem.help(if trusted.contains(&entry.key) {
                format!("give the run the value: `context: {{{name}: …}}`, or `--context {name}=…`")
            } else {
                format!("put it into `{MORE}`, which the model reads")
            })
        };
        unknown.map(report).list()
    }

    /// Reports what a tool does not take of the first value that it can't use.
    fn arguments(&self, known: &Known<'_>, name: &str, tools: &Catalogue) -> Vec<Diagnostic> {
        let found = known.alternatives().into_iter().map(|value| self.misfits(value, name, tools));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn misfits(&self, known: &Known<'_>, name: &str, tools: &Catalogue) -> Vec<Diagnostic> {
        let problem = |message: String| Diagnostic::new(Code::InvalidArguments, message).at(self.span());
        let help = |problem: Diagnostic| match self.written {
            None => problem.help("say in `input` what the tool is given"),
            Some(_) => problem.help("write a map with an entry for each argument"),
        };
        if matches!(known, Known::Text) {
            let mut problem = problem(format!("{} is text, and a tool takes a map", self.what()));
            // The text may be the JSON of a map.
            problem.severity = Severity::Warning;
            return vec![help(problem)];
        }
        let said = match known.partial() {
            Some(partial) => told(&tools.misfits(name, &partial, self.what())),
            None if known.may_be_text() => Vec::new(),
            None => self.missing(known, name, tools),
        };
        said.into_iter().map(|message| help(problem(message))).list()
    }

    /// What messages call the value.
    fn what(&self) -> &'static str {
        if self.written.is_some() { "the input" } else { "what comes before" }
    }

    /// The arguments that the tool needs and the value can't have, or does not speak of.
    fn missing(&self, known: &Known<'_>, name: &str, tools: &Catalogue) -> Vec<String> {
        let needed = tools.understood(name, true).map(Schema::required).unwrap_or_default();
        let lacks = |key: &&str| {
            let found = known.follow(&[Segment::Key((*key).to_owned())], tools.patterns());
            matches!(found, Found::Nowhere(0, _) | Found::Doubtful(0, _))
        };
        let message = |key: &str| format!("{} has no `{}`", self.what(), brief(key));
        needed.into_iter().filter(lacks).map(message).list()
    }
}

fn told(misfits: &[Misfit]) -> Vec<String> {
    let message = |misfit: &Misfit| match misfit {
        Misfit::Refused(violation) => violation.message.clone(),
        Misfit::Unnamed(stranger) => {
            format!("the tool's schema names no argument `{}`", brief(&stranger.name))
        }
    };
    misfits.iter().map(message).list()
}
