//! Nodes that run graphs: `graph` runs one, `parallel` several at once, `map` one for each element of a list.
//!
//! Decides their settings and what the ends of the graphs make of them; the machine does the running.

use super::settings;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::graph::{Node, TemplateValue};
use crate::kind::settings::{COMPOSITE, Setting, TEMPLATES};
use crate::kind::{CompositeKind, Join};
use crate::source::Spanned;

/// How many elements of a list are at work at once, unless the plan says so.
const MAP_CONCURRENCY: u32 = 8;

/// What a node does with the graphs inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Composite {
    /// Which graphs are run.
    pub kind: CompositeKind,
    /// When it is done, and with what.
    pub join: Join,
    /// How many run at once.
    pub concurrency: u32,
}

/// What the settings of a node say.
pub(super) fn from_settings(kind: CompositeKind, node: &Node) -> Composite {
    let setting = |key: &str| node.with.as_ref().and_then(|with| with.get(key));
    let constant = |key: &str| setting(key).as_ref().and_then(TemplateValue::as_constant).cloned();
    let most = if kind == CompositeKind::Map { MAP_CONCURRENCY } else { u32::MAX };
    Composite {
        kind,
        join: constant("join").and_then(|join| Join::of(join.as_str()?)).unwrap_or_default(),
        concurrency: constant("concurrency")
            .and_then(|count| count.as_f64())
            .filter(|count| *count >= 1.0)
            .map_or(most, to_u32),
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

/// What is wrong with the settings, and graphs that are not there.
pub(super) fn check(
    composite: Composite,
    node: &Node,
    target: &Target,
    with: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) {
    let (kind, key) = composite.kind.type_and_key();
    let known: &[Setting] = if composite.kind == CompositeKind::Graph { &[TEMPLATES] } else { &COMPOSITE };
    settings::check(kind, known, with, target, diagnostics);
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
