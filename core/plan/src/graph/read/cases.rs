//! The tests beside a plan: `tests: [{name, input, stubs, decisions, expect}]`.
//!
//! Decides what a test may say, and which of its names mean nothing in this plan. Running them is the host's work.
//!
//! Invariant: tests never affect a run. A test that can't pass is an error of the plan, and the plan runs all the same.

use super::super::Graph;
use super::super::shape::{Keys, Shape, scalar_text, wrong};
use super::known::{Known, meant_by, unused};
use super::reader::Reader;
use crate::key::{did_you_mean, mendable};
use crate::stub::flaws;
use std::collections::HashMap;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span, Target, brief, near};
use stepgraph_text::list::List;
use stepgraph_text::names::Names;
use stepgraph_text::source::{Entry, Kind, Spanned};

pub(super) const TEST: Keys = Keys {
    known: &["name", "input", "outputs", "memory", "context", "decisions", "stubs", "expect"],
    required: &["name", "expect"],
};
pub(super) const EXPECT: Keys =
    Keys { known: &["path", "last", "outputs", "outcome", "code", "node", "calls"], required: &[] };
pub(super) const STUBS: Keys = Keys { known: &["types", "nodes", "tools", "models"], required: &[] };
const DECISION: Keys = Keys { known: &["value"], required: &["value"] };
const DECISIONS: [&str; 2] = ["approved", "rejected"];
const OUTCOMES: [&str; 4] = ["completed", "failed", "paused", "cancelled"];

impl Reader<'_> {
    /// Says what is wrong with the tests of a plan; gives the names of outputs that they give besides its nodes.
    pub(super) fn cases(&mut self, shape: &Shape<'_>, root: &Graph) -> Names {
        let mut given = Names::default();
        let Some(value) = shape.get("tests") else { return given };
        let Kind::List(items) = &value.kind else {
            self.problems.push(wrong(value, "`tests`", "a list of tests"));
            return given;
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
            for entry in self.map(&shape, "decisions", "`decisions`") {
                self.decision(&entry.key, &entry.value);
            }
            self.case_stubs(&shape, &known);
            match shape.get("expect") {
                Some(expect) => self.expected(expect, &shape, &known),
                None => {
                    let problem = Diagnostic::new(Code::WrongShape, "a test expects nothing").at(item.span);
                    let help = "add `expect`, as in `expect: {outcome: completed}`";
                    shape.lacks("expect", problem.help(help), self.problems);
                }
            }
            given.extend(given_by(&shape).into_iter().map(str::to_owned));
        }
        given
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

    fn decision(&mut self, on: &str, value: &Spanned) {
        let what = format!("the decision on `{}`", brief(on));
        let odd = |value: &Spanned| wrong(value, &what, "`approved`, `rejected` or `{value: …}`");
        match &value.kind {
            Kind::Text(word) if DECISIONS.contains(&word.as_str()) => {}
            Kind::Text(word) => {
                let problem = match near(word, DECISIONS) {
                    Some(meant) => did_you_mean(odd(value), meant, word),
                    None => odd(value),
                };
                self.problems.push(problem);
            }
            Kind::Map(_) => {
                let Some(shape) = Shape::of(value, &what, Target::Document, self.problems) else { return };
                shape.keys(&DECISION, self.problems);
                if value.get("value").is_none() {
                    shape.lacks("value", odd(value), self.problems);
                }
            }
            _ => self.problems.push(odd(value)),
        }
    }

    fn case_stubs(&mut self, shape: &Shape<'_>, known: &Known<'_>) {
        let Some(value) = shape.get("stubs") else { return };
        let Some(stubs) = Shape::of(value, "`stubs`", Target::Document, self.problems) else { return };
        stubs.keys(&STUBS, self.problems);
        // Keys of `stubs` itself are told of like all keys of a plan.
        for flaw in flaws(&value.to_json()).iter().filter(|flaw| flaw.way.len() > 1 || !flaw.is_key) {
            self.problems.push(flaw.diagnose(value));
        }
        for group in STUBS.known {
            let entries = stubs.get(group).and_then(Spanned::as_map).unwrap_or(&[]);
            for Entry { key, key_span, .. } in entries {
                match *group {
                    "nodes" if !known.has_node(key) => {
                        let ids: Vec<&str> = known.ids().list();
                        self.unknown_in_case(key, *key_span, &ids, entries);
                    }
                    "types" if !known.has_type(key) => self.unused((key, *key_span), group, known, entries),
                    "tools" if !known.has_listed(key) => self.unused((key, *key_span), group, known, entries),
                    "models" if !known.asks(key) => self.unused((key, *key_span), group, known, entries),
                    _ => {}
                }
            }
        }
    }

    fn unused(&mut self, (name, span): (&str, Span), group: &str, known: &Known<'_>, entries: &[Entry]) {
        let problem = unused(group, name).at(span);
        let names = known.names(group);
        let meant = self.problems.near(name, names.iter().map(String::as_str));
        self.problems.push(meant_by(problem, meant, group, name, entries));
    }

    fn expected(&mut self, value: &Spanned, test: &Shape<'_>, known: &Known<'_>) {
        let Some(expect) = Shape::of(value, "`expect`", Target::Document, self.problems) else { return };
        expect.keys(&EXPECT, self.problems);
        self.expected_outputs(&expect, test, known);
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

    /// Reports expected outputs that no run of the plan has: neither a node gives them, nor the test, nor its stubs.
    fn expected_outputs(&mut self, expect: &Shape<'_>, test: &Shape<'_>, known: &Known<'_>) {
        let entries = self.map(expect, "outputs", "`outputs`");
        let given = given_by(test);
        for Entry { key, key_span, .. } in entries {
            let name = key.as_str();
            let is_there = known.own.contains(&name) || known.may_write(name) || given.contains(&name);
            // Handlers of the host, and stubs of every test, may write outputs of any name.
            let is_near = || near(name, known.own.iter().copied()).is_some();
            if !is_there && (!known.asks_host() || is_near()) {
                self.unknown_in_case(name, *key_span, &known.own, entries);
            }
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

/// The names of outputs that a test gives from the start, and that its stubs write.
fn given_by<'a>(test: &Shape<'a>) -> Vec<&'a str> {
    let outputs = test.get("outputs").and_then(Spanned::as_map).unwrap_or(&[]);
    let mut names = outputs.iter().map(|entry| entry.key.as_str()).list();
    if let Some(stubs) = test.get("stubs") {
        written_by(stubs, &mut names);
    }
    names
}

/// The names under `writes` anywhere in a test's stubs.
fn written_by<'a>(value: &'a Spanned, names: &mut Vec<&'a str>) {
    match &value.kind {
        Kind::Map(entries) => {
            for entry in entries {
                if entry.key == "writes" {
                    names.extend(entry.value.as_map().unwrap_or(&[]).iter().map(|entry| entry.key.as_str()));
                }
                written_by(&entry.value, names);
            }
        }
        Kind::List(items) => items.iter().for_each(|item| written_by(item, names)),
        _ => {}
    }
}
