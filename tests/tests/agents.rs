//! Exhaustive tests of agents: every order of answers, restores and cancellations everywhere, and a plain sequential
//! loop to compare with.
//!
//! Each reply of a scenario depends only on the request.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::too_many_lines,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{
    self, Answer, Call, CallId, Command, Decision, Event, Failure, Options, Program, Request, Run, Step,
};
use stepgraph_core::model::{ChatReply, ChatRequest, Role};
use stepgraph_core::source::Format;
use stepgraph_core::tool::{Effect, ToolInfo, ToolRegistry};
use stepgraph_core::trace_json;

type Shared = Arc<Json>;

struct Scenario {
    name: &'static str,
    plan: Json,
    /// Replies of the model, by the number of earlier ones. The last repeats. `{fail: code}` fails the model's client.
    says: Vec<Json>,
    /// Whether all orders must give the same report.
    steady: bool,
}

/// `search` returns its arguments, `break` fails, and `destroy`, `keep` and `wipe` need approval.
fn tools() -> ToolRegistry {
    let tool = |name: &str, more: Json| {
        let mut json = json!({"name": name, "input_schema": {"type": "object"}});
        json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ToolInfo::from_json(&json).unwrap()
    };
    let destroys = json!({"annotations": {"destructiveHint": true}});
    ToolRegistry::new([
        tool("search", json!({"input_schema": {"type": "object", "properties": {"q": {"type": "integer"}}}})),
        tool("break", json!({})),
        tool("odd", json!({"output_schema": {"type": "object", "required": ["n"]}})),
        tool("destroy", destroys.clone()),
        tool("keep", destroys.clone()),
        tool("wipe", destroys),
    ])
}

fn calls(names: &[(&str, Json)]) -> Json {
    let call = |(name, arguments): &(&str, Json)| json!({"name": name, "arguments": arguments});
    json!({"text": "", "tool_calls": names.iter().map(call).collect::<Json>()})
}

/// Durations in results depend on the order of answers.
fn gathering() -> Vec<Scenario> {
    let call = |name: &str, parameters: Json| json!({"tool_name": name, "parameters": parameters});
    let planned = json!({"tool_calls": [call("search", json!({"q": 1})), call("break", json!({}))]});
    vec![
        Scenario {
            name: "calls of a tool plan, several at once",
            plan: json!({"nodes": {"g": {"type": "gather", "with": {"concurrency": 3, "templates": false}, "input": [
                call("search", json!({"q": 1})), call("destroy", json!({})), call("break", json!({})),
                call("odd", json!({"x": "${call[0]}"})), call("search", json!({"q": "${call[2]}"})), call("lost", json!({})),
            ]}}}),
            says: Vec::new(),
            steady: false,
        },
        Scenario {
            name: "planned at the second try, then gathered",
            plan: json!({
                "start": "p", "nodes": {"p": {"type": "plan", "input": "go"}, "g": {"type": "gather"}},
                "edges": [{"from": "p", "to": "g"}],
            }),
            says: vec![json!({"text": "no plan"}), json!({"text": planned.to_string()})],
            steady: false,
        },
    ]
}

/// Each visit is one turn, and another node makes its calls.
fn reasoning() -> Vec<Scenario> {
    let drawn = |with: Json| {
        json!({
            "start": "p",
            "nodes": {
                "p": {"type": "react", "input": "go", "with": with, "retry": {"attempts": 2, "backoff_ms": 0}},
                "execute_tools": {"type": "execute_tools", "input": "${output.tool_calls}", "with": {"concurrency": 3}},
                "web_research": {"type": "log", "input": "${output.plan}"},
                "finalize_answer": {"type": "log", "input": "${output.answer}"},
            },
            "edges": [
                {"from": "p", "to": "web_research", "condition": "last==web_research"},
                {"from": "p", "to": "execute_tools", "condition": "last==execute_tools"},
                {"from": "p", "to": "finalize_answer", "condition": "last==finalize_answer"},
                {"from": "execute_tools", "to": "p"},
            ],
        })
    };
    let search = |q: u32| ("search", json!({"q": q}));
    let submits = |query: Json| ("SubmitPlan", json!({"query": query, "rationale": "r"}));
    vec![
        Scenario {
            name: "reasoning, with mistakes of all kinds, up to a plan",
            plan: drawn(json!({})),
            says: vec![
                calls(&[
                    search(1),
                    ("lost", json!({})),
                    ("destroy", json!({})),
                    ("break", json!({})),
                    submits(json!(7)),
                ]),
                calls(&[("search", json!({"q": "x"})), ("search", json!("no map"))]),
                calls(&[("keep", json!({})), ("wipe", json!({})), ("odd", json!({})), search(2)]),
                calls(&[search(3), submits(json!([])), submits(json!(["a"])), submits(json!(["b"]))]),
            ],
            steady: false,
        },
        Scenario {
            name: "reasoning, up to an answer",
            plan: drawn(json!({"system": "s", "conversation": "c", "tools": ["search"]})),
            says: vec![calls(&[search(1)]), calls(&[search(2), search(1)]), json!({"text": "done"})],
            steady: false,
        },
        Scenario {
            name: "reasoning that repeats itself",
            plan: drawn(json!({})),
            says: vec![calls(&[search(1), search(2)])],
            steady: false,
        },
        Scenario {
            name: "reasoning whose model fails",
            plan: drawn(json!({})),
            says: vec![calls(&[search(1)]), json!({"fail": "model/overloaded"})],
            steady: false,
        },
    ]
}

fn worlds() -> Vec<Scenario> {
    conversations().into_iter().chain(gathering()).chain(reasoning()).collect()
}

fn conversations() -> Vec<Scenario> {
    let one = |with: Json| json!({"nodes": {"help": {"type": "agent", "input": "go", "with": with}}});
    let search = |q: u32| ("search", json!({"q": q}));
    vec![
        Scenario {
            name: "several at once, twice",
            plan: one(json!({})),
            says: vec![
                calls(&[search(1), search(2), search(3), search(4)]),
                calls(&[search(5), search(6), search(7)]),
                json!({"text": "done"}),
            ],
            steady: true,
        },
        Scenario {
            name: "mistakes of all kinds",
            plan: one(json!({"tools": ["search", "break", "odd"]})),
            says: vec![
                calls(&[
                    ("break", json!({})),
                    ("serch", json!({})),
                    ("search", json!({"q": "x"})),
                    ("search", json!("no map")),
                    ("odd", json!({})),
                    search(1),
                ]),
                json!({"text": "done"}),
            ],
            steady: true,
        },
        Scenario {
            name: "a person is asked",
            plan: one(json!({})),
            says: vec![
                calls(&[("destroy", json!({})), ("keep", json!({})), ("wipe", json!({})), search(1)]),
                json!({"text": "done"}),
            ],
            steady: true,
        },
        Scenario {
            name: "turns run out",
            plan: one(json!({"max_turns": 2})),
            says: vec![calls(&[search(1), search(2)])],
            steady: true,
        },
        Scenario {
            name: "a schema",
            plan: one(json!({"schema": {"type": "object", "required": ["n"]}})),
            says: vec![
                calls(&[search(1), search(2)]),
                json!({"text": "two"}),
                json!({"text": "{}"}),
                json!({"text": "{\"n\": 2}"}),
            ],
            steady: true,
        },
        Scenario {
            name: "one after the other, in one conversation",
            plan: json!({
                "start": "a",
                "nodes": {
                    "a": {"type": "agent", "input": "one", "with": {"system": "s", "conversation": "c"}},
                    "b": {"type": "llm", "input": "two", "with": {"conversation": "c"}},
                    "d": {"type": "agent", "input": "three", "with": {"conversation": "c", "tools": ["search"]}},
                },
                "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "d"}],
            }),
            says: vec![
                calls(&[search(1), search(2)]),
                json!({"text": "a"}),
                json!({"text": "b"}),
                calls(&[search(3)]),
                json!({"text": "d"}),
            ],
            steady: true,
        },
        Scenario {
            name: "two side by side",
            plan: json!({"nodes": {"fan": {"type": "parallel", "branches": {
                "x": {"nodes": {"a": {"type": "agent", "input": "x"}}},
                "y": {"nodes": {"b": {"type": "agent", "input": "y"}}},
            }}}}),
            says: vec![calls(&[search(1)]), json!({"text": "done"})],
            steady: true,
        },
        Scenario {
            name: "the first that answers",
            plan: json!({"nodes": {"fan": {"type": "parallel", "with": {"join": "any"}, "branches": {
                "x": {"nodes": {"a": {"type": "agent", "input": "x"}}},
                "y": {"nodes": {"b": {"type": "tool", "tool": "search", "input": {"q": 1}}}},
            }}}}),
            says: vec![calls(&[search(1), ("destroy", json!({}))]), json!({"text": "done"})],
            steady: false,
        },
        Scenario {
            name: "the model's client fails, and is tried again",
            plan: json!({"nodes": {"help": {"type": "agent", "input": "go", "retry": {"attempts": 2, "backoff_ms": 5}}}}),
            says: vec![calls(&[search(1)]), json!({"fail": "model/overloaded"})],
            steady: true,
        },
        Scenario {
            name: "it takes too long",
            plan: json!({"nodes": {"help": {"type": "agent", "input": "go", "timeout_ms": 50}}}),
            says: vec![calls(&[search(1), ("destroy", json!({}))]), json!({"text": "done"})],
            steady: false,
        },
        Scenario {
            name: "a bound in the middle",
            plan: json!({"limits": {"calls": 3}, "nodes": {"help": {"type": "agent", "input": "go"}}}),
            says: vec![calls(&[search(1), ("destroy", json!({})), search(2)]), json!({"text": "done"})],
            steady: false,
        },
        Scenario {
            name: "tool nodes that need leave",
            plan: json!({
                "start": "a",
                "nodes": {
                    "a": {"type": "tool", "tool": "destroy", "input": {"k": 1}},
                    "b": {"type": "tool", "tool": "wipe", "input": {"k": 2}},
                    "d": {"type": "tool", "tool": "keep", "input": {"k": 3}, "retry": {"attempts": 3, "backoff_ms": 0}},
                },
                "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "d"}],
            }),
            says: vec![],
            steady: true,
        },
    ]
}

impl Scenario {
    fn program(&self) -> Arc<Program<Shared>> {
        let parsed = PlanGraph::parse(&self.plan.to_string(), Format::Json);
        let graph = parsed.graph.unwrap_or_else(|| panic!("{}: {:?}", self.name, parsed.diagnostics));
        let capabilities = Capabilities {
            types: Some(Vec::new().into_iter().collect()),
            models: Some(["default".to_owned()].into_iter().collect()),
            tools: Some(tools()),
            ..Capabilities::default()
        };
        let bound = machine::bind(&graph, &capabilities, &());
        Arc::new(bound.unwrap_or_else(|problems| panic!("{}: {problems:?}", self.name)).0)
    }

    fn model(&self, request: &ChatRequest) -> Result<ChatReply, String> {
        let spoken = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let said = &self.says[spoken.min(self.says.len() - 1)];
        match said["fail"].as_str() {
            Some(code) => Err(code.to_owned()),
            None => Ok(ChatReply::from_json(said).unwrap()),
        }
    }
}

fn tool(name: &str, arguments: &Json) -> Result<Json, (&'static str, &'static str)> {
    match name {
        "break" => Err(("tool/failed", "it broke")),
        "odd" => Ok(json!("no map")),
        _ => Ok(json!({"of": name, "given": arguments})),
    }
}

fn person(name: &str) -> Decision<Shared> {
    match name {
        "keep" => Decision::Rejected,
        "wipe" => Decision::Edited(Arc::new(json!({"less": true}))),
        _ => Decision::Approved,
    }
}

enum Open {
    Call(Box<Call<Shared>>, String),
    Timer(CallId),
}

impl Open {
    fn id(&self) -> CallId {
        match self {
            Self::Call(call, _) => call.id,
            Self::Timer(id) => *id,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Timer(_) => "timer",
            Self::Call(call, _) => match &call.request {
                Request::Model(_) => "model",
                Request::Tool(_) => "tool",
                Request::Approval => "leave",
                Request::Handler => "handler",
            },
        }
    }

    /// Equal for equal requests of the same call.
    fn text(&self) -> String {
        match self {
            Self::Timer(id) => format!("timer {}", id.serial),
            Self::Call(call, name) => format!("{name} {:?} {:?}", call.request, call.sub_call),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct RunOptions {
    freeze: bool,
    cancel_at: Option<usize>,
}

struct PlayedRun {
    state: Json,
    asked: BTreeMap<String, String>,
    choices: Vec<usize>,
    met: BTreeSet<String>,
}

struct Player<'a> {
    world: &'a Scenario,
    program: Arc<Program<Shared>>,
    run: Run<Shared>,
    open: Vec<Open>,
    asked: BTreeMap<String, String>,
    met: BTreeSet<String>,
    now_ms: f64,
}

impl Player<'_> {
    fn step(&mut self, event: Event<Shared>) -> Vec<&'static str> {
        let Step { commands, .. } = self.run.step(event).unwrap();
        let mut given_up = Vec::new();
        for command in commands {
            match command {
                Command::Continue => panic!("no world is that long"),
                Command::Call(call) => {
                    let id = &self.program.nodes[call.node as usize].id;
                    let name = call.name(id);
                    let known = self.asked.insert(name.clone(), format!("{:?}", call.request));
                    assert!(known.is_none(), "{}: `{name}` is asked twice", self.world.name);
                    self.open.push(Open::Call(Box::new(call), name));
                }
                Command::SetTimer { timer, .. } => self.open.push(Open::Timer(timer)),
                Command::Abandon(id) | Command::ClearTimer(id) => {
                    let at = self.open.iter().position(|open| open.id() == id);
                    given_up.push(self.open.remove(at.unwrap()).kind());
                }
                Command::Finish(_) => {
                    assert!(self.open.is_empty(), "{}: nothing outlives the run", self.world.name);
                }
            }
        }
        // A restored run keeps serials but not the order of commands.
        self.open.sort_by_key(|open| open.id().serial);
        given_up
    }

    /// A restored run asks for an outstanding call's approval again.
    fn is_allowed_call_open(&self) -> bool {
        self.open.iter().any(
            |open| matches!(open, Open::Call(_, name) if self.asked.contains_key(&format!("{name}/approval"))),
        )
    }

    fn restore(&mut self) {
        let frozen = self.run.snapshot(self.now_ms).unwrap();
        let state: Json = serde_json::from_str(&frozen.state.to_string()).unwrap();
        let options = Options::new(Arc::new(Json::Null));
        self.run = Run::restore(&self.program, (), options, &state, frozen.values).unwrap();
        let before: BTreeSet<String> = self.open.iter().map(Open::text).collect();
        for open in self.open.drain(..) {
            self.met.insert(format!("{} × resumed", open.kind()));
            if let Open::Call(_, name) = open {
                self.asked.remove(&name);
            }
        }
        self.step(Event::Resume { at_ms: self.now_ms });
        let after: BTreeSet<String> = self.open.iter().map(Open::text).collect();
        assert_eq!(before, after, "{}: the same is asked again", self.world.name);
    }

    fn answer(&mut self, open: &Open) -> (Event<Shared>, String) {
        let at_ms = self.now_ms;
        let call = match open {
            Open::Timer(timer) => {
                return (Event::TimerFired { timer: *timer, at_ms }, "timer × fired".to_owned());
            }
            Open::Call(call, _) => call,
        };
        let node = &self.program.nodes[call.node as usize];
        let name = call.tool(&node.action).unwrap_or_default().to_owned();
        let (result, how) = match &call.request {
            Request::Model(request) => match self.world.model(request) {
                Ok(reply) => (Ok(Answer::Reply(reply)), "answered"),
                Err(code) => (Err(Failure::new(code, "no")), "failed"),
            },
            Request::Tool(arguments) => match tool(&name, arguments) {
                Ok(value) => (Ok(Answer::Value(Arc::new(value), Vec::new())), "answered"),
                Err((code, message)) => (Err(Failure::new(code, message)), "failed"),
            },
            _ => {
                let decision = person(&name);
                let how = match &decision {
                    Decision::Approved => "approved",
                    Decision::Rejected => "rejected",
                    Decision::Edited(_) => "edited",
                };
                (Ok(Answer::Decided(decision)), how)
            }
        };
        (Event::CallDone { call: call.id, result, at_ms }, format!("{} × {how}", open.kind()))
    }
}

/// `choose` gets the number of outstanding answers and returns an index.
fn play(world: &Scenario, manner: RunOptions, choose: &mut dyn FnMut(usize) -> usize) -> PlayedRun {
    let program = world.program();
    let run = Run::new(Arc::clone(&program), (), Options::new(Arc::new(Json::Null)));
    let mut player = Player {
        world,
        program,
        run,
        open: Vec::new(),
        asked: BTreeMap::new(),
        met: BTreeSet::new(),
        now_ms: 0.0,
    };
    player.step(Event::Start { at_ms: 0.0 });
    let mut choices = Vec::new();
    while player.run.outcome().is_none() {
        assert!(choices.len() < 100, "{}: it goes on for ever", world.name);
        if manner.freeze && !player.is_allowed_call_open() {
            player.restore();
        }
        player.now_ms += 1.0;
        if manner.cancel_at == Some(choices.len() + 1) {
            for kind in player.step(Event::Cancel { at_ms: player.now_ms }) {
                player.met.insert(format!("{kind} × cancelled"));
            }
            assert_eq!(player.run.outcome().unwrap().as_str(), "cancelled");
            break;
        }
        let count = player.open.len();
        let next = player.open.remove(choose(count));
        choices.push(count);
        let timer = matches!(next, Open::Timer(_));
        let (event, met) = player.answer(&next);
        player.met.insert(met);
        for kind in player.step(event) {
            player.met.insert(format!("{kind} × {}", if timer { "timed out" } else { "abandoned" }));
        }
        let (again, _) = player.answer(&next);
        assert!(player.run.step(again).is_err(), "{}: answered twice", world.name);
    }
    PlayedRun { state: trace_json::state_json(&player.run), asked: player.asked, choices, met: player.met }
}

fn every_order(world: &Scenario, manner: RunOptions, each: &mut dyn FnMut(PlayedRun)) {
    const MOST: usize = 3000;
    let mut prefix: Vec<usize> = Vec::new();
    for _ in 0..MOST {
        let mut at = 0;
        let played = play(world, manner, &mut |_| {
            at += 1;
            prefix.get(at - 1).copied().unwrap_or(0)
        });
        prefix.resize(played.choices.len(), 0);
        let choices = played.choices.clone();
        each(played);
        let Some(last) = (0..choices.len()).rfind(|i| prefix[*i] + 1 < choices[*i]) else { return };
        prefix.truncate(last + 1);
        prefix[last] += 1;
    }
}

fn in_order(world: &Scenario, manner: RunOptions) -> PlayedRun {
    play(world, manner, &mut |_| 0)
}

#[test]
fn any_order_of_answers_gives_the_same_report() {
    let mut orders = 0;
    for world in worlds() {
        let first = in_order(&world, RunOptions::default());
        every_order(&world, RunOptions::default(), &mut |played| {
            orders += 1;
            if world.steady {
                assert_eq!(played.state, first.state, "{}", world.name);
                assert_eq!(played.asked, first.asked, "{}", world.name);
            }
        });
    }
    assert!(orders > 300, "only {orders} orders");
}

/// An approval covers one call only.
#[test]
fn a_call_that_was_allowed_is_asked_for_again_after_a_snapshot() {
    let mut seen = 0;
    for world in worlds() {
        let program = world.program();
        let mut run = Run::new(Arc::clone(&program), (), Options::new(Arc::new(Json::Null)));
        let mut commands = run.step(Event::Start { at_ms: 0.0 }).unwrap().commands;
        for _ in 0..20 {
            let Some(call) = commands.into_iter().find_map(|command| match command {
                Command::Call(call) => Some(call),
                _ => None,
            }) else {
                break;
            };
            let allowed = matches!(call.request, Request::Approval);
            let answer = match &call.request {
                Request::Model(request) => world.model(request).ok().map(Answer::Reply),
                Request::Approval => Some(Answer::Decided(Decision::Approved)),
                _ => Some(Answer::Value(Arc::new(json!(1)), Vec::new())),
            };
            let Some(answer) = answer else { break };
            commands =
                run.step(Event::CallDone { call: call.id, result: Ok(answer), at_ms: 0.0 }).unwrap().commands;
            if !allowed {
                continue;
            }
            let frozen = run.snapshot(0.0).unwrap();
            let options = Options::new(Arc::new(Json::Null));
            let mut thawed = Run::restore(&program, (), options, &frozen.state, frozen.values).unwrap();
            let again = thawed.step(Event::Resume { at_ms: 0.0 }).unwrap().commands;
            let calls = again.iter().filter(
                |command| matches!(command, Command::Call(call) if matches!(call.request, Request::Tool(_))),
            );
            let leave = again.iter().filter(
                |command| matches!(command, Command::Call(call) if matches!(call.request, Request::Approval)),
            );
            seen += usize::from(leave.count() > 0);
            let name = |call: &Call<Shared>| call.name(&program.nodes[call.node as usize].id);
            let allowed = name(&call);
            let named = calls.filter(|command| {
                matches!(command, Command::Call(call) if Some(name(call).as_str()) == allowed.strip_suffix("/approval"))
            });
            assert_eq!(named.count(), 0, "{}: it is called without leave", world.name);
        }
    }
    assert!(seen > 0, "no world asks for leave");
}

// covers: 003-decided-13
#[test]
fn a_run_can_be_restored_before_every_event() {
    for world in worlds() {
        let whole = in_order(&world, RunOptions::default());
        let frozen = in_order(&world, RunOptions { freeze: true, ..RunOptions::default() });
        assert_eq!((whole.state, whole.asked), (frozen.state, frozen.asked), "{}", world.name);
    }
}

// covers: 003-decided-13
#[test]
fn a_run_can_be_cancelled_at_every_moment() {
    for world in worlds() {
        let events = in_order(&world, RunOptions::default()).choices.len();
        for at in 1..=events {
            for freeze in [false, true] {
                let manner = RunOptions { freeze, cancel_at: Some(at) };
                let played = in_order(&world, manner);
                assert_eq!(played.state["outcome"]["type"], "cancelled", "{} at {at}", world.name);
            }
        }
    }
}

#[test]
fn every_wait_meets_all_that_ends_it() {
    let mut met = BTreeSet::new();
    for world in worlds() {
        let manner = RunOptions { freeze: true, ..RunOptions::default() };
        every_order(&world, RunOptions::default(), &mut |played| met.extend(played.met));
        let played = in_order(&world, manner);
        met.extend(played.met);
        for at in 1..=played.choices.len() {
            met.extend(in_order(&world, RunOptions { cancel_at: Some(at), ..manner }).met);
        }
    }
    let listed: BTreeSet<String> = [
        "leave × abandoned",
        "leave × approved",
        "leave × cancelled",
        "leave × edited",
        "leave × rejected",
        "leave × resumed",
        "leave × timed out",
        "model × abandoned",
        "model × answered",
        "model × cancelled",
        "model × failed",
        "model × resumed",
        "model × timed out",
        "timer × abandoned",
        "timer × cancelled",
        "timer × fired",
        "timer × resumed",
        "tool × abandoned",
        "tool × answered",
        "tool × cancelled",
        "tool × failed",
        "tool × resumed",
        "tool × timed out",
    ]
    .map(str::to_owned)
    .into();
    let missing: Vec<_> = listed.difference(&met).collect();
    let unknown: Vec<_> = met.difference(&listed).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not reached: {missing:?}; not listed: {unknown:?}");
}

/// Stores only messages. Returns the last answer or failure code, and the numbers of model calls, tool calls and
/// questions.
fn plainly(world: &Scenario, with: &Json) -> (Result<Json, &'static str>, [usize; 3]) {
    let catalogue = tools();
    let offered: Vec<String> = match with["tools"].as_array() {
        Some(names) => names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
        None => catalogue.names().map(str::to_owned).collect(),
    };
    let most = with["max_turns"].as_u64().unwrap_or(8);
    let mut counts = [0; 3];
    for turn in 1..=most {
        counts[0] += 1;
        let said = &world.says[usize::try_from(turn - 1).unwrap().min(world.says.len() - 1)];
        let calls = said["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            if with["schema"].is_null() {
                return (Ok(said["text"].clone()), counts);
            }
            let value = serde_json::from_str::<Json>(said["text"].as_str().unwrap()).unwrap_or_default();
            if value.get("n").is_some() {
                return (Ok(value), counts);
            }
            continue;
        }
        if turn == most {
            return (Err("agent/turn-limit"), counts);
        }
        for call in calls {
            let name = call["name"].as_str().unwrap().to_owned();
            let fits =
                call["arguments"].is_object() && !(name == "search" && call["arguments"]["q"].is_string());
            if !offered.contains(&name) || !fits {
                continue;
            }
            if matches!(catalogue.get(&name).unwrap().effect(), Effect::Destroys | Effect::Unknown) {
                counts[2] += 1;
                if matches!(person(&name), Decision::Rejected) {
                    continue;
                }
            }
            counts[1] += 1;
        }
    }
    (Err("model/bad-reply"), counts)
}

#[test]
fn a_plain_loop_gives_the_same() {
    let mut compared = 0;
    for world in worlds() {
        let help = &world.plan["nodes"]["help"];
        if help.is_null() || !world.steady || !help["retry"].is_null() {
            continue;
        }
        compared += 1;
        let (expected, counts) = plainly(&world, &help["with"]);
        let PlayedRun { state, asked, .. } = in_order(&world, RunOptions::default());
        match expected {
            Ok(value) => assert_eq!(state["last"], value, "{}", world.name),
            Err(code) => assert_eq!(state["outcome"]["code"], code, "{}", world.name),
        }
        let count = |kind: &str| asked.values().filter(|request| request.starts_with(kind)).count();
        assert_eq!([count("Model"), count("Tool"), count("Approval")], counts, "{}", world.name);
    }
    assert!(compared >= 5, "only {compared} worlds");
}

/// The provider's prompt cache then applies.
// covers: 003-decided-14
#[test]
fn what_is_asked_begins_with_what_was_asked_before() {
    for world in worlds() {
        let mut before: BTreeMap<String, ChatRequest> = BTreeMap::new();
        let program = world.program();
        let mut run = Run::new(Arc::clone(&program), (), Options::new(Arc::new(Json::Null)));
        let mut open: Vec<Call<Shared>> = Vec::new();
        let mut event = Some(Event::Start { at_ms: 0.0 });
        while let Some(next) = event.take() {
            for command in run.step(next).unwrap().commands {
                match command {
                    Command::Call(call) => open.push(call),
                    Command::Abandon(id) => open.retain(|call| call.id != id),
                    _ => {}
                }
            }
            for call in &open {
                let Request::Model(request) = &call.request else { continue };
                let key = format!("{}{}", call.scope, program.nodes[call.node as usize].id);
                let plain = |request: &ChatRequest| -> Vec<String> {
                    let bare = request.messages.iter().map(|message| {
                        let mut message = message.clone();
                        message.cache = false;
                        message.to_json().to_string()
                    });
                    bare.collect()
                };
                if let Some(earlier) = before.get(&key).filter(|_| call.attempt == 1) {
                    let (old, new) = (plain(earlier), plain(request));
                    assert!(new.starts_with(&old), "{}: {old:?} {new:?}", world.name);
                    assert_eq!(earlier.tools, request.tools, "{}", world.name);
                    // The cache mark ending the earlier request is part of the prefix.
                    let last = earlier.messages.len() - 1;
                    assert!(earlier.messages[last].cache, "{}", world.name);
                }
                before.insert(key, (**request).clone());
                answers_every_call(request, world.name);
            }
            let Some(call) = open.pop() else { continue };
            let result = match &call.request {
                Request::Model(request) => match world.model(request) {
                    Ok(reply) => Ok(Answer::Reply(reply)),
                    Err(code) => Err(Failure::new(code, "no")),
                },
                Request::Tool(arguments) => {
                    let name = call.tool(&program.nodes[call.node as usize].action).unwrap();
                    let given = tool(name, arguments);
                    given
                        .map(|value| Answer::Value(Arc::new(value), Vec::new()))
                        .map_err(|(code, why)| Failure::new(code, why))
                }
                _ => Ok(Answer::Decided(person(&call.sub_call.as_ref().unwrap().tool))),
            };
            if run.outcome().is_none() {
                event = Some(Event::CallDone { call: call.id, result, at_ms: 1.0 });
            }
        }
    }
}

/// Providers reject calls without an answer, and answers without a call.
fn answers_every_call(request: &ChatRequest, name: &str) {
    let mut wanted: Vec<String> = Vec::new();
    for message in &request.messages {
        if let Some(answers) = &message.answers {
            assert_eq!(
                wanted.first(),
                Some(&answers.call),
                "{name}: answers stand in the order of the calls"
            );
            wanted.remove(0);
            continue;
        }
        assert!(wanted.is_empty(), "{name}: {wanted:?} were not answered");
        wanted = message.tool_calls.iter().map(|call| call.id.clone()).collect();
        let ids: BTreeSet<&String> = wanted.iter().collect();
        assert_eq!(ids.len(), wanted.len(), "{name}: calls of one name");
    }
    assert!(wanted.is_empty(), "{name}: {wanted:?} were not answered");
    let marks = request.messages.iter().filter(|message| message.cache).count();
    assert!(marks <= 3, "{name}: providers take four marks, and this has {marks}");
}

#[test]
fn what_a_host_allows_needs_no_approval() {
    for (allowed, asked) in [(vec![], 4), (vec!["destroy"], 3), (vec!["*"], 0)] {
        let world = worlds().into_iter().find(|world| world.name == "a person is asked").unwrap();
        let graph = PlanGraph::parse(&world.plan.to_string(), Format::Json).into_sound().unwrap();
        let capabilities = Capabilities {
            models: Some(["default".to_owned()].into_iter().collect()),
            tools: Some(tools()),
            allowed: allowed.iter().map(|name| (*name).to_owned()).collect(),
            ..Capabilities::default()
        };
        let program = Arc::new(machine::bind(&graph, &capabilities, &()).unwrap().0);
        let mut run = Run::new(program, (), Options::new(Arc::new(Json::Null)));
        let step = run.step(Event::Start { at_ms: 0.0 }).unwrap();
        let Some(Command::Call(call)) = step.commands.first() else { panic!("the model is asked") };
        let reply = ChatReply::from_json(&world.says[0]).unwrap();
        let step = run
            .step(Event::CallDone { call: call.id, result: Ok(Answer::Reply(reply)), at_ms: 1.0 })
            .unwrap();
        let leave = |command: &&Command<Shared>| {
            matches!(command, Command::Call(Call { request: Request::Approval, .. }))
        };
        assert_eq!(step.commands.iter().filter(leave).count(), asked, "{allowed:?}");
        assert_eq!(run.counts().calls as usize, 5 - asked, "a person is no call");
    }
}

/// The restore fails or the run goes on, without a panic.
#[test]
fn a_snapshot_that_was_tampered_with_is_refused_or_harmless() {
    let (mut tried, mut refused) = (0, 0);
    for world in worlds().into_iter().filter(|world| !world.says.is_empty()) {
        let program = world.program();
        let mut run = Run::new(Arc::clone(&program), (), Options::new(Arc::new(Json::Null)));
        let mut step = run.step(Event::Start { at_ms: 0.0 }).unwrap();
        for _ in 0..2 {
            let frozen = run.snapshot(1.0).unwrap();
            for state in tampered(&frozen.state) {
                tried += 1;
                let options = Options::new(Arc::new(Json::Null));
                let Ok(mut other) = Run::restore(&program, (), options, &state, frozen.values.clone()) else {
                    refused += 1;
                    continue;
                };
                let again = other.step(Event::Resume { at_ms: 2.0 }).unwrap();
                for command in again.commands {
                    let Command::Call(call) = command else { continue };
                    let answer = Ok(Answer::Value(Arc::new(json!("x")), Vec::new()));
                    let _refused_or_not =
                        other.step(Event::CallDone { call: call.id, result: answer, at_ms: 3.0 });
                }
            }
            let asked = step.commands.iter().find_map(|command| match command {
                Command::Call(Call { id, request: Request::Model(request), .. }) => {
                    Some((*id, request.clone()))
                }
                _ => None,
            });
            let Some((call, request)) = asked else { break };
            let Ok(reply) = world.model(&request) else { break };
            step = run.step(Event::CallDone { call, result: Ok(Answer::Reply(reply)), at_ms: 1.0 }).unwrap();
            if run.outcome().is_some() {
                break;
            }
        }
    }
    assert!(tried > 3000 && refused > tried / 3, "{refused} of {tried} were refused");
}

fn tampered(state: &Json) -> Vec<Json> {
    let mut found = Vec::new();
    let others = [Json::Null, json!(7), json!("x"), json!([]), json!({}), json!(true)];
    match state {
        Json::Object(map) => {
            for (key, value) in map {
                let with = |value: Json| {
                    let mut map = map.clone();
                    map.insert(key.clone(), value);
                    Json::Object(map)
                };
                found.extend(others.iter().cloned().map(with));
                found.extend(tampered(value).into_iter().map(with));
                let mut without = map.clone();
                without.remove(key);
                found.push(Json::Object(without));
            }
        }
        Json::Array(list) => {
            for at in 0..list.len() {
                let with = |value: Json| {
                    let mut list = list.clone();
                    list[at] = value;
                    Json::Array(list)
                };
                found.extend(others.iter().cloned().map(with));
                found.extend(tampered(&list[at]).into_iter().map(with));
            }
        }
        _ => {}
    }
    found
}
