//! Executes the table in `docs/concurrency.md`: the machine must give each row's documented result.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{
    self, Answer, CallId, Command, Event, Failure, Options, Outcome, Run, Step, TraceEvent,
};
use stepgraph_core::source::Format;
use stepgraph_core::trace_json;

const PAGE: &str = include_str!("../../docs/concurrency.md");
const CHILDREN: [&str; 3] = ["a", "b", "c"];

#[derive(Debug)]
struct Row {
    join: String,
    before: Vec<String>,
    event: String,
    after: Vec<String>,
    node: String,
}

fn rows() -> Vec<Row> {
    let table = PAGE.split("<!-- join table").nth(1).unwrap();
    let lines =
        table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let row = |line| {
        let cells: Vec<String> = cells(line);
        assert_eq!(cells.len(), 9, "{line}");
        let states =
            |from: usize| cells[from..from + 3].iter().filter(|cell| !cell.is_empty()).cloned().collect();
        Row {
            join: cells[0].clone(),
            before: states(1),
            event: cells[4].clone(),
            after: states(5),
            node: cells[8].clone(),
        }
    };
    lines.skip(2).map(row).collect()
}

struct Scene {
    run: Run<Arc<Json>>,
    /// Calls of children, answered or not.
    calls: BTreeMap<String, CallId>,
    states: BTreeMap<String, String>,
    timer: Option<CallId>,
    node: Option<String>,
    outcome: Option<Outcome>,
}

impl Scene {
    /// `room` children run at once.
    fn new(join: &str, count: usize, room: usize) -> Self {
        let child = |id: &str| {
            json!({"nodes": {id: {"type": "ask", "visits": 1}}, "start": id, "edges": [
                {"from": id, "to": id, "condition": "last==again"},
            ]})
        };
        let fan = if join == "graph" {
            json!({"type": "graph", "graph": child("a"), "timeout_ms": 50})
        } else {
            let branches: serde_json::Map<String, Json> =
                CHILDREN[..count].iter().map(|id| ((*id).to_owned(), child(id))).collect();
            json!({"type": "parallel", "branches": branches, "with": {"join": join, "concurrency": room}, "timeout_ms": 50})
        };
        // Later nodes let a late answer meet a running run.
        let plan = json!({
            "start": "fan", "limits": {"output_bytes": 100},
            "nodes": {"fan": fan, "after": {"type": "ask"}, "rescue": {"type": "ask"}},
            "edges": [{"from": "fan", "to": "after"}, {"from": "fan", "to": "rescue", "condition": "error.exists"}],
        });
        let graph = PlanGraph::parse(&plan.to_string(), Format::Json).into_sound().unwrap();
        let types = Some(["ask".to_owned()].into_iter().collect());
        let capabilities = Capabilities { types, ..Capabilities::default() };
        let (program, _) = machine::bind(&graph, &capabilities, &()).unwrap();
        let run = Run::new(Arc::new(program), (), Options::new(Arc::new(Json::Null)));
        let states = CHILDREN[..count].iter().map(|id| ((*id).to_owned(), "waiting".to_owned())).collect();
        let mut scene = Self { run, calls: BTreeMap::new(), states, timer: None, node: None, outcome: None };
        let step = scene.run.step(Event::Start { at_ms: 0.0 }).unwrap();
        scene.note(step);
        scene
    }

    fn note(&mut self, step: Step<Arc<Json>>) {
        let program = Arc::clone(self.run.program());
        let id = |node: u32| program.nodes[node as usize].id.clone();
        // `fan:1/a` is the scope of `a`. A graph has only one child, `a`.
        let child = |scope: &dyn ToString| {
            let scope = scope.to_string();
            scope.rsplit_once('/').map_or("a".to_owned(), |(_, name)| name.to_owned())
        };
        for event in &step.trace {
            match event {
                TraceEvent::ScopeStarted { scope, .. } => {
                    let before = self.states.insert(child(scope), "running".to_owned());
                    assert_eq!(before.as_deref(), Some("waiting"));
                }
                TraceEvent::ScopeEnded { scope, end, .. } => {
                    let before = self.states.insert(child(scope), end.as_str().to_owned());
                    assert_eq!(before.as_deref(), Some("running"));
                }
                TraceEvent::NodeCompleted { node, output, .. } if id(*node) == "fan" => {
                    self.node = Some(format!("completes with `{output}`"));
                }
                TraceEvent::NodeFailed { node, failure, .. } if id(*node) == "fan" => {
                    self.node = Some(format!("fails with `{}`", failure.code));
                }
                _ => {}
            }
        }
        for command in step.commands {
            match command {
                Command::Call(call) => {
                    self.calls.insert(id(call.node), call.id);
                }
                Command::SetTimer { timer, .. } => self.timer = Some(timer),
                Command::ClearTimer(_) | Command::Abandon(_) | Command::Continue => {}
                Command::Finish(outcome) => self.outcome = Some(outcome),
            }
        }
    }

    fn event(&mut self, event: &str) -> bool {
        let at_ms = 1.0;
        let event = match event {
            "time is over" => Event::TimerFired { timer: self.timer.unwrap(), at_ms },
            "the run is cancelled" => Event::Cancel { at_ms },
            _ => {
                let (child, what) = event.split_once(' ').unwrap();
                let number = CHILDREN.iter().position(|id| *id == child).unwrap() + 1;
                let value = |value: Json| Ok(Answer::Value(Arc::new(value), Vec::new()));
                let result = match what {
                    "completes" => value(json!(number)),
                    "fails" => Err(Failure::new(format!("{child}/failed"), "no")),
                    "visits too often" => value(json!("again")),
                    "passes a bound" => value(json!("x".repeat(200))),
                    _ => panic!("`{event}` is no event"),
                };
                Event::CallDone { call: self.calls[child], result, at_ms }
            }
        };
        match self.run.step(event) {
            Ok(step) => {
                self.note(step);
                true
            }
            Err(_) => false,
        }
    }

    fn states(&self) -> Vec<String> {
        self.states.values().cloned().collect()
    }
}

fn scene(row: &Row) -> Scene {
    let count = |state: &str| row.before.iter().filter(|cell| *cell == state).count();
    let (running, waiting, abandoned) = (count("running"), count("waiting"), count("abandoned"));
    let room = if waiting > 0 { running + abandoned } else { row.before.len() };
    // If the node is done, one more child may have run before.
    let over = row.node.starts_with("is over");
    let mut rooms = if over { vec![room, room + 1] } else { vec![room] };
    rooms.retain(|room| *room > 0);
    for room in rooms {
        // The last end decides, so all orders are tried.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut scene = Scene::new(&row.join, row.before.len(), room);
            for place in order.into_iter().filter(|place| *place < row.before.len()) {
                let id = CHILDREN[place];
                if scene.states[id] == "running" && scene.node.is_none() {
                    match row.before[place].as_str() {
                        "completed" => assert!(scene.event(&format!("{id} completes"))),
                        "failed" => assert!(scene.event(&format!("{id} fails"))),
                        _ => {}
                    }
                }
            }
            if scene.states() != row.before
                && row.before.contains(&"abandoned".to_owned())
                && scene.node.is_none()
            {
                scene.event("time is over");
            }
            if scene.states() == row.before && scene.node.is_some() == over {
                return scene;
            }
        }
    }
    panic!("no way leads to {row:?}");
}

#[test]
fn every_row_comes_out_as_it_says() {
    for row in rows() {
        let mut scene = scene(&row);
        let told = trace_json::state_json(&scene.run);
        let (node, calls) = (scene.node.take(), scene.calls.len());
        let taken = scene.event(&row.event);
        assert_eq!(scene.states(), row.after, "{row:?}");
        if let Some(expected) = row.node.strip_suffix(", the answer refused") {
            assert!(!taken, "{row:?}");
            assert_eq!(if node.is_some() { "is over" } else { "waits" }, expected, "{row:?}");
            assert_eq!(trace_json::state_json(&scene.run), told, "{row:?}: a refused answer changes nothing");
            assert_eq!(scene.calls.len(), calls, "{row:?}: a refused answer asks nothing");
            continue;
        }
        assert!(taken, "{row:?}");
        let became = match (&scene.outcome, &scene.node) {
            (Some(Outcome::Cancelled), None) => "ends with the run: `cancelled`".to_owned(),
            (Some(Outcome::Failed { code, .. }), None) => format!("ends with the run: `{code}`"),
            (None, Some(node)) => node.clone(),
            (None, None) => "waits".to_owned(),
            (outcome, node) => panic!("{row:?}: {outcome:?} and {node:?}"),
        };
        assert_eq!(became, row.node, "{row:?}");
    }
}

/// Every join has every event of a running child, and every state an answer.
#[test]
fn the_table_is_whole() {
    let rows = rows();
    let mut met: BTreeSet<(String, String, String)> = BTreeSet::new();
    for row in &rows {
        let (state, event) = match row.event.split_once(' ') {
            Some((child, what)) if CHILDREN.contains(&child) => {
                let place = CHILDREN.iter().position(|id| *id == child).unwrap();
                (row.before[place].clone(), what.to_owned())
            }
            _ => ("running".to_owned(), row.event.clone()),
        };
        met.insert((row.join.clone(), state, event));
    }
    for join in ["graph", "all", "any", "settled"] {
        for event in [
            "completes",
            "fails",
            "visits too often",
            "passes a bound",
            "time is over",
            "the run is cancelled",
        ] {
            let key = (join.to_owned(), "running".to_owned(), event.to_owned());
            assert!(met.contains(&key), "no row of {key:?}");
        }
        for state in ["completed", "failed", "abandoned"] {
            let refused = |(other, before, _): &(String, String, String)| other == join && before == state;
            assert!(met.iter().any(refused), "no row of `{join}` with an answer to a child that is {state}");
        }
        let waiting = |row: &&Row| row.join == join && row.before.iter().any(|state| state == "waiting");
        assert!(
            join == "graph" || rows.iter().any(|row| waiting(&row)),
            "no row of `{join}` with one that waits"
        );
    }
}
