//! The closed world of a generated plan: what its nodes may read, and what kind it is of.
//!
//! Decides which references find nothing: those to an input that the plan does not declare, those in a graph inside a node that mean the
//! plan's input, where `input` is what that graph is given, those to an output that no node has, and those to memory. No caller gives a
//! generated plan more than its inputs.

use crate::diagnostic::{Code, Diagnostic, Target, brief, near};
use crate::expr::{Part, Reference, Root};
use crate::graph::{Graph, Node, PlanGraph, Texts};
use crate::kind::meant;
use crate::list::List;
use crate::tool::Catalogue;
use crate::value::Segment;
use serde_json::Value as Json;

/// What `input` is in a graph.
enum Given<'a> {
    /// What the run is given.
    Run,
    /// The element at hand.
    Element,
    /// A map with these keys.
    Keys(Vec<&'a str>),
    /// Nobody knows.
    Anything,
}

/// Reports what the nodes of a plan read that no run gives them, or that their tools do not take.
pub(super) fn check(plan: &PlanGraph, tools: &Catalogue) -> Vec<Diagnostic> {
    let declared = plan.inputs.iter().map(|(named, _)| named.name.as_str()).list();
    let mut world = World { declared: &declared, outputs: Vec::new(), found: Vec::new() };
    world.graph(&plan.root, &Given::Run);
    let mut found = world.found;
    for node in &plan.root.nodes {
        found.extend(misfits(plan, node, tools).map(|problem| problem.on(plan.root.target(node))));
    }
    found
}

struct World<'a> {
    /// The names of the plan's inputs.
    declared: &'a [&'a str],
    /// The ids of the nodes that can be seen.
    outputs: Vec<&'a str>,
    found: Vec<Diagnostic>,
}

impl<'a> World<'a> {
    fn graph(&mut self, graph: &'a Graph, given: &Given<'_>) {
        let around = self.outputs.len();
        self.outputs.extend(graph.nodes.iter().map(|node| node.id.as_str()));
        for edge in &graph.edges {
            let problem = edge.atoms().find_map(|atom| self.problem(&atom.reference, true, given));
            self.report(problem, &Target::Condition(graph.scope.clone(), edge.index));
        }
        for node in &graph.nodes {
            let texts = [&node.input, &node.with].into_iter().flatten();
            let mut all = texts.flat_map(references);
            let problem = all.find_map(|(reference, alone)| self.problem(reference, alone, given));
            self.report(problem, &graph.target(node));
            for nested in &node.nested {
                self.graph(&nested.graph, &inside(node, nested.key));
            }
        }
        self.outputs.truncate(around);
    }

    fn report(&mut self, problem: Option<Diagnostic>, target: &Target) {
        self.found.extend(problem.map(|problem| problem.on(target.clone())));
    }

    /// What is wrong with a reference; `alone` says whether nothing stands in for it.
    fn problem(&self, reference: &Reference, alone: bool, given: &Given<'_>) -> Option<Diagnostic> {
        match (&reference.root, reference.path.first()) {
            (Root::Output(name), _) if !self.outputs.contains(&name.as_str()) => Some(self.output(name)),
            (Root::Memory, _) if alone => {
                let message = format!(
                    "`{}` is not there: nobody gives memory to this workflow",
                    brief(&reference.to_string())
                );
                let help = "make it one of the `inputs`, or the output of a node";
                Some(Diagnostic::new(Code::AuthorMemory, message).help(help))
            }
            (Root::Input, Some(Segment::Key(name))) if alone => input(name, given, self.declared),
            _ => None,
        }
    }

    fn output(&self, name: &str) -> Diagnostic {
        let problem = Diagnostic::new(Code::UnknownOutput, format!("no node is called `{}`", brief(name)));
        problem.help(match near(name, self.outputs.iter().copied()) {
            Some(meant) => format!("did you mean `output.{}`?", brief(meant)),
            None if self.declared.contains(&name) => format!("did you mean `input.{}`?", brief(name)),
            None => "refer to a node of this workflow that runs before".to_owned(),
        })
    }
}

/// What a graph inside a node is given.
fn inside<'a>(node: &'a Node, key: &str) -> Given<'a> {
    match &node.input {
        _ if key == "do" => Given::Element,
        Some(Texts::Map(entries)) => Given::Keys(entries.iter().map(|(key, _)| key.as_str()).list()),
        Some(Texts::Constant(Json::Object(map))) => Given::Keys(map.keys().map(String::as_str).list()),
        _ => Given::Anything,
    }
}

/// What is wrong with a name that is taken from `input`.
fn input(name: &str, given: &Given<'_>, declared: &[&str]) -> Option<Diagnostic> {
    let (message, help) = match given {
        Given::Run if !declared.contains(&name) => {
            let help = match near(name, declared.iter().copied()) {
                Some(meant) => format!("did you mean `${{input.{meant}}}`?"),
                None => format!("add `{}` to `inputs`, or remove the reference", brief(name)),
            };
            (format!("`{}` is none of the `inputs` of the workflow", brief(name)), help)
        }
        Given::Element if declared.contains(&name) => {
            let help = "give it to a node before, as in `{\"type\": \"log\", \"input\": \"${input}\"}`, and refer to that node";
            (
                format!("inside `do` `input` is the element, not what the workflow is given as `{name}`"),
                help.to_owned(),
            )
        }
        Given::Keys(keys) if !keys.contains(&name) => {
            let help = format!("add `{}` to the `input` of the node around it", brief(name));
            (format!("`input` has no `{}` in this graph", brief(name)), help)
        }
        _ => return None,
    };
    Some(Diagnostic::new(Code::AuthorInput, message).help(help))
}

/// The references of a value, each with whether it stands alone in its hole, so that nothing stands in for it.
pub(super) fn references(texts: &Texts) -> Vec<(&Reference, bool)> {
    match texts {
        Texts::Constant(_) => Vec::new(),
        Texts::List(items) => items.iter().flat_map(references).list(),
        Texts::Map(entries) => entries.iter().flat_map(|(_, texts)| references(texts)).list(),
        Texts::Template(template, _) => template
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Hole { choices, fallback, .. } => {
                    Some((choices, choices.len() == 1 && fallback.is_none()))
                }
                Part::Text(_) => None,
            })
            .flat_map(|(choices, alone)| choices.iter().map(move |choice| (choice, alone)))
            .list(),
    }
}

/// The parameters that get an input whole and don't take its kind.
fn misfits<'a>(
    plan: &'a PlanGraph,
    node: &'a Node,
    tools: &'a Catalogue,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let kind = meant(&node.kind);
    let name = node.tool.as_ref().filter(|_| kind == "tool").map_or(kind, |tool| tool.name.as_str());
    let properties = tools.get(name).and_then(|tool| tool.input_schema.get("properties"));
    let entries = match &node.input {
        Some(Texts::Map(entries)) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().filter_map(move |(parameter, texts)| {
        let input = whole_input(texts)?;
        let (_, given) = plan.inputs.iter().find(|(named, _)| named.name == input)?;
        let (takes, gives) = (kinds(properties?.get(parameter.as_str())?)?, kinds(given)?);
        let fits = |kind: &&str| takes.contains(kind) || (*kind == "integer" && takes.contains(&"number"));
        if gives.iter().any(fits) {
            return None;
        }
        let message = format!(
            "`{}` of `{}` takes {}, and the input `{}` is {}",
            brief(parameter),
            brief(name),
            takes.join(" or "),
            brief(input),
            gives.join(" or ")
        );
        let help = format!("declare `{}` in `inputs` with `\"type\": \"{}\"`", brief(input), takes.first()?);
        Some(Diagnostic::new(Code::InvalidArguments, message).help(help))
    })
}

/// The input that a value is, and nothing else.
fn whole_input(texts: &Texts) -> Option<&str> {
    let Texts::Template(template, _) = texts else { return None };
    let [Part::Hole { choices, .. }] = template.parts.as_slice() else { return None };
    let [Reference { root: Root::Input, path }] = choices.as_slice() else { return None };
    match path.as_slice() {
        [Segment::Key(name)] => Some(name),
        _ => None,
    }
}

/// The kinds that a schema names, if it does.
fn kinds(schema: &Json) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Json::String(kind) => Some(vec![kind]),
        Json::Array(kinds) => Some(kinds.iter().filter_map(Json::as_str).list()),
        _ => None,
    }
}
