//! Recordings from Rust or JavaScript replay to the same trace here.
//!
//! `UPDATE=1` rewrites `native.ndjson`. `tests/parity/cassette.test.mjs` writes the other files.

#![expect(
    clippy::panic,
    clippy::expect_used,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::cassette::{Cassette, Recorder, Redactor};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::host::{Host, State};
use stepgraph_core::machine::{Answer, Call, Decision, Failure, Options, Outcome};
use stepgraph_core::model::{ChatReply, ChatRequest};
use stepgraph_core::replay::replay;
use stepgraph_core::secret_names::is_secret;
use stepgraph_core::source::Format;
use stepgraph_core::stub::Stubs;
use stepgraph_core::{driver, trace_json};
use stepgraph_tests::drivers::Clock;

type Shared = Arc<Json>;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("suite/cassettes").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn plan(text: &str) -> PlanGraph {
    let parsed = PlanGraph::parse(text, Format::Auto);
    parsed.graph.filter(PlanGraph::is_sound).unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

struct TestHost {
    clock: Clock,
    recorder: RefCell<Recorder>,
}

impl Host<Shared> for TestHost {
    fn now_ms(&self) -> f64 {
        Host::<Shared>::now_ms(&self.clock)
    }

    async fn wait_ms(&self, ms: f64) {
        Host::<Shared>::wait_ms(&self.clock, ms).await;
    }

    async fn handle(
        &self,
        name: &str,
        call: &Call<Shared>,
        state: &State<'_, Shared>,
    ) -> Result<Answer<Shared>, Failure> {
        self.clock.handle(name, call, state).await
    }

    async fn call_tool(&self, name: &str, arguments: &Shared, call: &str) -> Result<Answer<Shared>, Failure> {
        self.clock.call_tool(name, arguments, call).await
    }

    async fn ask_model(&self, request: &ChatRequest, call: &str) -> Result<ChatReply, Failure> {
        Host::<Shared>::ask_model(&self.clock, request, call).await
    }

    async fn decide(&self, _: &Call<Shared>) -> Option<Decision<Shared>> {
        Some(Decision::Edited(Arc::new(json!({"edited": true}))))
    }

    fn recorder(&self) -> Option<&RefCell<Recorder>> {
        Some(&self.recorder)
    }
}

fn record(graph: &PlanGraph) -> (String, String) {
    let stubs = json!({
        "types": {
            "slow": {"sequence": [{"return": {"took": 20}, "writes": {"seen": [1, 2.5]}, "delay_ms": 20}, "echo"]},
            "bad": {"fail": "no", "code": "bad/luck"},
            "never": {"return": 1, "delay_ms": 1000},
        },
        "tools": {"search": {"return": [{"title": "cats", "access_token": "t0p"}]}},
        "models": {"default": "echo", "helper": {"sequence": [
            {"return": {"tool_calls": [
                {"id": "c1", "name": "search", "arguments": {"q": "dogs", "password": "k-123"}},
                {"id": "c2", "name": "serch", "arguments": {}},
            ], "usage": {"input": 5, "output": 2, "cached_input": 3}}},
            {"return": "found"},
        ]}},
    });
    let stubs = Stubs::from_json(&stubs).expect("stubs");
    let capabilities = Capabilities::of_stubs(&stubs);
    let options = Options::new(Arc::new(json!({"q": "cats", "api_key": "k-123"})));
    let lines = Rc::new(RefCell::new(String::new()));
    let sink = Rc::clone(&lines);
    let write = move |line: &str| {
        let mut lines = sink.borrow_mut();
        lines.push_str(line);
        lines.push('\n');
    };
    let recorder = RefCell::new(Recorder::new(graph, &capabilities, &options, write));
    let stage = TestHost { clock: Clock::default(), recorder };
    let report =
        stage.clock.run(driver::run(graph, &stage, &capabilities, stubs, options, ())).expect("it runs");
    let lines = lines.borrow().clone();
    (lines, canonical(&report))
}

fn canonical(report: &driver::Report<Shared>) -> String {
    let events: Vec<Json> =
        report.trace.iter().map(|event| trace_json::event_json(report.run.program(), event)).collect();
    trace_json::canonical(&events)
}

#[test]
fn a_run_is_recorded_as_it_was() {
    let (lines, trace) = record(&plan(&read("everything.yaml")));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file("native.ndjson"), &lines).expect("written");
        fs::write(file("native.trace"), trace.replace("t0p", "[redacted]").replace("k-123", "[redacted]"))
            .expect("written");
    }
    assert_eq!(lines, read("native.ndjson"));
    assert!(!lines.contains("k-123") && !lines.contains("t0p"), "a secret was written");
}

#[test]
fn recordings_of_both_drivers_replay_to_their_traces() {
    let graph = plan(&read("everything.yaml"));
    for name in ["node", "native"] {
        let cassette = Cassette::parse(&read(&format!("{name}.ndjson"))).expect(name);
        let report = replay(&graph, &cassette, None).unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        assert_eq!(report.run.outcome().map(Outcome::as_str), Some("completed"));
        assert_eq!(canonical(&report), read(&format!("{name}.trace")), "{name}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let text = read("everything.yaml");
    let recorded = read("native.ndjson");
    let code = |plan_text: &str, recorded: &str| {
        let trouble =
            Cassette::parse(recorded).and_then(|cassette| replay(&plan(plan_text), &cassette, None));
        trouble.map(|report| report.paused.len()).map_err(|trouble| (trouble.code, trouble.message))
    };
    assert_eq!(code(&text, "{}").unwrap_err().0, "replay/unusable");
    assert_eq!(
        code(&text, &recorded.replacen("\"format\":1", "\"format\":2", 1)).unwrap_err().0,
        "replay/unusable"
    );
    let changed = code(&text.replace("input: 20", "input: 21"), &recorded).unwrap_err();
    assert_eq!(changed.0, "run/plan-changed");
    assert!(changed.1.contains("node `fan`"), "{}", changed.1);
    let other = recorded.replace("\"arguments\":{\"q\":\"cats\"", "\"arguments\":{\"q\":\"dogs\"");
    let diverged = code(&text, &other);
    let (slug, message) = diverged.unwrap_err();
    assert_eq!(slug, "replay/diverged");
    assert!(message.contains("`look:1:1` differs at `arguments`"), "{message}");
    let lines: Vec<&str> = recorded.lines().collect();
    for length in 1..lines.len() - 1 {
        let cut = lines.get(..length).unwrap_or_default().join("\n");
        assert_eq!(code(&text, &cut).unwrap_err().0, "replay/incomplete", "{length}");
    }
}

#[test]
fn secrets_go_by_their_names() {
    let keys: Json = serde_json::from_str(&read("secrets.json")).expect("JSON");
    for (list, secret) in [("secret", true), ("plain", false)] {
        for key in keys[list].as_array().expect("a list") {
            let key = key.as_str().expect("text");
            assert_eq!(is_secret(key), secret, "{key}");
        }
    }
}

#[test]
fn known_texts_are_taken_out_wherever_they_occur() {
    let cases: Json = serde_json::from_str(&read("redacted.json")).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let mut redactor = Redactor::new(Some(&case["context"]));
        let given = case["lines"].as_array().expect("lines");
        let plain: Vec<Json> = given.iter().map(|line| redactor.redact_line(line)).collect();
        assert_eq!(Json::from(plain), case["plain"], "{}", case["what"]);
    }
}

#[test]
fn no_text_of_the_context_is_recorded_and_the_run_replays() {
    let text = "nodes: {a: {type: work, input: \"for ${context.user}\"}, b: {type: work, input: \"${last.said}\"}}\n\
                edges: [{from: a, to: b}]";
    let graph = plan(text);
    let said =
        json!({"types": {"work": {"return": {"said": "MARKER-4711 was here", "session_id": "s3cr3t-id"}}}});
    let context = Arc::new(json!({"user": "MARKER-4711"}));
    let stubs = Stubs::from_json(&said).expect("stubs");
    let capabilities = Capabilities::of_stubs(&stubs);
    let options =
        Options { context: Some(Arc::clone(&context)), ..Options::new(Arc::new(json!("MARKER-4711"))) };
    let lines = Rc::new(RefCell::new(String::new()));
    let sink = Rc::clone(&lines);
    let write = move |line: &str| sink.borrow_mut().push_str(line);
    let recorder = RefCell::new(Recorder::new(&graph, &capabilities, &options, write));
    let stage = TestHost { clock: Clock::default(), recorder };
    stage.clock.run(driver::run(&graph, &stage, &capabilities, stubs, options, ())).expect("it runs");
    // Each line is one map.
    let lines = lines.borrow().replace("}{\"", "}\n{\"");
    assert!(!lines.contains("MARKER") && !lines.contains("s3cr3t"), "{lines}");
    assert!(lines.contains("for [redacted]"), "{lines}");
    let cassette = Cassette::parse(&lines).expect("a cassette");
    let report = replay(&graph, &cassette, Some(context)).expect("it replays");
    assert_eq!(report.run.outcome().map(Outcome::as_str), Some("completed"));
}
