//! Measures native runs for `tests/bench`, which starts one process for each workload: `growth linear-100000`.
//!
//! Prints microseconds per call of the first and the best run, bind time, and (on Linux) growth of peak memory.

use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::{Limits, PlanGraph};
use stepgraph_core::machine::{self, Answer, CallId, Command, Event, Options, Program, Run};
use stepgraph_core::source::Format;

type Shared = Arc<Json>;

/// There are at least three runs, even beyond this time.
const MIN_DURATION: Duration = Duration::from_secs(2);

struct Task {
    plan: Json,
    input: Json,
    calls: usize,
}

fn task(name: &str) -> Result<Task, Box<dyn Error>> {
    let mut parts = name.split('-');
    let shape = parts.next().unwrap_or_default();
    let size: usize = parts.next().unwrap_or_default().parse()?;
    let work = || json!({"type": "work"});
    Ok(match shape {
        "linear" => {
            let nodes: serde_json::Map<String, Json> =
                (0..size).map(|at| (format!("n{at}"), work())).collect();
            let edge = |at: usize| json!({"from": format!("n{}", at - 1), "to": format!("n{at}")});
            let edges: Vec<Json> = (1..size).map(edge).collect();
            Task {
                plan: json!({"start": "n0", "nodes": nodes, "edges": edges}),
                input: json!("go"),
                calls: size,
            }
        }
        "loop" => {
            let back = json!({"from": "b", "to": "a", "condition": "output.b.status==ok"});
            let plan = json!({"start": "a", "nodes": {"a": work(), "b": work()}, "edges": [{"from": "a", "to": "b"}, back]});
            Task { plan, input: json!("go"), calls: size * 2 }
        }
        "map" => {
            let width: usize = parts.next().unwrap_or_default().parse()?;
            let each =
                json!({"type": "map", "with": {"concurrency": width}, "do": {"nodes": {"one": work()}}});
            Task {
                plan: json!({"nodes": {"each": each}}),
                input: json!((0..size).collect::<Vec<_>>()),
                calls: size,
            }
        }
        _ => return Err(format!("there is no workload `{name}`").into()),
    })
}

fn bind(task: &Task) -> Result<Arc<Program<Shared>>, Box<dyn Error>> {
    let graph =
        PlanGraph::parse(&task.plan.to_string(), Format::Json).into_sound().ok_or("the plan has errors")?;
    let types = Some(["work".to_owned()].into_iter().collect());
    let capabilities = Capabilities { types, ..Capabilities::default() };
    let (program, _) = machine::bind(&graph, &capabilities, &()).map_err(|_| "the plan can't be bound")?;
    Ok(Arc::new(program))
}

#[expect(clippy::disallowed_methods, reason = "how long it takes is what is measured")]
fn now() -> Instant {
    Instant::now()
}

fn run_once(task: &Task, program: &Arc<Program<Shared>>) -> Result<Duration, Box<dyn Error>> {
    let mut options = Options::new(Arc::new(task.input.clone()));
    options.observe = false;
    options.limits = Some(Limits { visits: u32::MAX, ..program.limits });
    let start = now();
    let mut run = Run::new(Arc::clone(program), (), options);
    let mut open: VecDeque<CallId> = VecDeque::new();
    let mut event = Event::Start { at_ms: 0.0 };
    for answered in 1.. {
        for command in run.step(event)?.commands {
            match command {
                Command::Call(call) => open.push_back(call.id),
                Command::Finish(_) => {
                    let right = answered == task.calls + 1;
                    return if right {
                        Ok(start.elapsed())
                    } else {
                        Err(format!("made {} calls", answered - 1).into())
                    };
                }
                _ => {}
            }
        }
        let call = open.pop_front().ok_or("nothing is asked, and the run is not over")?;
        let status = if answered == task.calls { "done" } else { "ok" };
        let items = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let value = Arc::new(json!({"status": status, "score": answered, "items": items}));
        event = Event::CallDone { call, result: Ok(Answer::Value(value, Vec::new())), at_ms: 0.0 };
    }
    Err("never ended".into())
}

fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let task = task(&std::env::args().nth(1).ok_or("which workload?")?)?;
    let before = peak_mb();
    let start = now();
    let program = bind(&task)?;
    let bound = start.elapsed();
    let begun = now();
    let mut took = Vec::new();
    while took.len() < 3 || begun.elapsed() < MIN_DURATION {
        took.push(run_once(&task, &program)?);
    }
    let calls = u32::try_from(task.calls)?;
    let us = |time: Option<&Duration>| time.map(|time| time.as_secs_f64() * 1e6 / f64::from(calls));
    let result = json!({
        "prepareMs": bound.as_secs_f64() * 1e3,
        "firstUs": us(took.first()),
        "bestUs": us(took.iter().min()),
        "peakMb": peak_mb().zip(before).map(|(after, before)| after - before),
    });
    writeln!(std::io::stdout(), "{result}")?;
    Ok(())
}
