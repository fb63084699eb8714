//! Reads a plan's tests: `[{name, input, stubs, decisions, expect}]`.
//!
//! Invariant: Tests never affect a run. A test that can't pass is an error, but the plan runs.

use super::super::Graph;
use super::super::map_reader::{KeySpec, MapReader, scalar_text, wrong_type};
use super::known::{KnownNames, unused_stub, with_suggestion};
use super::reader::Reader;
use crate::key::{did_you_mean, without_conflicting_fix};
use crate::stub::flaws;
use std::collections::HashMap;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span, Target, closest_name, is_typo, shorten_name};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::{Entry, Spanned, ValueKind};

pub(super) const TEST: KeySpec = KeySpec {
    known: &["name", "input", "outputs", "memory", "context", "decisions", "stubs", "expect"],
    required: &["name", "expect"],
};
pub(super) const EXPECT: KeySpec =
    KeySpec { known: &["path", "last", "outputs", "outcome", "code", "node", "calls"], required: &[] };
pub(super) const STUBS: KeySpec = KeySpec { known: &["types", "nodes", "tools", "models"], required: &[] };
const DECISION: KeySpec = KeySpec { known: &["value"], required: &["value"] };
const DECISIONS: [&str; 2] = ["approved", "rejected"];
const OUTCOMES: [&str; 4] = ["completed", "failed", "paused", "cancelled"];

impl Reader<'_> {
    /// Returns the further outputs that tests write.
    pub(super) fn check_tests(&mut self, map: &MapReader<'_>, root: &Graph) -> NameTable {
        let mut given = NameTable::default();
        let Some(value) = map.get("tests") else { return given };
        let ValueKind::List(items) = &value.kind else {
            self.problems.push(wrong_type(value, "`tests`", "a list of tests"));
            return given;
        };
        let known_names = KnownNames::new(root);
        let mut names = HashMap::new();
        for item in items {
            let Some(map) = MapReader::new(item, "a test", Target::Document, self.problems) else {
                continue;
            };
            map.check_keys(&TEST, self.problems);
            self.test_name(&map, item.span, &mut names);
            for key in ["outputs", "context"] {
                self.map(&map, key, &format!("`{key}`"));
            }
            for entry in self.map(&map, "decisions", "`decisions`") {
                self.decision(&entry.key, &entry.value);
            }
            self.test_stubs(&map, &known_names);
            match map.get("expect") {
                Some(expect) => self.check_expect(expect, &map, &known_names),
                None => {
                    let diagnostic =
                        Diagnostic::new(Code::WrongShape, "a test expects nothing").at(item.span);
                    let help = "add `expect`, as in `expect: {outcome: completed}`";
                    map.report_missing("expect", diagnostic.help(help), self.problems);
                }
            }
            given.extend(external_outputs_of(&map).into_iter().map(str::to_owned));
        }
        given
    }

    fn test_name(&mut self, map: &MapReader<'_>, whole: Span, names: &mut HashMap<String, Span>) {
        let Some(named) = map.text("name", self.problems) else {
            if map.get("name").is_none() {
                let diagnostic = Diagnostic::new(Code::WrongShape, "a test has no `name`").at(whole);
                map.report_missing(
                    "name",
                    diagnostic.help("add a `name` that says what is tested"),
                    self.problems,
                );
            }
            return;
        };
        if let Some(first) = names.get(&named.name) {
            let message = format!("two tests are called `{}`", shorten_name(&named.name));
            let diagnostic = Diagnostic::new(Code::DuplicateTest, message).at(named.span);
            self.problems
                .push(diagnostic.label(*first, "the other").help("give each test a name of its own"));
        } else {
            names.insert(named.name, named.span);
        }
    }

    fn map<'s>(&mut self, map: &MapReader<'s>, key: &str, what: &str) -> &'s [Entry] {
        let Some(value) = map.get(key) else { return &[] };
        let ValueKind::Map(entries) = &value.kind else {
            self.problems.push(wrong_type(value, what, "a map"));
            return &[];
        };
        entries
    }

    fn decision(&mut self, on: &str, value: &Spanned) {
        let what = format!("the decision on `{}`", shorten_name(on));
        let odd = |value: &Spanned| wrong_type(value, &what, "`approved`, `rejected` or `{value: …}`");
        match &value.kind {
            ValueKind::Text(word) if DECISIONS.contains(&word.as_str()) => {}
            ValueKind::Text(word) => {
                let diagnostic = match closest_name(word, DECISIONS) {
                    Some(meant) => did_you_mean(odd(value), meant, word),
                    None => odd(value),
                };
                self.problems.push(diagnostic);
            }
            ValueKind::Map(_) => {
                let Some(map) = MapReader::new(value, &what, Target::Document, self.problems) else {
                    return;
                };
                map.check_keys(&DECISION, self.problems);
                if value.get("value").is_none() {
                    map.report_missing("value", odd(value), self.problems);
                }
            }
            _ => self.problems.push(odd(value)),
        }
    }

    fn test_stubs(&mut self, map: &MapReader<'_>, known_names: &KnownNames<'_>) {
        let Some(value) = map.get("stubs") else { return };
        let Some(stubs) = MapReader::new(value, "`stubs`", Target::Document, self.problems) else { return };
        stubs.check_keys(&STUBS, self.problems);
        // `check_keys` reported the keys of `stubs`.
        for flaw in flaws(&value.to_json()).iter().filter(|flaw| flaw.path.len() > 1 || !flaw.is_key) {
            self.problems.push(flaw.diagnose(value));
        }
        for group in STUBS.known {
            let entries = stubs.get(group).and_then(Spanned::as_map).unwrap_or(&[]);
            for Entry { key, key_span, .. } in entries {
                match *group {
                    "nodes" if !known_names.has_node(key) => {
                        let ids: Vec<&str> = known_names.ids().collect_vec();
                        self.unknown_test_name(key, *key_span, &ids, entries);
                    }
                    "types" if !known_names.has_type(key) => {
                        self.unused((key, *key_span), group, known_names, entries);
                    }
                    "tools" if !known_names.has_qualified_tool(key) => {
                        self.unused((key, *key_span), group, known_names, entries);
                    }
                    "models" if !known_names.calls_model(key) => {
                        self.unused((key, *key_span), group, known_names, entries);
                    }
                    _ => {}
                }
            }
        }
    }

    fn unused(
        &mut self,
        (name, span): (&str, Span),
        group: &str,
        known_names: &KnownNames<'_>,
        entries: &[Entry],
    ) {
        let diagnostic = unused_stub(group, name).at(span);
        let names = known_names.names(group);
        let meant = self.problems.closest_name(name, names.iter().map(String::as_str));
        let is_typo = |meant: &str| is_typo(name, meant) && entries.iter().all(|entry| entry.key != meant);
        let meant = meant.map(|meant| (meant, is_typo(meant)));
        self.problems.push(with_suggestion(diagnostic, meant, group, name, entries));
    }

    fn check_expect(&mut self, value: &Spanned, test: &MapReader<'_>, known_names: &KnownNames<'_>) {
        let Some(expect) = MapReader::new(value, "`expect`", Target::Document, self.problems) else { return };
        expect.check_keys(&EXPECT, self.problems);
        self.check_expected_outputs(&expect, test, known_names);
        match expect.get("path").map(|path| (path, &path.kind)) {
            Some((_, ValueKind::List(items))) => {
                for item in items {
                    match scalar_text(item) {
                        Some(id) if known_names.root_ids.contains(&id.as_str()) => {}
                        Some(id) => self.unknown_test_name(&id, item.span, &known_names.root_ids, &[]),
                        None => {
                            self.problems.push(wrong_type(item, "an entry of `path`", "the id of a node"));
                        }
                    }
                }
            }
            Some((path, _)) => self.problems.push(wrong_type(path, "`path`", "a list of ids of nodes")),
            None => {}
        }
        if let Some(outcome) =
            expect.text("outcome", self.problems).filter(|o| !OUTCOMES.contains(&o.name.as_str()))
        {
            let message = format!("no run ends as `{}`", shorten_name(&outcome.name));
            let diagnostic = Diagnostic::new(Code::WrongShape, message).at(outcome.span);
            let diagnostic = match self.problems.closest_name(&outcome.name, OUTCOMES.into_iter()) {
                Some(meant) => did_you_mean(diagnostic, meant, &outcome.name),
                None => diagnostic.help("write `completed`, `failed`, `paused` or `cancelled`"),
            };
            self.problems.push(diagnostic);
        }
        expect.text("code", self.problems);
        expect.amount("calls", 0, self.problems);
        if let Some(node) =
            expect.text("node", self.problems).filter(|node| !known_names.has_node(&node.name))
        {
            let ids: Vec<&str> = known_names.ids().collect_vec();
            self.unknown_test_name(&node.name, node.span, &ids, &[]);
        }
    }

    /// Reports expected outputs without a writer.
    fn check_expected_outputs(
        &mut self,
        expect: &MapReader<'_>,
        test: &MapReader<'_>,
        known_names: &KnownNames<'_>,
    ) {
        let entries = self.map(expect, "outputs", "`outputs`");
        let given = external_outputs_of(test);
        for Entry { key, key_span, .. } in entries {
            let name = key.as_str();
            let is_there =
                known_names.root_ids.contains(&name) || known_names.may_write(name) || given.contains(&name);
            // Host handlers and stubs may write any output.
            let is_near = || closest_name(name, known_names.root_ids.iter().copied()).is_some();
            if !is_there && (!known_names.needs_host() || is_near()) {
                self.unknown_test_name(name, *key_span, &known_names.root_ids, entries);
            }
        }
    }

    fn unknown_test_name(&mut self, name: &str, span: Span, ids: &[&str], entries: &[Entry]) {
        let message = format!("a test refers to node `{}`, which does not exist", shorten_name(name));
        let diagnostic = Diagnostic::new(Code::UnknownInTest, message).at(span);
        let diagnostic = match self.problems.closest_name(name, ids.iter().copied()) {
            Some(meant) => did_you_mean(diagnostic, meant, name),
            None => diagnostic.help("name a node by its id"),
        };
        self.problems.push(without_conflicting_fix(diagnostic, entries));
    }
}

fn external_outputs_of<'a>(test: &MapReader<'a>) -> Vec<&'a str> {
    let outputs = test.get("outputs").and_then(Spanned::as_map).unwrap_or(&[]);
    let mut names = outputs.iter().map(|entry| entry.key.as_str()).collect_vec();
    if let Some(stubs) = test.get("stubs") {
        collect_written_names(stubs, &mut names);
    }
    names
}

fn collect_written_names<'a>(value: &'a Spanned, names: &mut Vec<&'a str>) {
    match &value.kind {
        ValueKind::Map(entries) => {
            for entry in entries {
                if entry.key == "writes" {
                    names.extend(entry.value.as_map().unwrap_or(&[]).iter().map(|entry| entry.key.as_str()));
                }
                collect_written_names(&entry.value, names);
            }
        }
        ValueKind::List(items) => items.iter().for_each(|item| collect_written_names(item, names)),
        _ => {}
    }
}
