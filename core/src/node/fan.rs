//! Nodes that run graphs: `graph` runs one, `parallel` several at once, `map` one for each element of a list.
//!
//! Decides their settings and what the ends of the graphs make of them; the machine does the running.

use super::settings::{self, Setting, TEMPLATES};
use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief};
use crate::graph::{Node, Texts};
use crate::source::{Kind, Spanned};

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

/// Which graphs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The one there is.
    Graph,
    /// All of them, at once.
    Parallel,
    /// The one there is, for each element of the input.
    Map,
}

impl Shape {
    /// The shape of a built-in type.
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "graph" => Some(Self::Graph),
            "parallel" => Some(Self::Parallel),
            "map" => Some(Self::Map),
            _ => None,
        }
    }

    /// The type, and the key that holds its graphs.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Graph => ("graph", "graph"),
            Self::Parallel => ("parallel", "branches"),
            Self::Map => ("map", "do"),
        }
    }

    /// The key that holds its graphs.
    pub(crate) fn key(self) -> &'static str {
        self.names().1
    }
}

/// When a node with several graphs is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// When all have completed; fails with the first that fails.
    #[default]
    All,
    /// When the first has completed; fails when all have failed.
    Any,
    /// When all have ended, however.
    Settled,
}

impl Join {
    fn of(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            "any" => Some(Self::Any),
            "settled" => Some(Self::Settled),
            _ => None,
        }
    }
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

const JOIN: Setting = (
    "join",
    |kind| matches!(kind, Kind::Text(word) if Join::of(word).is_some()),
    "`all`, `any` or `settled`",
);
const CONCURRENCY: Setting = (
    "concurrency",
    |kind| matches!(kind, Kind::Number(number) if number.as_f64().is_some_and(|n| n >= 1.0 && n.fract() == 0.0)),
    "a whole number from 1 up",
);

/// What a node with several graphs knows.
pub(super) const SETTINGS: &[Setting] = &[JOIN, CONCURRENCY, TEMPLATES];

/// What is wrong with the settings, and graphs that are not there.
pub(super) fn check(fan: Fan, node: &Node, target: &Target, with: Option<&Spanned>, problems: &mut Problems) {
    let (kind, key) = fan.shape.names();
    let known: &[Setting] = if fan.shape == Shape::Graph { &[TEMPLATES] } else { SETTINGS };
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
