//! A long step returns `Continue`, so that the host can act in between.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use serde_json::{Value as Json, json};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{
    self, Answer, Command, Event, Options, Outcome, Program, Run, StepError, TimerPurpose,
};
use stepgraph_core::source::Format;

type Shared = Arc<Json>;

fn program(plan: &Json) -> Arc<Program<Shared>> {
    let graph = PlanGraph::parse(&plan.to_string(), Format::Json).into_sound().unwrap();
    let capabilities =
        Capabilities { types: Some(["ask".to_owned()].into_iter().collect()), ..Capabilities::default() };
    Arc::new(machine::bind(&graph, &capabilities, &()).unwrap().0)
}

fn run(plan: &Json) -> Run<Shared> {
    Run::new(program(plan), (), Options::new(Arc::new(json!({}))))
}

/// Nodes need no answer. A limit ends the loop.
fn looping(steps: u32) -> Json {
    json!({
        "start": "a", "limits": {"steps": steps, "visits": 1_000_000, "timeout_ms": 500},
        "nodes": {"a": {"type": "noop"}, "b": {"type": "noop"}},
        "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a", "condition": "!last.stop.exists"}],
    })
}

fn goes_on(commands: &[Command<Shared>]) -> bool {
    commands.iter().filter(|command| matches!(command, Command::Continue)).count() == 1
}

fn code(run: &Run<Shared>) -> String {
    match run.outcome() {
        Some(Outcome::Failed { code, .. }) => code.clone(),
        other => format!("{other:?}"),
    }
}

#[test]
fn much_at_once_is_done_in_several_steps() {
    let mut run = run(&looping(35_000));
    let mut commands = run.step(Event::Start { at_ms: 0.0 }).unwrap().commands;
    let mut turns = 0;
    while goes_on(&commands) {
        turns += 1;
        commands = run.step(Event::Continue { at_ms: 1.0 }).unwrap().commands;
    }
    assert_eq!((turns, code(&run).as_str(), run.counts().steps), (3, "run/step-limit", 35_000));
}

#[test]
fn a_timer_and_a_person_who_cancels_come_between() {
    let mut timed = run(&looping(1_000_000));
    let commands = timed.step(Event::Start { at_ms: 0.0 }).unwrap().commands;
    let timer = commands.iter().find_map(|command| match command {
        Command::SetTimer { timer, purpose: TimerPurpose::Run, .. } => Some(*timer),
        _ => None,
    });
    timed.step(Event::TimerFired { timer: timer.unwrap(), at_ms: 500.0 }).unwrap();
    assert_eq!(code(&timed), "run/timeout");
    let mut cancelled = run(&looping(1_000_000));
    cancelled.step(Event::Start { at_ms: 0.0 }).unwrap();
    cancelled.step(Event::Cancel { at_ms: 3.0 }).unwrap();
    assert_eq!(cancelled.outcome(), Some(&Outcome::Cancelled));
}

#[test]
fn nobody_goes_on_who_was_not_asked_to() {
    let mut idle = run(&json!({"nodes": {"a": {"type": "ask"}}}));
    assert_eq!(idle.step(Event::Continue { at_ms: 0.0 }).unwrap_err(), StepError::NotStarted);
    idle.step(Event::Start { at_ms: 0.0 }).unwrap();
    assert_eq!(idle.step(Event::Continue { at_ms: 0.0 }).unwrap_err(), StepError::NothingToDo);
}

#[test]
fn a_run_is_saved_between_two_turns() {
    let plan = looping(35_000);
    let program = program(&plan);
    let options = || Options::new(Arc::new(json!({})));
    let mut run = Run::new(Arc::clone(&program), (), options());
    let mut commands = run.step(Event::Start { at_ms: 0.0 }).unwrap().commands;
    let mut turns = 0;
    while goes_on(&commands) {
        turns += 1;
        let frozen = run.snapshot(1.0).unwrap();
        run = Run::restore(&program, (), options(), &frozen.state, frozen.values).unwrap();
        let again = run.step(Event::Resume { at_ms: 1.0 }).unwrap().commands;
        assert!(goes_on(&again), "what was to go on goes on");
        commands = run.step(Event::Continue { at_ms: 1.0 }).unwrap().commands;
    }
    assert_eq!((turns, code(&run).as_str(), run.counts().steps), (3, "run/step-limit", 35_000));
}

/// One branch loops while the other gets its answer.
#[test]
fn answers_come_between() {
    let mut round = looping(0);
    round.as_object_mut().unwrap().remove("limits");
    for join in ["any", "all"] {
        let plan = json!({
            "limits": {"steps": 45_000, "visits": 1_000_000},
            "nodes": {"p": {"type": "parallel", "with": {"join": join}, "branches": {
                "round": round, "ask": {"nodes": {"q": {"type": "ask"}}},
            }}},
        });
        let mut run = run(&plan);
        let commands = run.step(Event::Start { at_ms: 0.0 }).unwrap().commands;
        assert!(goes_on(&commands));
        let commands = run.step(Event::Continue { at_ms: 1.0 }).unwrap().commands;
        assert!(goes_on(&commands), "no branch keeps the other from beginning");
        let call = commands.iter().find_map(|command| match command {
            Command::Call(call) => Some(call.id),
            _ => None,
        });
        let Some(call) = call else { panic!("the other branch is asked as well") };
        let answer = Answer::Value(Arc::new(json!("done")), Vec::new());
        let mut commands =
            run.step(Event::CallDone { call, result: Ok(answer), at_ms: 2.0 }).unwrap().commands;
        let mut turns = 0;
        while run.outcome().is_none() {
            turns += 1;
            assert!(turns < 10, "{join}: {commands:?}");
            commands = run.step(Event::Continue { at_ms: 3.0 }).unwrap().commands;
        }
        match join {
            "any" => assert_eq!((**run.last()).clone(), json!("done")),
            _ => assert_eq!(code(&run), "run/step-limit"),
        }
    }
}

fn chain(count: usize, input: &Json) -> Json {
    let nodes: serde_json::Map<String, Json> = (0..count)
        .map(|at| {
            (
                format!("n{at}"),
                json!({"type": "log", "input": if at == 0 { json!("abcdefgh") } else { input.clone() }}),
            )
        })
        .collect();
    let edges: Vec<Json> =
        (1..count).map(|at| json!({"from": format!("n{}", at - 1), "to": format!("n{at}")})).collect();
    json!({"start": "n0", "nodes": nodes, "edges": edges})
}

#[test]
fn templates_make_so_much_and_no_more() {
    for (input, limits, expected) in [
        (json!("${last}${last}"), json!({}), "template/too-large"),
        (json!({"l": "${last}", "r": "${last}"}), json!({}), "template/too-large"),
        (json!(["${last}", "${last}"]), json!({}), "template/too-large"),
        (json!("${last}${last}"), json!({"output_bytes": 10_000}), "run/output-limit"),
        (json!("${last}"), json!({"output_bytes": 10_000}), "Some(Completed(Terminal))"),
    ] {
        let mut plan = chain(30, &input);
        plan["limits"] = limits;
        let mut run = run(&plan);
        let mut commands = run.step(Event::Start { at_ms: 0.0 }).unwrap().commands;
        while goes_on(&commands) {
            commands = run.step(Event::Continue { at_ms: 1.0 }).unwrap().commands;
        }
        assert_eq!(code(&run), expected, "{input}");
    }
}
