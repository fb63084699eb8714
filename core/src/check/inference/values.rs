//! Infers templates, and outputs under names other than node ids.

use super::{Inference, ReferenceSite, incoming, one_of, part_of, unknown};
use crate::check::expressions;
use crate::check::known_value::{KnownValue, Shared};
use crate::check::null_tests::NullTests;
use crate::collect::CollectVec;
use crate::expression::{Purpose, Reference, Template, TemplatePart};
use crate::graph::{Edge, Node, TemplateValue};
use crate::kind::{self, settings::VALUES};
use crate::node::{self, Action};
use serde_json::Value as Json;
use std::rc::Rc;

impl<'a> Inference<'_, 'a> {
    /// Known only if all writers are.
    pub(super) fn named_output(&mut self, scope: usize, name: &str) -> Shared<'a> {
        // Most names have no writer.
        if !kind::is_named_output(name) {
            return unknown();
        }
        let key = (scope, name.to_owned());
        if let Some(known_value) = self.named_outputs.get(&key) {
            return Rc::clone(known_value);
        }
        let written = self.infer_named_output(scope, name);
        self.named_outputs.insert(key, Rc::clone(&written));
        written
    }

    fn infer_named_output(&mut self, scope: usize, name: &str) -> Shared<'a> {
        let mut known_values = Vec::new();
        for at in self.scopes.enclosing(scope) {
            let Some(graph) = self.scopes.list.get(at).map(|scope| scope.graph) else { continue };
            for node in &graph.nodes {
                // Handlers may write any name.
                match node::action(node, &graph.node_path(node), self.capabilities) {
                    None | Some(Action::Handler(_)) => return unknown(),
                    Some(action)
                        if kind::possible_named_outputs(&node.kind).any(|written| written == name) =>
                    {
                        known_values
                            .push(self.schema_value(node::named_output_schema(&action, name).as_ref()));
                    }
                    Some(_) => {}
                }
            }
        }
        one_of(known_values)
    }

    pub(in crate::check) fn errors_only(&self) -> bool {
        self.capabilities.errors_only
    }

    pub(in crate::check) fn null_tests(&mut self) -> Rc<NullTests<'a>> {
        if let Some(known) = &self.null_tests {
            return Rc::clone(known);
        }
        let tests = Rc::new(NullTests::of(self));
        self.null_tests = Some(Rc::clone(&tests));
        tests
    }

    /// All edges, with their scopes.
    pub(in crate::check) fn edges(&self) -> Vec<(usize, &'a Edge)> {
        let scopes = self.scopes.list.iter().enumerate();
        scopes.flat_map(|(at, scope)| scope.graph.edges.iter().map(move |edge| (at, edge))).collect_vec()
    }

    pub(in crate::check) fn edges_into(&mut self, scope: usize, node: usize) -> Vec<&'a Edge> {
        let Some(graph) = self.scopes.list.get(scope).map(|scope| scope.graph) else { return Vec::new() };
        let incoming = self.incoming.entry(scope).or_insert_with(|| incoming(graph));
        let edges = incoming.get(node).into_iter().flatten();
        edges.filter_map(|at| graph.edges.get(*at)).collect_vec()
    }

    /// The scope and node around a graph.
    pub(in crate::check) fn owner(&self, scope: usize) -> Option<(usize, usize)> {
        self.scopes.list.get(scope)?.owner
    }

    pub(super) fn set_output(&mut self, node: &'a Node, scope: usize, position: usize) -> Shared<'a> {
        let entries = match &node.with {
            Some(TemplateValue::Map(settings)) => {
                match settings.iter().find(|(key, _)| key == VALUES).map(|(_, values)| values) {
                    Some(TemplateValue::Map(entries)) => entries
                        .iter()
                        .map(|(key, value)| (key.as_str(), self.compiled_value(value, scope, position)))
                        .collect_vec(),
                    Some(TemplateValue::Constant(values)) => constant_entries(values),
                    _ => return unknown(),
                }
            }
            Some(TemplateValue::Constant(settings)) => {
                settings.get(VALUES).map_or_else(Vec::new, constant_entries)
            }
            _ => return unknown(),
        };
        Rc::new(KnownValue::map(entries, true))
    }

    pub(in crate::check) fn compiled_value(
        &mut self,
        texts: &'a TemplateValue,
        scope: usize,
        position: usize,
    ) -> Shared<'a> {
        Rc::new(match texts {
            TemplateValue::Constant(json) => KnownValue::Constant(json),
            TemplateValue::Template(template, _) => {
                return self.interpolated_value(template, scope, position);
            }
            TemplateValue::List(items) => {
                let items = items.iter().map(|item| self.compiled_value(item, scope, position)).collect_vec();
                KnownValue::List(one_of(items))
            }
            TemplateValue::Map(entries) => {
                let value = |(key, value): &'a (String, TemplateValue)| {
                    (key.as_str(), self.compiled_value(value, scope, position))
                };
                KnownValue::map(entries.iter().map(value).collect_vec(), false)
            }
        })
    }

    fn interpolated_value(&mut self, template: &'a Template, scope: usize, position: usize) -> Shared<'a> {
        let (choices, fallback) = match &*template.parts {
            [TemplatePart::Placeholder { choices, fallback, .. }] => (choices, fallback),
            [TemplatePart::Computed { computed, .. }] => {
                let site = (scope, ReferenceSite::Node(position));
                let schema = expressions::infer((computed, Purpose::Value, site), self);
                return self.schema_value(Some(&schema));
            }
            _ => return Rc::new(KnownValue::Text),
        };
        let last = (choices.len() + usize::from(fallback.is_some())).saturating_sub(1);
        let mut known_values = Vec::with_capacity(last + 1);
        for (at, choice) in choices.iter().enumerate() {
            let value = self.reference(choice, scope, ReferenceSite::Node(position));
            known_values.push(if at < last { self.without_null(value) } else { value });
        }
        known_values.extend(fallback.iter().map(|json| Rc::new(KnownValue::Constant(json))));
        one_of(known_values)
    }

    /// `??` passes over `null`.
    fn without_null(&mut self, value: Shared<'a>) -> Shared<'a> {
        let may_be_null = value.possible_values(&[]).is_some_and(|possible| possible.may_be_null());
        if self.errors_only() || !may_be_null {
            return value;
        }
        let kind = value.value_type((self.patterns, true)).without_null();
        self.schema_value(Some(&kind.to_schema()))
    }

    pub(super) fn reference(
        &mut self,
        reference: &Reference,
        scope: usize,
        at: ReferenceSite<'_>,
    ) -> Shared<'a> {
        let root = self.root(&reference.root, scope, at);
        part_of(root, reference.path.clone())
    }
}

fn constant_entries(values: &Json) -> Vec<(&str, Shared<'_>)> {
    let entries = values.as_object().into_iter().flatten();
    entries.map(|(key, value)| (key.as_str(), Rc::new(KnownValue::Constant(value)))).collect_vec()
}
