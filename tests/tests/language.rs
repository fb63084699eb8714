//! What editors are told, case by case: `suite/language`. A `¦` in a text is the place that is asked about.
//!
//! And what holds wherever one asks: nothing panics, places lie inside the text, what is written reads.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::expect_used,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::{Value as Json, json};
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::host::Capabilities;
use stepgraph_core::language::{self, Document};
use stepgraph_core::names::Names;
use stepgraph_core::source::{Format, edit::spliced};
use stepgraph_core::tool::{Catalogue, ToolInfo};

/// The cases of a file, and the host that all of them have.
fn cases(name: &str) -> Vec<Json> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/language").join(name);
    let file: Json = serde_yaml::from_str(&std::fs::read_to_string(path).expect(name)).expect(name);
    let cases = file["cases"].as_array().expect("cases").clone();
    assert!(cases.len() > 3, "{name}: the cases have gone");
    cases
}

/// A host with tools of two servers, a model and a type of its own.
fn host() -> Capabilities {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/language/host.yaml");
    let file: Json = serde_yaml::from_str(&std::fs::read_to_string(path).expect("a host")).expect("a host");
    let tools = file["tools"].as_array().expect("tools").iter().filter_map(ToolInfo::from_json);
    let names = |key: &str| {
        let mut names = Names::default();
        names.extend(
            file[key].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())),
        );
        Some(names)
    };
    Capabilities {
        tools: Some(Catalogue::new(tools)),
        types: names("types"),
        models: names("models"),
        ..Capabilities::default()
    }
}

/// The text of a case without its marks, and where they stood. `before` is text that was good once.
fn document(case: &Json) -> (Document, Vec<usize>) {
    let marked = case["text"].as_str().expect("a text");
    let mut places = Vec::new();
    let mut text = String::new();
    for (number, part) in marked.split('¦').enumerate() {
        if number > 0 {
            places.push(text.len());
        }
        text.push_str(part);
    }
    let mut document = Document::new(case["before"].as_str().unwrap_or(&text).to_owned(), Format::Auto);
    document.set_capabilities(host());
    if case["before"].is_string() {
        document.change(&[TextEdit { span: Span::new(0, document.text().len()), text }]);
    }
    (document, places)
}

/// Compares what was found with what a case expects; says what differs.
fn compare(case: &Json, key: &str, found: &Json, wrong: &mut Vec<String>) {
    if case.get(key).is_some() && &case[key] != found {
        let shown = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        wrong.push(format!(
            "{}\n{key}: {}\nfound: {}",
            case["text"].as_str().unwrap_or_default(),
            shown(&case[key]),
            shown(found)
        ));
    }
}

fn marked(text: &str, span: Span) -> String {
    format!("{}«{}»{}", &text[..span.start], &text[span.start..span.end], &text[span.end..])
}

#[test]
fn completions() {
    let mut wrong = Vec::new();
    for case in cases("complete.yaml") {
        let (document, places) = document(&case);
        let found = language::complete(&document, places[0]);
        let labels: Vec<&str> = found.iter().map(|found| found.label.as_str()).collect();
        compare(&case, "labels", &json!(labels), &mut wrong);
        let count = case["first"].as_array().map_or(0, Vec::len);
        compare(&case, "first", &json!(labels[..count.min(labels.len())]), &mut wrong);
        for (key, meant) in [("has", true), ("hasnt", false)] {
            for name in case[key].as_array().into_iter().flatten() {
                if labels.contains(&name.as_str().expect("a name")) != meant {
                    wrong.push(format!(
                        "{}\n{key} {name}: {labels:?}",
                        case["text"].as_str().unwrap_or_default()
                    ));
                }
            }
        }
        let chosen = case["choose"]
            .as_str()
            .and_then(|label| found.iter().find(|found| found.label == label))
            .or(found.first());
        let after = chosen.map(|found| spliced(document.text(), std::slice::from_ref(&found.edit)));
        compare(&case, "after", &json!(after), &mut wrong);
        compare(&case, "snippet", &json!(chosen.and_then(|found| found.snippet.clone())), &mut wrong);
        compare(&case, "detail", &json!(chosen.and_then(|found| found.detail.clone())), &mut wrong);
        compare(
            &case,
            "documentation",
            &json!(chosen.and_then(|found| found.documentation.clone())),
            &mut wrong,
        );
        for found in &found {
            let typed = &document.text()[found.edit.span.start..places[0].max(found.edit.span.start)];
            assert!(found.edit.span.start <= places[0] && places[0] <= found.edit.span.end, "{found:?}");
            assert!(found.filter.to_lowercase().starts_with(&typed[..0]), "{found:?}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}
