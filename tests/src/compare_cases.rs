//! The cases of `suite/compare`. `UPDATE` rewrites their expectations.

use crate::fuzz::mutate::Numbers;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use stepgraph_authoring::edit::{GraphEdit, edit as edit_plan};
use stepgraph_core::source::edit::{Change, edit};
use stepgraph_core::source::{Format, Spanned, parse};
use stepgraph_core::value::Segment;

/// One file of cases.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    text: String,
    /// The cases.
    pub cases: Vec<Json>,
}

impl File {
    /// Reads a suite file.
    pub fn named(name: &str) -> Result<Self, String> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("suite/compare").join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let document = parse(&text, Format::Yaml);
        if let Some(problem) = document.diagnostics.first() {
            return Err(format!("{name}: {problem}"));
        }
        let json = document.root.as_ref().map(Spanned::to_json).unwrap_or_default();
        let cases = json["cases"].as_array().cloned().unwrap_or_default();
        Ok(Self { path, text, cases })
    }

    /// Returns the cases whose result differs from `expect`, or rewrites them if `UPDATE` is set.
    pub fn differences(&self, found: &mut dyn FnMut(&Json) -> Json) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut changes = Vec::new();
        for (at, case) in self.cases.iter().enumerate() {
            let is = found(case);
            if is != case["expect"] {
                wrong.push(format!("{}\n{is:#}\ninstead of\n{:#}", case["name"], case["expect"]));
                let key = |key: &str| Segment::Key(key.to_owned());
                let path = vec![key("cases"), Segment::Index(at), key("expect")];
                changes.push(Change::Set { path, value: is });
            }
        }
        if std::env::var_os("UPDATE").is_none() || changes.is_empty() {
            return wrong;
        }
        match edit(&self.text, Format::Yaml, &changes).map(|edited| std::fs::write(&self.path, edited.text)) {
            Ok(Ok(())) => Vec::new(),
            other => vec![format!("{other:?}")],
        }
    }
}

/// Returns a case's host as JSON.
pub fn host(case: &Json) -> Json {
    case.get("host").cloned().unwrap_or_else(|| json!({}))
}

/// A plan with two halves that are edited independently.
#[derive(Debug, Clone)]
pub struct Written {
    /// The text.
    pub text: String,
    names: usize,
}

const CONDITIONS: [&str; 6] =
    ["last==ok", "last.score > 0.5", "error.exists", "last.contains:x", "input.a=='b'", "!last.gone.exists"];

impl Written {
    /// Generates a plan.
    pub fn plan(numbers: &mut Numbers) -> Self {
        let mut text = String::from("# A plan of two halves.\nid: halves\nstart: a0\nnodes:\n");
        let counts = [2 + numbers.below(4), 2 + numbers.below(4)];
        let mut edges = String::new();
        for (half, count) in ["a", "b"].into_iter().zip(counts) {
            for at in 0..count {
                write_node(&mut text, half, at, numbers);
                if at + 1 < count {
                    let condition = CONDITIONS[numbers.below(CONDITIONS.len())];
                    if numbers.below(2) == 0 {
                        let _ = writeln!(
                            edges,
                            "  - {{from: {half}{at}, to: {half}{}, condition: \"{condition}\"}} # {at}",
                            at + 1
                        );
                    }
                    let _ = writeln!(edges, "  - from: {half}{at}\n    to: {half}{}", at + 1);
                }
            }
        }
        let _ = writeln!(edges, "  - {{from: a{}, to: b0}}", counts[0] - 1);
        text.push_str("edges:\n");
        text.push_str(&edges);
        Self { text, names: 0 }
    }

    /// Applies one random edit of a half to both texts. Returns `false`, with both unchanged, if that fails.
    pub fn edit(&mut self, half: &str, numbers: &mut Numbers, other: &mut Self) -> bool {
        self.names += 1;
        let Some(change) = self.change(half, numbers) else { return false };
        let (Some(text), Some(same)) = (change.apply(&self.text), change.apply(&other.text)) else {
            return false;
        };
        (self.text, other.text) = (text, same);
        true
    }

    fn change(&self, half: &str, numbers: &mut Numbers) -> Option<Planned> {
        let json = parse(&self.text, Format::Yaml).root?.to_json();
        let own: Vec<String> =
            json["nodes"].as_object()?.keys().filter(|key| key.starts_with(half)).cloned().collect();
        let node = own.get(numbers.below(own.len()))?.clone();
        let target = own.get(numbers.below(own.len()))?.clone();
        let scope = String::new();
        let condition = Some(CONDITIONS[numbers.below(CONDITIONS.len())].to_owned());
        let new = format!("{half}_{}_{}", self.names, numbers.below(100));
        Some(match numbers.below(9) {
            0 | 1 => {
                let input = json!({"text": format!("t{}", numbers.below(4)), "n": numbers.below(3)});
                Planned::Plain(GraphEdit::SetInput { scope, node, input })
            }
            2 => Planned::Condition(node, numbers.below(3), condition),
            3 => {
                let n = numbers.below(1000);
                let value = json!({"type": "log", "input": format!("new {n}"), "description": format!("new {n}"), "metadata": {"n": n}});
                Planned::Plain(GraphEdit::AddNode { scope, node: new, value, before: None })
            }
            4 | 5 => Planned::Plain(GraphEdit::Connect {
                scope,
                from: node,
                to: target,
                condition,
                position: None,
            }),
            6 => Planned::Plain(GraphEdit::RetypeNode {
                scope,
                node,
                kind: ["noop", "log", "llm"][numbers.below(3)].to_owned(),
            }),
            7 => Planned::Disconnect(node, numbers.below(3)),
            _ => Planned::Plain(GraphEdit::RenameNode { scope, node, to: new }),
        })
    }
}

fn write_node(text: &mut String, half: &str, at: usize, numbers: &mut Numbers) {
    let input = match (numbers.below(3), at) {
        (0, 1..) => format!("\"got ${{output.{half}0}}\""),
        (1, _) => format!("{{n: {at}, text: \"t{at}\"}}"),
        _ => format!("plain {half}{at}"),
    };
    // Edits never change descriptions, so these identify renamed nodes.
    let known = format!("description: says {half}{at}");
    let _ = match numbers.below(2) {
        0 => writeln!(
            text,
            "  {half}{at}: {{type: log, input: {input}, {known}, metadata: {{team: x, n: {at}}}}} # node {at}"
        ),
        _ => writeln!(
            text,
            "  # node {at}\n  {half}{at}:\n    type: log\n    input: {input}\n    {known}\n    metadata: {{team: x, n: {at}}}"
        ),
    };
}

/// An edit for several texts: it addresses an edge by source node and position.
enum Planned {
    Plain(GraphEdit),
    Condition(String, usize, Option<String>),
    Disconnect(String, usize),
}

impl Planned {
    fn apply(&self, text: &str) -> Option<String> {
        let scope = String::new();
        let edge = |node: &str, nth: usize| {
            let json = parse(text, Format::Yaml).root?.to_json();
            let edges = json["edges"].as_array()?;
            edges.iter().enumerate().filter(|(_, edge)| edge["from"] == node).nth(nth).map(|(at, _)| at)
        };
        let edit = match self {
            Self::Plain(edit) => edit.clone(),
            Self::Condition(node, nth, condition) => {
                GraphEdit::SetCondition { scope, edge: edge(node, *nth)?, condition: condition.clone() }
            }
            Self::Disconnect(node, nth) => GraphEdit::Disconnect { scope, edge: edge(node, *nth)? },
        };
        Some(edit_plan(text, Format::Yaml, &[edit]).ok()?.text)
    }
}
