//! Diagnostic codes, event kinds and node types, and what is generated from them: TypeScript and a page of the docs.
//! `UPDATE=1` rewrites all.
//!
//! `diagnostics.rs` checks that a fixture triggers every code.

use std::fmt::Write as _;
use std::path::Path;
use stepgraph_core::diagnostic::Code;
use stepgraph_core::kind;
use stepgraph_core::machine::{ConversationEvent, ScopeStatus, TransitionReason};
use stepgraph_core::trace_json::EventKind;

fn check(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    #[expect(clippy::disallowed_methods, reason = "a test may be told to rewrite its expectations")]
    if std::env::var("UPDATE").is_ok() {
        // The comparison below reports a failed write.
        let _ = std::fs::write(&path, expected);
    }
    let actual = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        actual == expected,
        "{file} is stale: run `UPDATE=1 cargo test -p stepgraph-tests --test suite codes`"
    );
}

#[test]
fn typescript_union() {
    let mut text =
        "/** The codes of diagnostics. Generated from the table in `core/text/src/diagnostic/code.rs`. */\n"
            .to_owned();
    text.push_str("export type Code =");
    for code in Code::ALL {
        let _ = write!(text, "\n  /** {} */\n  | \"{}\"", code.info().summary, code.slug());
    }
    text.push_str(";\n");
    check("wasm/js/codes.ts", &text);
}

#[test]
fn typescript_event_kinds() {
    let mut text = "/** Trace events and their numbers in the engine's packed words. \
                    Generated from `core/src/trace_json/event_kind.rs`. */\n"
        .to_owned();
    for (number, kind) in EventKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, number);
        let name = kind.as_str().to_uppercase().replace('-', "_");
        let _ = writeln!(text, "export const {name} = {number};");
    }
    let conversation = [
        ConversationEvent::ModelAsked,
        ConversationEvent::ModelReplied,
        ConversationEvent::ToolAsked,
        ConversationEvent::ToolAnswered,
    ];
    text.push_str("\n/** The value of `type` of all events. */\nexport type EventName =");
    let names =
        EventKind::ALL.into_iter().filter(|kind| *kind != EventKind::Conversation).map(EventKind::as_str);
    for name in names.chain(conversation.map(ConversationEvent::as_str)) {
        let _ = write!(text, "\n  | \"{name}\"");
    }
    text.push_str(";\n");
    let reasons = [
        TransitionReason::Condition,
        TransitionReason::Fallback,
        TransitionReason::NoMatch,
        TransitionReason::Terminal,
    ];
    let statuses = [ScopeStatus::Completed, ScopeStatus::Failed, ScopeStatus::Abandoned];
    assert!(reasons.iter().enumerate().all(|(number, reason)| *reason as usize == number));
    assert!(statuses.iter().enumerate().all(|(number, status)| *status as usize == number));
    let mut list = |name: &str, words: &[&str]| {
        let _ = write!(text, "\nexport const {name} = [\"{}\"] as const;\n", words.join("\", \""));
    };
    list("TRANSITION_REASONS", &reasons.map(TransitionReason::as_str));
    list("SCOPE_STATUSES", &statuses.map(ScopeStatus::as_str));
    check("wasm/js/event-kinds.ts", &text);
}

#[test]
fn typescript_node_types() {
    let mut text =
        "/** The built-in node types by effect. Generated from `core/plan/src/kind.rs`. */\n".to_owned();
    let mut add = |name: &str, doc: &str, belongs: fn(&str) -> bool| {
        let types: Vec<String> =
            kind::all_types().filter(|kind| belongs(kind)).map(|kind| format!("\"{kind}\"")).collect();
        let declaration = format!("export const {name}: ReadonlySet<string> = new Set");
        let (plain, broken) = (types.join(", "), types.join(",\n  "));
        let line = format!("{declaration}([{plain}]);");
        let _ = match line.len() {
            ..=120 => writeln!(text, "/** @internal {doc} */\n{line}"),
            _ => writeln!(text, "/** @internal {doc} */\n{declaration}([\n  {broken},\n]);"),
        };
    };
    add("LOCAL_TYPES", "They call nothing.", kind::is_local);
    add("MODEL_TYPES", "They call a model.", kind::calls_model);
    add("EXECUTOR_TYPES", "They call any planned tool.", kind::executes_tool_plan);
    add("OLDER_TYPES", "Older names of built-in types. A tool may override them.", kind::is_older_name);
    check("wasm/js/node-types.ts", &text);
}

#[test]
fn docs_page() {
    let mut text = "# Diagnostics\n\nEvery problem that `stepgraph check` can find, by its code. ".to_owned();
    text.push_str("Generated from the table in `core/text/src/diagnostic/code.rs`.\n");
    for code in Code::ALL {
        let info = code.info();
        let severity = info.severity.as_str();
        let _ =
            write!(text, "\n## `{}`\n\n{severity}: {}\n\n{}\n", info.slug, info.summary, info.explanation);
    }
    check("docs/diagnostics.md", &text);
}
