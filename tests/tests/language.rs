//! The language service: the cases of `suite/language`, in which `¦` marks the position.
//!
//! At every position of every plan, nothing panics, spans are inside the text, and completions parse.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::expect_used,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::{Value as Json, json};
use stepgraph_authoring::language::{self, Document};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::{Format, edit::apply_edits};
use stepgraph_core::tool::{ToolInfo, ToolRegistry};
use stepgraph_tests::files::{files, folder, texts};
use stepgraph_tests::patterns;

fn cases(name: &str) -> Vec<Json> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/language").join(name);
    let file: Json = serde_yaml::from_str(&std::fs::read_to_string(path).expect(name)).expect(name);
    let cases = file["cases"].as_array().expect("cases").clone();
    assert!(cases.len() > 3, "{name}: the cases have gone");
    cases
}

fn host() -> Capabilities {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/language/host.yaml");
    let file: Json = serde_yaml::from_str(&std::fs::read_to_string(path).expect("a host")).expect("a host");
    let tools = file["tools"].as_array().expect("tools").iter().filter_map(ToolInfo::from_json);
    let names = |key: &str| {
        let mut names = NameTable::default();
        names.extend(
            file[key].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())),
        );
        Some(names)
    };
    Capabilities {
        tools: Some(ToolRegistry::new(tools)),
        types: names("types"),
        models: names("models"),
        ..Capabilities::default()
    }
}

/// Returns the document without marks, and their offsets. `before` is an earlier valid text.
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
        let after = chosen.map(|found| apply_edits(document.text(), std::slice::from_ref(&found.edit)));
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

#[test]
fn hovers() {
    let mut wrong = Vec::new();
    for case in cases("hover.yaml") {
        let (document, places) = document(&case);
        let found = language::hover(&document, places[0]);
        let shown = found.as_ref().map(|found| found.markdown.clone());
        compare(&case, "shows", &json!(shown), &mut wrong);
        compare(
            &case,
            "on",
            &json!(found.as_ref().map(|found| &document.text()[found.span.start..found.span.end])),
            &mut wrong,
        );
        for part in case["says"].as_array().into_iter().flatten() {
            if !shown.as_deref().unwrap_or_default().contains(part.as_str().expect("text")) {
                wrong.push(format!(
                    "{}\nsays {part}\nfound: {}",
                    case["text"].as_str().unwrap_or_default(),
                    shown.as_deref().unwrap_or("nothing")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn names() {
    let mut wrong = Vec::new();
    for case in cases("names.yaml") {
        let (document, places) = document(&case);
        let found = language::references(&document, places[0]);
        let starts: Vec<usize> = found.iter().map(|span| span.start).collect();
        compare(&case, "places", &json!(starts), &mut wrong);
        compare(
            &case,
            "given",
            &json!(language::definition(&document, places[0]).map(|span| span.start)),
            &mut wrong,
        );
        let Some(to) = case["to"].as_str() else { continue };
        let after = match language::rename(&document, places[0], to) {
            Ok(edits) => {
                assert!(language::prepare_rename(&document, places[0]).is_some(), "{case}");
                apply_edits(document.text(), &edits)
            }
            Err(problem) => problem.code.slug().to_owned(),
        };
        compare(&case, "after", &json!(after), &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn words_are_coloured() {
    let mut wrong = Vec::new();
    for case in cases("tokens.yaml") {
        let (document, _) = document(&case);
        let text = |span: Span| &document.text()[span.start..span.end];
        let tokens = language::semantic_tokens(&document);
        let shown: Vec<String> =
            tokens.iter().map(|token| format!("{}:{}", token.kind.as_str(), text(token.span))).collect();
        compare(&case, "tokens", &json!(shown.join(" ")), &mut wrong);
        let pairs = language::matching_brackets(&document);
        let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{} {}", text(*a), text(*b))).collect();
        let mut sorted = pairs.clone();
        sorted.sort_by_key(|pair| !pair.starts_with('$'));
        compare(&case, "brackets", &json!(sorted), &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

fn outline(symbols: &[language::Symbol], depth: usize, out: &mut Vec<String>) {
    for symbol in symbols {
        out.push(format!(
            "{}{} {} ({})",
            "  ".repeat(depth),
            symbol.kind.as_str(),
            symbol.name,
            symbol.detail
        ));
        outline(&symbol.children, depth + 1, out);
    }
}

#[test]
fn outlines_and_folds() {
    let mut wrong = Vec::new();
    for case in cases("symbols.yaml") {
        let (document, _) = document(&case);
        let mut lines = Vec::new();
        outline(&language::symbols(&document), 0, &mut lines);
        compare(&case, "outline", &json!(lines.join("\n")), &mut wrong);
        let at = document.line_index();
        let folds = language::folding_ranges(&document);
        let shown = |fold: &language::FoldingRange| {
            let (first, last) = (at.line_col(fold.span.start).0, at.line_col(fold.span.end).0);
            format!("{first}-{last}{}", if fold.comment { " comment" } else { "" })
        };
        compare(&case, "folds", &json!(folds.iter().map(shown).collect::<Vec<_>>()), &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn actions_do_what_they_say() {
    let mut wrong = Vec::new();
    for case in cases("actions.yaml") {
        let (document, places) = document(&case);
        let found = language::code_actions(&document, Span::at(places[0]));
        let titles: Vec<&str> = found.iter().map(|action| action.title.as_str()).collect();
        compare(&case, "titles", &json!(titles), &mut wrong);
        for title in case["has"].as_array().into_iter().flatten() {
            if !titles.contains(&title.as_str().expect("a title")) {
                wrong.push(format!("{}\nhas {title}: {titles:?}", case["text"].as_str().unwrap_or_default()));
            }
        }
        let chosen = case["choose"]
            .as_str()
            .and_then(|title| found.iter().find(|action| action.title == title))
            .or(found.first());
        compare(
            &case,
            "after",
            &json!(chosen.map(|action| apply_edits(document.text(), &action.edits))),
            &mut wrong,
        );
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn texts_become_tidy() {
    let mut wrong = Vec::new();
    for case in cases("format.yaml") {
        let text = case["text"].as_str().expect("a text");
        let after = match language::format(text, Format::Auto) {
            Ok(edits) => {
                let after = apply_edits(text, &edits);
                assert!(
                    language::format(&after, Format::Auto).expect("readable").is_empty(),
                    "{after:?} is not tidy yet"
                );
                after
            }
            Err(problem) => problem.code.slug().to_owned(),
        };
        let expect = case["after"].as_str().unwrap_or(text);
        if after != expect {
            wrong.push(format!("{text}\nafter: {expect:?}\nfound: {after:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

fn plans() -> Vec<(String, String)> {
    let folders = ["examples", "core/flows", "tests/suite/diagnostics"];
    let mut found = texts(folders.iter().flat_map(|name| files(&folder(name), &["yaml"])));
    found.retain(|(name, _)| !name.contains("stubs") && !name.contains("cases"));
    assert!(found.len() > 10, "the plans have gone");
    found
}

fn ask(document: &Document, at: usize) {
    let text = document.text();
    let fits =
        |span: Span| assert!(text.get(span.start..span.end).is_some(), "{span:?} of {} at {at}", text.len());
    for found in language::complete(document, at) {
        fits(found.edit.span);
        assert!(found.edit.span.start <= at && at <= found.edit.span.end.max(at), "{found:?} at {at}");
        assert!(!found.label.is_empty(), "{found:?}");
    }
    if let Some(found) = language::hover(document, at) {
        fits(found.span);
        assert!(!found.markdown.is_empty());
    }
    if let Some(span) = language::definition(document, at) {
        fits(span);
        assert!(language::references(document, at).contains(&span), "{}", marked(text, span));
    }
}

fn ask_whole(document: &Document) {
    let text = document.text();
    let fits = |span: Span| assert!(text.get(span.start..span.end).is_some(), "{span:?} of {}", text.len());
    let mut end = 0;
    for token in language::semantic_tokens(document) {
        fits(token.span);
        assert!(token.span.start >= end, "tokens overlap");
        end = token.span.end;
    }
    let mut symbols = language::symbols(document);
    while let Some(symbol) = symbols.pop() {
        fits(symbol.span);
        assert!(
            symbol.span.start <= symbol.name_span.start && symbol.name_span.end <= symbol.span.end,
            "{symbol:?}"
        );
        for inner in &symbol.children {
            assert!(symbol.span.start <= inner.span.start && inner.span.end <= symbol.span.end, "{symbol:?}");
        }
        symbols.extend(symbol.children);
    }
    for fold in language::folding_ranges(document) {
        fits(fold.span);
    }
}

#[test]
fn everything_can_be_asked_everywhere() {
    for (name, text) in plans().iter().filter(|(_, text)| text.len() < 2_600) {
        let mut whole = Document::new(text.clone(), Format::Auto);
        whole.set_capabilities(host());
        ask_whole(&whole);
        for at in 0..=text.len() {
            ask(&whole, at);
        }
        // Simulates typing.
        for end in (0..text.len())
            .filter(|end| text.is_char_boundary(*end) && (end % 10 == 0 || text[*end..].starts_with('\n')))
        {
            let mut typed = Document::new(text[..end].to_owned(), Format::Yaml);
            typed.set_capabilities(host());
            ask(&typed, end);
            ask_whole(&typed);
        }
        assert!(whole.last_valid_plan().is_some() || !whole.diagnostics().is_empty(), "{name}");
    }
}

#[test]
fn what_is_proposed_reads_where_it_is_a_whole_value() {
    use language::CompletionKind::{Function, Key, Model, Node, Operator, Root, Snippet};
    for (name, text) in plans().iter().filter(|(name, text)| name.contains("examples") && text.len() < 4_000)
    {
        let mut document = Document::new(text.clone(), Format::Auto);
        document.set_capabilities(host());
        assert!(document.tree().is_some(), "{name}");
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            for found in language::complete(&document, at) {
                // The rest would be incomplete: a key needs a value, an operator an operand, and a function its
                // arguments.
                if matches!(found.kind, Function | Key | Operator | Snippet | Root | Node | Model)
                    && !found.label.starts_with("${")
                {
                    continue;
                }
                let after = apply_edits(text, std::slice::from_ref(&found.edit));
                let read = stepgraph_core::source::parse(&after, Format::Auto);
                assert!(
                    read.diagnostics.is_empty(),
                    "{name} at {at}: {found:?}\n{:?}\n{after}",
                    read.diagnostics
                );
            }
        }
    }
}

#[test]
fn formatting_keeps_what_is_meant() {
    for (name, text) in plans() {
        let read =
            |text: &str| stepgraph_core::source::parse(text, Format::Auto).root.map(|root| root.to_json());
        let Ok(edits) = language::format(&text, Format::Auto) else { continue };
        let after = apply_edits(&text, &edits);
        assert_eq!(read(&after), read(&text), "{name}");
        assert!(language::format(&after, Format::Auto).expect("readable").is_empty(), "{name}");
        let count = |text: &str| text.matches('#').count();
        assert_eq!(count(&after), count(&text), "{name}: comments");
    }
}

#[test]
fn examples_are_tidy_already() {
    for (name, text) in plans().iter().filter(|(name, _)| name.contains("examples")) {
        let edits = language::format(text, Format::Auto).expect("readable");
        assert_eq!(apply_edits(text, &edits), *text, "{name}");
    }
}

#[test]
fn the_schema_says_what_reading_says() {
    use stepgraph_core::diagnostic::Code;
    use stepgraph_core::graph::PlanGraph;
    use stepgraph_core::schema::Schema;
    let schema = Schema::compile(&language::plan_schema(), &(), patterns()).expect("a schema");
    let structural = |code: Code| {
        matches!(
            code,
            Code::WrongShape
                | Code::UnknownKey
                | Code::MissingType
                | Code::NoNodes
                | Code::MissingEndpoint
                | Code::UnknownFormat
                | Code::NoGraphInside
                | Code::MissingTool
        )
    };
    let (mut accepted, mut refused) = (0, 0);
    for (name, text) in plans() {
        let read = stepgraph_core::source::parse(&text, Format::Auto);
        let Some(root) = read.root.filter(|_| read.diagnostics.is_empty()) else { continue };
        let parsed = PlanGraph::parse(&text, Format::Auto);
        let mut problems = parsed.diagnostics;
        problems.extend(
            parsed
                .graph
                .iter()
                .flat_map(|graph| stepgraph_core::check::check(graph, &Capabilities::default())),
        );
        let sound = !problems.iter().any(|problem| structural(problem.code));
        let report = schema.validate(&root.to_json(), patterns());
        if sound {
            accepted += 1;
            assert!(report.is_valid(), "{name}: {:?}", report.violations);
        } else {
            refused += usize::from(!report.is_valid());
            problems.retain(|problem| structural(problem.code));
            assert!(!report.is_valid(), "{name}: {problems:?}");
        }
    }
    assert!(accepted > 10, "{accepted} accepted, {refused} refused");
    for (text, fits) in [
        ("nodes: {a: {type: my_own, with: {anything: 1}}}", true),
        ("nodes: {a: {type: llm, with: {modle: x}}}", false),
        ("nodes: {a: {type: llm, with: {max_tokens: 0}}}", false),
        ("nodes: {a: {type: parallel}}", false),
        ("nodes: {a: {type: log}}\nedges:\nstart:\n", true),
        ("nodes: {a: {typ: log}}", false),
        ("nodes: {a: {type: log, retry: {attempts: 2, on: tool/failed}}}", true),
        ("nodes: {a: {type: log}}\nedge: []", false),
        ("nodes: {a: {type: wait, with: {ms: 1h30m}}}", true),
        ("nodes: {a: {type: wait, with: {ms: .5s}}}", true),
        ("nodes: {a: {type: wait, with: {ms: '0'}}}", true),
        ("nodes: {a: {type: wait, with: {ms: '${last.n}'}}}", true),
        ("nodes: {a: {type: wait, with: {ms: soon}}}", false),
        ("nodes: {a: {type: wait, with: {ms: -2s}}}", false),
    ] {
        let json = stepgraph_core::source::parse(text, Format::Auto).root.expect("a tree").to_json();
        assert_eq!(schema.validate(&json, patterns()).is_valid(), fits, "{text}");
    }
}
