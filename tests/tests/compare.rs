//! Comparison and merge of plans: cases and random plans.

#![expect(clippy::expect_used, reason = "a helper of tests stops the test when it is surprised")]

use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use stepgraph_authoring::compare::{Change, ChangeKind, Conflict, ConflictKind, MergeResult, compare, merge};
use stepgraph_core::graph::{PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::Format;
use stepgraph_tests::compare_cases::{File, Written, host};
use stepgraph_tests::expectation::capabilities;
use stepgraph_tests::fuzz::mutate::Numbers;
use stepgraph_tests::search;

fn plan(text: &str) -> PlanGraph {
    // Cases give no files, so their paths are compared.
    let parsed = PlanGraph::parse_with(text, Format::Auto, NameTable::default(), &PlanFiles::optional());
    assert!(
        parsed.graph.as_ref().is_some_and(|plan| plan.errors().is_empty()),
        "no good plan: {:?}\n{text}",
        parsed.diagnostics
    );
    parsed.graph.expect("a plan")
}

fn changes(case: &Json) -> Vec<Change> {
    let host = capabilities(&host(case)).expect("a host");
    let side = |key: &str| plan(case[key].as_str().unwrap_or_default());
    let (before, after) = (side("before"), side("after"));
    let found = compare(&before, &after, Some(&host));
    assert!(compare(&after, &after, Some(&host)).is_same());
    found.changes
}

#[test]
fn changes_are_what_they_should_be() {
    let file = File::named("changes.yaml").expect("cases");
    assert!(file.cases.len() > 35, "the cases have gone");
    let mut kinds = BTreeSet::new();
    let wrong = file.differences(&mut |case: &Json| {
        let found = changes(case);
        kinds.extend(found.iter().map(|change| change.kind));
        found.iter().map(|change| format!("{}: {}", change.kind.slug(), change.message)).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let never: Vec<_> = ChangeKind::ALL.iter().filter(|kind| !kinds.contains(kind)).collect();
    assert!(never.is_empty(), "no case has {never:?}");
}

fn merged(case: &Json) -> MergeResult {
    let side = |key: &str| case[key].as_str().unwrap_or_default();
    merge(side("base"), side("ours"), side("theirs"), Format::Auto)
}

#[test]
fn merges_are_what_they_should_be() {
    let file = File::named("merges.yaml").expect("cases");
    assert!(file.cases.len() > 20, "the cases have gone");
    let mut kinds = BTreeSet::new();
    let wrong = file.differences(&mut |case: &Json| {
        let MergeResult { text, conflicts, .. } = merged(case);
        kinds.extend(conflicts.iter().map(|conflict| conflict.kind));
        spans_are_right(case, &text, &conflicts);
        let told = |conflict: &Conflict| format!("{}: {}", conflict.kind.slug(), conflict.message);
        json!({"text": text, "conflicts": conflicts.iter().map(told).collect::<Vec<_>>()})
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let never: Vec<_> = ConflictKind::ALL.iter().filter(|kind| !kinds.contains(kind)).collect();
    // A text conflict needs a change that the editor can't write.
    assert!(never.is_empty() || never == [&ConflictKind::Text], "no case has {never:?}");
}

fn spans_are_right(case: &Json, text: &str, conflicts: &[Conflict]) {
    for conflict in conflicts {
        let texts = ["base", "ours", "theirs"].map(|key| case[key].as_str().unwrap_or_default());
        for (span, text) in conflict.spans.iter().zip(texts.into_iter().chain([text])) {
            let found = span.map(|span| text.get(span.start..span.end));
            assert!(found.is_none_or(|found| found.is_some()), "{conflict:?}");
        }
        for ((span, value), text) in conflict.spans.iter().zip(&conflict.values).zip(texts) {
            if let (Some(span), Some(value), ConflictKind::Field) = (span, value, conflict.kind) {
                let there = text.get(span.start..span.end).expect("a place in the text");
                let read: Json = serde_yaml::from_str(there).expect("a value");
                assert_eq!(&read, value, "{conflict:?}");
            }
        }
    }
}

/// Merging edits of the two halves equals applying all to one text.
#[test]
fn disjoint_edits_merge_without_conflict() {
    let mut numbers = Numbers::new(5);
    let (mut merges, mut edits) = (0, 0);
    while merges < search::tries(300) {
        let base = Written::plan(&mut numbers);
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        let mut both = base.clone();
        for _ in 0..=numbers.below(4) {
            edits += usize::from(ours.edit("a", &mut numbers, &mut both));
        }
        for _ in 0..=numbers.below(4) {
            edits += usize::from(theirs.edit("b", &mut numbers, &mut both));
        }
        let texts = [&base.text, &ours.text, &theirs.text].map(String::as_str);
        let expect = PlanGraph::parse(&both.text, Format::Yaml);
        let Some(expect) = expect.graph else { continue };
        let MergeResult { text, conflicts, .. } = merge(texts[0], texts[1], texts[2], Format::Yaml);
        let context = || {
            format!(
                "---- base\n{}---- ours\n{}---- theirs\n{}---- merged\n{text}---- both\n{}{conflicts:#?}",
                texts[0], texts[1], texts[2], both.text
            )
        };
        assert!(conflicts.is_empty(), "{}", context());
        let found = compare(&expect, &plan(&text), None);
        assert!(found.is_same(), "{found:#?}\n{}", context());
        // As compact JSON, base and theirs merge to the same plan.
        let anew = |text: &str| plan(text).to_json().to_string();
        let MergeResult { text: other, conflicts, .. } =
            merge(&anew(texts[0]), texts[1], &anew(texts[2]), Format::Auto);
        assert!(conflicts.is_empty(), "{conflicts:?}\n{}", context());
        let found = compare(&expect, &plan(&other), None);
        assert!(found.is_same(), "{found:#?}\n{other}\n{}", context());
        merges += 1;
    }
    println!("{merges} merges of {edits} edits");
    assert!(edits > 500);
}

#[test]
fn what_one_side_left_is_what_the_other_made_of_it() {
    let mut numbers = Numbers::new(9);
    for _ in 0..search::tries(100) {
        let base = Written::plan(&mut numbers);
        let mut side = base.clone();
        for _ in 0..3 {
            side.edit(["a", "b"][numbers.below(2)], &mut numbers, &mut base.clone());
        }
        let whole = |base: &str, ours: &str, theirs: &str| {
            let MergeResult { text, conflicts, .. } = merge(base, ours, theirs, Format::Yaml);
            assert!(conflicts.is_empty(), "{conflicts:?}\n{ours}\n{theirs}");
            text
        };
        assert_eq!(whole(&base.text, &side.text, &base.text), side.text);
        assert_eq!(whole(&base.text, &side.text, &side.text), side.text);
        assert_eq!(whole(&base.text, &base.text, &side.text), side.text);
        // Otherwise the merge below would take theirs' format.
        if side.text == base.text {
            continue;
        }
        // Theirs differs in format only.
        let Some(graph) = PlanGraph::parse(&base.text, Format::Yaml).into_sound() else { continue };
        let anew = graph.to_json().to_string();
        assert_eq!(merge(&base.text, &side.text, &anew, Format::Auto).text, side.text);
    }
}

#[test]
fn conflicts_are_the_same_from_both_sides() {
    let mut numbers = Numbers::new(13);
    let mut found = 0;
    for _ in 0..search::tries(500) {
        let base = Written::plan(&mut numbers);
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        for side in [&mut ours, &mut theirs] {
            for _ in 0..=numbers.below(4) {
                side.edit("a", &mut numbers, &mut base.clone());
            }
        }
        let there = merge(&base.text, &ours.text, &theirs.text, Format::Yaml).conflicts;
        let back = merge(&base.text, &theirs.text, &ours.text, Format::Yaml).conflicts;
        let places = |conflicts: &[Conflict]| {
            let mut places: Vec<_> = (conflicts.iter())
                .filter(|conflict| !matches!(conflict.kind, ConflictKind::Plan | ConflictKind::Text))
                .map(|conflict| (conflict.kind, conflict.scope.clone(), format!("{:?}", conflict.field)))
                .collect();
            places.sort();
            places
        };
        found += places(&there).len();
        let context = || {
            format!(
                "---- base\n{}---- ours\n{}---- theirs\n{}{there:#?}\n{back:#?}",
                base.text, ours.text, theirs.text
            )
        };
        assert_eq!(places(&there), places(&back), "{}", context());
    }
    assert!(found > 50, "{found} conflicts");
}

#[test]
fn comparing_goes_both_ways() {
    let mut numbers = Numbers::new(17);
    for _ in 0..search::tries(200) {
        let base = Written::plan(&mut numbers);
        let mut side = base.clone();
        for _ in 0..2 {
            side.edit(["a", "b"][numbers.below(2)], &mut numbers, &mut base.clone());
        }
        let (Some(before), Some(after)) = (
            PlanGraph::parse(&base.text, Format::Yaml).into_sound(),
            PlanGraph::parse(&side.text, Format::Yaml).into_sound(),
        ) else {
            continue;
        };
        let (there, back) = (compare(&before, &after, None), compare(&after, &before, None));
        assert_eq!(there.is_same(), back.is_same());
        let nodes = |changes: &[Change]| {
            changes.iter().filter(|change| change.kind == ChangeKind::NodeRenamed).count()
        };
        assert_eq!(nodes(&there.changes), nodes(&back.changes), "{}\n{}", base.text, side.text);
        let anew = plan(&after.to_json().to_string());
        assert!(compare(&after, &anew, None).is_same());
        if after.hash() == before.hash() {
            assert!(there.is_same());
        }
    }
}

#[test]
fn kinds_are_known_elsewhere() {
    let read = |path: &str| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        std::fs::read_to_string(root.join(path)).expect("a file")
    };
    let (types, page) = (read("wasm/js/editor/compare.ts"), read("docs/diff-and-merge.md"));
    for slug in ChangeKind::ALL.iter().map(|kind| kind.slug()) {
        assert!(types.contains(&format!("\"{slug}\"")), "{slug}");
        assert!(!slug.starts_with("run/") || page.contains(&format!("`{slug}`")), "{slug}");
    }
    for slug in ConflictKind::ALL.iter().map(|kind| kind.slug()) {
        assert!(
            types.contains(&format!("| \"{slug}\"")) || types.contains(&format!("= \"{slug}\"")),
            "{slug}"
        );
    }
}
