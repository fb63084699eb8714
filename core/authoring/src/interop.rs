//! Exports Mermaid and DOT, and imports Mermaid flowcharts and Serverless Workflow files.
//!
//! Names and conditions are untrusted: ids are generated, and labels are escaped.
//!
//! Source: Mermaid's flowchart syntax, the DOT language, Serverless Workflow 1.0.

mod break_loops;
mod diagram;
pub mod dot;
mod import_report;
pub mod mermaid;
mod node_keys;
mod node_label;
pub mod serverless;

pub use diagram::NodeStyle;
pub use import_report::{Fidelity, ImportFinding, ImportResult};

use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::Severity;
use stepgraph_core::expression::{ROOTS, Type, check_expression};

/// Assumes unknown data. Returns the first error's message.
fn expression_type(text: &str) -> Result<Type, String> {
    let any: Map<String, Json> = ROOTS.iter().map(|root| ((*root).to_owned(), Json::from(true))).collect();
    let (kind, errors) = check_expression(text, &Json::Object(any));
    let error = errors.into_iter().find(|error| error.code.severity() == Severity::Error);
    error.map_or(Ok(kind), |error| Err(error.message))
}

/// A diagram's direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Top to bottom.
    #[default]
    Down,
    /// Left to right.
    Right,
    /// Bottom to top.
    Up,
    /// Right to left.
    Left,
}

impl Direction {
    /// `TD` or `TB`, `LR`, `BT`, `RL`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "TD" | "TB" => Some(Self::Down),
            "LR" => Some(Self::Right),
            "BT" => Some(Self::Up),
            "RL" => Some(Self::Left),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Down => "TD",
            Self::Right => "LR",
            Self::Up => "BT",
            Self::Left => "RL",
        }
    }
}

/// Import format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Mermaid flowchart.
    Mermaid,
    /// Serverless Workflow.
    Serverless,
}

impl Source {
    /// Parses a name.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "mermaid" => Some(Self::Mermaid),
            "serverless" => Some(Self::Serverless),
            _ => None,
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mermaid => "mermaid",
            Self::Serverless => "serverless",
        }
    }

    /// Flowcharts declare themselves after comments and front matter.
    pub fn detect(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let body =
            text.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or(text, |(_, body)| body);
        let mut lines =
            body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("%%"));
        let word = lines.next().unwrap_or_default().split(|c: char| !c.is_alphanumeric()).next();
        if matches!(word, Some("graph" | "flowchart")) { Self::Mermaid } else { Self::Serverless }
    }
}

/// Imports a plan.
pub fn import(text: &str, source: Source) -> ImportResult {
    match source {
        Source::Mermaid => mermaid::import(text),
        Source::Serverless => serverless::import(text),
    }
}
