//! The `react` loop beyond the suite: schemas, trusted parameters, offered tools, long results, thousands of calls, and
//! built-in flows.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::{Value as Json, json};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{self, Answer, Command, Decision, Event, Options, Request, Run};
use stepgraph_core::model::{ChatReply, ChatRequest};
use stepgraph_core::source::Format;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};
use stepgraph_core::{flows, trace_json};

type Shared = Arc<Json>;

fn tools() -> ToolRegistry {
    let list = json!([
        {"name": "jobs", "input_schema": {
            "type": "object", "properties": {"user_email": {"type": "string"}, "page": {"type": "integer"}}, "required": ["user_email"]}, "annotations": {"readOnlyHint": true}},
        {"name": "long", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "drop", "input_schema": {"type": "object"}, "annotations": {"destructiveHint": true}},
        {"name": "a/find", "server": "one", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "a find", "server": "one", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "read", "server": "one", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "read", "server": "two", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ]);
    ToolRegistry::new(list.as_array().into_iter().flatten().filter_map(ToolInfo::from_json))
}

fn plan(with: &Json) -> PlanGraph {
    let plan = json!({
        "start": "p",
        "nodes": {
            "p": {"type": "react", "input": "go", "with": with},
            "execute_tools": {"type": "execute_tools", "input": "${output.tool_calls}"},
        },
        "edges": [
            {"from": "p", "to": "execute_tools", "condition": "last==execute_tools"},
            {"from": "execute_tools", "to": "p"},
        ],
    });
    PlanGraph::parse(&plan.to_string(), Format::Json).into_sound().unwrap()
}

struct RunResult {
    state: Json,
    asked: Vec<ChatRequest>,
    called: Vec<(String, Json)>,
    people: usize,
}

/// `says` lists the model's replies. The last repeats.
fn ran(with: &Json, context: Json, says: &[Json]) -> RunResult {
    let capabilities = Capabilities {
        models: Some(["default".to_owned()].into_iter().collect()),
        tools: Some(tools()),
        ..Capabilities::default()
    };
    let program = match machine::bind::<Shared>(&plan(with), &capabilities, &()) {
        Ok((program, _)) => Arc::new(program),
        Err(problems) => panic!("{problems:?}"),
    };
    let options = Options { context: Some(Arc::new(context)), ..Options::new(Arc::new(Json::Null)) };
    let mut run = Run::new(Arc::clone(&program), (), options);
    let mut ran = RunResult { state: Json::Null, asked: Vec::new(), called: Vec::new(), people: 0 };
    let mut events = vec![Event::Start { at_ms: 0.0 }];
    while let Some(event) = events.pop() {
        for command in run.step(event).unwrap().commands {
            let Command::Call(call) = command else { continue };
            let answer = match &call.request {
                Request::Model(request) => {
                    ran.asked.push((**request).clone());
                    let said = &says[(ran.asked.len() - 1).min(says.len() - 1)];
                    Answer::Reply(ChatReply::from_json(said).unwrap())
                }
                Request::Approval => {
                    ran.people += 1;
                    Answer::Decided(Decision::Rejected)
                }
                _ => {
                    let name = call.tool(&program.nodes[call.node as usize].action).unwrap().to_owned();
                    ran.called.push((name.clone(), (*call.input).clone()));
                    let value = if name == "long" { json!("x".repeat(60_000)) } else { json!("fine") };
                    Answer::Value(Arc::new(value), Vec::new())
                }
            };
            events.push(Event::CallDone { call: call.id, result: Ok(answer), at_ms: 0.0 });
        }
    }
    ran.state = trace_json::state_json(&run);
    ran
}

fn calls(calls: &[(&str, Json)]) -> Json {
    let call = |(name, arguments): &(&str, Json)| json!({"name": name, "arguments": arguments});
    json!({"text": "", "tool_calls": calls.iter().map(call).collect::<Json>()})
}

fn tool_messages(ran: &RunResult) -> Vec<&str> {
    let answers = ran.asked.last().unwrap().messages.iter().filter(|message| message.answers.is_some());
    answers.map(|message| message.content.as_str()).collect()
}

fn done() -> Json {
    json!({"text": "done"})
}

// covers: 003-agent-1 003-agent-2 003-agent-4 003-decided-9
#[test]
fn tools_and_the_plan_are_offered_side_by_side_and_never_change() {
    let says = [calls(&[("long", json!({}))]), calls(&[("SubmitPlan", json!({}))]), done()];
    let ran = ran(&json!({}), json!({"user_email": "a@b.c"}), &says);
    let names = |request: &ChatRequest| -> Vec<String> {
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let all = ["jobs", "long", "drop", "a_find", "a_find_2", "one_read", "two_read", "SubmitPlan"];
    assert_eq!(ran.asked.len(), 3);
    for request in &ran.asked {
        assert_eq!(names(request), all);
        assert_eq!(request.tools, ran.asked[0].tools);
        assert_eq!(request.schema, None);
    }
    let plan = &ran.asked[0].tools[7].input_schema;
    assert_eq!(plan["required"], json!(["query", "rationale"]));
    assert_eq!(plan["properties"]["query"]["minItems"], 1);
}

#[test]
fn arguments_are_held_to_the_schema_before_anything_is_called() {
    let wrong = calls(&[("jobs", json!({"page": "one"})), ("long", json!("no map")), ("a_find", json!({}))]);
    let ran = ran(&json!({}), json!({"user_email": "a@b.c"}), &[wrong, done()]);
    assert_eq!(ran.called, [("a/find".to_owned(), json!({}))]);
    let told = tool_messages(&ran);
    assert!(told[0].starts_with("tool/invalid-arguments: ") && told[0].contains("page"), "{told:?}");
    assert!(told[1].starts_with("tool/invalid-arguments: ") && told[2] == "fine", "{told:?}");
}

// covers: 003-decided-12
#[test]
fn trusted_parameters_are_the_runs_alone() {
    let says = [calls(&[("jobs", json!({"user_email": "someone@else.org", "page": 2}))]), done()];
    let given = ran(&json!({}), json!({"user_email": "a@b.c"}), &says);
    assert_eq!(given.called, [("jobs".to_owned(), json!({"page": 2, "user_email": "a@b.c"}))]);
    let shown = given.asked[0].tools[0].input_schema.to_string();
    assert!(!shown.contains("user_email"), "{shown}");
    let missing = ran(&json!({}), json!({}), &says);
    assert_eq!(missing.called, []);
    assert!(
        tool_messages(&missing)[0].starts_with("plan/missing-context: "),
        "{:?}",
        tool_messages(&missing)
    );
    // If the plan trusts the model with it, this parameter is normal. The executing node applies its own setting.
    let free = ran(&json!({"trusted": []}), json!({}), &says);
    assert!(free.asked[0].tools[0].input_schema.to_string().contains("user_email"));
    assert!(
        tool_messages(&free)[0].contains("user_email") && free.called.is_empty(),
        "{:?}",
        tool_messages(&free)
    );
}

#[test]
fn a_result_that_is_too_long_is_an_observation() {
    let ran = ran(&json!({}), json!({}), &[calls(&[("long", json!({}))]), done()]);
    assert!(tool_messages(&ran)[0].starts_with("tool/too-large: "), "{:?}", tool_messages(&ran));
    assert_eq!(ran.state["outputs"]["answer"], "done");
}

// covers: 003-decided-11
#[test]
fn what_may_destroy_something_asks_a_person() {
    let ran = ran(&json!({}), json!({}), &[calls(&[("drop", json!({})), ("long", json!({}))]), done()]);
    assert_eq!((ran.people, ran.called.len()), (1, 1));
    assert!(tool_messages(&ran)[0].starts_with("tool/refused: "), "{:?}", tool_messages(&ran));
}

// covers: 003-decided-8
#[test]
fn the_calls_of_one_message_are_bounded() {
    for (count, code) in
        [(100, None), (101, Some("react/too-many-calls")), (10_000, Some("react/too-many-calls"))]
    {
        let many: Vec<(&str, Json)> = (0..count).map(|at| ("a_find", json!({"at": at}))).collect();
        let ran = ran(&json!({}), json!({}), &[calls(&many), done()]);
        assert_eq!(ran.state["outcome"]["code"].as_str(), code, "{count}");
        assert_eq!(ran.called.len(), if code.is_none() { count } else { 0 }, "{count}");
        if code.is_none() {
            assert_eq!(tool_messages(&ran).len(), count);
        }
    }
}

#[test]
fn a_conversation_that_goes_on_is_not_shortened_and_not_endless() {
    // Each is just below the limit of one result. An agent would get all, too.
    let says: Vec<Json> =
        (0..7).map(|at| calls(&[("a_find", json!({"at": at, "pad": "x".repeat(30_000)}))])).collect();
    let ended = [says, vec![done()]].concat();
    let whole = ran(&json!({}), json!({}), &ended);
    assert_eq!(tool_messages(&whole).len(), 7);
    let long = calls(&[("a_find", json!({"pad": "x".repeat(1_000_000)}))]);
    let broken = ran(&json!({}), json!({}), &[long, done()]);
    assert_eq!(broken.state["outcome"]["code"], "agent/conversation-limit");
}

#[test]
fn every_flow_is_sound_without_a_warning() {
    for name in flows::NAMES {
        let parsed = PlanGraph::parse(flows::source(name).unwrap(), Format::Yaml);
        let problems: Vec<&str> = parsed.diagnostics.iter().map(|it| it.code.slug()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?}");
        let capabilities = Capabilities {
            types: Some(Vec::new().into_iter().collect()),
            models: Some(["default".to_owned()].into_iter().collect()),
            tools: Some(tools()),
            ..Capabilities::default()
        };
        if name == "author" {
            continue;
        }
        let problems: Vec<Diagnostic> = check::check(&parsed.graph.unwrap(), &capabilities);
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
}
