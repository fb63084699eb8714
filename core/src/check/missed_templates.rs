//! Finds texts that miss a template: values of `set` that are an expression without `${}`, templates in a comment of
//! YAML, and maps in place of templates.

use super::foreign_braces;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, Target, shorten_name};
use crate::expression::template::{missed_expression, plain_path};
use crate::expression::{Error, Reference, Root};
use crate::graph::scope::Scopes;
use crate::graph::{Graph, PlanGraph};
use crate::kind::settings::{TEMPLATES, VALUES};
use crate::source::source_map::SourceMap;
use crate::source::{Entry, Spanned, ValueKind};
use crate::value::Segment;

pub(super) type Place<'p, 's> = (&'p PlanGraph, &'p Scopes<'s>, usize);

/// Begins a comment, and would be a template without `#`.
const COMMENT: &str = " #${";

/// Begin a map of YAML in place of a template.
const BARE_MAP: [&str; 4] = ["{input.", "{output.", "{last.", "{item."];

/// Begin a value that is a path without `${}`.
const BARE_PATH: [&str; 6] =
    [": input.", ": output.", ": \"input.", ": \"output.", ": 'input.", ": 'output."];

/// Whether some text or comment may hold a template. The check of each node would read the whole text again.
pub(super) fn has_signs(plan: &PlanGraph) -> bool {
    let source = plan.source();
    source.contains(COMMENT)
        || foreign_braces::has_braces(source)
        || BARE_MAP.iter().chain(&BARE_PATH).any(|it| source.contains(it))
}

pub(super) fn check(
    (plan, scopes, has_signs): (&PlanGraph, &Scopes<'_>, bool),
    (graph, scope, position): (&Graph, usize, usize),
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position).filter(|node| !node.is_broken) else { return };
    let is_set = node.kind == "set";
    if is_set || has_signs {
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
    let with = |key: &str| node.get("with").and_then(|with| with.value.get(key));
    if with(TEMPLATES.0).is_some_and(|entry| entry.value.kind == ValueKind::Bool(false)) {
        return;
    }
    let source = place.0.source();
    for entry in ["input", "with"].iter().filter_map(|key| node.get(key)) {
        each_value(entry, &mut |key, value| {
            let found = match &value.kind {
                ValueKind::Text(text) => template_in_comment(place.0, value.span)
                    .or_else(|| Some(in_file(foreign_braces::find(text, place)?, source, value.span, text))),
                ValueKind::Null => key.and_then(|entry| path_as_key(entry, place)),
                _ => None,
            };
            if let Some(diagnostic) = found {
                diagnostics.push(diagnostic.on(target.clone()));
            }
        });
    }
    let values = if is_set { with(VALUES) } else { node.get("input") };
    let Some(values) = values else { return };
    each_value(values, &mut |_, value| {
        let ValueKind::Text(text) = &value.kind else { return };
        if let Some(error) = missed_value(text, place, is_set) {
            let diagnostic = error.into_diagnostic(&SourceMap::new(source, value.span, text));
            diagnostics.push(diagnostic.on(target.clone()));
        }
    });
}

/// Calls `found` with each value below `entry`, and with its entry unless it is in a list.
fn each_value(entry: &Entry, found: &mut dyn FnMut(Option<&Entry>, &Spanned)) {
    let mut work = vec![(Some(entry), &entry.value)];
    while let Some((entry, value)) = work.pop() {
        match &value.kind {
            ValueKind::List(items) => work.extend(items.iter().rev().map(|item| (None, item))),
            ValueKind::Map(entries) => {
                work.extend(entries.iter().rev().map(|entry| (Some(entry), &entry.value)));
            }
            _ => {}
        }
        found(entry, value);
    }
}

/// Moves a diagnostic of the text of a scalar into the file.
fn in_file(diagnostic: Diagnostic, source: &str, scalar: Span, text: &str) -> Diagnostic {
    let map = SourceMap::new(source, scalar, text);
    let fix = diagnostic.fix.iter().filter_map(|edit| map.edit_in_file(edit)).collect_vec();
    let span = diagnostic.span.map(|span| map.to_file(span));
    Diagnostic { span, fix, ..diagnostic }
}

/// A value that is a path or an expression. Other nodes than `set` may take one as text, so there each name has to be
/// declared.
fn missed_value(text: &str, place: Place<'_, '_>, is_set: bool) -> Option<Error> {
    let (plan, ..) = place;
    let is_declared = |root: &Root| {
        is_set || matches!(root, Root::Output(_)) || *root == Root::Input && !plan.inputs.is_empty()
    };
    let is_value = |reference: &Reference| is_declared(&reference.root) && is_defined(reference, place);
    if let Some((path, error)) = plain_path(text) {
        return is_value(&path).then_some(error);
    }
    let (computed, error) = missed_expression(text)?;
    computed.references.iter().all(|found| is_value(&found.reference)).then_some(error)
}

/// YAML reads `{input.title}` as a map with one key.
fn path_as_key(entry: &Entry, place: Place<'_, '_>) -> Option<Diagnostic> {
    let reference = Reference::parse(&entry.key).ok().filter(|it| is_defined(it, place))?;
    let message = format!("`{{{}}}` is a map of YAML", shorten_name(&entry.key));
    let diagnostic = Diagnostic::new(Code::ForeignTemplate, message).at(entry.key_span);
    Some(diagnostic.help(format!("write `${{{reference}}}` in place of the map")))
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
    let comment = after.trim_start_matches(' ');
    // First, as the line may be as long as the text.
    if comment.len() == after.len() || !comment.starts_with("#${") {
        return None;
    }
    let start = text.end + after.len() - comment.len();
    let comment = comment.split('\n').next().filter(|line| line.contains('}'))?;
    let span = Span::new(start, start + comment.trim_end().len());
    let diagnostic = Diagnostic::new(Code::ForeignTemplate, "this is a comment of YAML");
    Some(diagnostic.at(span).help("put the whole text in quotes"))
}
