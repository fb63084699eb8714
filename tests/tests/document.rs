//! An edited document equals a fresh document with the same text.
//!
//! After each of thousands of random valid and invalid edits, tree, format, diagnostics and plan hash must equal.
//! `STEPGRAPH_SEARCH=n` multiplies the number by n.

use std::fmt::Write;
use stepgraph_authoring::language::Document;
use stepgraph_core::diagnostic::TextEdit;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::Format;
use stepgraph_core::source::edit::inverse;
use stepgraph_tests::files::{self, files_below, folder};
use stepgraph_tests::fuzz::mutate::Numbers;
use stepgraph_tests::search;
use stepgraph_tests::second_parser::SecondParser;
use stepgraph_tests::typing::edits;
use stepgraph_tests::yaml::written;

fn texts() -> Vec<(String, String)> {
    let folders = ["examples", "tests/suite", "core/flows"];
    files::texts(folders.iter().flat_map(|name| files_below(&folder(name), &["yaml", "json"])))
}

#[derive(Debug, Default)]
struct Tally {
    second: SecondParser,
    changes: usize,
    parts: usize,
    broken: usize,
    sound: usize,
}

impl Tally {
    fn add(&mut self, document: &Document) {
        self.parts += document.incremental_parses();
    }

    fn end(self) -> String {
        let Self { second, changes, parts, broken, sound } = self;
        let compared = second.finish();
        format!(
            "{changes} changes, {parts} in part, {broken} broken, {sound} sound, {compared} read by the second parser"
        )
    }
}

fn step(document: &mut Document, edits: &[TextEdit], tally: &mut Tally) {
    let before = document.text().to_owned();
    document.change(edits);
    let fresh = Document::new(document.text().to_owned(), Format::Auto);
    let context = || format!("{edits:?}\n---- before\n{before}\n---- after\n{}", document.text());
    assert_eq!(document.format(), fresh.format(), "{}", context());
    assert_eq!(document.diagnostics(), fresh.diagnostics(), "{}", context());
    assert!(
        document.tree() == fresh.tree(),
        "the trees differ:\n{:#?}\n{:#?}\n{}",
        document.tree(),
        fresh.tree(),
        context()
    );
    let hash = |document: &Document| document.plan().map(PlanGraph::hash);
    assert_eq!(hash(document), hash(&fresh), "{}", context());
    if let Some(tree) = document.tree().filter(|_| is_read_alike(document)) {
        tally.second.expect(document.text(), &tree.to_json());
    }
    tally.changes += 1;
    tally.broken += usize::from(document.tree().is_none());
    tally.sound += usize::from(document.plan().is_some());
}

/// The second parser does not break lines at a lone `\r`, is stricter about tabs, stops at `...`, and drops a block
/// scalar's blank last line. Duplicate keys are errors here but leave a tree.
fn is_read_alike(document: &Document) -> bool {
    let text = document.text();
    let returns = text.matches('\r').count() == text.matches("\r\n").count();
    let blank_end =
        text.ends_with(' ') && text.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let ends = text.lines().any(|line| line.starts_with("..."));
    let plain = returns && !blank_end && !ends && !text.contains(['\t', '\u{feff}']);
    let errors = || document.diagnostics().iter().filter(|problem| problem.is_error());
    plain
        && document.format() == Format::Yaml
        && errors().all(|problem| {
            !problem.code.slug().starts_with("source/") && problem.code.slug() != "graph/duplicate-key"
        })
}

/// Applies `count` series of up to `row` edits. Most are undone, to keep the text realistic.
fn work(text: &str, count: usize, row: usize, numbers: &mut Numbers, tally: &mut Tally) {
    let mut document = Document::new(text.to_owned(), Format::Auto);
    for _ in 0..count {
        let mut back = Vec::new();
        for _ in 0..=numbers.below(row) {
            let before = document.text().to_owned();
            let edits = edits(&before, numbers);
            back.push(inverse(&before, &edits));
            step(&mut document, &edits, tally);
        }
        if row == 1 || numbers.below(8) > 0 {
            for edits in back.iter().rev() {
                step(&mut document, edits, tally);
            }
        }
    }
    tally.add(&document);
}

#[test]
fn edits_of_plans_leave_what_reading_anew_gives() {
    let mut numbers = Numbers::new(3);
    let mut tally = Tally::default();
    let texts = texts();
    for _ in 0..search::factor() {
        for (_, text) in texts.iter().filter(|(_, text)| text.len() < 20_000) {
            let count = 6 + 60_000 / (text.len() + 200);
            work(text, count.min(60), 3, &mut numbers, &mut tally);
        }
    }
    println!("{}", tally.end());
}

#[test]
fn edits_of_any_yaml_leave_what_reading_anew_gives() {
    let mut numbers = Numbers::new(5);
    let mut tally = Tally::default();
    for _ in 0..search::tries(600) {
        work(&written(&mut numbers), 8, 3, &mut numbers, &mut tally);
    }
    println!("{}", tally.end());
}

fn large(nodes: usize) -> String {
    let mut text = String::from("# a long plan\nstart: step-0\nnodes:\n");
    for at in 0..nodes {
        let _ = write!(
            text,
            "  step-{at}:\n    type: tool # of the warehouse\n    tool: search\n    input:\n      query: \"records of ${{input.name}}, part {at}\"\n      limit: 10\n    metadata: {{title: Look up {at}}}\n"
        );
    }
    text.push_str("edges:\n");
    for at in 1..nodes {
        let _ = writeln!(text, "  - from: step-{}\n    to: step-{at}", at - 1);
        if at % 3 == 0 {
            let _ = writeln!(text, "    condition: output.step-{}.status==ok", at - 1);
        }
    }
    text
}

#[test]
fn edits_of_a_large_plan_leave_what_reading_anew_gives() {
    let mut numbers = Numbers::new(9);
    let mut tally = Tally::default();
    for _ in 0..search::factor() {
        work(&large(1_000), 40, 1, &mut numbers, &mut tally);
    }
    assert!(tally.parts * 2 > tally.changes, "most changes are small: {tally:?}");
    println!("{}", tally.end());
}

#[test]
fn the_last_read_plan_stays() {
    let mut document = Document::new(large(3), Format::Yaml);
    let hash = document.plan().expect("a good plan").hash();
    let at = document.text().find("tool: search").expect("a tool");
    let broken = [TextEdit { span: stepgraph_core::diagnostic::Span::at(at), text: "\"".to_owned() }];
    let good = document.text().to_owned();
    let back = inverse(&good, &broken);
    document.change(&broken);
    assert!(document.plan().is_none() && document.tree().is_none());
    assert_eq!(
        document.last_valid_plan().map(|plan| (plan.hash(), plan.source().to_owned())),
        Some((hash, good.clone()))
    );
    document.change(&back);
    assert_eq!(document.plan().map(PlanGraph::source), Some(good.as_str()));
}
