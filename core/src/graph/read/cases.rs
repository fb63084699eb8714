//! The tests beside a plan: `tests: [{name, input, stubs, decisions, expect}]`.
//!
//! Decides what a test may say, and which of its names mean nothing in this plan. Running them is the host's work.
//!
//! Invariant: tests never affect a run, so a name in them that is no longer there is a warning.

use super::super::shape::{Keys, Shape, did_you_mean, scalar_text, wrong};
use super::super::{Graph, Node, PlanGraph, Texts};
use super::Reader;
use crate::diagnostic::{Code, Diagnostic, Span, Target, brief};
use crate::list::List;
use crate::names::Names;
use crate::node;
use crate::source::{Entry, Kind, Spanned};
use crate::stub::Stubs;
use serde_json::{Value as Json, json};
use std::collections::HashMap;

pub(super) const TEST: Keys = Keys {
    known: &["name", "input", "outputs", "memory", "context", "decisions", "stubs", "expect"],
    required: &["name", "expect"],
};
pub(super) const EXPECT: Keys =
    Keys { known: &["path", "last", "outputs", "outcome", "code", "node", "calls"], required: &[] };
pub(super) const STUBS: Keys = Keys { known: &["types", "nodes", "tools", "models"], required: &[] };
const OUTCOMES: [&str; 4] = ["completed", "failed", "paused", "cancelled"];

/// What the tests of a plan may speak of.
struct Known<'a> {
    /// Ids in the plan's own graph.
    own: Vec<&'a str>,
    /// Every node with its place.
    nodes: Vec<(String, &'a Node)>,
}

impl<'a> Known<'a> {
    fn new(root: &'a Graph) -> Self {
        let mut graphs = Vec::new();
        root.collect(&mut graphs);
        let nodes = graphs.iter().flat_map(|graph| graph.nodes.iter().map(|node| (graph.place(node), node)));
        Self { own: root.nodes.iter().map(|node| node.id.as_str()).list(), nodes: nodes.list() }
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|(_, node)| node.id.as_str())
    }

    fn has_node(&self, name: &str) -> bool {
        self.nodes.iter().any(|(place, node)| node.id == name || place == name)
    }

    fn has_type(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| node.kind == name || node::meant(&node.kind) == name)
    }

    /// The same for a name that may begin with its server's.
    fn has_listed(&self, name: &str) -> bool {
        self.has_tool(name) || name.split_once('.').is_some_and(|(_, tool)| self.has_tool(tool))
    }

    fn has_tool(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| {
            node.kind == name
                || node.tool.as_ref().is_some_and(|tool| tool.name == name)
                || (matches!(node.kind.as_str(), "agent" | "react") && offers(node, name))
                // What is planned may be any tool, and so may what is carried out.
                || matches!(node.kind.as_str(), "plan" | "gather" | "execute_tools")
        })
    }
}

/// Warnings of stubs that a host has for types and tools, and for which this plan has no use.
pub fn unused_stubs(plan: &PlanGraph, stubs: &Stubs) -> Vec<Diagnostic> {
    let known = Known::new(&plan.root);
    let types = stubs.types().filter(|name| !known.has_type(name)).map(|name| unused("type", name));
    let tools = stubs.tools().filter(|name| !known.has_listed(name)).map(|name| unused("tool", name));
    types.chain(tools).map(|problem| problem.help("remove it")).list()
}

fn unused(what: &str, name: &str) -> Diagnostic {
    let message = format!("no node has the {what} `{}`, so this stub stands in for nothing", brief(name));
    Diagnostic::new(Code::UnusedStub, message)
}

/// Whether an agent may call a tool of that name, as far as the plan says.
fn offers(agent: &Node, name: &str) -> bool {
    let named = agent.with.as_ref().and_then(|with| with.get("tools"));
    match named.as_ref().and_then(Texts::constant).and_then(Json::as_array) {
        Some(tools) => tools.iter().any(|tool| tool.as_str() == Some(name)),
        None => true,
    }
}

impl Reader<'_> {
    /// Says what is wrong with the tests of a plan.
    pub(super) fn cases(&mut self, shape: &Shape<'_>, root: &Graph) {
        let Some(value) = shape.get("tests") else { return };
        let Kind::List(items) = &value.kind else {
            self.problems.push(wrong(value, "`tests`", "a list of tests"));
            return;
        };
        let known = Known::new(root);
        let mut names = HashMap::new();
        for item in items {
            let Some(shape) = Shape::of(item, "a test", Target::Document, self.problems) else { continue };
            shape.keys(&TEST, self.problems);
            self.case_name(&shape, item.span, &mut names);
            for key in ["outputs", "context"] {
                self.map(&shape, key, &format!("`{key}`"));
            }
            self.decisions(&shape, &known);
            self.case_stubs(&shape, &known);
            match shape.get("expect") {
                Some(expect) => self.expected(expect, &known),
                None => {
                    let problem = Diagnostic::new(Code::WrongShape, "a test expects nothing").at(item.span);
                    let help = "add `expect`, as in `expect: {outcome: completed}`";
                    shape.lacks("expect", problem.help(help), self.problems);
                }
            }
        }
    }

    fn case_name(&mut self, shape: &Shape<'_>, whole: Span, names: &mut HashMap<String, Span>) {
        let Some(named) = shape.text("name", self.problems) else {
            if shape.get("name").is_none() {
                let problem = Diagnostic::new(Code::WrongShape, "a test has no `name`").at(whole);
                shape.lacks("name", problem.help("add a `name` that says what is tested"), self.problems);
            }
            return;
        };
        if let Some(first) = names.get(&named.name) {
            let message = format!("two tests are called `{}`", brief(&named.name));
            let problem = Diagnostic::new(Code::DuplicateTest, message).at(named.span);
            self.problems.push(problem.label(*first, "the other").help("give each test a name of its own"));
        } else {
            names.insert(named.name, named.span);
        }
    }

    /// The entries of a map under a key.
    fn map<'s>(&mut self, shape: &Shape<'s>, key: &str, what: &str) -> &'s [Entry] {
        let Some(value) = shape.get(key) else { return &[] };
        let Kind::Map(entries) = &value.kind else {
            self.problems.push(wrong(value, what, "a map"));
            return &[];
        };
        entries
    }

    fn decisions(&mut self, shape: &Shape<'_>, known: &Known<'_>) {
        let entries = self.map(shape, "decisions", "`decisions`");
        for entry in entries {
            let word =
                matches!(&entry.value.kind, Kind::Text(word) if word == "approved" || word == "rejected");
            if !word && entry.value.get("value").is_none() {
                let what = format!("the decision on `{}`", brief(&entry.key));
                self.problems.push(wrong(&entry.value, &what, "`approved`, `rejected` or `{value: …}`"));
            }
            // A call's name goes on after the node's: `ask:2:1`.
            let name = entry.key.split(':').next().unwrap_or_default();
            if !entry.key.contains('/') && !known.has_node(name) {
                self.unknown_in_case(name, entry.key_span, &known.own, entries);
            }
        }
    }

    fn case_stubs(&mut self, shape: &Shape<'_>, known: &Known<'_>) {
        let Some(value) = shape.get("stubs") else { return };
        let Some(stubs) = Shape::of(value, "`stubs`", Target::Document, self.problems) else { return };
        stubs.keys(&STUBS, self.problems);
        for group in STUBS.known {
            let entries = self.map(&stubs, group, &format!("`{group}`"));
            for entry in entries {
                let Entry { key, key_span, value } = entry;
                if let Err(error) = Stubs::from_json(&json!({*group: {key.as_str(): value.to_json()}})) {
                    let part = error.place.strip_prefix(&format!("{group}.{key}.")).unwrap_or_default();
                    let (place, help) = match value.get(part) {
                        Some(about) => (about.value.span, "write it as the tool's server would list it"),
                        None => (value.span, "write `echo`, `{return: …}` or `{fail: …}`"),
                    };
                    let message = format!("`{}` is no stub: {}", brief(key), error.message);
                    self.problems.push(Diagnostic::new(Code::WrongShape, message).at(place).help(help));
                }
                let used = match *group {
                    "nodes" => known.has_node(key),
                    "types" => known.has_type(key),
                    "tools" => known.has_listed(key),
                    _ => true,
                };
                if used {
                    continue;
                }
                if *group == "nodes" {
                    let ids: Vec<&str> = known.ids().list();
                    self.unknown_in_case(key, *key_span, &ids, entries);
                } else {
                    self.unused((key, *key_span), group, known, entries);
                }
            }
        }
    }

    fn unused(&mut self, (name, span): (&str, Span), group: &str, known: &Known<'_>, entries: &[Entry]) {
        let mut names = Names::default();
        let kinds = known.nodes.iter().map(|(_, node)| match &node.tool {
            Some(tool) if group == "tools" => tool.name.clone(),
            _ => node.kind.clone(),
        });
        names.extend(kinds);
        let problem = unused(group.trim_end_matches('s'), name).at(span);
        let problem = match self.problems.near(name, names.iter()) {
            Some(meant) => did_you_mean(problem, meant, name),
            None => problem.help("remove it"),
        };
        self.problems.push(mendable(problem, entries));
    }

    fn expected(&mut self, value: &Spanned, known: &Known<'_>) {
        let Some(expect) = Shape::of(value, "`expect`", Target::Document, self.problems) else { return };
        expect.keys(&EXPECT, self.problems);
        self.map(&expect, "outputs", "`outputs`");
        match expect.get("path").map(|path| (path, &path.kind)) {
            Some((_, Kind::List(items))) => {
                for item in items {
                    match scalar_text(item) {
                        Some(id) if known.own.contains(&id.as_str()) => {}
                        Some(id) => self.unknown_in_case(&id, item.span, &known.own, &[]),
                        None => self.problems.push(wrong(item, "an entry of `path`", "the id of a node")),
                    }
                }
            }
            Some((path, _)) => self.problems.push(wrong(path, "`path`", "a list of ids of nodes")),
            None => {}
        }
        if let Some(outcome) =
            expect.text("outcome", self.problems).filter(|o| !OUTCOMES.contains(&o.name.as_str()))
        {
            let message = format!("no run ends as `{}`", brief(&outcome.name));
            let problem = Diagnostic::new(Code::WrongShape, message).at(outcome.span);
            let problem = match self.problems.near(&outcome.name, OUTCOMES.into_iter()) {
                Some(meant) => did_you_mean(problem, meant, &outcome.name),
                None => problem.help("write `completed`, `failed`, `paused` or `cancelled`"),
            };
            self.problems.push(problem);
        }
        expect.text("code", self.problems);
        expect.amount("calls", 0, self.problems);
        if let Some(node) = expect.text("node", self.problems).filter(|node| !known.has_node(&node.name)) {
            let ids: Vec<&str> = known.ids().list();
            self.unknown_in_case(&node.name, node.span, &ids, &[]);
        }
    }

    fn unknown_in_case(&mut self, name: &str, span: Span, ids: &[&str], entries: &[Entry]) {
        let message = format!("a test speaks of node `{}`, which is not there", brief(name));
        let problem = Diagnostic::new(Code::UnknownInTest, message).at(span);
        let problem = match self.problems.near(name, ids.iter().copied()) {
            Some(meant) => did_you_mean(problem, meant, name),
            None => problem.help("name a node by its id"),
        };
        self.problems.push(mendable(problem, entries));
    }
}

/// What is there already can't be put there once more.
fn mendable(mut problem: Diagnostic, entries: &[Entry]) -> Diagnostic {
    let offered = problem.fix.len();
    problem.fix.retain(|edit| entries.iter().all(|entry| entry.key != edit.text));
    if problem.fix.len() < offered {
        problem.help = Some("remove this entry".to_owned());
    }
    problem
}
