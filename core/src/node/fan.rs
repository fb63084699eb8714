//! Nodes that run graphs: `graph` runs one, `parallel` several at once, `map` one for each element of a list.
//!
//! Decides their settings and what the ends of the graphs make of them; the machine does the running.

use super::settings;
use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief};
use crate::graph::{Node, Texts};
use crate::kind::settings::{COMPOSITE, Setting, TEMPLATES};
use crate::kind::{Join, Shape};
use crate::source::Spanned;

/// How many elements of a list are at work at once, unless the plan says so.
const MAP_CONCURRENCY: u32 = 8;

/// What a node does with the graphs inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fan {
    /// Which graphs are run.
    pub shape: Shape,
    /// When it is done, and with what.
    pub join: Join,
    /// How many run at once.
    pub concurrency: u32,
}

/// What the settings of a node say.
pub(super) fn read(shape: Shape, node: &Node) -> Fan {
    let setting = |key: &str| node.with.as_ref().and_then(|with| with.get(key));
    let constant = |key: &str| setting(key).as_ref().and_then(Texts::constant).cloned();
    let most = if shape == Shape::Map { MAP_CONCURRENCY } else { u32::MAX };
    Fan {
        shape,
        join: constant("join").and_then(|join| Join::of(join.as_str()?)).unwrap_or_default(),
        concurrency: constant("concurrency")
            .and_then(|count| count.as_f64())
            .filter(|count| *count >= 1.0)
            .map_or(most, whole),
    }
}

fn whole(count: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats stop at the bounds"
    )]
    let whole = count as u32;
    whole
}

/// What is wrong with the settings, and graphs that are not there.
pub(super) fn check(fan: Fan, node: &Node, target: &Target, with: Option<&Spanned>, problems: &mut Problems) {
    let (kind, key) = fan.shape.names();
    let known: &[Setting] = if fan.shape == Shape::Graph { &[TEMPLATES] } else { &COMPOSITE };
    settings::check(kind, known, with, target, problems);
    if !node.nested.iter().any(|nested| nested.key == key) {
        let example = match fan.shape {
            Shape::Parallel => "branches: {a: {nodes: {…}}, b: {nodes: {…}}}",
            Shape::Graph => "graph: {nodes: {…}}",
            Shape::Map => "do: {nodes: {…}}",
        };
        let problem =
            Diagnostic::new(Code::NoGraphInside, format!("node `{}` has nothing to run", brief(&node.key)));
        problems.push(problem.on(target.clone()).at(node.kind_span).help(format!("add `{example}`")));
    }
}
