//! `wait` nodes in the machine: timers, pauses, cancellations, and clocks without a date.

#![expect(clippy::unwrap_used, reason = "a helper of tests stops the test when it is surprised")]

use serde_json::{Value as Json, json};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{
    self, CallId, Command, Event, Options, Outcome, Program, Run, Snapshot, Step, TimerPurpose,
};
use stepgraph_core::source::Format;

type Shared = Arc<Json>;

/// 2026-12-01T08:00:00Z
const DATE_MS: f64 = 1_796_112_000_000.0;

fn program(plan: &Json) -> Arc<Program<Shared>> {
    let graph = PlanGraph::parse(&plan.to_string(), Format::Json).into_sound().unwrap();
    Arc::new(machine::bind(&graph, &Capabilities::default(), &()).unwrap().0)
}

fn options(epoch_ms: Option<f64>) -> Options<Shared> {
    Options { epoch_ms, ..Options::new(Arc::new(json!("hi"))) }
}

fn timers(step: &Step<Shared>) -> Vec<(CallId, TimerPurpose, f64)> {
    let set = step.commands.iter().filter_map(|command| match command {
        Command::SetTimer { timer, after_ms, purpose } => Some((*timer, *purpose, *after_ms)),
        _ => None,
    });
    set.collect()
}

fn delays(step: &Step<Shared>) -> Vec<f64> {
    timers(step).into_iter().map(|(_, _, after_ms)| after_ms).collect()
}

fn start(plan: &Json, epoch_ms: Option<f64>, at_ms: f64) -> (Run<Shared>, Step<Shared>) {
    let mut run = Run::new(program(plan), (), options(epoch_ms));
    let step = run.step(Event::Start { at_ms }).unwrap();
    (run, step)
}

fn resumed(
    plan: &Json,
    snapshot: Snapshot<Shared>,
    epoch_ms: Option<f64>,
    at_ms: f64,
) -> (Run<Shared>, Step<Shared>) {
    let Snapshot { state, values } = snapshot;
    let mut run = Run::restore(&program(plan), (), options(epoch_ms), &state, values).unwrap();
    let step = run.step(Event::Resume { at_ms }).unwrap();
    (run, step)
}

fn code(run: &Run<Shared>) -> String {
    match run.outcome() {
        Some(Outcome::Failed { code, .. }) => code.clone(),
        Some(outcome) => outcome.as_str().to_owned(),
        None => "none".to_owned(),
    }
}

#[test]
fn a_wait_is_a_timer_that_passes_last_on() {
    let plan = json!({"nodes": {"a": {"type": "wait", "with": {"ms": 5000}}}});
    let (mut run, step) = start(&plan, None, 7.0);
    let [(timer, purpose, after_ms)] = timers(&step)[..] else { panic!("{step:?}") };
    assert_eq!((purpose, after_ms), (TimerPurpose::Wait(0, 1, 1), 5000.0));
    run.step(Event::TimerFired { timer, at_ms: 5007.0 }).unwrap();
    assert_eq!((code(&run).as_str(), run.last().as_str()), ("completed", Some("hi")));
    assert_eq!(json!(run.duration_ms()), json!(5000.0));
    assert_eq!(run.counts().calls, 0);
}

#[test]
fn a_date_counts_by_the_clock_of_the_host() {
    let plan = json!({"nodes": {"a": {"type": "wait", "with": {"until": "2026-12-01T09:00:00+01:00"}}}});
    // The events' clock starts a minute before the date.
    let epoch_ms = DATE_MS - 60_000.0;
    assert_eq!(delays(&start(&plan, Some(epoch_ms), 0.0).1), [60_000.0]);
    assert_eq!(delays(&start(&plan, Some(epoch_ms), 59_000.0).1), [1_000.0]);
    for late in [60_000.0, 90_000.0] {
        let (run, step) = start(&plan, Some(epoch_ms), late);
        assert_eq!((delays(&step), code(&run).as_str()), (Vec::new(), "completed"));
    }
    assert_eq!(code(&start(&plan, None, 0.0).0), "wait/no-clock");
}

#[test]
fn a_cancelled_run_clears_its_wait() {
    let plan = json!({"nodes": {"a": {"type": "wait", "with": {"ms": 5000}}}});
    let (mut run, step) = start(&plan, None, 0.0);
    let [(timer, ..)] = timers(&step)[..] else { panic!("{step:?}") };
    let step = run.step(Event::Cancel { at_ms: 1.0 }).unwrap();
    assert!(
        matches!(step.commands[..], [Command::ClearTimer(id), Command::Finish(Outcome::Cancelled)] if id == timer)
    );
}

/// If the wait has a date, the pause counts as waiting. Otherwise the rest of the wait remains.
#[test]
fn a_resumed_run_does_not_wait_again() {
    let plan = json!({
        "limits": {"timeout_ms": 60_000},
        "nodes": {"a": {"type": "wait", "with": {"ms": 5000}, "timeout_ms": 8000}},
    });
    let frozen = || start(&plan, Some(DATE_MS), 0.0).0.snapshot(1000.0).unwrap();
    for (epoch_ms, at_ms, expected) in [
        // The next process's clock starts two seconds after the snapshot and an hour after it.
        (Some(DATE_MS + 3000.0), 0.0, 2000.0),
        (Some(DATE_MS + 3_600_000.0), 5.0, 0.0),
        (Some(DATE_MS), 3000.0, 2000.0),
        (None, 0.0, 4000.0),
    ] {
        let (mut run, step) = resumed(&plan, frozen(), epoch_ms, at_ms);
        // The limits of run and node do not count the pause.
        assert_eq!(delays(&step), [59_000.0, expected, 7000.0], "{epoch_ms:?} {at_ms}");
        let timer = timers(&step)[1].0;
        run.step(Event::TimerFired { timer, at_ms: at_ms + expected }).unwrap();
        assert_eq!((code(&run).as_str(), run.last().as_str()), ("completed", Some("hi")));
    }
    let (_, step) =
        resumed(&plan, start(&plan, None, 0.0).0.snapshot(1000.0).unwrap(), Some(DATE_MS), 9000.0);
    assert_eq!(delays(&step), [59_000.0, 4000.0, 7000.0]);
}

#[test]
fn a_snapshot_of_a_wait_fits_wait_nodes_only() {
    let plan = |kind: &str| json!({"nodes": {"a": {"type": kind, "with": {"ms": 5000}}}});
    let Snapshot { mut state, values } = start(&plan("wait"), None, 0.0).0.snapshot(0.0).unwrap();
    let restored = |plan: &Json, state: &Json| {
        Run::restore(&program(plan), (), options(None), state, values.clone())
            .map(|_| ())
            .map_err(|error| error.code())
    };
    assert_eq!(restored(&plan("wait"), &state), Ok(()));
    assert_eq!(restored(&plan("noop"), &state), Err("snapshot/unusable"));
    state["scope_states"][0]["wait"] = json!({"call": 1});
    assert_eq!(restored(&plan("wait"), &state), Err("snapshot/unusable"));
    state["scope_states"][0]["wait"] = json!({"delay": {"timer": [1]}});
    assert_eq!(restored(&plan("wait"), &state), Err("snapshot/unusable"));
}

/// All wait at once, and end in the order of their times.
#[test]
fn elements_wait_at_once() {
    let wait = json!({"nodes": {"w": {"type": "wait", "with": {"ms": "${item}"}}}});
    let plan = json!({"nodes": {"each": {"type": "map", "input": [30, 10, 20], "do": wait}}});
    let (mut run, step) = start(&plan, None, 0.0);
    let mut set = timers(&step);
    assert_eq!(delays(&step), [30.0, 10.0, 20.0]);
    set.sort_by(|a, b| a.2.total_cmp(&b.2));
    for (timer, _, at_ms) in set {
        assert_eq!(code(&run), "none");
        run.step(Event::TimerFired { timer, at_ms }).unwrap();
    }
    assert_eq!((code(&run).as_str(), &**run.last()), ("completed", &json!([30, 10, 20])));
}
