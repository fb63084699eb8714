//! Properties of every text, and the cost of hostile texts.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_for_each,
    reason = "a helper of tests stops the test when it is surprised"
)]

use proptest::prelude::*;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span};
use stepgraph_core::source::{
    Document, Format, LineIndex, MAX_BYTES, MAX_DEPTH, MAX_PROBLEMS, Spanned, ValueKind, decode, parse,
};
use stepgraph_tests::search;

const SAMPLES: &str = include_str!("../source/samples.txt");

fn holds(text: &str) {
    for format in [Format::Auto, Format::Yaml, Format::Json] {
        let document = parse(text, format);
        assert!(document.format != Format::Auto);
        assert!(document.root.is_some() || document.diagnostics.iter().any(Diagnostic::is_error));
        assert!(document.diagnostics.len() <= MAX_PROBLEMS);
        for problem in &document.diagnostics {
            inside(text, problem.span.expect("a place"));
            problem.labels.iter().for_each(|label| inside(text, label.span));
        }
        if let Some(root) = &document.root {
            tree_holds(text, root, 0);
        }
        let lines = LineIndex::new(text);
        document.diagnostics.iter().filter_map(|problem| problem.span).for_each(|span| {
            assert!(lines.line_col(span.start) <= lines.line_col(span.end));
            assert_eq!(lines.to_byte(lines.to_utf16(span.start)), span.start);
        });
    }
}

fn inside(text: &str, span: Span) {
    assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
}

/// The text of a value's span must parse to the same value.
fn tree_holds(text: &str, value: &Spanned, depth: usize) {
    inside(text, value.span);
    let part = &text[value.span.start..value.span.end];
    // Aliases and tags have no meaning outside their document.
    let alone = !text.contains(['*', '!', '&']);
    match &value.kind {
        ValueKind::List(items) => {
            assert!(depth < MAX_DEPTH);
            items.iter().for_each(|item| tree_holds(text, item, depth + 1));
        }
        ValueKind::Map(entries) => {
            assert!(depth < MAX_DEPTH);
            for entry in entries {
                inside(text, entry.key_span);
                tree_holds(text, &entry.value, depth + 1);
            }
        }
        _ if !alone || !text.is_ascii() && text.contains('\u{feff}') => {}
        ValueKind::Text(expected) if part.starts_with(['|', '>']) => same_block(part, expected, text),
        _ if part.contains('\n') => {}
        kind => {
            // In brackets and after a dash some words need no quotes, unlike at the top level.
            let alone = parse(&format!("- {part}"), Format::Yaml)
                .root
                .map(|root| root.as_list().map(|l| l[0].kind.clone()));
            if let Some(Some(alone)) = alone
                && text.lines().count() == 1
            {
                assert_eq!(&alone, kind, "{part:?} of {text:?}");
            }
        }
    }
}

/// Compares a block scalar with its own document, if its indentation allows.
fn same_block(part: &str, expected: &str, text: &str) {
    let again = parse(&format!("{part}\n"), Format::Yaml);
    if let (Some(Spanned { kind: ValueKind::Text(again), .. }), []) =
        (&again.root, again.diagnostics.as_slice())
    {
        assert_eq!(again.trim_end(), expected.trim_end(), "{part:?} of {text:?}");
    }
}

#[test]
fn samples_hold() {
    SAMPLES.split("\n====\n").for_each(holds);
}

#[test]
fn scalars_of_samples_are_read_again() {
    for text in SAMPLES.split("\n====\n").filter(|text| !text.contains(['*', '!', '&'])) {
        let Document { root, .. } = parse(text, Format::Yaml);
        again(text, &root.unwrap_or_else(|| panic!("no tree of {text}")));
    }
}

fn again(text: &str, value: &Spanned) {
    value.as_list().unwrap_or_default().iter().for_each(|item| again(text, item));
    value.as_map().unwrap_or_default().iter().for_each(|entry| again(text, &entry.value));
    let part = &text[value.span.start..value.span.end];
    if value.as_list().is_none() && value.as_map().is_none() {
        let alone =
            parse(&format!("- {part}\n"), Format::Yaml).root.unwrap_or_else(|| panic!("{part:?} of {text}"));
        assert_eq!(alone.as_list().expect("a list")[0].kind, value.kind, "{part:?} of {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: search::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(text) = decode(&bytes) {
            holds(text);
        }
    }

    #[test]
    fn any_text(text in any::<String>()) {
        holds(&text);
    }

    #[test]
    fn any_yaml_like_text(text in "([ab1~:?,#&*!|>'\"%@`\\[\\]{}<\\\\.ä😀\u{feff}-]|: |- |\n|\n  |\n    |\t|\r\n|--- |&a |\\*a|!!str |true|\\|\n){0,40}") {
        holds(&text);
    }

    #[test]
    fn mutated_samples(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, "[ \n\t:#&*!|>'\"{}\\[\\],aä-]{0,2}"), 1..4)) {
        let samples: Vec<&str> = SAMPLES.split("\n====\n").collect();
        let mut chars: Vec<char> = which.get(&samples).chars().collect();
        for (at, remove, insert) in edits {
            let at = at.index(chars.len() + 1);
            chars.splice(at..(at + remove).min(chars.len()), insert.chars());
        }
        holds(&chars.into_iter().collect::<String>());
    }
}

fn refusal(text: &str) -> (Code, (usize, usize)) {
    let document = parse(text, Format::Auto);
    let problem = document.diagnostics.last().expect("a problem");
    let place = LineIndex::new(text).line_col(problem.span.expect("a place").start);
    (problem.code, place)
}

#[test]
fn deep_nesting() {
    for (text, place) in [
        ("[".repeat(100_000), (1, MAX_DEPTH + 1)),
        ("{\"a\":".repeat(100_000), (1, 5 * MAX_DEPTH + 1)),
        ("- ".repeat(100_000), (1, 2 * MAX_DEPTH + 1)),
        ("? ".repeat(100_000), (1, 2 * MAX_DEPTH + 1)),
        ((0..1000).map(|n| format!("{}a:\n", " ".repeat(n))).collect(), (MAX_DEPTH + 1, MAX_DEPTH + 1)),
    ] {
        assert_eq!(refusal(&text), (Code::SourceTooDeep, place));
    }
    // The YAML parser reports this one itself.
    assert_eq!(refusal(&"{a: ".repeat(100_000)).0, Code::SourceTooDeep);
    let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    for format in [Format::Json, Format::Yaml] {
        assert_eq!(parse(&deepest, format).diagnostics, []);
        assert_eq!(parse(&format!("[{deepest}]"), format).diagnostics.len(), 1);
    }
}

#[test]
fn alias_bombs() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..30 {
        let again = format!("*a{}, ", n - 1).repeat(9);
        bomb.push_str(&format!("a{n}: &a{n} [{again}*a{}]\n", n - 1));
    }
    assert_eq!(refusal(&bomb).0, Code::SourceTooManyAliases);

    let text = format!("a: &a \"{}\"\nb: [{}*a]\n", "x".repeat(1_000_000), "*a, ".repeat(1000));
    assert_eq!(refusal(&text).0, Code::SourceTooManyAliases);

    let nested: String = (0..120).map(|n| format!("&a{n} [")).collect();
    let text = format!("{nested}\"{}\"{}", "x".repeat(1_000_000), "]".repeat(120));
    assert_eq!(refusal(&text).0, Code::SourceTooManyAliases);

    let mut deep = String::from("a0: &a0 []\n");
    for n in 1..200 {
        deep.push_str(&format!("a{n}: &a{n} [*a{}]\n", n - 1));
    }
    assert_eq!(refusal(&deep), (Code::SourceTooDeep, (MAX_DEPTH, 14)));

    let fair = format!("a: &a [1, 2, 3]\nb: [{}*a]\n", "*a, ".repeat(20_000));
    assert_eq!(parse(&fair, Format::Auto).diagnostics, []);
}

/// Each text parses within seconds, even unoptimised.
#[test]
fn large_texts() {
    // Time is linear in the size, so unoptimised builds use less, except for size limits.
    const SIZE: usize = if cfg!(debug_assertions) { 1 << 20 } else { 10 << 20 };
    let filled = |unit: &str| unit.repeat(SIZE / unit.len());
    let over = |unit: &str| unit.repeat((5 << 20) / unit.len());
    for (name, text, expect) in [
        ("long key", format!("{}: 1", filled("a")), Some(Code::SourceSyntax)),
        ("long quoted key", format!("{{\"{}\": 1}}", filled("a")), None),
        ("long text", format!("a: {}", filled("word ")), None),
        ("long block", format!("a: |\n{}", filled("  line\n")), None),
        ("open quote", format!("a: \"{}", filled("word ")), Some(Code::SourceSyntax)),
        ("comments", filled("# comment ä\n"), None),
        ("blank lines", filled("\n"), None),
        ("blanks", filled(" "), None),
        ("many values", format!("[{}1]", over("1,")), Some(Code::SourceTooLarge)),
        ("many yaml values", format!("[{}a]", over("a,")), Some(Code::SourceTooLarge)),
        ("many items", over("-\n"), Some(Code::SourceTooLarge)),
        ("many duplicates", filled("aa: 1\n"), None),
        ("many anchors", over("- &a\n"), Some(Code::SourceTooManyAliases)),
        ("many documents", filled("---\n"), Some(Code::SourceSeveralDocuments)),
        ("colons", filled(": "), Some(Code::SourceTooDeep)),
        ("brackets", over("[]"), Some(Code::SourceTooLarge)),
        ("nul", filled("\0"), Some(Code::SourceSyntax)),
        ("dashes", filled("-"), None),
        ("unicode", format!("a: '{}'\nb: @", filled("ä😀")), Some(Code::SourceSyntax)),
    ] {
        let document = parse(&text, Format::Auto);
        let codes: Vec<Code> = document.diagnostics.iter().map(|problem| problem.code).collect();
        match expect {
            Some(code) => assert_eq!(codes.last(), Some(&code), "{name}"),
            None => assert!(codes.iter().all(|code| *code == Code::DuplicateKey), "{name} {codes:?}"),
        }
    }
    assert_eq!(refusal(&"a".repeat(MAX_BYTES + 1)), (Code::SourceTooLarge, (1, 1)));
}
