//! Finds values of `set` that are the path of a value, without `${}`. Such a path is text.

use crate::diagnostic::{DiagnosticCollector, Target};
use crate::expression::template::plain_path;
use crate::expression::{Reference, Root};
use crate::graph::scope::Scopes;
use crate::graph::{Graph, Node, PlanGraph};
use crate::kind::settings::VALUES;
use crate::source::source_map::SourceMap;
use crate::source::{Spanned, ValueKind};
use crate::value::Segment;

pub(super) fn check(
    (plan, scopes): (&PlanGraph, &Scopes<'_>),
    (graph, scope, position): (&Graph, usize, usize),
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position).filter(|node| may_have_path(node)) else { return };
    let Some(with) = plan.node_entry(graph, position).and_then(|entry| entry.value.get("with")) else {
        return;
    };
    let Some(values) = with.value.get(VALUES) else { return };
    find(&values.value, (plan, scopes, scope), &graph.target(node), diagnostics);
}

fn may_have_path(node: &Node) -> bool {
    node.kind == "set" && !node.is_broken
}

stepgraph_lazy::lazy! {
    /// Lazy: it only warns.
    fn find(
        values: &Spanned,
        place: (&PlanGraph, &Scopes<'_>, usize),
        target: &Target,
        diagnostics: &mut DiagnosticCollector
    ) = find_in;
}

#[inline(never)]
fn find_in(
    values: &Spanned,
    (plan, scopes, scope): (&PlanGraph, &Scopes<'_>, usize),
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    let is_defined = |reference: &Reference| match (&reference.root, reference.path.first()) {
        (Root::Output(name), _) => scopes.is_defined(scope, name),
        // Names of files, such as `input.csv`, are no paths.
        (Root::Input, Some(Segment::Key(name))) => {
            scope > 0 || plan.inputs.is_empty() || plan.inputs.iter().any(|(input, _)| input.name == *name)
        }
        (Root::Input | Root::Last | Root::Item, Some(_)) => true,
        _ => false,
    };
    let mut work = vec![values];
    while let Some(value) = work.pop() {
        match &value.kind {
            ValueKind::List(items) => work.extend(items.iter().rev()),
            ValueKind::Map(entries) => work.extend(entries.iter().rev().map(|entry| &entry.value)),
            ValueKind::Text(text) => {
                let found = plain_path(text).filter(|(reference, _)| is_defined(reference));
                if let Some((_, error)) = found {
                    let diagnostic = error.into_diagnostic(&SourceMap::new(plan.source(), value.span, text));
                    diagnostics.push(diagnostic.on(target.clone()));
                }
            }
            _ => {}
        }
    }
}
