//! Checks that a generated plan reads only its declared inputs, the only values given to it, and outputs of its nodes.
//!
//! A nested `input` is its graph's.

use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Target, closest_name, shorten_name};
use crate::expression::{Reference, Root, TemplatePart};
use crate::graph::{Graph, Node, PlanGraph, TemplateValue};
use crate::value::Segment;
use serde_json::Value as Json;

enum GraphInput<'a> {
    Run,
    Element,
    Keys(Vec<&'a str>),
    Anything,
}

pub(super) fn check(plan: &PlanGraph) -> Vec<Diagnostic> {
    let declared = plan.inputs.iter().map(|(named, _)| named.name.as_str()).collect_vec();
    let mut world = ClosedWorld { declared: &declared, outputs: Vec::new(), diagnostics: Vec::new() };
    world.check_graph(&plan.root, &GraphInput::Run);
    world.diagnostics
}

struct ClosedWorld<'a> {
    declared: &'a [&'a str],
    outputs: Vec<&'a str>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> ClosedWorld<'a> {
    fn check_graph(&mut self, graph: &'a Graph, input: &GraphInput<'_>) {
        let around = self.outputs.len();
        self.outputs.extend(graph.nodes.iter().map(|node| node.id.as_str()));
        for edge in &graph.edges {
            let diagnostic =
                edge.references().find_map(|(reference, _)| self.check_reference(reference, true, input));
            self.report(diagnostic, &Target::Condition(graph.scope.clone(), edge.index));
        }
        for node in &graph.nodes {
            let texts = [&node.input, &node.with].into_iter().flatten();
            let mut all = texts.flat_map(references);
            let diagnostic = all.find_map(|(reference, alone)| self.check_reference(reference, alone, input));
            self.report(diagnostic, &graph.target(node));
            for nested in &node.nested {
                self.check_graph(&nested.graph, &nested_input(node, nested.key));
            }
        }
        self.outputs.truncate(around);
    }

    fn report(&mut self, diagnostic: Option<Diagnostic>, target: &Target) {
        self.diagnostics.extend(diagnostic.map(|diagnostic| diagnostic.on(target.clone())));
    }

    /// `alone` means no fallback.
    fn check_reference(
        &self,
        reference: &Reference,
        alone: bool,
        input: &GraphInput<'_>,
    ) -> Option<Diagnostic> {
        match (&reference.root, reference.path.first()) {
            (Root::Output(name), _) if !self.outputs.contains(&name.as_str()) => {
                Some(self.unknown_output(name))
            }
            (Root::Memory, _) if alone => {
                let message = format!(
                    "`{}` does not exist: this workflow has no memory",
                    shorten_name(&reference.to_string())
                );
                let help = "make it one of the `inputs`, or the output of a node";
                Some(Diagnostic::new(Code::AuthorMemory, message).help(help))
            }
            (Root::Input, Some(Segment::Key(name))) if alone => check_input_name(name, input, self.declared),
            _ => None,
        }
    }

    fn unknown_output(&self, name: &str) -> Diagnostic {
        let diagnostic =
            Diagnostic::new(Code::UnknownOutput, format!("no node is called `{}`", shorten_name(name)));
        diagnostic.help(match closest_name(name, self.outputs.iter().copied()) {
            Some(meant) => format!("did you mean `output.{}`?", shorten_name(meant)),
            None if self.declared.contains(&name) => format!("did you mean `input.{}`?", shorten_name(name)),
            None => "refer to a node of this workflow that runs before".to_owned(),
        })
    }
}

fn nested_input<'a>(node: &'a Node, key: &str) -> GraphInput<'a> {
    match &node.input {
        _ if key == "do" => GraphInput::Element,
        Some(TemplateValue::Map(entries)) => {
            GraphInput::Keys(entries.iter().map(|(key, _)| key.as_str()).collect_vec())
        }
        Some(TemplateValue::Constant(Json::Object(map))) => {
            GraphInput::Keys(map.keys().map(String::as_str).collect_vec())
        }
        _ => GraphInput::Anything,
    }
}

fn check_input_name(name: &str, given: &GraphInput<'_>, declared: &[&str]) -> Option<Diagnostic> {
    let (message, help) = match given {
        GraphInput::Run if !declared.contains(&name) => {
            let help = match closest_name(name, declared.iter().copied()) {
                Some(meant) => format!("did you mean `${{input.{meant}}}`?"),
                None => format!("add `{}` to `inputs`, or remove the reference", shorten_name(name)),
            };
            (format!("`{}` is not one of the `inputs` of the workflow", shorten_name(name)), help)
        }
        GraphInput::Element if declared.contains(&name) => {
            let help = "pass it to an earlier node, as in `{\"type\": \"log\", \"input\": \"${input}\"}`, and refer to that node";
            (
                format!("inside `do` `input` is the element, not the workflow's input `{name}`"),
                help.to_owned(),
            )
        }
        GraphInput::Keys(keys) if !keys.contains(&name) => {
            let help = format!("add `{}` to the `input` of the node around it", shorten_name(name));
            (format!("`input` has no `{}` in this graph", shorten_name(name)), help)
        }
        _ => return None,
    };
    Some(Diagnostic::new(Code::AuthorInput, message).help(help))
}

/// Each with whether it stands alone, without a fallback.
pub(super) fn references(texts: &TemplateValue) -> Vec<(&Reference, bool)> {
    match texts {
        TemplateValue::Constant(_) => Vec::new(),
        TemplateValue::List(items) => items.iter().flat_map(references).collect_vec(),
        TemplateValue::Map(entries) => entries.iter().flat_map(|(_, texts)| references(texts)).collect_vec(),
        TemplateValue::Template(template, _) => {
            template.parts.iter().flat_map(references_of_part).collect_vec()
        }
    }
}

fn references_of_part(part: &TemplatePart) -> Vec<(&Reference, bool)> {
    match part {
        TemplatePart::Text(_) => Vec::new(),
        TemplatePart::Placeholder { choices, fallback, .. } => {
            let alone = choices.len() == 1 && fallback.is_none();
            choices.iter().map(|choice| (choice, alone)).collect_vec()
        }
        TemplatePart::Computed { computed, .. } => {
            computed.references.iter().map(|found| (&found.reference, found.required)).collect_vec()
        }
    }
}
