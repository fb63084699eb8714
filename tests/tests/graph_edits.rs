//! Edits of plans: what they come to, as cases; ten thousand random ones of plans in every style, and some of every plan in this
//! repository (`STEPGRAPH_YAML=folder` adds the files of a folder), each held to what it means for the plan as plain data; and groups,
//! which are run.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::expect_used,
    reason = "a test stops when it is surprised, and tells what it has counted"
)]

use serde_json::{Value as Json, json};
use stepgraph_core::graph::edit::GraphEdit;
use stepgraph_core::graph::{self, PlanGraph};
use stepgraph_core::source::edit::{Change, Edited, edit, inverse, spliced};
use stepgraph_core::source::{Format, Spanned, read};
use stepgraph_core::value::Segment;
use stepgraph_tests::fuzz::mutate::Numbers;
use stepgraph_tests::{edits, plans};

/// Writes what came of the cases where they were not as expected.
fn update(found: &[(usize, &str, String)]) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/edits/graph.yaml");
    let text = std::fs::read_to_string(&path).expect("the cases");
    let key = |name: &str| Segment::Key(name.to_owned());
    let set = |(at, what, text): &(usize, &str, String)| Change::Set {
        path: vec![key("cases"), Segment::Index(*at), key(what)],
        value: json!(text),
    };
    let changes: Vec<Change> = found.iter().map(set).collect();
    let edited = edit(&text, Format::Yaml, &changes).expect("cases that can be changed");
    std::fs::write(path, edited.text).expect("written");
}

#[test]
fn edits_come_to_the_texts_they_should() {
    let cases = edits::of_plans();
    let mut wrong = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let text = case["text"].as_str().unwrap_or_default();
        match edits::planned(case) {
            Ok(edited) => {
                assert_eq!(spliced(text, &edited.edits), edited.text, "{case}");
                assert_eq!(spliced(&edited.text, &inverse(text, &edited.edits)), text, "{case}");
                let again = read(&edited.text, Format::Auto).root.as_ref().map(Spanned::to_json);
                assert_eq!(again, edited.document.root.as_ref().map(Spanned::to_json), "{case}");
                if case["expect"].as_str() != Some(&edited.text) {
                    wrong.push((at, "expect", edited.text));
                }
            }
            Err(problem) => {
                let message = &problem.message;
                assert!(
                    problem.help.is_some() && message.starts_with(|c: char| !c.is_uppercase()),
                    "{problem}"
                );
                for (what, found) in [("code", problem.code.slug()), ("message", message.as_str())] {
                    if case[what].as_str() != Some(found) {
                        wrong.push((at, what, found.to_owned()));
                    }
                }
            }
        }
    }
    #[expect(clippy::disallowed_methods, reason = "a test may be told to rewrite its expectations")]
    if std::env::var("UPDATE").is_ok() {
        return update(&wrong);
    }
    let shown = |(at, what, text): &(usize, &str, String)| format!("case {at}, {what}:\n{text}");
    assert!(wrong.is_empty(), "{}", wrong.iter().map(shown).collect::<Vec<_>>().join("\n"));
}

#[derive(Default)]
struct Tally {
    made: std::collections::BTreeMap<String, usize>,
    refused: std::collections::BTreeMap<&'static str, usize>,
}

impl Tally {
    fn count(&self) -> usize {
        self.made.values().sum()
    }
}

/// The comments of a text, each with how often it stands there.
fn comments(text: &str) -> std::collections::BTreeMap<&str, usize> {
    let mut found = std::collections::BTreeMap::new();
    for line in text.lines() {
        if let Some(at) = line.rfind("# ").filter(|at| *at == 0 || line.as_bytes()[at - 1] == b' ') {
            *found.entry(line[at..].trim_end()).or_default() += 1;
        }
    }
    found
}

fn codes(text: &str) -> (Vec<&'static str>, Option<String>) {
    let parsed = PlanGraph::parse(text, Format::Auto);
    let mut codes: Vec<&str> = parsed.diagnostics.iter().map(|problem| problem.code.slug()).collect();
    codes.sort_unstable();
    (codes, parsed.graph.map(|graph| graph.hash()))
}

/// Whether ids of several nodes are alike, so that names in tests are of more than one.
fn is_shared(text: &str) -> bool {
    let Some(graph) = PlanGraph::parse(text, Format::Auto).graph else { return true };
    let mut ids: Vec<String> =
        graph.graphs().iter().flat_map(|graph| graph.nodes.iter().map(|node| node.id.clone())).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    ids.len() < count
}

/// Makes one random edit, and holds it to what the model makes of the plan as data.
fn try_edit(text: &str, numbers: &mut Numbers, tally: &mut Tally) -> Option<String> {
    let document = read(text, Format::Auto);
    let json = document.root.as_ref().map(Spanned::to_json).filter(|json| json["nodes"].is_object())?;
    let edit = plans::edit(&json, numbers)?;
    let op = edit["op"].as_str().unwrap_or_default().to_owned();
    let made = GraphEdit::from_json(&edit).and_then(|edit| graph::edit::edit(text, Format::Auto, &[edit]));
    let edited = match made {
        Ok(edited) => edited,
        Err(problem) => {
            *tally.refused.entry(problem.code.slug()).or_default() += 1;
            return None;
        }
    };
    let context = || format!("{edit}\n---- before\n{text}\n---- after\n{}", edited.text);
    assert_eq!(spliced(text, &edited.edits), edited.text, "{}", context());
    assert_eq!(spliced(&edited.text, &inverse(text, &edited.edits)), text, "{}", context());
    let again = read(&edited.text, Format::Auto);
    assert!(again.diagnostics.len() <= document.diagnostics.len(), "{}", context());
    let ours = again.root.as_ref().map(Spanned::to_json);
    let mut meant = json;
    let named = op != "rename_node" || json_has_no_tests(&meant) || !is_shared(text);
    if named && plans::model(&mut meant, &edit).is_some() {
        assert_eq!(ours.as_ref().map(ToString::to_string), Some(meant.to_string()), "{}", context());
    }
    if op == "rename_node" {
        let ((before, hash), (after, now)) = (codes(text), codes(&edited.text));
        assert_eq!(before, after, "{}", context());
        assert_eq!(hash.is_some(), now.is_some(), "{}", context());
        assert_eq!(text.lines().count(), edited.text.lines().count(), "{}", context());
    }
    let removes = ["remove_node", "disconnect", "set_input"];
    if !removes.contains(&op.as_str()) {
        let after = comments(&edited.text);
        for (comment, times) in comments(text) {
            assert!(after.get(comment).copied().unwrap_or(0) >= times, "{comment} is lost: {}", context());
        }
    }
    untouched(text, &edited, &edit, &context);
    *tally.made.entry(op).or_default() += 1;
    Some(edited.text)
}

fn json_has_no_tests(plan: &Json) -> bool {
    plan["tests"].is_null()
}

/// Lines that are gone speak of what was edited, or are of the entry itself.
fn untouched(text: &str, edited: &Edited, edit: &Json, context: &dyn Fn() -> String) {
    let names: Vec<&str> = ["node", "from", "to"].iter().filter_map(|key| edit[*key].as_str()).collect();
    let kept: std::collections::BTreeSet<usize> = edited
        .edits
        .iter()
        .flat_map(|edit| {
            let line = |at: usize| text[..at].matches('\n').count();
            line(edit.span.start)..=line(edit.span.end)
        })
        .collect();
    // An edit of one thing is an edit of few lines: of its own entry, of the edges, the layout and the start that name it.
    let rename = edit["op"] == "rename_node";
    for at in kept.iter().filter(|_| rename) {
        let line = text.lines().nth(*at).unwrap_or_default();
        assert!(names.iter().any(|name| line.contains(name)), "line {at} is changed: {}", context());
    }
}

#[test]
fn edits_of_any_plan_are_those_of_its_data() {
    let mut numbers = Numbers::new(23);
    let mut tally = Tally::default();
    let mut texts = 0;
    while tally.count() < 10_000 {
        let plan = plans::plan(&mut numbers);
        let mut text = plans::styled(&plan, &mut numbers);
        let document = read(&text, Format::Auto);
        assert!(document.diagnostics.is_empty(), "{text}\n{:?}", document.diagnostics);
        texts += 1;
        for _ in 0..6 {
            if let Some(after) = try_edit(&text, &mut numbers, &mut tally) {
                text = after;
            }
        }
    }
    println!("{texts} plans, {} edits: {:?}, refused: {:?}", tally.count(), tally.made, tally.refused);
    let odd = tally.refused.get("edit/not-in-place").copied().unwrap_or(0);
    assert!(odd * 100 < tally.count(), "{odd} edits were refused");
}

#[test]
fn edits_of_real_plans_are_those_of_their_data() {
    let mut numbers = Numbers::new(29);
    let mut tally = Tally::default();
    let mut texts = 0;
    for text in edits::real_plans() {
        texts += 1;
        for _ in 0..25 {
            try_edit(&text, &mut numbers, &mut tally);
        }
    }
    println!("{texts} plans, {} edits: {:?}, refused: {:?}", tally.count(), tally.made, tally.refused);
    assert!(texts >= 20 && tally.count() > 400, "{texts} plans, {} edits", tally.count());
}
