//! Steps the machine through any order of answers, and checks its invariants.
//!
//! A timer may fire at any time, as if delays were unknown. Results use the types of [`crate::scope_oracle`].

#![expect(clippy::panic, reason = "a walk that breaks an invariant is the failure of the test that walks")]

mod trace;

use crate::scope_oracle::{Composite, Graph, Limits, NodeBehaviour, Order, Reply, RunResult};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::Code;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{self, Answer, Event, Failure, Options, Program, Run};
use stepgraph_core::source::Format;
use stepgraph_core::trace_json;
use trace::TraceChecker;

type Shared = Arc<Json>;

/// A plan to run in any order.
#[derive(Debug)]
pub struct Interleaver {
    program: Arc<Program<Shared>>,
    replies: HashMap<u32, Vec<Reply>>,
    concurrency: HashMap<u32, usize>,
}

/// One run in one order.
#[derive(Debug)]
pub struct InterleavedRun {
    /// The result.
    pub ended: RunResult,
    /// Step at which each call was answered and each timer fired.
    pub order: Order,
    /// Number of outstanding answers at each choice.
    pub choices: Vec<usize>,
    /// Combinations reached: `call × answered`, `children × timed out`, and the ends of nodes and the run.
    pub coverage: BTreeSet<String>,
    /// Trace and commands, if `write_text` is set.
    pub text: String,
}

/// Extra actions during a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// Restores from a snapshot before every event.
    pub restore: bool,
    /// Sends invalid events around every event.
    pub send_invalid_events: bool,
    /// Writes trace and commands.
    pub write_text: bool,
    /// Cancels at this event, from 1.
    pub cancel_at: Option<usize>,
}

impl Interleaver {
    /// Prepares a plan. `None` if the engine rejects an endless loop, an unknown path, or a `map` over no list.
    ///
    /// # Panics
    /// If the engine rejects the plan for another reason.
    pub fn new(graph: &Graph, limits: Limits) -> Option<Self> {
        let mut plan = graph.write();
        plan["limits"] = limits.write();
        let text = plan.to_string();
        let parsed = PlanGraph::parse(&text, Format::Json);
        let Some(read) = parsed.graph.filter(PlanGraph::is_sound) else {
            let mut errors = parsed.diagnostics.iter().filter(|problem| problem.is_error());
            assert!(errors.all(|error| error.code == Code::EndlessLoop), "{text}: {:?}", parsed.diagnostics);
            return None;
        };
        let capabilities =
            Capabilities { types: Some(["ask".to_owned()].into_iter().collect()), ..Capabilities::default() };
        let program = match machine::bind::<Shared>(&read, &capabilities, &()) {
            Ok((program, _)) => program,
            Err(problems) => {
                let known = [Code::UnknownPath, Code::NotAList];
                let mut errors = problems.iter().filter(|problem| problem.is_error());
                assert!(errors.all(|error| known.contains(&error.code)), "{text}: {problems:?}");
                return None;
            }
        };
        let mut walker =
            Self { program: Arc::new(program), replies: HashMap::new(), concurrency: HashMap::new() };
        walker.collect_replies(graph, "");
        Some(walker)
    }

    fn collect_replies(&mut self, graph: &Graph, place: &str) {
        let code = self.program.graphs.iter().find(|code| code.scope == place);
        let Some(first) = code.map(|code| code.first) else { panic!("there is no graph at `{place}`") };
        for (number, node) in (first..).zip(&graph.nodes) {
            match &node.act {
                NodeBehaviour::Ask(replies) => {
                    self.replies.insert(number, replies.clone());
                }
                NodeBehaviour::Run(Composite { shape, concurrency, graphs, .. }) => {
                    let usual =
                        if *shape == crate::scope_oracle::CompositeKind::Map { 8 } else { usize::MAX };
                    self.concurrency.insert(number, concurrency.unwrap_or(usual));
                    for (name, inner) in graphs {
                        let names = [place, &node.id, name];
                        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
                        self.collect_replies(inner, &names.join("/"));
                    }
                }
                NodeBehaviour::Pass | NodeBehaviour::Log => {}
            }
        }
    }

    /// Runs the plan. `choose` gets the number and names of outstanding answers, and returns the next one's index.
    ///
    /// # Panics
    /// If an invariant is violated.
    pub fn run(
        &self,
        input: &Json,
        manner: RunOptions,
        choose: &mut dyn FnMut(usize, &[&str]) -> usize,
    ) -> InterleavedRun {
        let options = || Options::new(Arc::new(input.clone()));
        let mut run = Run::new(Arc::clone(&self.program), (), options());
        let mut told = TraceChecker::new(self);
        told.write = manner.write_text;
        let mut walk = InterleavedRun {
            ended: empty_result(),
            order: Order::new(),
            choices: Vec::new(),
            coverage: BTreeSet::new(),
            text: String::new(),
        };
        let mut step = 0;
        let mut event = Event::Start { at_ms: 0.0 };
        let mut answered = None;
        loop {
            let state_before = manner.send_invalid_events.then(|| trace_json::state_json(&run).to_string());
            if manner.send_invalid_events {
                told.send_invalid_events(&mut run, step);
                assert_eq!(
                    state_before,
                    Some(trace_json::state_json(&run).to_string()),
                    "a refused event changes nothing"
                );
            }
            if let Err(error) = run.step_into(event, &mut told) {
                panic!("event {step} was refused: {error}");
            }
            step += 1;
            told.closed.extend(answered.take());
            if told.finished {
                break;
            }
            if manner.restore {
                run = self.restored(&run, options(), &mut told, step);
            }
            assert!(!told.open.is_empty(), "the run waits for nothing: {:?}", told.log);
            if manner.cancel_at == Some(step) {
                told.record_all("cancelled");
                event = Event::Cancel { at_ms: float(step) };
                continue;
            }
            let names: Vec<&str> = told.open.iter().map(|open| open.name.as_str()).collect();
            let chosen = choose(names.len(), &names);
            walk.choices.push(names.len());
            let open = told.open.remove(chosen);
            told.record_answer(&open);
            walk.order.insert(open.name, step);
            answered = Some(open.id);
            event = match open.reply {
                Some(reply) => {
                    let failed = |code: &str| Failure::new(code, "no");
                    let value = reply.map(|value| Answer::Value(Arc::new(value), Vec::new()));
                    Event::CallDone { call: open.id, result: value.map_err(failed), at_ms: float(step) }
                }
                None => Event::TimerFired { timer: open.id, at_ms: float(step) },
            };
        }
        if manner.send_invalid_events {
            told.send_invalid_events(&mut run, step);
        }
        told.check_end();
        walk.ended = told.finish(&run);
        let outcome = walk.ended.outcome.split(" at ").next().unwrap_or_default();
        told.coverage.insert(format!("run × {outcome}"));
        walk.coverage = std::mem::take(&mut told.coverage);
        walk.text = std::mem::take(&mut told.text);
        walk
    }

    fn restored(
        &self,
        run: &Run<Shared>,
        options: Options<Shared>,
        told: &mut TraceChecker<'_>,
        step: usize,
    ) -> Run<Shared> {
        let Some(frozen) = run.snapshot(float(step)) else { panic!("a run under way can be frozen") };
        let mut thawed = match Run::restore(&self.program, (), options, &frozen.state, frozen.values) {
            Ok(thawed) => thawed,
            Err(error) => panic!("{error}: {}", frozen.state),
        };
        told.resume(&mut thawed, step);
        thawed
    }
}

fn empty_result() -> RunResult {
    RunResult {
        outcome: String::new(),
        last: Json::Null,
        outputs: BTreeMap::new(),
        path: Vec::new(),
        counts: (0, 0, 0),
        log: Vec::new(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "no test takes that many steps")]
fn float(step: usize) -> f64 {
    step as f64
}

/// Runs every order of answers, up to a limit, and counts them.
pub fn run_all_orders(
    walker: &Interleaver,
    input: &Json,
    most: usize,
    check: &mut dyn FnMut(&InterleavedRun),
) -> usize {
    let mut chosen: Vec<usize> = Vec::new();
    let mut count = 0;
    loop {
        let mut at = 0;
        let walk = walker.run(input, RunOptions::default(), &mut |_, _| {
            let choice = chosen.get(at).copied().unwrap_or(0);
            at += 1;
            choice
        });
        count += 1;
        check(&walk);
        chosen.resize(walk.choices.len(), 0);
        // Change the last choice that has an alternative left.
        loop {
            let Some(last) = chosen.pop() else { return count };
            if last + 1 < walk.choices[chosen.len()] {
                chosen.push(last + 1);
                break;
            }
        }
        if count >= most {
            return count;
        }
    }
}
