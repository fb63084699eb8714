//! Plan edits: cases, ten thousand random edits, edits of every plan here and in `STEPGRAPH_YAML=folder`, and groups
//! that run.
//!
//! Each random edit is compared with a model of the plan.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::expect_used,
    reason = "a test stops when it is surprised, and tells what it has counted"
)]

use serde_json::{Value as Json, json};
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::edit::{Change, EditedText, apply_edits, edit, inverse};
use stepgraph_core::source::{Format, Spanned, parse};
use stepgraph_core::value::Segment;
use stepgraph_tests::comments::{comments, count_comments};
use stepgraph_tests::fuzz::mutate::Numbers;
use stepgraph_tests::second_parser::SecondParser;
use stepgraph_tests::{Case, by_machine, edits, plans, search};

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
    let cases = edits::plan_cases();
    let mut wrong = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let text = case["text"].as_str().unwrap_or_default();
        match edits::apply_plan_edits(case) {
            Ok(edited) => {
                assert_eq!(apply_edits(text, &edited.edits), edited.text, "{case}");
                assert_eq!(apply_edits(&edited.text, &inverse(text, &edited.edits)), text, "{case}");
                let again = parse(&edited.text, Format::Auto).root.as_ref().map(Spanned::to_json);
                assert_eq!(again, edited.parse.tree().map(|tree| tree.to_json()), "{case}");
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
    second: SecondParser,
    made: std::collections::BTreeMap<String, usize>,
    refused: std::collections::BTreeMap<&'static str, usize>,
}

impl Tally {
    fn count(&self) -> usize {
        self.made.values().sum()
    }
}

fn codes(text: &str) -> (Vec<&'static str>, Option<String>) {
    let parsed = PlanGraph::parse(text, Format::Auto);
    let mut codes: Vec<&str> = parsed.diagnostics.iter().map(|problem| problem.code.slug()).collect();
    // A rename may end a name's shadowing. An unknown output is diagnosed only if a similar name exists.
    codes.retain(|code| !["graph/shadowed-name", "reference/unknown-output"].contains(code));
    codes.sort_unstable();
    (codes, parsed.graph.filter(PlanGraph::is_sound).map(|graph| graph.hash()))
}

/// Names in tests are ambiguous if nodes share an id.
fn is_shared(text: &str) -> bool {
    let Some(graph) = PlanGraph::parse(text, Format::Auto).into_sound() else { return true };
    let mut ids: Vec<String> =
        graph.graphs().iter().flat_map(|graph| graph.nodes.iter().map(|node| node.id.clone())).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    ids.len() < count
}

/// The model renames only ids in names of calls.
fn names_nested_calls(plan: &Json) -> bool {
    let decisions =
        plan["tests"].as_array().into_iter().flatten().filter_map(|test| test["decisions"].as_object());
    decisions.flatten().any(|(name, _)| name.contains('/'))
}

fn try_edit(text: &str, numbers: &mut Numbers, tally: &mut Tally) -> Option<String> {
    let document = parse(text, Format::Auto);
    let json = document.root.as_ref().map(Spanned::to_json).filter(|json| json["nodes"].is_object())?;
    let edit = plans::edit(&json, numbers)?;
    let op = edit["op"].as_str().unwrap_or_default().to_owned();
    let made = GraphEdit::from_json(&edit)
        .and_then(|edit| stepgraph_authoring::edit::edit(text, Format::Auto, &[edit]));
    let edited = match made {
        Ok(edited) => edited,
        Err(problem) => {
            *tally.refused.entry(problem.code.slug()).or_default() += 1;
            return None;
        }
    };
    let context = || format!("{edit}\n---- before\n{text}\n---- after\n{}", edited.text);
    assert_eq!(apply_edits(text, &edited.edits), edited.text, "{}", context());
    assert_eq!(apply_edits(&edited.text, &inverse(text, &edited.edits)), text, "{}", context());
    assert_eq!(lone_returns(text), lone_returns(&edited.text), "{}", context());
    let again = parse(&edited.text, Format::Auto);
    assert!(again.diagnostics.len() <= document.diagnostics.len(), "{}", context());
    let ours = again.root.as_ref().map(Spanned::to_json);
    let mut meant = json;
    let odd = || codes(text).0.contains(&"condition/ambiguous-literal");
    let named = op != "rename_node"
        || !odd() && (meant["tests"].is_null() || !is_shared(text) && !names_nested_calls(&meant));
    // The model requires plans with no missing keys and no wrong shapes.
    let whole = PlanGraph::parse(text, Format::Auto)
        .diagnostics
        .iter()
        .all(|problem| !["missing-", "wrong-shape"].iter().any(|word| problem.code.slug().contains(word)));
    if named && whole && plans::model(&mut meant, &edit).is_some() {
        let mut ours = ours.clone().unwrap_or_default();
        // An emptied map stays if it contains comments, which the model ignores.
        if text.contains('#') {
            without_empty(&mut ours);
            without_empty(&mut meant);
        }
        assert_eq!(ours.to_string(), meant.to_string(), "{}", context());
    }
    if op == "rename_node" {
        let ((before, hash), (after, now)) = (codes(text), codes(&edited.text));
        // If ids are shared, a rename may resolve a clash.
        if !is_shared(text) {
            assert_eq!(before, after, "{}", context());
        }
        assert_eq!(hash.is_some(), now.is_some(), "{}", context());
        assert_eq!(text.lines().count(), edited.text.lines().count(), "{}", context());
    }
    let removes = ["remove_node", "disconnect", "set_input", "set_condition"];
    let unplaces = edit["places"].as_object().is_some_and(|places| places.values().any(Json::is_null));
    // JSON strings may contain text that looks like a comment.
    if !removes.contains(&op.as_str()) && !unplaces && !text.trim_start_matches('\u{feff}').starts_with('{') {
        let after = count_comments(comments(&edited.text));
        for (comment, times) in count_comments(comments(text)) {
            assert!(after.get(comment).copied().unwrap_or(0) >= times, "{comment} is lost: {}", context());
        }
    }
    untouched(text, &edited, &edit, &context);
    if edited.parse.format() == Format::Yaml {
        let before = document.root.as_ref().map(Spanned::to_json).unwrap_or_default();
        tally.second.add((text, &before), (&edited.text, &ours.unwrap_or_default()));
    }
    *tally.made.entry(op).or_default() += 1;
    Some(edited.text)
}

fn without_empty(value: &mut Json) {
    let Json::Object(map) = value else { return };
    let may_go = ["with", "metadata", "limits", "inputs", "servers", "layout"];
    map.retain(|key, value| !may_go.contains(&key.as_str()) || *value != json!({}));
    map.values_mut().for_each(without_empty);
}

/// An edit must not split a `\r\n`.
fn lone_returns(text: &str) -> usize {
    text.matches('\r').count() - text.matches("\r\n").count()
}

/// A rename changes only lines that name the node.
fn untouched(text: &str, edited: &EditedText, edit: &Json, context: &dyn Fn() -> String) {
    let names: Vec<&str> = ["node", "from", "to"].iter().filter_map(|key| edit[*key].as_str()).collect();
    let kept: std::collections::BTreeSet<usize> = edited
        .edits
        .iter()
        .flat_map(|edit| {
            let line = |at: usize| text[..at].matches('\n').count();
            line(edit.span.start)..=line(edit.span.end)
        })
        .collect();
    let rename = edit["op"] == "rename_node";
    for at in kept.iter().filter(|_| rename) {
        let line = text.lines().nth(*at).unwrap_or_default();
        // An alias is expanded if a rename would change the anchored value.
        let is_named = names.iter().any(|name| line.contains(name)) || line.contains(": *");
        assert!(is_named, "line {at} is changed: {}", context());
    }
}

#[test]
fn edits_of_any_plan_are_those_of_its_data() {
    let mut numbers = Numbers::new(23);
    let mut tally = Tally::default();
    let mut texts = 0;
    while tally.count() < search::tries(10_000) {
        let plan = plans::plan(&mut numbers);
        let mut text = plans::write_in_random_style(&plan, &mut numbers);
        let document = parse(&text, Format::Auto);
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
    println!("{} edits are read by the second parser", tally.second.finish());
}

#[test]
fn edits_of_real_plans_are_those_of_their_data() {
    let mut numbers = Numbers::new(29);
    let mut tally = Tally::default();
    let mut texts = 0;
    for text in edits::real_plans() {
        texts += 1;
        for _ in 0..search::tries(25) {
            try_edit(&text, &mut numbers, &mut tally);
        }
    }
    println!("{texts} plans, {} edits: {:?}, refused: {:?}", tally.count(), tally.made, tally.refused);
    assert!(texts >= 20 && tally.count() > 400, "{texts} plans, {} edits", tally.count());
    println!("{} edits are read by the second parser", tally.second.finish());
}

fn running(numbers: &mut Numbers, prefix: &str, depth: usize) -> Json {
    let count = 2 + numbers.below(5);
    let name = |at: usize| format!("{prefix}{at}");
    let mut nodes = serde_json::Map::new();
    for at in 0..count {
        let mut node = json!({"type": if numbers.below(5) == 0 { "noop" } else { "ask" }});
        let other = name(numbers.below(count));
        let inputs = [
            "${last}".to_owned(),
            "${input}".to_owned(),
            format!("${{output.{other} ?? \"none\"}}"),
            "own".to_owned(),
        ];
        if node["type"] == "ask" && numbers.below(2) == 0 {
            node["input"] = json!(inputs[numbers.below(4)]);
        }
        if depth == 0 && numbers.below(4) == 0 {
            node = json!({"type": "graph", "graph": running(numbers, &format!("{prefix}{at}x"), 1)});
            if numbers.below(2) == 0 {
                node["input"] = json!(inputs[numbers.below(4)]);
            }
        }
        nodes.insert(name(at), node);
    }
    let conditions = ["last==ok", "last==again", "last!=ok", "error.exists", "", "output.n1==ok", ""];
    let mut edges = Vec::new();
    for at in 0..count {
        for _ in 0..=numbers.below(2) {
            let to = if numbers.below(5) == 0 { numbers.below(count) } else { at + 1 };
            let mut edge = json!({"from": name(at), "to": name(to.min(count - 1))});
            let condition = conditions[numbers.below(conditions.len())];
            if !condition.is_empty() {
                edge["condition"] = json!(condition);
            }
            if to < count {
                edges.push(edge);
            }
        }
    }
    json!({"start": name(0), "nodes": nodes, "edges": edges})
}

fn ids(graph: &Json, found: &mut Vec<String>) {
    for (id, node) in graph["nodes"].as_object().into_iter().flatten() {
        found.push(id.clone());
        ids(&node["graph"], found);
    }
}

/// Leaves out composite nodes.
fn ran(text: &str, stubs: &Json) -> Option<(Vec<Json>, Json)> {
    let case = Case {
        source: Some(text.to_owned()),
        input: json!("the input"),
        stubs: Some(stubs.clone()),
        ..Case::default()
    };
    let ended = by_machine(&case);
    let state = ended.state?;
    let of_node = |event: &&Json| {
        let kind = event["type"].as_str().unwrap_or_default();
        let is_ask = stubs["nodes"].get(event["node"].as_str().unwrap_or_default()).is_some();
        is_ask && ["node-started", "node-completed", "node-failed"].contains(&kind)
    };
    let events = ended.trace.iter().filter(of_node);
    let happened =
        events.map(|e| json!([e["type"], e["node"], e["input"], e["output"], e["code"]])).collect();
    let outcome = &state["outcome"];
    // After a failure, `last` belongs to the top-level graph, which a group changes.
    let last = if outcome["type"] == "completed" { &state["last"] } else { &Json::Null };
    Some((happened, json!([outcome["type"], outcome["code"], last])))
}

#[test]
fn groups_run_as_before() {
    let mut numbers = Numbers::new(31);
    let (mut grouped, mut apart, mut refused) = (0, 0, 0);
    while grouped + apart < search::tries(1_500) {
        let plan = running(&mut numbers, "n", 0);
        let mut all = Vec::new();
        ids(&plan, &mut all);
        let answers = [
            json!({"return": "ok"}),
            json!({"return": "again"}),
            json!({"return": "x"}),
            json!({"fail": "no"}),
        ];
        let mut say = || {
            let one = |numbers: &mut Numbers| {
                let most = answers.len() - usize::from(numbers.below(3) > 0);
                answers[numbers.below(most)].clone()
            };
            json!({"sequence": [one(&mut numbers), one(&mut numbers), one(&mut numbers)]})
        };
        // Only handler nodes need stubs.
        let is_asked = |id: &&String| plan.to_string().contains(&format!("\"{id}\":{{\"type\":\"ask\""));
        let nodes: serde_json::Map<String, Json> =
            all.iter().filter(is_asked).map(|id| (id.clone(), say())).collect();
        let stubs = json!({"nodes": nodes});
        let text = plans::write_in_random_style(&plan, &mut numbers);
        let Some(before) = ran(&text, &stubs) else { continue };
        if before.1[1] == "run/visit-limit" {
            continue;
        }
        let keys = plans::keys(&plan["nodes"]);
        let holders: Vec<&String> =
            keys.iter().filter(|key| plan["nodes"][*key]["type"] == "graph").collect();
        let edit = if !holders.is_empty() && numbers.below(2) == 0 {
            json!({"op": "ungroup_node", "node": holders[numbers.below(holders.len())]})
        } else {
            let first = numbers.below(keys.len());
            let some: Vec<&String> = keys.iter().skip(first).take(1 + numbers.below(3)).collect();
            json!({"op": "group_nodes", "nodes": some, "to": "group"})
        };
        let Ok(edited) = stepgraph_authoring::edit::edit(
            &text,
            Format::Auto,
            &[GraphEdit::from_json(&edit).expect("an edit")],
        ) else {
            refused += 1;
            continue;
        };
        let after = ran(&edited.text, &stubs);
        let context = || format!("{edit}\n{stubs}\n---- before\n{text}\n---- after\n{}", edited.text);
        assert_eq!(apply_edits(&edited.text, &inverse(&text, &edited.edits)), text, "{}", context());
        if after.as_ref().is_some_and(|after| after.1[1] == "run/visit-limit") {
            continue;
        }
        assert_eq!(Some(&before), after.as_ref(), "{}", context());
        if edit["op"] == "ungroup_node" {
            apart += 1;
            continue;
        }
        grouped += 1;
        let back = GraphEdit::UngroupNode { scope: String::new(), node: "group".to_owned() };
        if let Ok(back) = stepgraph_authoring::edit::edit(&edited.text, Format::Auto, &[back]) {
            apart += 1;
            assert_eq!(
                Some(&before),
                ran(&back.text, &stubs).as_ref(),
                "{}\n---- back\n{}",
                context(),
                back.text
            );
        }
    }
    println!("{grouped} groups, {apart} taken apart, {refused} refused");
    assert!(apart > 300, "{apart}");
}
