//! Finds texts that miss a template: values of `set` that are a path without `${}`, and templates in a comment of YAML.

use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, Target};
use crate::expression::template::plain_path;
use crate::expression::{Reference, Root};
use crate::graph::scope::Scopes;
use crate::graph::{Graph, PlanGraph};
use crate::kind::settings::VALUES;
use crate::source::source_map::SourceMap;
use crate::source::{Spanned, ValueKind};
use crate::value::Segment;

type Place<'p, 's> = (&'p PlanGraph, &'p Scopes<'s>, usize);

/// Begins a comment, and would be a template without `#`.
const COMMENT: &str = " #${";

/// Whether some comment may hold a template. The check of each node would read the whole text again.
pub(super) fn has_comments(plan: &PlanGraph) -> bool {
    plan.source().contains(COMMENT)
}

pub(super) fn check(
    (plan, scopes, has_comments): (&PlanGraph, &Scopes<'_>, bool),
    (graph, scope, position): (&Graph, usize, usize),
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position).filter(|node| !node.is_broken) else { return };
    let is_set = node.kind == "set";
    if is_set || has_comments {
        let Some(entry) = plan.node_entry(graph, position) else { return };
        find((&entry.value, is_set), (plan, scopes, scope), &graph.target(node), diagnostics);
    }
}

stepgraph_lazy::lazy! {
    /// Lazy: it only warns.
    fn find(
        node: (&Spanned, bool),
        place: Place<'_, '_>,
        target: &Target,
        diagnostics: &mut DiagnosticCollector
    ) = find_in;
}

#[inline(never)]
fn find_in(
    (node, is_set): (&Spanned, bool),
    place: Place<'_, '_>,
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    for key in ["input", "with"] {
        let Some(entry) = node.get(key) else { continue };
        texts(&entry.value, &mut |_, span| {
            if let Some(diagnostic) = template_in_comment(place.0, span) {
                diagnostics.push(diagnostic.on(target.clone()));
            }
        });
    }
    let values = node.get("with").and_then(|with| with.value.get(VALUES)).filter(|_| is_set);
    let Some(values) = values else { return };
    texts(&values.value, &mut |text, span| {
        let Some((_, error)) = plain_path(text).filter(|(path, _)| is_defined(path, place)) else { return };
        let diagnostic = error.into_diagnostic(&SourceMap::new(place.0.source(), span, text));
        diagnostics.push(diagnostic.on(target.clone()));
    });
}

fn texts(value: &Spanned, found: &mut dyn FnMut(&str, Span)) {
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        match &value.kind {
            ValueKind::List(items) => work.extend(items.iter().rev()),
            ValueKind::Map(entries) => work.extend(entries.iter().rev().map(|entry| &entry.value)),
            ValueKind::Text(text) => found(text, value.span),
            _ => {}
        }
    }
}

fn is_defined(path: &Reference, (plan, scopes, scope): Place<'_, '_>) -> bool {
    match (&path.root, path.path.first()) {
        (Root::Output(name), _) => scopes.is_defined(scope, name),
        // Names of files, such as `input.csv`, are no paths.
        (Root::Input, Some(Segment::Key(name))) => {
            scope > 0 || plan.inputs.is_empty() || plan.inputs.iter().any(|(input, _)| input.name == *name)
        }
        (Root::Input | Root::Last | Root::Item, Some(_)) => true,
        _ => false,
    }
}

/// YAML reads `Order #${input.n}` as `Order`.
fn template_in_comment(plan: &PlanGraph, text: Span) -> Option<Diagnostic> {
    let after = plan.source().get(text.end..)?;
    let line = after.split('\n').next()?;
    let comment = line.trim_start_matches(' ');
    if comment.len() == line.len() || !comment.starts_with("#${") || comment.find('}').is_none() {
        return None;
    }
    let start = text.end + line.len() - comment.len();
    let span = Span::new(start, start + comment.trim_end().len());
    let diagnostic = Diagnostic::new(Code::ForeignTemplate, "this is a comment of YAML");
    Some(diagnostic.at(span).help("put the whole text in quotes"))
}
