//! Every state of a run with every event, every wait with everything that ends it, and every limit.
//!
//! The lists are complete: a test fails if an entry is not reached or an unlisted one is.

#![expect(clippy::unwrap_used, reason = "a helper of tests stops the test when it is surprised")]

use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{
    self, Answer, Call, CallId, Command, Decision, Event, Failure, Options, Outcome, Program, Request, Run,
    Step, TraceEvent,
};
use stepgraph_core::model::{ChatReply, Usage};
use stepgraph_core::source::Format;
use stepgraph_tests::interleaving::{InterleavedRun, Interleaver, RunOptions, run_all_orders};
use stepgraph_tests::scope_oracle::{
    Composite, CompositeKind, Edge, EdgeCondition, Graph, InputSource, Join, Limits, Node, NodeBehaviour,
    Reply, Retry,
};

type Shared = Arc<Json>;

fn program(plan: &Json) -> Arc<Program<Shared>> {
    program_for(plan, false)
}

fn program_for(plan: &Json, retries: bool) -> Arc<Program<Shared>> {
    let graph = PlanGraph::parse(&plan.to_string(), Format::Json).into_sound().unwrap();
    let types = Some(["ask".to_owned()].into_iter().collect());
    let models = Some(["default".to_owned()].into_iter().collect());
    let capabilities = Capabilities { types, models, retries, ..Capabilities::default() };
    Arc::new(machine::bind(&graph, &capabilities, &()).unwrap().0)
}

fn fresh(plan: &Json) -> Run<Shared> {
    Run::new(program(plan), (), Options::new(Arc::new(Json::Null)))
}

fn call(step: &Step<Shared>) -> Call<Shared> {
    let call = step
        .commands
        .iter()
        .find_map(|command| if let Command::Call(call) = command { Some(call) } else { None });
    call.unwrap().clone()
}

fn value(json: Json) -> Answer<Shared> {
    Answer::Value(Arc::new(json), Vec::new())
}

/// The call and the timer are known if the state has any.
fn in_state(state: &str) -> (Run<Shared>, CallId, CallId) {
    let plan = json!({"nodes": {"a": {"type": "ask", "timeout_ms": 50}, "b": {"type": "ask"}}, "start": "a", "edges": [{"from": "a", "to": "b"}]});
    let mut run = fresh(&plan);
    let nobody = CallId { scope: 0, serial: 99 };
    if state == "ready" {
        return (run, nobody, nobody);
    }
    let step = run.step(Event::Start { at_ms: 1000.0 }).unwrap();
    let id = call(&step).id;
    let timer = step
        .commands
        .iter()
        .find_map(|command| if let Command::SetTimer { timer, .. } = command { Some(*timer) } else { None });
    let timer = timer.unwrap();
    match state {
        "finished" => {
            run.step(Event::Cancel { at_ms: 1007.0 }).unwrap();
        }
        "frozen" => {
            let frozen = run.snapshot(1007.0).unwrap();
            let program = Arc::clone(run.program());
            run =
                Run::restore(&program, (), Options::new(Arc::new(Json::Null)), &frozen.state, frozen.values)
                    .unwrap();
        }
        _ => {}
    }
    (run, id, timer)
}

#[test]
fn every_state_meets_every_event() {
    const EXPECTED: [(&str, [&str; 7]); 4] = [
        (
            "ready",
            [
                "ok",
                "run/not-started",
                "run/not-started",
                "run/not-started",
                "run/not-started",
                "run/not-restored",
                "ok",
            ],
        ),
        (
            "running",
            [
                "run/already-started",
                "ok",
                "run/unknown-call",
                "ok",
                "run/unknown-timer",
                "run/not-restored",
                "ok",
            ],
        ),
        (
            "frozen",
            [
                "run/already-started",
                "run/not-started",
                "run/not-started",
                "run/not-started",
                "run/not-started",
                "ok",
                "ok",
            ],
        ),
        ("finished", ["run/finished"; 7]),
    ];
    for (state, expected) in EXPECTED {
        for (number, expected) in expected.into_iter().enumerate() {
            let (mut run, known, timer) = in_state(state);
            let strange = CallId { scope: 3, serial: 77 };
            let at_ms = 5000.0;
            let event = match number {
                0 => Event::Start { at_ms },
                1 => Event::CallDone { call: known, result: Ok(value(json!(1))), at_ms },
                2 => Event::CallDone { call: strange, result: Ok(value(json!(1))), at_ms },
                3 => Event::TimerFired { timer, at_ms },
                4 => Event::TimerFired { timer: strange, at_ms },
                5 => Event::Resume { at_ms },
                _ => Event::Cancel { at_ms },
            };
            let text = format!("{state}: {event:?}");
            match run.step(event) {
                Ok(step) => {
                    assert_eq!("ok", expected, "{text}");
                    assert!(!step.commands.is_empty(), "{text}: something follows");
                }
                Err(error) => {
                    assert_eq!(error.code(), expected, "{text}");
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}

/// Only active time counts.
#[test]
fn a_cancelled_run_took_as_long_as_it_ran() {
    for (state, expected) in [("ready", 0.0), ("running", 4000.0), ("frozen", 7.0)] {
        let (mut run, ..) = in_state(state);
        run.step(Event::Cancel { at_ms: 5000.0 }).unwrap();
        assert!((run.duration_ms() - expected).abs() < 1e-9, "{state}: {}", run.duration_ms());
    }
}

fn ask(id: &str, replies: Vec<Reply>) -> Node {
    Node::new(id, NodeBehaviour::Ask(replies))
}

fn give(id: &str) -> Node {
    ask(id, vec![Reply::Give("x".into())])
}

fn flaky(id: &str, backoff: bool) -> Node {
    let retry = Some(Retry { attempts: 2, backoff, on: Vec::new() });
    Node { retry, ..ask(id, vec![Reply::Fail("tool/failed"), Reply::Give("x".into())]) }
}

fn composite(id: &str, shape: CompositeKind, join: Join, graphs: Vec<Graph>) -> Node {
    let names = ["a", "b", "c"]
        .into_iter()
        .map(|name| if shape == CompositeKind::Parallel { name.to_owned() } else { String::new() });
    Node::new(
        id,
        NodeBehaviour::Run(Composite { shape, join, concurrency: None, graphs: names.zip(graphs).collect() }),
    )
}

/// Together they reach everything that small plans can reach.
fn plans() -> Vec<(Graph, Limits)> {
    let none = Limits { visits: Some(2), ..Limits::default() };
    let of = Graph::of;
    let timed = |node: Node| Node { timeout_ms: Some(50), ..node };
    let given = |node: Node, given: InputSource| Node { given, ..node };
    let edge = |from, to, when| Edge { from, to, when };
    let in_one = |nodes: Vec<Node>, edges: Vec<Edge>| Graph { nodes, edges };
    let both = |a: Node, b: Node| composite("fan", CompositeKind::Parallel, Join::Any, vec![of(a), of(b)]);
    let sub = |node: Node| composite("sub", CompositeKind::Graph, Join::All, vec![of(node)]);
    vec![
        (of(timed(flaky("n", true))), Limits { timeout: true, ..none }),
        (of(both(sub(timed(flaky("n", true))), give("m"))), none),
        (of(timed(both(sub(flaky("n", true)), flaky("m", false)))), Limits { timeout: true, ..none }),
        (
            of(both(
                ask("n", vec![Reply::Fail("tool/failed")]),
                ask("m", vec![Reply::Fail("handler/failed")]),
            )),
            none,
        ),
        (
            of(given(
                composite("each", CompositeKind::Map, Join::Any, vec![of(give("n"))]),
                InputSource::Value(json!([])),
            )),
            none,
        ),
        (of(composite("each", CompositeKind::Map, Join::All, vec![of(give("n"))])), none),
        (of(given(give("n"), InputSource::ErrorCode)), none),
        (
            in_one(
                vec![give("n"), give("m")],
                vec![edge(0, 0, EdgeCondition::LastIs("x")), edge(0, 1, EdgeCondition::Always)],
            ),
            none,
        ),
        (in_one(vec![give("n"), give("m")], vec![edge(0, 1, EdgeCondition::LastIs("y"))]), none),
        (of(sub(ask("n", vec![Reply::Fail("tool/failed")]))), none),
        (of(sub(in_loop())), none),
        (of(both(give("n"), give("m"))), Limits { calls: Some(1), ..none }),
        (of(both(give("n"), give("m"))), Limits { steps: Some(2), ..none }),
        (of(both(give("n"), give("m"))), Limits { output_bytes: Some(1), ..none }),
    ]
}

/// The graph exceeds its visit limit, with one retry.
fn in_loop() -> Node {
    let again = Edge { from: 0, to: 0, when: EdgeCondition::LastIs("x") };
    let graph = Graph {
        nodes: vec![give("n"), give("m")],
        edges: vec![again, Edge { from: 0, to: 1, when: EdgeCondition::Always }],
    };
    let retry = Some(Retry { attempts: 2, backoff: false, on: vec!["run/*"] });
    Node { retry, ..composite("loop", CompositeKind::Graph, Join::All, vec![graph]) }
}

#[test]
fn every_wait_meets_all_that_ends_it() {
    let mut met = BTreeSet::new();
    for (graph, limits) in plans() {
        let walker = Interleaver::new(&graph, limits).unwrap();
        let input = json!("go");
        let mut longest = 0;
        run_all_orders(&walker, &input, 10_000, &mut |walk: &InterleavedRun| {
            met.extend(walk.coverage.iter().cloned());
            longest = longest.max(walk.choices.len());
        });
        for cancel_at in (1..=longest).map(Some).chain([None]) {
            let manner =
                RunOptions { restore: true, send_invalid_events: true, cancel_at, ..RunOptions::default() };
            met.extend(walker.run(&input, manner, &mut |count, _| count - 1).coverage);
            let manner = RunOptions { cancel_at, ..RunOptions::default() };
            met.extend(walker.run(&input, manner, &mut |_, _| 0).coverage);
        }
    }
    let listed: BTreeSet<String> = [
        "back-off × abandoned",
        "back-off × cancelled",
        "back-off × over",
        "back-off × resumed",
        "call × abandoned",
        "call × answered",
        "call × cancelled",
        "call × failed",
        "call × resumed",
        "call × timed out",
        "call × withdrawn",
        "children × abandoned",
        "children × cancelled",
        "children × resumed",
        "children × timed out",
        "node × handler/failed",
        "node × join/none-completed",
        "node × map/not-a-list",
        "node × node/timeout",
        "node × run/call-limit",
        "node × run/visit-limit",
        "node × template/missing",
        "node × tool/failed",
        "run × cancelled",
        "run × join/none-completed",
        "run × map/not-a-list",
        "run × no-match",
        "run × node/timeout",
        "run × run/call-limit",
        "run × run/output-limit",
        "run × run/step-limit",
        "run × run/timeout",
        "run × run/visit-limit",
        "run × template/missing",
        "run × terminal",
        "run × timed out",
        "run × tool/failed",
        "scope × abandoned",
        "scope × completed",
        "scope × failed",
        "timer × cancelled",
        "timer × cleared",
        "timer × resumed",
        "try × node/timeout",
        "try × run/visit-limit",
        "try × tool/failed",
    ]
    .map(str::to_owned)
    .into();
    let missing: Vec<_> = listed.difference(&met).collect();
    let unknown: Vec<_> = met.difference(&listed).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not reached: {missing:?}; not listed: {unknown:?}");
}

fn reply(text: &str, tokens: u64) -> Answer<Shared> {
    let usage = Some(Usage { input: tokens, output: tokens, ..Usage::default() });
    Answer::Reply(ChatReply { usage, ..ChatReply::new(text) })
}

/// The output that exceeds the limit stays, because its node has completed.
#[test]
fn tokens_are_bounded() {
    let plan = json!({
        "start": "a", "limits": {"tokens": 10},
        "nodes": {"a": {"type": "llm", "input": "x"}, "b": {"type": "llm"}, "c": {"type": "noop"}},
        "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "b", "to": "c", "condition": "error.exists"}],
    });
    for (second, code) in [(2, None), (3, Some("run/token-limit"))] {
        let mut run = fresh(&plan);
        let a = call(&run.step(Event::Start { at_ms: 0.0 }).unwrap());
        assert!(matches!(a.request, Request::Model(_)));
        let b =
            call(&run.step(Event::CallDone { call: a.id, result: Ok(reply("one", 3)), at_ms: 1.0 }).unwrap());
        run.step(Event::CallDone { call: b.id, result: Ok(reply("two", second)), at_ms: 2.0 }).unwrap();
        match (run.outcome().unwrap(), code) {
            (Outcome::Completed(_), None) => {}
            (Outcome::Failed { code, .. }, Some(expected)) => assert_eq!(code, expected),
            (outcome, _) => panic!("{outcome:?}"),
        }
        assert_eq!(run.output("b").map(|value| (**value).clone()), Some(json!("two")));
    }
}

/// A bad reply's tokens count, too.
#[test]
fn a_bad_reply_is_tried_again() {
    let plan = json!({"nodes": {"a": {"type": "llm", "input": "x", "with": {"schema": {"type": "object"}}, "retry": {"attempts": 2, "backoff_ms": 0}}}});
    let mut run = fresh(&plan);
    let first = call(&run.step(Event::Start { at_ms: 0.0 }).unwrap());
    let step =
        run.step(Event::CallDone { call: first.id, result: Ok(reply("no JSON", 1)), at_ms: 1.0 }).unwrap();
    assert!(step.trace.iter().any(
        |event| matches!(event, TraceEvent::NodeRetried { failure, .. } if failure.code == "model/bad-reply")
    ));
    let second = call(&step);
    assert_eq!(second.name("a"), "a:1:2");
    run.step(Event::CallDone { call: second.id, result: Ok(reply("{\"k\": 1}", 1)), at_ms: 2.0 }).unwrap();
    assert_eq!(**run.last(), json!({"k": 1}));
    assert!((run.counts().tokens - 4.0).abs() < 1e-9);
}

/// A reply that fails its node counts towards the limits, so no retry goes beyond them.
#[test]
fn a_bad_reply_ends_a_run_that_used_enough() {
    let retry = json!({"type": "llm", "input": "x", "with": {"schema": {"type": "object"}}, "retry": {"attempts": 5, "backoff_ms": 0}});
    for (limits, cost, code) in [
        (json!({"tokens": 1}), Some(1), "run/token-limit"),
        (json!({"usd": 0.5}), Some(500_001), "run/usd-limit"),
        (json!({"usd": 0.5}), None, "run/usd-limit"),
    ] {
        let mut run = fresh(&json!({"limits": limits, "nodes": {"a": retry}}));
        let a = call(&run.step(Event::Start { at_ms: 0.0 }).unwrap());
        let usage = Some(Usage { input: 1, output: 1, micro_usd: cost, ..Usage::default() });
        let answer = Answer::Reply(ChatReply { usage, ..ChatReply::new("no JSON") });
        run.step(Event::CallDone { call: a.id, result: Ok(answer), at_ms: 1.0 }).unwrap();
        let Some(Outcome::Failed { code: found, .. }) = run.outcome() else { panic!("{:?}", run.outcome()) };
        assert_eq!((found.as_str(), run.counts().calls), (code, 1));
        assert_eq!(run.counts().usd(), cost.map(|cost| f64::from(u32::try_from(cost).unwrap()) / 1e6));
    }
}

/// A decision is a normal value and no call.
#[test]
fn a_person_decides() {
    let plan = json!({
        "start": "ok", "limits": {"calls": 1},
        "nodes": {"ok": {"type": "approve", "input": "may I?", "retry": {"attempts": 2, "backoff_ms": 0}}, "no": {"type": "noop"}, "then": {"type": "ask"}},
        "edges": [{"from": "ok", "to": "no", "condition": "last==rejected"}, {"from": "ok", "to": "then"}],
    });
    for (decision, last, path) in [
        (Decision::Approved, json!("approved"), vec!["ok", "then"]),
        (Decision::Rejected, json!("rejected"), vec!["ok", "no"]),
        (Decision::Edited(Arc::new(json!({"k": 1}))), json!({"k": 1}), vec!["ok", "then"]),
    ] {
        let mut run = fresh(&plan);
        let asked = call(&run.step(Event::Start { at_ms: 0.0 }).unwrap());
        assert!(matches!(asked.request, Request::Approval));
        assert_eq!((*asked.input).clone(), json!("may I?"));
        run.step(Event::CallDone { call: asked.id, result: Ok(Answer::Decided(decision)), at_ms: 1.0 })
            .unwrap();
        assert_eq!(run.output("ok").map(|value| (**value).clone()), Some(last));
        let ids: Vec<&str> =
            run.path().iter().map(|node| run.program().nodes[*node as usize].id.as_str()).collect();
        assert_eq!(ids, path);
        assert_eq!(run.counts().calls, u32::from(path[1] == "then"));
    }
}

/// Waits grow from one second, the default, up to the maximum.
#[test]
fn waits_grow() {
    for (retry, expected) in [
        (json!({"attempts": 5, "backoff_ms": 4, "factor": 2.5, "max_ms": 20}), vec![4.0, 10.0, 20.0, 20.0]),
        (json!({"attempts": 8}), vec![1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 60e3]),
        (json!({"attempts": 3, "backoff_ms": 7, "factor": 1}), vec![7.0, 7.0]),
        (json!({"attempts": 3, "backoff_ms": 50, "max_ms": 0}), vec![]),
    ] {
        let mut run = fresh(&json!({"nodes": {"a": {"type": "ask", "retry": retry}}}));
        let mut waited = Vec::new();
        let mut event = Event::Start { at_ms: 0.0 };
        while let Ok(step) = run.step(event) {
            let mut next = None;
            for command in step.commands {
                let at_ms = 0.0;
                match command {
                    Command::Call(call) => {
                        let result = Err(Failure::new("ask/failed", "no"));
                        next = Some(Event::CallDone { call: call.id, result, at_ms });
                    }
                    Command::SetTimer { timer, after_ms, .. } => {
                        waited.push(after_ms);
                        next = Some(Event::TimerFired { timer, at_ms });
                    }
                    _ => {}
                }
            }
            let Some(following) = next else { break };
            event = following;
        }
        assert_eq!(waited, expected, "{retry}");
        assert!(run.outcome().is_some());
    }
}

/// If the host retries, a node with a single call fails at once and sets no timer. A node with several keeps both.
#[test]
fn a_host_may_try_again_itself() {
    let timers = |step: &Step<Shared>| {
        step.commands.iter().filter(|command| matches!(command, Command::SetTimer { .. })).count()
    };
    let outcomes = |kind: &str, retries: bool| {
        let node = json!({"type": kind, "input": "hi", "timeout_ms": 50, "retry": {"attempts": 2}});
        let plan = json!({"nodes": {"a": node}});
        let mut run = Run::new(program_for(&plan, retries), (), Options::new(Arc::new(Json::from("hi"))));
        let step = run.step(Event::Start { at_ms: 0.0 }).unwrap();
        let failure = Failure::new("model/failed", "no");
        let event = Event::CallDone { call: call(&step).id, result: Err(failure), at_ms: 1.0 };
        let failed = run.step(event).unwrap();
        let over = failed.commands.iter().any(|command| matches!(command, Command::Finish(_)));
        (timers(&step), timers(&failed), over)
    };
    for kind in ["ask", "llm", "agent"] {
        assert_eq!(outcomes(kind, false), (1, 1, false), "{kind}");
        let left = if kind == "agent" { (1, 1, false) } else { (0, 0, true) };
        assert_eq!(outcomes(kind, true), left, "{kind}");
    }
}
