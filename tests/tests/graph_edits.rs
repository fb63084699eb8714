//! Edits of plans: what they come to, as cases.

use serde_json::json;
use stepgraph_core::source::edit::{Change, edit, inverse, spliced};
use stepgraph_core::source::{Format, Spanned, read};
use stepgraph_core::value::Segment;
use stepgraph_tests::edits;

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
