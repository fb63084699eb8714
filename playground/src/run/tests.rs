//! Tests of the run after each event.

use super::*;
use crate::run_overlay::NodeStatus;
use serde_json::{Value as Json, json};
use stepgraph_core::json::parse;
use stepgraph_core::trace_json::EventKind;

/// Events of `examples/fan-out.yaml`: branches, a list, failed attempts. Times are indexes.
const FAN_OUT: &str = include_str!("tests/fan-out.json");

fn events() -> Vec<Json> {
    parse(FAN_OUT).and_then(|events| events.as_array().cloned()).unwrap()
}

fn heard(events: &[Json]) -> Run {
    let mut run = Run::default();
    assert_eq!(run.apply_message(&json!({"type": "events", "events": events})), Some(MessageResult::Events));
    run
}

fn long(rounds: usize) -> Vec<Json> {
    let mut events = vec![json!({"type": "run-started", "at": 0, "value": {"text": "null"}})];
    for round in 1..=rounds {
        let node = |kind: &str, more: Json| {
            let mut event = json!({"type": kind, "at": round, "nodePath": "n", "lane": "", "visit": round});
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            event
        };
        events.push(node("node-started", json!({"value": {"text": "1"}})));
        let call = format!("n:{round}:1");
        events.push(node(
            "call-started",
            json!({"call": call, "kind": "model", "attempt": 1, "part": "", "value": {"text": "{}"}}),
        ));
        let usage = json!({"input": 3, "output": 2, "cached": 1, "microUsd": 250});
        events.push(
            json!({"type": "call-answered", "at": round, "call": call, "value": {"text": "2"}, "usage": usage}),
        );
        events.push(node("node-completed", json!({"value": {"text": format!("\"v{round}\"")}, "ms": 0})));
    }
    events
}

fn all(run: &Run, at: usize) -> String {
    let rows: Vec<_> =
        run.rows(at).into_iter().map(|row| (run.row_at(row, at), run.bars(row, at, 0.5))).collect();
    let visits: Vec<_> = run
        .visits()
        .iter()
        .filter_map(|visit| run.visit_status(visit, at).map(|status| (visit.start_event, status)))
        .collect();
    let edges = run.overlay(at).edges;
    let mut edges: Vec<_> = edges.into_iter().collect();
    edges.sort_by(|(a, _), (b, _)| a.cmp(b));
    let nodes: Vec<_> = run
        .visited_paths(at)
        .into_iter()
        .map(|node_path| (node_path, run.node_state(node_path, at), run.visits_of(node_path, at)))
        .collect();
    format!("{:?} {rows:?} {visits:?} {edges:?} {nodes:?} {:?}", run.totals(at), run.time(at))
}

#[test]
fn time_travel_equals_the_run_at_that_event() {
    for events in [events(), long(20)] {
        let whole = heard(&events);
        assert_eq!(whole.len(), events.len());
        for at in 0..=events.len() {
            let then = heard(&events[..at]);
            assert_eq!(all(&whole, at), all(&then, at), "after {at} events");
        }
    }
}

#[test]
fn nests_timeline_rows_by_scope() {
    let run = heard(&events());
    let rows = run.rows(run.len()).into_iter().filter_map(|row| run.row_at(row, run.len()));
    let lines: Vec<_> =
        rows.map(|row| format!("{}{} {}", "  ".repeat(row.depth), row.node_path, row.retries)).collect();
    let expected = [
        "ask 0",
        "  ask/library/search 0",
        "  ask/archive/search 1",
        "  ask/web/search 0",
        "gather 0",
        "read 0",
        "  read/page 0",
        "  read/short 0",
        "  read/page 0",
        "  read/short 0",
        "  read/page 0",
        "  read/short 0",
        "report 0",
    ];
    let retried = lines.iter().map(|line| line.replace("archive/search 2", "archive/search 1"));
    assert_eq!(retried.collect::<Vec<_>>(), expected);
}

#[test]
fn badges_show_values_without_braces_and_dollars_keep_two_digits() {
    for (value, short) in [
        (r#"{"kind":"note","tags":[1,2],"deep":{"a":1}}"#, "kind: note, tags: [2], deep: {…}"),
        (r#"[1,"two",null]"#, "1, two, null"),
        (r#""plain text""#, "plain text"),
        (r#"{"cut":"in the mid"#, "cut:in the mid"),
    ] {
        assert_eq!(super::format_value::summary(value, 40), short);
    }
    for (amount, text) in
        [(0.0, "$0"), (0.00123, "$0.0012"), (0.0421, "$0.042"), (1.256, "$1.26"), (12.0, "$12")]
    {
        assert_eq!(usd(amount), text);
    }
}

#[test]
fn handles_a_hundred_thousand_events() {
    let run = heard(&long(25_000));
    assert_eq!(run.len(), 100_001);
    for round in [1, 2, 700, 24_999] {
        let at = 1 + round * 4;
        let node = run.node_state("n", at).unwrap();
        assert_eq!((node.status, node.visits, node.text), (NodeStatus::Done, round, format!("v{round}")));
        assert_eq!(run.node_state("n", at - 1).unwrap().status, NodeStatus::Running);
        let tokens = [3, 2, 1].map(|count| count * round as u64);
        assert_eq!(
            run.totals(at),
            Totals {
                visits: round,
                failed: 0,
                retries: 0,
                calls: round,
                tokens,
                micro_usd: Some(250 * round as u64)
            }
        );
        assert_eq!(run.visits_of("n", at).len(), round);
    }
    assert_eq!(run.rows(run.len()).len(), 1);
    let bars = run.bars(0, run.len(), 100.0);
    assert!(bars.len() < 300 && bars.iter().all(|bar| bar.kind == BarKind::Merged));
}

#[test]
fn shows_waiting_and_abandoned_visits() {
    let mut run = heard(&[
        json!({"type": "node-started", "at": 1, "nodePath": "fan", "lane": "", "visit": 1}),
        json!({"type": "scope-started", "at": 1, "nodePath": "fan", "parentLane": "", "lane": "fan:1/a"}),
        json!({"type": "node-started", "at": 1, "nodePath": "fan/a/ask", "lane": "fan:1/a", "visit": 1}),
        json!({"type": "call-started", "at": 2, "call": "fan:1/a/ask:1:1", "kind": "approval", "nodePath": "fan/a/ask", "lane": "fan:1/a"}),
    ]);
    let status = |run: &Run, node_path: &str| run.node_state(node_path, run.len()).map(|node| node.status);
    assert_eq!(status(&run, "fan/a/ask"), Some(NodeStatus::Waiting));
    assert_eq!(status(&run, "fan"), Some(NodeStatus::Running));
    let ask = json!({"type": "approval", "call": "fan:1/a/ask:1:1", "nodePath": "fan/a/ask", "input": {"x": 1}, "title": null});
    assert_eq!(run.apply_message(&ask), Some(MessageResult::QuestionsChanged));
    assert_eq!(run.questions()[0].input, json!({"x": 1}));
    let left = [json!({"type": "scope-ended", "at": 5, "lane": "fan:1/a", "status": "abandoned"})];
    run.apply_message(&json!({"type": "events", "events": left}));
    assert_eq!(status(&run, "fan/a/ask"), Some(NodeStatus::Skipped));
    run.apply_message(&json!({"type": "settled", "call": "fan:1/a/ask:1:1"}));
    assert!(run.questions().is_empty());
    let visit = run.visit(1).unwrap();
    assert!((run.end_ms(visit, run.len()) - 5.0).abs() < 1e-9);
    let shapes = run
        .bars(1, run.len(), 0.0)
        .into_iter()
        .map(|bar| (bar.kind, bar.start_ms, bar.end_ms))
        .collect::<Vec<_>>();
    assert_eq!(shapes[..2], [(BarKind::Visit(VisitStatus::Done), 1.0, 2.0), (BarKind::Wait, 2.0, 5.0)]);
}

#[test]
fn explains_edges_by_evaluated_conditions() {
    let run = heard(&[
        json!({"type": "node-started", "at": 0, "nodePath": "in/a", "lane": "in:1", "visit": 1}),
        json!({"type": "edge-decided", "at": 1, "nodePath": "in/a", "lane": "in:1", "scope": "in", "edge": 3, "to": "in/d", "reason": "condition", "verdicts": [
            {"edge": 1, "condition": "last==1", "holds": false, "saw": [{"reference": "last", "missing": true}]},
            {"edge": 3, "condition": "last.x > 1", "holds": true, "saw": [{"reference": "last.x", "value": {"text": "2"}}]},
        ]}),
    ]);
    let decision = run.decision(run.visit(0).unwrap(), 2).unwrap();
    let candidate = |index, condition, is_fallback| CandidateEdge { index, to: "x", condition, is_fallback };
    let ways = [
        candidate(0, "", true),
        candidate(1, "last==1", false),
        candidate(3, "last.x > 1", false),
        candidate(4, "last==9", false),
    ];
    let explanation = decision.explain(&ways);
    assert_eq!(
        explanation.iter().map(|one| one.reason).collect::<Vec<_>>(),
        [Reason::UnusedFallback, Reason::NotMatched, Reason::Matched, Reason::NotEvaluated]
    );
    assert_eq!(explanation[1].verdict.unwrap().values[0].value, None);
    assert_eq!(&*explanation[2].verdict.unwrap().values[0].value.as_ref().unwrap().text, "2");
    assert_eq!([0, 1, 3].map(|edge| run.edge_taken("in", edge, 2)), [None, Some(false), Some(true)]);
    assert_eq!(run.edge_taken("in", 3, 1), None);
    assert!(run.decision_at("in", "in/a", 1).is_none() && run.decision_at("in", "in/a", 2).is_some());
}

#[test]
fn a_failed_condition_has_a_reason_and_a_code() {
    let decided = |verdicts: serde_json::Value| json!({"type": "edge-decided", "at": 1, "nodePath": "a", "lane": "", "scope": "", "edge": null, "to": null, "reason": "no-match", "verdicts": verdicts});
    let started = json!({"type": "node-started", "at": 0, "nodePath": "a", "lane": "", "visit": 1});
    let failed = json!({"edge": 0, "condition": "last < 3", "holds": false, "failed": true, "saw": [{"reference": "last", "value": {"text": "\"abc\""}}]});
    let handled = json!({"edge": 1, "condition": "error.exists", "holds": true, "saw": [{"reference": "error", "value": {"text": "{\"code\": \"expression/type\"}"}}]});
    let ended = json!({"type": "run-ended", "at": 2, "outcome": "failed", "code": "expression/type"});
    let next = json!({"type": "node-started", "at": 2, "nodePath": "c", "lane": "", "visit": 1});
    for (events, code) in [
        (vec![decided(json!([failed])), ended.clone()], Some("expression/type")),
        (
            vec![
                decided(json!([failed])),
                json!({"type": "scope-ended", "at": 2, "lane": "a:1"}),
                ended.clone(),
            ],
            Some("expression/type"),
        ),
        (vec![decided(json!([failed, handled])), next.clone()], Some("expression/type")),
        (vec![decided(json!([failed])), next, ended.clone()], None),
        (vec![decided(json!([handled])), ended], None),
    ] {
        let run = heard(&[vec![started.clone()], events].concat());
        let decision = run.decision(run.visit(0).unwrap(), 2).unwrap();
        assert_eq!(decision.error_code.as_deref(), code);
        let edge = CandidateEdge { index: 0, to: "b", condition: "last < 3", is_fallback: false };
        let reason = decision.explain(&[edge])[0].reason;
        let has_failed = decision.verdicts[0].has_failed;
        assert_eq!(reason, if has_failed { Reason::Failed } else { Reason::NotEvaluated });
        let status = if has_failed { NodeStatus::Failed } else { NodeStatus::Skipped };
        let evaluated = (String::new(), decision.verdicts[0].edge);
        assert_eq!(run.overlay(2).edges.get(&evaluated), Some(&status));
    }
}

#[test]
fn a_condition_that_ends_the_run_fails_its_node_but_no_call() {
    let node = |kind: &str, at: u32| json!({"type": kind, "at": at, "nodePath": "a", "lane": "", "visit": 1, "value": {"text": "1"}});
    let decided = |edge: serde_json::Value| json!({"type": "edge-decided", "at": 3, "nodePath": "a", "lane": "", "scope": "", "edge": edge, "to": null, "reason": "no-match", "verdicts": [{"edge": 4, "condition": "last < 3", "holds": false, "failed": true, "saw": []}]});
    let ended = json!({"type": "run-ended", "at": 4, "outcome": "failed", "code": "expression/type"});
    let outcome = json!({"type": "ended", "outcome": "failed", "code": "expression/type", "nodePath": "a"});
    let status = |run: &Run, at: usize| {
        let node = run.node_state("a", at).unwrap();
        (node.status, node.text, run.visit_status(run.visit(0).unwrap(), at))
    };
    let start = [node("node-started", 0), node("node-completed", 2)];
    let mut run = heard(&[&start[..], &[decided(json!(null)), ended.clone()]].concat());
    assert_eq!(status(&run, 2), (NodeStatus::Done, "1".into(), Some(VisitStatus::Done)));
    assert_eq!(status(&run, 4), (NodeStatus::Failed, "expression/type".into(), Some(VisitStatus::Failed)));
    assert!(run.failed_condition().is_none(), "the run goes on");
    run.apply_message(&outcome);
    assert_eq!(run.failed_condition().map(|(decision, edge)| (&*decision.node_path, edge)), Some(("a", 4)));
    assert!(!run.has_failed_call());

    let mut handled = heard(&[&start[..], &[decided(json!(5)), ended.clone()]].concat());
    handled.apply_message(&outcome);
    assert_eq!(status(&handled, 4).0, NodeStatus::Done);
    assert!(handled.failed_condition().is_none());

    let call = |kind: &str, at: u32| json!({"type": kind, "at": at, "call": "a:1:1", "kind": "tool", "nodePath": "a", "lane": "", "code": "tool/failed", "message": "no"});
    let failed = json!({"type": "node-failed", "at": 3, "nodePath": "a", "lane": "", "visit": 1, "code": "tool/failed", "message": "no"});
    let calls =
        heard(&[node("node-started", 0), call("call-started", 1), call("call-answered", 2), failed, ended]);
    assert!(calls.has_failed_call());
}

#[test]
fn steps_between_visits() {
    let run = heard(&long(3));
    let (mut at, mut seen) = (0, Vec::new());
    while at < run.len() {
        at = run.next_visit(at, true);
        seen.push(at);
    }
    assert_eq!(seen, [2, 6, 10, 13]);
    seen.clear();
    while at > 0 {
        at = run.next_visit(at, false);
        seen.push(at);
    }
    assert_eq!(seen, [10, 6, 2, 0]);
}

#[test]
fn ignores_unknown_messages() {
    let mut run = heard(&long(1));
    let before = all(&run, run.len());
    for message in [
        json!(null),
        json!([]),
        json!({"type": 1}),
        json!({"type": "none"}),
        json!({"type": "updates", "updates": [{"call": "who"}]}),
    ] {
        run.apply_message(&message);
    }
    assert_eq!(all(&run, run.len()), before);
    let unknown = [
        json!(1),
        json!({"type": "call-answered", "call": "who"}),
        json!({"type": "node-completed", "nodePath": "who"}),
        json!({"type": "edge-decided"}),
    ];
    run.apply_message(&json!({"type": "events", "events": unknown}));
    assert_eq!(run.len(), 5 + unknown.len());
}

#[test]
fn joins_deltas_of_an_answer() {
    let mut run = heard(&long(1)[..3]);
    let update = |text: &str| json!({"type": "updates", "updates": [{"call": "n:1:1", "text": text}]});
    run.apply_message(&update("he"));
    run.apply_message(&update("llo"));
    assert_eq!(run.call_progress("n:1:1").unwrap().text, "hello");
    run.apply_message(&json!({"type": "events", "events": [long(1)[3]]}));
    assert_eq!(run.call_progress("n:1:1"), None);
}

#[test]
fn parses_outcomes_and_test_results() {
    let mut run = Run::default();
    let message = json!({"type": "ended", "outcome": "failed", "code": "a/b", "message": "no", "nodePath": "x", "last": {"text": "1"}, "ms": 2.5,
        "steps": 3, "calls": 2, "retries": 1, "tokens": null, "problems": [{"code": "c/d", "severity": "error", "message": "m", "help": "h", "nodePath": "#1", "start": 1, "end": 2}]});
    assert_eq!(run.apply_message(&message), Some(MessageResult::Ended));
    let ended = run.outcome().unwrap();
    assert_eq!(
        (ended.code.as_deref(), ended.counts, ended.tokens, ended.problems[0].span),
        (Some("a/b"), [3, 2, 1], None, Some((1, 2)))
    );
    let tested = json!({"type": "test-results", "results": [{"name": "t", "passed": false, "ms": 1, "outcome": "failed",
        "differences": [{"path": "last", "expected": {"text": "1"}, "got": {"text": "2"}}]}]});
    let Some(MessageResult::TestsFinished(Ok(results))) = run.apply_message(&tested) else {
        panic!("these are results")
    };
    assert_eq!((&*results[0].differences[0].expected.text, &*results[0].differences[0].got.text), ("1", "2"));
    assert_eq!(
        run.apply_message(&json!({"type": "test-results", "problem": "no plan"})),
        Some(MessageResult::TestsFinished(Err("no plan".into())))
    );
}

#[test]
fn formats_values_and_durations() {
    for (ms, text) in [
        (0.0, "0 ms"),
        (0.04, "0 ms"),
        (3.26, "3.3 ms"),
        (99.4, "99 ms"),
        (999.4, "999 ms"),
        (4200.0, "4.2 s"),
        (185_000.0, "3 min 5 s"),
    ] {
        assert_eq!(duration(ms), text);
    }
    for (value, short) in [
        ("\"a\\nb\"", "a b"),
        ("{\"a\":1}", "{\"a\":1}"),
        ("\"abcdefghij\"", "abcde…"),
        ("\"cut o", "cut o"),
        ("null", "null"),
        ("", ""),
    ] {
        assert_eq!(one_line(value, 7.min(if value.len() > 10 { 6 } else { 7 })), short);
    }
    assert_eq!(
        pretty(r#"{"a":[1,"x,{\""],"b":{}}"#),
        "{\n  \"a\": [\n    1,\n    \"x,{\\\"\"\n  ],\n  \"b\": {}\n}"
    );
    assert_eq!(pretty(r#"{"a":[1,"#), "{\n  \"a\": [\n    1,\n    ");
    assert_eq!(pretty("\"a\u{202e}b\""), r#""a\u{202e}b""#);
}

#[test]
fn spanish_numbers_have_a_decimal_comma() {
    super::set_number_language(crate::i18n::Lang::Es);
    assert_eq!(
        [duration(4200.0), duration(999.4), super::usd(1.25), super::usd(0.0), super::one_decimal(3.66)],
        ["4,2 s", "999 ms", "1,25 USD", "0 USD", "3,7"]
    );
    super::set_number_language(crate::i18n::Lang::En);
    assert_eq!([duration(4200.0), super::usd(1.25)], ["4.2 s", "$1.25"]);
}

#[test]
fn converts_a_schema_to_fields() {
    let schema = json!({"type": "object", "required": ["name", "size"], "properties": {
        "name": {"type": "string", "title": "Your name", "description": "as you sign"},
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]},
        "how": {"oneOf": [{"const": "a", "title": "A way"}, {"const": "b"}]},
        "count": {"type": "integer", "default": 2}, "rate": {"type": "number"}, "sure": {"type": "boolean"}, "more": {"type": "object"},
    }});
    let fields = question_fields::fields(&schema);
    let kinds: Vec<_> = fields
        .iter()
        .map(|field| (field.title.as_str(), field.is_required, field.initial_text.as_str()))
        .collect();
    assert_eq!(kinds.len(), 7);
    assert!(kinds.contains(&("Your name", true, "")) && kinds.contains(&("count", false, "2")));
    let type_in = |values: &[(&str, &str)]| -> Vec<String> {
        let typed = |field: &question_fields::Field| {
            values.iter().find(|(name, _)| *name == field.name).map_or("", |(_, text)| text).to_owned()
        };
        fields.iter().map(typed).collect()
    };
    let good =
        type_in(&[("name", "Ana"), ("size", "m"), ("count", "3"), ("sure", "true"), ("more", "{\"x\": 1}")]);
    assert_eq!(
        question_fields::parse_answer(&fields, &good),
        Ok(json!({"name": "Ana", "size": "m", "count": 3, "sure": true, "more": {"x": 1}}))
    );
    let bad = type_in(&[("size", "xl"), ("count", "2.5"), ("rate", "fast"), ("more", "{")]);
    let wrong: Vec<_> = question_fields::parse_answer(&fields, &bad)
        .unwrap_err()
        .into_iter()
        .map(|at| fields[at].name.clone())
        .collect();
    let mut wrong = wrong;
    wrong.sort();
    assert_eq!(wrong, ["count", "more", "name", "rate", "size"]);
}

#[test]
fn parses_run_input_as_json_or_text() {
    for (typed, value) in [
        ("", json!(null)),
        (" ", json!(null)),
        ("hola", json!("hola")),
        ("{\"a\": 1}", json!({"a": 1})),
        ("{a: 1}", json!("{a: 1}")),
        ("3", json!(3)),
    ] {
        assert_eq!(question_fields::parse_run_input(typed), value);
    }
}

#[test]
fn knows_the_events_of_the_protocol() {
    let protocol = include_str!("../../js/run/protocol.ts");
    let applied = include_str!("apply_event.rs");
    let (_, union) = protocol.split_once("export type RunnerEvent =").expect("the union of events");
    let (union, _) = union.split_once("\nexport ").expect("the end of the union");
    let mut names: Vec<_> =
        union.split("type: \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    // A logged value is also the node's output.
    for name in names.iter().filter(|name| **name != "logged") {
        assert!(applied.contains(&format!("\"{name}\" =>")), "`{name}` is never applied");
    }
    let of_engine = EventKind::ALL.into_iter().filter(|kind| {
        // The page sees a resumed run start, and calls instead of conversations.
        !matches!(kind, EventKind::RunResumed | EventKind::Conversation)
    });
    let mut expected: Vec<_> =
        of_engine.map(EventKind::as_str).chain(["call-started", "call-answered"]).collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn stored_results_are_readable() {
    for (stored, shown) in [
        (
            r#"{"order":{"id":"A-1","tags":["a","b"]},"n":7,"none":[]}"#,
            "order: (id: A-1, tags: (a, b)), n: 7, none: ()",
        ),
        (r#"["a, b",{"c":null}]"#, "a, b, (c: null)"),
        (r#"{"text":"say \"hi\"\nand go: \\o","long":"cut o…"#, r#"text: say "hi" and go: \o, long: cut o…"#),
        ("plain, text: {x}", "plain, text: {x}"),
        ("{}", "{}"),
        ("12", "12"),
        ("", ""),
    ] {
        assert_eq!(readable(stored), shown);
    }
}
