//! Runs of the plan author flow, and the cases of `suite/author/validator.yaml`.

use serde_json::{Value as Json, json};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::interner::NameTable;
use stepgraph_core::machine::{self, Answer, CallId, Command, Event, Options, Program, Request, Run};
use stepgraph_core::model::{ChatReply, ChatRequest};
use stepgraph_core::source::Format;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

type Shared = Arc<Json>;

/// Returns a host with one model.
pub fn host(tools: &Json) -> Capabilities {
    let tools = tools.as_array().into_iter().flatten().filter_map(ToolInfo::from_json);
    Capabilities {
        types: Some(NameTable::default()),
        tools: Some(ToolRegistry::new(tools).with_patterns(crate::patterns())),
        models: Some(["default".to_owned()].into_iter().collect()),
        ..Capabilities::default()
    }
}

/// A run's result and its requests to the model.
#[derive(Debug)]
pub struct RunResult {
    /// Last output.
    pub last: Json,
    /// Outputs by name.
    pub outputs: Json,
    /// The outcome.
    pub outcome: Json,
    /// Requests, in order.
    pub requests: Vec<ChatRequest>,
}

/// Runs a plan with a scripted model.
///
/// Each of `says` is a text, JSON sent as text, or `{reply}` with a whole reply. The last repeats.
///
/// # Panics
/// If the plan can't be bound.
pub fn run(plan: &str, host: &Capabilities, input: Json, says: &[Json], took_ms: f64) -> RunResult {
    run_plan(plan, host, input, ScriptedModel { says, took_ms }, false)
}

/// Does as [`run`], but restores the run from a snapshot at each request.
///
/// # Panics
/// If the run can't be restored or sends another request.
pub fn run_restored(plan: &str, host: &Capabilities, input: Json, says: &[Json], took_ms: f64) -> RunResult {
    run_plan(plan, host, input, ScriptedModel { says, took_ms }, true)
}

#[derive(Clone, Copy)]
struct ScriptedModel<'m> {
    says: &'m [Json],
    took_ms: f64,
}

#[expect(clippy::panic, reason = "a plan that can't be bound is a broken test")]
fn run_plan(
    plan: &str,
    host: &Capabilities,
    input: Json,
    ScriptedModel { says, took_ms }: ScriptedModel<'_>,
    freezes: bool,
) -> RunResult {
    let parsed = PlanGraph::parse(plan, Format::Auto);
    let Some(graph) = parsed.graph.filter(PlanGraph::is_sound) else { panic!("{:?}", parsed.diagnostics) };
    let (program, _) = match machine::bind::<Shared>(&graph, host, &()) {
        Ok(bound) => bound,
        Err(problems) => panic!("{problems:?}"),
    };
    let program = Arc::new(program);
    let mut run = Run::new(Arc::clone(&program), (), Options::new(Arc::new(input)));
    let (mut asked, mut now_ms) = (Vec::new(), 0.0);
    let mut event = Some(Event::Start { at_ms: now_ms });
    while let Some(next) = event.take() {
        let Ok(step) = run.step(next) else { break };
        for command in step.commands {
            let Command::Call(call) = command else { continue };
            let Request::Model(request) = &call.request else { continue };
            let said = says.get(asked.len()).or_else(|| says.last()).cloned().unwrap_or_default();
            asked.push((**request).clone());
            let mut id = call.id;
            if freezes {
                (run, id) = restored(&program, &run, now_ms, request);
            }
            now_ms += took_ms;
            let text = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
            let reply = said.get("reply").and_then(ChatReply::from_json);
            let result = Ok(Answer::Reply(reply.unwrap_or_else(|| ChatReply::new(text))));
            event = Some(Event::CallDone { call: id, result, at_ms: now_ms });
        }
    }
    let state = stepgraph_core::trace_json::state_json(&run);
    let of = |key: &str| state.get(key).cloned().unwrap_or_default();
    RunResult { last: of("last"), outputs: of("outputs"), outcome: of("outcome"), requests: asked }
}

#[expect(clippy::panic, clippy::expect_used, reason = "a run that can't go on is what is looked for")]
fn restored(
    program: &Arc<Program<Shared>>,
    run: &Run<Shared>,
    now_ms: f64,
    asked: &ChatRequest,
) -> (Run<Shared>, CallId) {
    let frozen = run.snapshot(now_ms).expect("a run that waits can be frozen");
    let state = serde_json::from_str(&frozen.state.to_string()).unwrap_or_default();
    let options = Options::new(Arc::new(Json::Null));
    let mut run = Run::restore(program, (), options, &state, frozen.values).expect("and thawed");
    let step = run.step(Event::Resume { at_ms: now_ms }).expect("and resumed");
    match step.commands.as_slice() {
        [Command::Call(call)] => match &call.request {
            Request::Model(again) if **again == *asked => (run, call.id),
            other => panic!("asked {other:?} instead of {asked:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Returns the generated plans.
pub fn file() -> Json {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/author/validator.yaml");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    serde_yaml::from_str(&text).unwrap_or_default()
}

/// The verdict of `validator`.
#[derive(Debug)]
pub struct ValidatedCase {
    /// The action.
    pub action: Json,
    /// Codes of the reported errors.
    pub codes: Vec<String>,
    /// Number of further errors.
    pub more: Json,
    /// Codes of the warnings.
    pub warned: Vec<String>,
    /// Codes that remain when no further generation is possible.
    pub unresolved: Vec<String>,
    /// Nodes that serve each requirement.
    pub served: Json,
    /// First error or unresolved entry.
    pub first: Json,
}

/// Runs `validator` on a case.
pub fn validate_case(file: &Json, case: &Json) -> ValidatedCase {
    let given = |key: &str| case.get(key).or_else(|| file.get(key)).cloned().unwrap_or_default();
    let mut with = case.get("trusted").map_or_else(|| json!({}), |trusted| json!({"trusted": trusted}));
    if let (Some(attempts), Some(with)) = (case.get("attempts"), with.as_object_mut()) {
        with.insert("attempts".to_owned(), attempts.clone());
    }
    let plan = json!({
        "start": "g",
        "nodes": {
            "g": {"type": "workflow_generator", "input": {"generated_workflow": "${input.before ?? null}"}},
            "v": {"type": "validator", "with": with, "input": {
                "generated_workflow": "${output.generated_workflow}", "generation_errors": "${output.generation_errors}",
                "browsed_components": {"node_ids": "${input.browsed}"},
                "requirements_result": {"steps": "${input.steps}"},
                "planning_result": {"node_chain": "${input.chain}", "status": "${input.status}"},
                "discovered_params": "${input.values}", "execution_params": "${input.filled}",
            }},
        },
        "edges": [{"from": "g", "to": "v"}],
    });
    let says = case.get("answer").or_else(|| case.get("plan")).cloned().unwrap_or_default();
    let keys = ["browsed", "before", "steps", "chain", "status", "values", "filled"];
    let input = keys.into_iter().map(|key| (key.to_owned(), given(key))).collect();
    let ran = run(&plan.to_string(), &host(&given("tools")), Json::Object(input), &[says], 1.0);
    let list = |key: &str| ran.outputs.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    let codes =
        |key: &str| list(key).iter().filter_map(|one| Some(one.get("code")?.as_str()?.to_owned())).collect();
    let nodes = list("coverage").iter().map(|row| row.get("nodes").cloned().unwrap_or_default()).collect();
    let first = list("validation_errors").into_iter().chain(list("unresolved")).next().unwrap_or_default();
    ValidatedCase {
        action: ran.last.clone(),
        codes: codes("validation_errors"),
        more: ran.outputs.get("more_errors").cloned().unwrap_or_default(),
        warned: codes("validation_warnings"),
        unresolved: codes("unresolved"),
        served: Json::Array(nodes),
        first,
    }
}
