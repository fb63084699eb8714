//! Edits of any YAML leave untouched parts identical, byte for byte.
//!
//! Ten thousand random changes of random texts, all plans here and those of `STEPGRAPH_YAML=folder`. Each result is
//! compared with `serde_yaml`, its comments and lines are counted, and the change is undone.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::expect_used,
    reason = "a helper of tests stops the test when it is surprised, and tells what it has counted"
)]

use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use stepgraph_core::source::edit::{Change, apply_edits, edit, inverse};
use stepgraph_core::source::{Format, Spanned, parse};
use stepgraph_core::value::Segment;
use stepgraph_tests::comments::{comments, count_comments};
use stepgraph_tests::edits::{self, real_texts};
use stepgraph_tests::fuzz::mutate::Numbers;
use stepgraph_tests::search;
use stepgraph_tests::second_parser::SecondParser;
use stepgraph_tests::yaml::written;

#[test]
fn changes_come_to_the_texts_they_should() {
    let cases = edits::cases();
    assert!(cases.len() > 80, "the cases have gone");
    let mut wrong = Vec::new();
    for case in &cases {
        assert!(edits::change(case).is_some(), "{case}");
        let (found, expect) = match edits::apply_change(case) {
            Ok(edited) => {
                let same = case["text"].as_str() == Some(&edited.text);
                assert!(edited.edits.is_empty() || !same, "edits that change nothing: {case}");
                (edited.text, &case["expect"])
            }
            Err(problem) => {
                assert!(
                    problem.help.is_some() && problem.message.starts_with(char::is_lowercase),
                    "{problem}"
                );
                (problem.code.slug().to_owned(), &case["code"])
            }
        };
        if expect.as_str() != Some(&found) {
            wrong.push(format!("{case}\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn places(json: &Json, way: &mut Vec<Segment>, found: &mut Vec<Vec<Segment>>) {
    let steps: Vec<(Segment, &Json)> = match json {
        Json::Object(map) => map.iter().map(|(key, value)| (Segment::Key(key.clone()), value)).collect(),
        Json::Array(items) => {
            items.iter().enumerate().map(|(at, value)| (Segment::Index(at), value)).collect()
        }
        _ => return,
    };
    for (step, value) in steps {
        way.push(step);
        found.push(way.clone());
        places(value, way, found);
        way.pop();
    }
}

fn value(numbers: &mut Numbers) -> Json {
    let values = [
        json!(1),
        json!("text"),
        json!("a: b #c"),
        json!(null),
        json!(true),
        json!("two\nlines\n"),
        json!("'\"${x}"),
        json!([]),
        json!({}),
        json!([1, "b"]),
        json!({"type": "log", "input": "hi"}),
        json!({"type": "llm", "with": {"system": "long\ntext", "schema": {"type": "object", "required": ["a"]}}}),
        json!([{"from": "a", "to": "b"}, {"from": "b", "to": "c", "condition": "last=={\"a\": 1}"}]),
        json!("-"),
        json!("2026-11-22"),
        json!(0.5),
    ];
    values[numbers.below(values.len())].clone()
}

fn change(json: &Json, numbers: &mut Numbers) -> Option<Change> {
    let mut all = Vec::new();
    places(json, &mut Vec::new(), &mut all);
    let path = all.get(numbers.below(all.len()))?.clone();
    let (_, way) = path.split_last()?;
    let holder = way.iter().try_fold(json, |json, step| match step {
        Segment::Key(key) => json.get(key),
        Segment::Index(at) => json.get(at),
    })?;
    let is_list = holder.is_array();
    let count = holder.as_array().map_or(0, Vec::len);
    let key = format!("new{}", numbers.below(1000));
    let child = |step: Segment| [way, &[step]].concat();
    Some(match numbers.below(7) {
        0 => Change::Remove { path },
        1 if is_list => Change::Insert {
            path: child(Segment::Index(numbers.below(count + 1))),
            before: None,
            value: value(numbers),
        },
        1 => {
            let before = holder.as_object().map(|map| numbers.below(map.len() + 1)).filter(|at| at % 2 == 0);
            Change::Insert { path: child(Segment::Key(key)), before, value: value(numbers) }
        }
        2 if is_list => Change::Move { path, to: numbers.below(count) },
        2 => Change::Rename { path, key },
        3 if !is_list => Change::Copy { path, key },
        4 if !is_list => Change::Set { path: child(Segment::Key(key)), value: value(numbers) },
        _ => Change::Set { path, value: value(numbers) },
    })
}

/// Uses `serde_yaml`.
fn others(text: &str) -> Option<Json> {
    serde_yaml::from_str::<serde_yaml::Value>(text).ok().and_then(|value| serde_json::to_value(value).ok())
}

fn common_lines(before: &str, after: &str) -> (usize, usize) {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - head;
    let tail = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    (head, tail)
}

/// Returns the lines that a change may touch: the entry or its container, with the comments around it.
fn touched(text: &str, change: &Change) -> (usize, usize) {
    let document = parse(text, Format::Auto);
    let mut value = document.root.as_ref().expect("a tree");
    let whole = matches!(
        change,
        Change::Insert { .. }
            | Change::Move { .. }
            | Change::Copy { .. }
            | Change::Set { .. }
            | Change::Remove { .. }
    );
    let path = change.path();
    let depth = path.len() - usize::from(whole);
    let (mut from, mut to) = (value.span.start, value.span.end);
    for step in &path[..depth] {
        if text.as_bytes().get(value.span.start) == Some(&b'*') {
            break;
        }
        value = match step {
            Segment::Key(key) => match value.get(key) {
                Some(entry) => {
                    from = entry.key_span.start;
                    &entry.value
                }
                None => break,
            },
            Segment::Index(at) => match value.as_list().and_then(|list| list.get(*at)) {
                Some(item) => {
                    from = item.span.start;
                    item
                }
                None => break,
            },
        };
        to = value.span.end;
    }
    let line = |at: usize| text[..at.min(text.len())].matches('\n').count();
    (line(from), line(to.max(from)))
}

#[derive(Default)]
struct Tally {
    done: usize,
    refused: BTreeMap<&'static str, usize>,
    second: SecondParser,
}

fn try_change(text: &str, numbers: &mut Numbers, tally: &mut Tally) -> Option<String> {
    let document = parse(text, Format::Auto);
    let json = document.root.as_ref().map(Spanned::to_json)?;
    let change = change(&json, numbers)?;
    let edited = match edit(text, Format::Auto, std::slice::from_ref(&change)) {
        Ok(edited) => edited,
        Err(problem) => {
            *tally.refused.entry(problem.code.slug()).or_default() += 1;
            return None;
        }
    };
    tally.done += 1;
    let context = || format!("{change:?}\n---- before\n{text}\n---- after\n{}", edited.text);
    assert_eq!(apply_edits(text, &edited.edits), edited.text, "{}", context());
    assert_eq!(apply_edits(&edited.text, &inverse(text, &edited.edits)), text, "{}", context());
    let returns = |text: &str| text.matches('\r').count() - text.matches("\r\n").count();
    assert_eq!(returns(text), returns(&edited.text), "{}", context());
    let ours = edited.parse.tree().map(|tree| tree.to_json());
    if others(text).as_ref() == Some(&json)
        && let Some(theirs) = others(&edited.text)
    {
        assert_eq!(ours, Some(theirs), "{}", context());
    }
    if edited.parse.format() == Format::Yaml {
        tally.second.add((text, &json), (&edited.text, &ours.unwrap_or_default()));
    }
    if edited.edits.is_empty() {
        return None;
    }
    let (head, tail) = common_lines(text, &edited.text);
    let (from, to) = touched(text, &change);
    let count = text.split_inclusive('\n').count();
    // Adjacent comments and empty lines may change too.
    let lines: Vec<&str> = text.lines().collect();
    let loose = |at: usize| {
        lines.get(at).is_some_and(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    };
    let mut first = from;
    while first > 0 && loose(first - 1) {
        first -= 1;
    }
    let mut last = to;
    while loose(last + 1) {
        last += 1;
    }
    assert!(head + 1 >= first, "line {head} of {first}..{last} is changed: {}", context());
    assert!(
        count - tail <= last + 2,
        "line {} after {first}..{last} is changed: {}",
        count - tail,
        context()
    );
    if matches!(
        change,
        Change::Insert { .. } | Change::Rename { .. } | Change::Move { .. } | Change::Copy { .. }
    ) {
        let after = count_comments(comments(&edited.text));
        for (comment, times) in count_comments(comments(text)) {
            assert!(after.get(comment).copied().unwrap_or(0) >= times, "{comment} is lost: {}", context());
        }
    }
    if matches!(change, Change::Set { .. } | Change::Remove { .. })
        && let Some(gone) = gone(text, &change)
    {
        let after = count_comments(comments(&edited.text));
        let rest = comments(text).into_iter().filter(|(at, _)| !gone.contains(at));
        for (comment, times) in count_comments(rest) {
            assert!(after.get(comment).copied().unwrap_or(0) >= times, "{comment} is lost: {}", context());
        }
    }
    Some(edited.text)
}

/// Returns the replaced value's range, or the removed entry's with the comments above. Comments on removed lines and
/// deeper ones below go too, unless a value replaces another. `None` if the text may contain an alias.
fn gone(text: &str, change: &Change) -> Option<std::ops::Range<usize>> {
    let document = parse(text, Format::Auto);
    if text.contains('*') {
        return None;
    }
    let (mut value, mut key) = (document.root.as_ref()?, None);
    for step in change.path() {
        value = match step {
            Segment::Key(name) => {
                let entry = value.get(name)?;
                key = Some(entry.key_span.start);
                &entry.value
            }
            Segment::Index(at) => {
                key = None;
                value.as_list()?.get(*at)?
            }
        };
    }
    let (mut from, mut to) = (value.span.start, value.span.end);
    let removes = matches!(change, Change::Remove { .. });
    let flow = text[from..].starts_with(['{', '[']);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end);
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = line_start(key.unwrap_or(from));
    let column = key.map_or(0, |key| key - line);
    let block = !flow && (value.as_map().is_some() || value.as_list().is_some());
    if removes || block {
        to = line_end(to);
        while let Some(below) = text.get(to + 1..) {
            let line = below.lines().next().unwrap_or_default();
            let deeper = key.is_none() || line.len() - line.trim_start().len() > column;
            if !line.trim_start().starts_with('#') || !deeper {
                break;
            }
            to = line_end(to + 1);
        }
    } else if text[from..to].starts_with(['|', '>']) {
        from = line_end(from).min(to);
    }
    if removes {
        from = line;
        // Items begin at their dash.
        while key.is_none() && from > 0 && !text[from..value.span.start].contains('-') {
            from = line_start(from - 1);
        }
    } else if block && text[line_start(from)..from].trim().is_empty() {
        from = line_start(from);
    }
    if removes || block {
        let loose = |line: &str| line.starts_with('#') || block && !removes && line.is_empty();
        while from > 0 && from == line_start(from) && loose(text[line_start(from - 1)..from].trim()) {
            from = line_start(from - 1);
        }
    }
    Some(from..to.max(from))
}

#[test]
fn changes_of_any_text_touch_nothing_else() {
    let mut numbers = Numbers::new(7);
    let mut tally = Tally::default();
    let mut texts = 0;
    while tally.done < search::tries(10_000) {
        let mut text = written(&mut numbers);
        if parse(&text, Format::Yaml).diagnostics.is_empty() {
            texts += 1;
            for _ in 0..6 {
                if let Some(after) = try_change(&text, &mut numbers, &mut tally) {
                    text = after;
                }
            }
        }
    }
    println!("{texts} texts, {} changes, refused: {:?}", tally.done, tally.refused);
    let odd = tally.refused.get("edit/not-in-place").copied().unwrap_or(0);
    assert!(odd * 100 < tally.done, "{odd} changes were refused");
    println!("{} edits are read by the second parser", tally.second.finish());
}

#[test]
fn changes_of_real_files_touch_nothing_else() {
    let mut numbers = Numbers::new(11);
    let mut tally = Tally::default();
    let mut texts = 0;
    for text in real_texts(&["examples", "tests/suite"]) {
        texts += 1;
        for _ in 0..search::tries(20) {
            try_change(&text, &mut numbers, &mut tally);
        }
    }
    println!("{texts} files, {} changes, refused: {:?}", tally.done, tally.refused);
    assert!(texts >= 40 && tally.done > 500, "{texts} files, {} changes", tally.done);
    println!("{} edits are read by the second parser", tally.second.finish());
}
