//! Settings of `graph`, `parallel` and `map`. The machine runs the graphs.

use super::settings;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::graph::{Node, TemplateValue};
use crate::kind::settings::{COMPOSITE, MAX_CONCURRENCY, Setting, TEMPLATES};
use crate::kind::{CompositeKind, Join};
use crate::source::Spanned;

/// Elements at once.
const MAP_CONCURRENCY: u32 = 8;

/// Composite settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Composite {
    /// Which graphs run.
    pub kind: CompositeKind,
    /// When it completes.
    pub join: Join,
    /// Graphs at once.
    pub concurrency: u32,
}

pub(super) fn from_settings(kind: CompositeKind, node: &Node) -> Composite {
    let setting = |key: &str| node.with.as_ref().and_then(|with| with.get(key));
    let constant = |key: &str| setting(key).as_ref().and_then(TemplateValue::as_constant).cloned();
    let limit = if kind == CompositeKind::Map { MAP_CONCURRENCY } else { u32::MAX };
    Composite {
        kind,
        join: constant("join").and_then(|join| Join::of(join.as_str()?)).unwrap_or_default(),
        concurrency: constant("concurrency")
            .and_then(|count| count.as_f64())
            .filter(|count| *count >= 1.0)
            .map_or(limit, |count| to_u32(count).min(MAX_CONCURRENCY)),
    }
}

fn to_u32(count: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats stop at the bounds"
    )]
    let whole = count as u32;
    whole
}

pub(super) fn check(
    composite: Composite,
    node: &Node,
    target: &Target,
    with: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) {
    let (kind, key) = composite.kind.type_and_key();
    let known_settings: &[Setting] =
        if composite.kind == CompositeKind::Graph { &[TEMPLATES] } else { &COMPOSITE };
    settings::check(kind, known_settings, with, target, diagnostics);
    if !node.nested.iter().any(|nested| nested.key == key) {
        let example = match composite.kind {
            CompositeKind::Parallel => "branches: {a: {nodes: {…}}, b: {nodes: {…}}}",
            CompositeKind::Graph => "graph: {nodes: {…}}",
            CompositeKind::Map => "do: {nodes: {…}}",
        };
        let diagnostic = Diagnostic::new(
            Code::NoGraphInside,
            format!("node `{}` has nothing to run", shorten_name(&node.key)),
        );
        diagnostics.push(diagnostic.on(target.clone()).at(node.kind_span).help(format!("add `{example}`")));
    }
}
