//! The start of a run, and data other than its steps. Compiled for size, because it runs at most once per
//! call or run.

use serde_json::{Map, Value as Json, json};
use std::rc::Rc;
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::Limits;
use stepgraph_core::machine::{Answer, CallId, Options, Request, Run, Snapshot};
use stepgraph_core::stub::{self, StubAnswer, Stubs};
use stepgraph_core::value::{Path, Value};
use stepgraph_engine::bound_plan::BoundPlan;
use stepgraph_engine::run::RawRun;
use stepgraph_engine::value::{Handle, Table};
use stepgraph_engine::word_writer::WordWriter;
use wasm_bindgen::prelude::wasm_bindgen;

struct Settings {
    stubs: Option<Json>,
    outputs: Vec<String>,
    memory: bool,
    context: bool,
    snapshot: Option<Json>,
    values: usize,
}

impl Settings {
    fn read(text: &str) -> Self {
        let mut settings = json::parse(text);
        let flag = |key: &str| settings.get(key).and_then(Json::as_bool).unwrap_or(false);
        let (memory, context) = (flag("memory"), flag("context"));
        let values =
            settings.get("values").and_then(Json::as_u64).and_then(|count| usize::try_from(count).ok());
        Self {
            stubs: settings.get("stubs").filter(|stubs| !stubs.is_null()).cloned(),
            outputs: json::texts_at(&settings, "outputs").unwrap_or_default(),
            memory,
            context,
            values: values.unwrap_or(0),
            snapshot: settings.get_mut("frozen").map(Json::take).filter(|snapshot| !snapshot.is_null()),
        }
    }
}

/// Creates the parts of a run, which [`reset_run`] fills, or returns `undefined` if the plan can't run.
#[wasm_bindgen]
pub fn create_run(bound: &BoundPlan, table: u32) -> Option<RawRun> {
    let Some(program) = bound.program() else {
        bound.reject_run("the plan can't run");
        return None;
    };
    Some(RawRun::new(program, &Table::new(table)))
}

/// Makes a new run of the parts of another, which ended or did not start. If it can't run, returns false and
/// sets [`BoundPlan::problem`]. Its value table has the input in slot 0, then memory and context if `settings`
/// declares them, then the outputs named there, then a snapshot's values.
///
/// `settings` is JSON or empty. `observe` emits the trace events, `keep` stores them. Limits replace the
/// plan's, unless negative. `epoch_ms` is the time at `at_ms` 0, or NaN.
#[wasm_bindgen]
#[expect(
    clippy::too_many_arguments,
    reason = "numbers cross for nothing; an object would have to be written and read"
)]
pub fn reset_run(
    raw: &mut RawRun,
    bound: &BoundPlan,
    settings: &str,
    observe: bool,
    keep: bool,
    visits: f64,
    steps: f64,
    calls: f64,
    timeout_ms: f64,
    tokens: f64,
    usd: f64,
    input_price: f64,
    output_price: f64,
    max_output: f64,
    output_bytes: f64,
    epoch_ms: f64,
) -> bool {
    let mut options = raw.clear(keep);
    options.observe = observe || keep;
    options.epoch_ms = epoch_ms.is_finite().then_some(epoch_ms);
    let own = raw.run_and_writer().0.program().limits;
    let given = |amount: f64| (amount >= 0.0).then_some(amount);
    options.limits = Some(Limits {
        visits: json::to_count(visits).unwrap_or(own.visits),
        steps: json::to_count(steps).or(own.steps),
        calls: json::to_count(calls).or(own.calls),
        timeout_ms: given(timeout_ms).or(own.timeout_ms),
        tokens: given(tokens).or(own.tokens),
        usd: given(usd).or(own.usd),
        input_price: given(input_price),
        output_price: given(output_price),
        max_output: given(max_output),
        output_bytes: given(output_bytes).or(own.output_bytes),
    });
    if settings.is_empty() {
        raw.restart(options);
        return true;
    }
    match apply_settings(raw, options, settings) {
        Ok(()) => true,
        Err(problem) => {
            bound.reject_run(problem);
            false
        }
    }
}

fn apply_settings(raw: &mut RawRun, mut options: Options<Handle>, settings: &str) -> Result<(), String> {
    let settings = Settings::read(settings);
    let table = raw.table();
    options.memory = settings.memory.then(|| table.allocate());
    options.context = settings.context.then(|| table.allocate());
    options.outputs = settings.outputs.into_iter().map(|name| (name, table.allocate())).collect_vec();
    let stubs = settings
        .stubs
        .map(|stubs| Stubs::from_json(&stubs))
        .transpose()
        .map_err(|error| error.to_string())?;
    raw.set_stubs(stubs);
    match settings.snapshot {
        None => raw.restart(options),
        Some(state) => {
            let values = (0..settings.values).map(|_| table.allocate()).collect_vec();
            raw.restore(options, &state, values)?;
        }
    }
    Ok(())
}

/// Returns the milliseconds before a stub's answer, which [`RawRun::stub_done`] delivers, or -1 without a
/// stub.
#[wasm_bindgen]
pub fn stub_delay(run: &mut RawRun, scope: u32, serial: u32) -> f64 {
    let (Some(stubs), run, output) = run.stubs_and_run() else { return -1.0 };
    let table = Rc::clone(&output.table);
    let open_call = output.open_call_mut(CallId { scope, serial });
    let Some(detail) = open_call.and_then(|open_call| open_call.detail.as_mut()) else { return -1.0 };
    let Some(call) = &detail.call else { return -1.0 };
    let stub_answer = stub::stub_answer(stubs, run.program(), &table, run.last_of(call.id), call);
    let Some(StubAnswer { result, delay_ms }) = stub_answer else { return -1.0 };
    detail.stub_answer = Some(result);
    delay_ms
}

/// Returns a stub's answer as JSON: `{output, writes}`, `{code, message}` or `null`.
#[wasm_bindgen]
pub fn stub_answer(run: &mut RawRun, scope: u32, serial: u32) -> String {
    let (_, _, output) = run.stubs_and_run();
    let json = |value: &Handle| value.json(&Path::default());
    let open_call = output.open_call(CallId { scope, serial });
    let answer = match open_call.and_then(|open_call| open_call.detail.as_ref()?.stub_answer.as_ref()) {
        Some(Ok(Answer::Value(value, writes))) => {
            let mut written = Map::new();
            for (name, value) in writes {
                if let Some(value) = json(value) {
                    written.insert(name.clone(), value);
                }
            }
            json!({"output": json(value), "writes": written})
        }
        Some(Err(failure)) => json!({"code": failure.code, "message": failure.message}),
        _ => Json::Null,
    };
    answer.to_string()
}

/// Returns an open call's JSON `[suffix, tool]`, or an empty text. The suffix tells apart the calls of one
/// attempt. `tool` may be `null`.
#[wasm_bindgen]
pub fn sub_call(run: &mut RawRun, scope: u32, serial: u32) -> String {
    let (_, run, output) = run.stubs_and_run();
    let open_call = output.open_call(CallId { scope, serial });
    let Some(call) = open_call.and_then(|open_call| open_call.detail.as_ref()?.call.as_ref()) else {
        return String::new();
    };
    let action = run.program().nodes.get(call.node as usize).map(|code| &code.action);
    json!([call.suffix(), action.and_then(|action| call.tool(action))]).to_string()
}

/// Returns an open call's model request as JSON, or an empty text.
#[wasm_bindgen]
pub fn model_request(run: &mut RawRun, scope: u32, serial: u32) -> String {
    let (_, _, output) = run.stubs_and_run();
    let open_call = output.open_call(CallId { scope, serial });
    match open_call.and_then(|open_call| Some(&open_call.detail.as_ref()?.call.as_ref()?.request)) {
        Some(Request::Model(request)) => request.to_json().to_string(),
        _ => String::new(),
    }
}

/// Returns a snapshot as JSON, and packs its values at [`RawRun::report_words`]. Empty unless the run is
/// going.
#[wasm_bindgen]
pub fn snapshot_run(run: &mut RawRun, at_ms: f64) -> String {
    let (run, writer) = run.run_and_writer();
    let Some(Snapshot { state, values }) = run.snapshot(at_ms) else { return String::new() };
    writer.clear();
    for value in &values {
        writer.write_value(Some(value));
    }
    state.to_string()
}

/// Packs outcome, counts, last value, outputs, path and unfinished scopes.
#[wasm_bindgen]
pub fn report_run(raw: &mut RawRun) {
    let (run, writer) = raw.run_and_writer();
    writer.clear();
    match run.outcome() {
        Some(outcome) => writer.write_outcome(outcome),
        None => writer.write_count(3),
    }
    let counts = run.counts();
    writer.write_count(counts.steps);
    writer.write_count(counts.calls);
    writer.write_count(counts.retries);
    writer.write_number(counts.tokens);
    writer.write_number(counts.usd().unwrap_or(0.0));
    writer.write_count(counts.unreported);
    writer.write_number(counts.unreported_tokens);
    writer.write_number(counts.unreported_micro_usd);
    writer.write_value(Some(run.last()));
    pack_outputs(run, writer);
    writer.write_count(u32::try_from(run.path().len()).unwrap_or(0));
    for node in run.path() {
        writer.write_count(*node);
    }
    pack_partial(run, writer);
    raw.show_report();
}

/// A name is its number in the program, -2 for `input`, -3 for `memory`, or -1 and its text.
fn pack_outputs(run: &Run<Handle>, writer: &mut WordWriter) {
    let at = writer.words.len();
    writer.write_count(0);
    let mut count = 0;
    let ((input, memory), (known, others)) = (run.initial_values(), run.outputs_by_number());
    for (name, value) in [(-2, Some(input)), (-3, memory)] {
        let Some(value) = value else { continue };
        count += 1;
        writer.words.push(name);
        writer.write_value(Some(value));
    }
    for (name, value) in others {
        count += 1;
        writer.words.push(-1);
        writer.write_text(name);
        writer.write_value(Some(value));
    }
    for (number, value) in known.iter().enumerate() {
        let Some(value) = value else { continue };
        count += 1;
        writer.write_count(u32::try_from(number).unwrap_or(u32::MAX));
        writer.write_value(Some(value));
    }
    if let Some(word) = writer.words.get_mut(at) {
        *word = count;
    }
}

/// A scope has a name, a completion flag, its last value and its named outputs.
fn pack_partial(run: &Run<Handle>, writer: &mut WordWriter) {
    let partial = run.partial();
    writer.write_count(u32::try_from(partial.len()).unwrap_or(0));
    for scope in partial {
        writer.write_text(&scope.scope);
        writer.write_count(u32::from(scope.completed));
        writer.write_value(Some(scope.last));
        writer.write_count(u32::try_from(scope.outputs.len()).unwrap_or(0));
        for (name, value) in scope.outputs {
            writer.write_text(name);
            writer.write_value(Some(value));
        }
    }
}
