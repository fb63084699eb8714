//! Every diagnostic as a user sees it, stated by comments in the fixtures of `suite/diagnostics`.
//!
//! `stepgraph_tests::expectation` defines the notation. `UPDATE=1` rewrites the comments: review the diff.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::format_collect,
    clippy::needless_for_each,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check::check;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, TextEdit};
use stepgraph_core::flows;
use stepgraph_core::graph::{FileText, MAX_FILES, PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::{Format, MAX_BYTES};
use stepgraph_core::tool::ToolRegistry;
use stepgraph_core::toolplan;
use stepgraph_tests::expectation::apply;
use stepgraph_tests::{Expectation, author, edits, find_diagnostics, interop, plan_files, toolplans};

/// A tool plan too long for a file.
fn of_many_calls() -> Vec<Code> {
    let calls = vec![Json::Null; toolplan::MAX_CALLS + 1];
    let judged = toolplan::check(
        &serde_json::json!({"tool_calls": calls}),
        &ToolRegistry::default(),
        &toolplan::Trust::default(),
    );
    judged.diagnostics.iter().map(|problem| problem.code).collect()
}

/// Too many files, or files too large for a fixture.
fn of_large_files() -> Vec<Code> {
    let branches: String = (0..=MAX_FILES).map(|at| format!("b{at}: b.yaml, ")).collect();
    let plan = format!("nodes: {{a: {{type: parallel, branches: {{{branches}}}}}}}");
    let texts = ["nodes: {x: {type: log}}".to_owned(), "#".repeat(MAX_BYTES)];
    let found = texts.map(|text| {
        let mut files = PlanFiles::default();
        files.insert("b.yaml", FileText::Text(text));
        PlanGraph::parse_with(&plan, Format::Auto, NameTable::default(), &files).diagnostics
    });
    found.iter().flatten().map(|problem| problem.code).collect()
}

/// The cases of files have no host.
fn of_file_inputs() -> Vec<Code> {
    let mut files = PlanFiles::default();
    files.insert("b.yaml", FileText::Text("inputs: {n: {type: number}}\nnodes: {x: {type: log}}".to_owned()));
    let plan = "nodes: {a: {type: graph, input: {n: x}, graph: b.yaml}}";
    let plan = PlanGraph::parse_with(plan, Format::Auto, NameTable::default(), &files).graph.unwrap();
    check(&plan, &Capabilities::default()).iter().map(|problem| problem.code).collect()
}

fn of_authors() -> Vec<Code> {
    let file = author::file();
    let cases = file["cases"].as_array().cloned().unwrap_or_default();
    let told = cases.iter().flat_map(|case| author::validate_case(&file, case).codes);
    let flow = flows::source("author").unwrap_or_default();
    let unreadable = author::run(flow, &author::host(&file["tools"]), "hi".into(), &["".into()], 1.0);
    let failed = unreadable.last["errors"][0]["code"].as_str().map(str::to_owned);
    told.chain(failed).filter_map(|slug| Code::from_slug(&slug)).collect()
}

/// A file, or bytes that an editor would spoil.
struct Fixture {
    name: String,
    bytes: Vec<u8>,
    host: Option<Json>,
    expected: Vec<Expectation>,
    found: Vec<Diagnostic>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/diagnostics")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the fixtures").map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "yaml" || e == "json")).collect();
    files.sort();
    files
}

fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("# ")?;
    ["error[", "warning[", "hint["].iter().any(|start| text.starts_with(start)).then_some(text)
}

fn expectations(text: &str) -> Vec<Expectation> {
    let mut line = None;
    let mut found = Vec::new();
    for (number, written) in text.lines().enumerate() {
        match comment(written) {
            Some(comment) => found.push(Expectation::parse(comment, line).unwrap()),
            None => line = Some(number + 1),
        }
    }
    found
}

fn beside(path: &Path) -> PathBuf {
    path.with_extension(format!("{}.expect", path.extension().unwrap().display()))
}

fn load(path: &Path) -> Fixture {
    let text = std::fs::read_to_string(path).unwrap();
    let host = text.lines().next().and_then(|line| line.strip_prefix("# host: "));
    let host = host.map(|json| serde_json::from_str(json).unwrap());
    let expected = match std::fs::read_to_string(beside(path)) {
        Ok(lines) => lines.lines().map(|line| Expectation::parse(line, None).unwrap()).collect(),
        Err(_) => expectations(&text),
    };
    let format = if path.extension().unwrap() == "json" { Format::Json } else { Format::Auto };
    let found = find_diagnostics(text.as_bytes(), format, host.as_ref()).unwrap();
    let name = path.file_name().unwrap().display().to_string();
    Fixture { name, bytes: text.into_bytes(), host, expected, found }
}

fn update(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    if beside(path).exists() || path.extension().unwrap() == "json" {
        let found = load(path).found;
        let lines = found.iter().map(|p| Expectation::of_diagnostic(p, &text).with_position() + "\n");
        return std::fs::write(beside(path), lines.collect::<String>()).unwrap();
    }
    let plain: Vec<&str> = text.lines().filter(|line| comment(line).is_none()).collect();
    let bare = plain.join("\n") + "\n";
    let host = plain[0].strip_prefix("# host: ").map(|json| serde_json::from_str::<Json>(json).unwrap());
    let found = find_diagnostics(bare.as_bytes(), Format::Auto, host.as_ref()).unwrap();
    let found: Vec<Expectation> = found.iter().map(|p| Expectation::of_diagnostic(p, &bare)).collect();
    let mut lines = Vec::new();
    for (number, line) in plain.iter().enumerate() {
        lines.push((*line).to_owned());
        let indent = &line[..line.len() - line.trim_start().len()];
        let of_line = |e: &&Expectation| e.place.map_or(0, |(line, _)| line - 1) == number;
        lines.extend(found.iter().filter(of_line).map(|e| format!("{indent}# {e}")));
    }
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

fn differences(fixture: &Fixture) -> Vec<String> {
    let text = String::from_utf8_lossy(&fixture.bytes);
    let mut expected = fixture.expected.clone();
    let mut broken = Vec::new();
    for problem in &fixture.found {
        let found = Expectation::of_diagnostic(problem, &text);
        match expected.iter().position(|expectation| expectation.matches(&found)) {
            Some(met) => drop(expected.remove(met)),
            None => broken.push(format!("{}: not expected: {}", fixture.name, found.with_position())),
        }
    }
    broken.extend(expected.iter().map(|e| format!("{}: not found: {}", fixture.name, e.with_position())));
    broken
}

fn manners(fixture: &Fixture) -> Vec<String> {
    let text = String::from_utf8_lossy(&fixture.bytes);
    let mut broken = Vec::new();
    for problem in &fixture.found {
        let mut refuse = |what: &str| broken.push(format!("{}: {problem}: {what}", fixture.name));
        let first = problem.message.chars().next().unwrap_or(' ');
        if first.is_uppercase() || first == ' ' || problem.message.ends_with('.') {
            refuse("a message begins in lower case and has no period");
        }
        let help = problem.help.as_deref().unwrap_or("");
        if help.is_empty() || help.ends_with('.') {
            refuse("a problem has a help, and that no period");
        }
        if problem.message.contains(char::is_control) || help.contains(char::is_control) {
            refuse("words are one line");
        }
        let whole = text.as_bytes() == fixture.bytes;
        let places = problem.labels.iter().map(|label| label.span).chain(problem.span);
        for span in places.filter(|_| whole) {
            if text.get(span.start..span.end).is_none() {
                refuse("a place is outside the text or inside a character");
            }
        }
        if !problem.fix.is_empty() && !mends(fixture, &text, problem) {
            refuse("the fix does not mend it");
        }
    }
    broken
}

/// A fix removes its diagnostic and adds no error. An error stops the parsing of its part and the checks of the plan,
/// so its fix may reveal hidden errors, but only outside the edited place.
fn mends(fixture: &Fixture, text: &str, problem: &Diagnostic) -> bool {
    let format = if fixture.name.ends_with(".json") { Format::Json } else { Format::Auto };
    let mended = apply(text, &problem.fix);
    let left = find_diagnostics(mended.as_bytes(), format, fixture.host.as_ref()).unwrap();
    let same = |a: &Diagnostic, b: &Diagnostic| (a.code, &a.message) == (b.code, &b.message);
    let count = |all: &[Diagnostic], one: &Diagnostic| all.iter().filter(|other| same(one, other)).count();
    let fewer = count(&left, problem) < count(&fixture.found, problem);
    let edited = |new: &Diagnostic| {
        let meets = |edit: &TextEdit, span: Span| {
            span.start < edit.span.start + edit.text.len() && edit.span.start < span.end
        };
        new.span.is_none_or(|span| problem.fix.iter().any(|edit| meets(edit, span)))
    };
    let hidden =
        |new: &Diagnostic| problem.is_error() && !new.code.slug().starts_with("source/") && !edited(new);
    let known = |new: &Diagnostic| count(&left, new) <= count(&fixture.found, new);
    fewer && left.iter().all(|new| !new.is_error() || known(new) || hidden(new))
}

fn fixtures() -> Vec<Fixture> {
    let bytes = spoilt().into_iter().map(|(name, bytes, expected)| Fixture {
        name: name.to_owned(),
        expected: expected.lines().map(|line| Expectation::parse(line.trim(), None).unwrap()).collect(),
        found: find_diagnostics(&bytes, Format::Auto, None).unwrap(),
        host: None,
        bytes,
    });
    files().iter().map(|path| load(path)).chain(bytes).collect()
}

#[test]
fn fixtures_say_what_is_wrong_with_them() {
    #[expect(clippy::disallowed_methods, reason = "a test may be told to rewrite its expectations")]
    if std::env::var("UPDATE").is_ok() {
        files().iter().for_each(|path| update(path));
    }
    let fixtures = fixtures();
    let broken: Vec<String> = fixtures.iter().flat_map(|f| [differences(f), manners(f)].concat()).collect();
    assert!(broken.is_empty(), "{} differences:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn every_code_is_fired() {
    let mut fired: BTreeSet<Code> = fixtures().iter().flat_map(|f| &f.found).map(|p| p.code).collect();
    fired.extend(of_authors());
    fired.extend(of_many_calls());
    fired.extend(plan_files::cases().iter().flat_map(|case| case.parse().diagnostics).map(|p| p.code));
    fired.extend(of_large_files());
    fired.extend(of_file_inputs());
    fired.extend(
        edits::cases().iter().filter_map(|case| edits::apply_change(case).err()).map(|problem| problem.code),
    );
    fired.extend(
        edits::plan_cases()
            .iter()
            .filter_map(|case| edits::apply_plan_edits(case).err())
            .map(|problem| problem.code),
    );
    fired.extend(toolplans::cases().iter().flat_map(|case| toolplans::judged(case).1).map(|p| p.code));
    fired.extend(of_expressions());
    let taken_over = interop::sources().into_iter().flat_map(|source| source.import().findings);
    fired.extend(taken_over.map(|finding| finding.diagnostic.code));
    let silent: Vec<&str> = Code::ALL.iter().filter(|c| !fired.contains(c)).map(|c| c.slug()).collect();
    assert!(silent.is_empty(), "no fixture fires {}", silent.join(", "));
}

/// Codes that no plan triggers before it runs.
fn of_expressions() -> Vec<Code> {
    let deep = format!("{}1{}", "(".repeat(200), ")".repeat(200));
    let cases = [
        ("1 +", Code::ExpressionSyntax),
        ("[1, 2].map(x, xs.map(y, xs.map(z, xs)))", Code::ExpressionTooCostly),
        (&deep, Code::ExpressionTooDeep),
        (&"1".repeat(70_000), Code::ExpressionTooLong),
    ];
    let scope = serde_json::json!({"xs": vec![1; 1000]});
    for (text, expect) in &cases {
        let error = stepgraph_core::expression::evaluate(text, &scope).expect_err(text);
        assert_eq!(error.code, *expect, "{}", error.message);
        assert!(error.help.is_some(), "{text}");
    }
    cases.map(|(_, code)| code).to_vec()
}

fn spoilt() -> Vec<(&'static str, Vec<u8>, String)> {
    let good = "nodes: {a: {type: log}}\n";
    let bomb: String =
        (1..8).map(|i| format!("k{i}: &k{i} [{}]\n", format!("*k{},", i - 1).repeat(9))).collect();
    let bomb = format!("k0: &k0 [x]\n{bomb}");
    let deep = format!("nodes: {{a: {{type: log, input: {}x{}}}}}", "[".repeat(200), "]".repeat(200));
    let huge = format!("{good}# {}\n", "x".repeat(MAX_BYTES));
    let many: String = (0..150).map(|i| format!("key{i}: 1\n")).collect();
    let listed: String = (0..100)
        .map(|i| format!("{}:1 error[graph/unknown-key] \"key{i}\"\n", i + 1))
        .chain(["100:1 error[graph/too-many-problems] \"key99\": 50 more problems | fix".to_owned()])
        .collect();
    vec![
        ("byte order mark", format!("\u{feff}{good}").into_bytes(), String::new()),
        ("CRLF", b"nodes:\r\n  a:\r\n    type: log\r\nedges:\r\n  - {from: a, to: b}\r\n".to_vec(), r#"5:19 error[graph/unknown-node] "b""#.to_owned()),
        ("CR alone", b"nodes:\r  a:\r    typ: log\r".to_vec(), r#"3:5 error[graph/missing-type] "typ" => "type": node `a` has no type | did you mean `type`?"#.to_owned()),
        ("two bytes for a character", b"\xff\xfen\0o\0d\0".to_vec(), r#"1:1 error[source/encoding] "\ufffd""#.to_owned()),
        ("Latin-1", b"nodes: {a: {type: log, input: \"\xe9\"}}\n".to_vec(), r#"1:32 error[source/encoding] "\ufffd""#.to_owned()),
        ("half a character at the end", b"nodes: {a: {type: log}} # \xc3".to_vec(), r#"1:27 error[source/encoding] "\ufffd""#.to_owned()),
        ("zero byte", b"nodes: {a: {type: log, input: \"\0\"}}\n".to_vec(), r#"1:32 error[source/syntax] "\u0000": a control character | escape in double quotes"#.to_owned()),
        ("control character", b"nodes: {a: {type: log, input: \"\x1b[31m\"}}\n".to_vec(), r#"1:32 error[source/syntax] "\u001b": a control character | remove it"#.to_owned()),
        ("control character in JSON", b"{\"nodes\": {\"a\": {\"type\": \"l\x01og\"}}}".to_vec(), r#"1:28 error[source/syntax] "\u0001": a control character | remove it"#.to_owned()),
        ("tab", b"nodes:\n\ta: {type: log}\n".to_vec(), r#"2:1 error[source/syntax] "\t": a tab can't indent | indent with blanks"#.to_owned()),
        ("tab as a blank", b"nodes:\n  a:\n    type:\tlog\n    input:\t1\n".to_vec(), r#"3:11 error[source/syntax] "l": a tab is not allowed between a `:` and its value | put a space"#.to_owned()),
        ("empty", Vec::new(), r#"1:1 error[graph/no-nodes] """#.to_owned()),
        ("blank", b" \n\n ".to_vec(), r#"1:1 error[graph/no-nodes] """#.to_owned()),
        ("comments", b"# nothing\n# at all\n".to_vec(), r#"1:1 error[graph/no-nodes] """#.to_owned()),
        ("only a mark", "\u{feff}".as_bytes().to_vec(), r#"1:2 error[graph/no-nodes] """#.to_owned()),
        ("two documents", format!("{good}---\n{good}").into_bytes(), r#"2:1 error[source/several-documents] "---": a second document begins here | put it into a file"#.to_owned()),
        ("huge", huge.into_bytes(), r#"1:1 error[source/too-large] "": the file is larger than 16 MiB | move large data"#.to_owned()),
        ("deep", deep.into_bytes(), r#"1:156 error[source/too-deep] "[": nested more than 128 deep | flatten"#.to_owned()),
        ("alias bomb", format!("{bomb}{good}").into_bytes(), r#"6:34 error[source/too-many-aliases] "*k4": aliases repeat more than 100000 values | write out"#.to_owned()),
        ("alias inside itself", b"nodes: &n {a: {type: log, input: *n}}\n".to_vec(), r#"1:34 error[source/unknown-alias] "*n": `*n` is inside the value that it repeats | write out"#.to_owned()),
        ("names of several lines", b"nodes: {a: {type: log}}\nedges: [{from: a, to: \"b\\nc\"}]\n".to_vec(), r#"2:23 error[graph/unknown-node] "\"b\\nc\"": there is no node `b\nc` | add a node `b\nc`"#.to_owned()),
        ("many problems", format!("{many}{good}").into_bytes(), listed),
    ]
}
