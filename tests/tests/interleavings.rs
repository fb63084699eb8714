//! Properties of every order of answers, on random nested plans larger than those of `scopes.rs`.

#![expect(clippy::indexing_slicing, reason = "a helper of tests stops the test when it is surprised")]

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, json};
use stepgraph_core::diagnostic::Code;
use stepgraph_tests::interleaving::{InterleavedRun, Interleaver, RunOptions};
use stepgraph_tests::scope_oracle::{
    self, Composite, CompositeKind, Edge, EdgeCondition, Graph, InputSource, Join, Limits, Node,
    NodeBehaviour, Reply, Retry,
};
use stepgraph_tests::{Case, by_driver, by_machine, search};

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        3 => select(vec!["x", "y", "bad"]).prop_map(|text| Reply::Give(text.into())),
        1 => Just(Reply::Give(json!(["x", "bad", "y"]))),
        2 => Just(Reply::Echo),
        2 => Just(Reply::Judge),
        1 => select(vec!["tool/failed", "handler/failed"]).prop_map(Reply::Fail),
    ]
}

/// Few ids make inner graphs shadow outer ones.
fn input_source() -> impl Strategy<Value = InputSource> {
    prop_oneof![
        6 => Just(InputSource::Last),
        1 => select(vec![json!("x"), json!("bad"), json!(["x", "bad"]), json!({"k": "x"})]).prop_map(InputSource::Value),
        1 => Just(InputSource::Input),
        1 => Just(InputSource::Item),
        1 => Just(InputSource::Index),
        1 => select(vec!["n0", "n1", "n2"]).prop_map(|id| InputSource::Output(id.to_owned())),
        1 => Just(InputSource::ErrorCode),
    ]
}

fn retry() -> impl Strategy<Value = Option<Retry>> {
    let on = select(vec![vec![], vec!["tool/failed"], vec!["tool/*", "node/*"], vec!["handler/*"]]);
    let some =
        (1..4_usize, any::<bool>(), on).prop_map(|(attempts, backoff, on)| Retry { attempts, backoff, on });
    prop_oneof![4 => Just(None), 1 => some.prop_map(Some)]
}

fn when() -> impl Strategy<Value = EdgeCondition> {
    prop_oneof![
        4 => Just(EdgeCondition::Always),
        1 => select(vec!["x", "y", "bad"]).prop_map(EdgeCondition::LastIs),
        1 => Just(EdgeCondition::Failed),
        1 => select(vec!["tool/failed", "handler/bad", "node/timeout", "run/visit-limit"]).prop_map(EdgeCondition::FailedWith),
        1 => select(vec!["n0", "n1", "n2"]).prop_map(|id| EdgeCondition::OutputIs(id.to_owned(), "x")),
    ]
}

fn node(act: impl Strategy<Value = NodeBehaviour>) -> impl Strategy<Value = Node> {
    let timeout = prop_oneof![5 => Just(None), 1 => (1..900_u32).prop_map(Some)];
    let visits = prop_oneof![5 => Just(None), 1 => (1..4_usize).prop_map(Some)];
    (act, input_source(), retry(), timeout, visits).prop_map(|(act, given, retry, timeout_ms, visits)| {
        // `noop` ignores its input.
        let given = if matches!(act, NodeBehaviour::Pass) { InputSource::Last } else { given };
        Node { id: String::new(), act, given, retry, timeout_ms, visits }
    })
}

fn graph_of(nodes: impl Strategy<Value = Vec<Node>>) -> impl Strategy<Value = Graph> {
    nodes
        .prop_flat_map(|nodes| {
            let count = nodes.len();
            let edges = prop::collection::vec((0..count, 0..count, when()), 0..4);
            let onward = prop::collection::vec(prop::option::weighted(0.8, when()), count);
            (Just(nodes), onward, edges)
        })
        .prop_map(|(nodes, onward, more)| {
            let next = onward.into_iter().enumerate().filter(|(from, _)| from + 1 < nodes.len());
            let mut edges: Vec<Edge> =
                next.filter_map(|(from, when)| Some(Edge { from, to: from + 1, when: when? })).collect();
            // A backward edge needs a condition, because the engine rejects a loop with no exit.
            let extra =
                more.into_iter().filter(|(from, to, when)| to > from || *when != EdgeCondition::Always);
            edges.extend(extra.map(|(from, to, when)| Edge { from, to, when }));
            let mut graph = Graph { nodes, edges };
            for (at, node) in graph.nodes.iter_mut().enumerate() {
                node.id = format!("n{at}");
            }
            graph
        })
}

fn leaf() -> impl Strategy<Value = Node> {
    let ask = prop::collection::vec(reply(), 1..3).prop_map(NodeBehaviour::Ask);
    node(prop_oneof![6 => ask, 1 => Just(NodeBehaviour::Pass), 1 => Just(NodeBehaviour::Log)])
}

fn graph() -> impl Strategy<Value = Graph> {
    let flat = graph_of(prop::collection::vec(leaf(), 1..4)).boxed();
    flat.prop_recursive(3, 20, 3, |inner| {
        let join = select(vec![Join::All, Join::Any, Join::Settled]);
        let most = prop::option::of(1..4_usize);
        let list = select(vec![
            json!([]),
            json!(["x"]),
            json!(["x", "bad"]),
            json!(["bad", "x", "y"]),
            json!([["x"], ["y", "bad"]]),
        ]);
        let fan = prop_oneof![
            inner.clone().prop_map(|graph| (
                Composite {
                    shape: CompositeKind::Graph,
                    join: Join::All,
                    concurrency: None,
                    graphs: vec![(String::new(), graph)],
                },
                None
            )),
            (prop::collection::vec(inner.clone(), 1..4), join.clone(), most.clone()).prop_map(
                |(graphs, join, concurrency)| {
                    let names = ["a", "b", "c"].into_iter().map(str::to_owned);
                    (
                        Composite {
                            shape: CompositeKind::Parallel,
                            join,
                            concurrency,
                            graphs: names.zip(graphs).collect(),
                        },
                        None,
                    )
                }
            ),
            (inner.clone(), join, most, prop::option::weighted(0.7, list)).prop_map(
                |(graph, join, concurrency, list)| {
                    (
                        Composite {
                            shape: CompositeKind::Map,
                            join,
                            concurrency,
                            graphs: vec![(String::new(), graph)],
                        },
                        list,
                    )
                }
            ),
        ];
        let composite = fan.prop_flat_map(|(fan, list)| {
            node(Just(NodeBehaviour::Run(fan))).prop_map(move |mut node| {
                if let Some(list) = &list {
                    node.given = InputSource::Value(list.clone());
                }
                node
            })
        });
        graph_of(prop::collection::vec(prop_oneof![composite, leaf()], 1..4))
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    let some = |most: usize| prop_oneof![3 => Just(None), 1 => (1..most).prop_map(Some)];
    (some(12), some(10), some(60), any::<bool>()).prop_map(|(steps, calls, output_bytes, timeout)| Limits {
        visits: Some(3),
        steps,
        calls,
        output_bytes,
        timeout,
    })
}

fn each_graph(graph: &mut Graph, mapped: bool, by: &mut dyn FnMut(&mut Node, bool)) {
    for node in &mut graph.nodes {
        by(node, mapped);
        if let NodeBehaviour::Run(fan) = &mut node.act {
            let mapped = mapped || fan.shape == CompositeKind::Map;
            fan.graphs.iter_mut().for_each(|(_, graph)| each_graph(graph, mapped, by));
        }
    }
}

/// The engine rejects `item` and `index` outside of `map`.
fn sound(mut graph: Graph) -> Graph {
    each_graph(&mut graph, false, &mut |node, mapped| {
        if !mapped && matches!(node.given, InputSource::Item | InputSource::Index) {
            node.given = InputSource::Last;
        }
    });
    graph
}

fn may_fail(graph: &Graph) -> bool {
    let back = graph.edges.iter().any(|edge| edge.to <= edge.from);
    back || graph.nodes.iter().any(|node| {
        let fails = match &node.act {
            NodeBehaviour::Ask(replies) => {
                replies.iter().any(|reply| matches!(reply, Reply::Fail(_) | Reply::Judge))
            }
            NodeBehaviour::Pass | NodeBehaviour::Log => false,
            NodeBehaviour::Run(fan) => {
                fan.shape == CompositeKind::Map || fan.graphs.iter().any(|(_, graph)| may_fail(graph))
            }
        };
        fails
            || node.visits.is_some()
            || matches!(node.given, InputSource::ErrorCode | InputSource::Output(_))
    })
}

/// Removes what depends on the order of answers: `any`, timers, and `all` over several graphs that may fail.
fn steady(mut graph: Graph) -> Graph {
    each_graph(&mut graph, false, &mut |node, _| {
        node.timeout_ms = None;
        let NodeBehaviour::Run(fan) = &mut node.act else { return };
        let failing = fan.graphs.iter().filter(|(_, graph)| may_fail(graph)).count();
        if fan.join == Join::Any || failing > 1 || (fan.shape == CompositeKind::Map && failing > 0) {
            fan.join = Join::Settled;
        }
    });
    graph
}

fn walk(walker: &Interleaver, manner: RunOptions, choices: &[usize]) -> InterleavedRun {
    let mut at = 0;
    walker.run(&json!("go"), manner, &mut |count, _| {
        at += 1;
        choices[at % choices.len()] % count
    })
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..12_usize, 1..12)
}

const WRITE: RunOptions =
    RunOptions { restore: false, send_invalid_events: false, write_text: true, cancel_at: None };

fn case(mut graph: Graph, limits: Limits, delays: &[u32]) -> Case {
    let mut stubs = Map::new();
    let mut next = 0;
    each_graph(&mut graph, false, &mut |node, _| {
        node.id = format!("n{next}");
        if let NodeBehaviour::Ask(replies) = &node.act {
            let behaviours = replies.iter().map(|reply| match reply {
                Reply::Give(value) => json!({"return": value}),
                Reply::Echo => json!("echo"),
                Reply::Judge => json!("input"),
                Reply::Fail(code) => json!({"fail": "no", "code": code}),
            });
            let delay_ms = delays[next % delays.len()];
            stubs.insert(
                node.id.clone(),
                json!({"sequence": behaviours.collect::<Vec<_>>(), "delay_ms": delay_ms}),
            );
        }
        next += 1;
    });
    let mut plan = graph.write();
    plan["limits"] = limits.write();
    Case { plan: Some(plan), stubs: Some(json!({"nodes": stubs})), input: json!("go"), ..Case::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: search::cases(1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn machine_and_interpreter_agree(graph in graph(), limits in limits(), choices in choices()) {
        let graph = sound(graph);
        let Some(walker) = Interleaver::new(&graph, limits) else { return Ok(()) };
        let walk = walk(&walker, RunOptions::default(), &choices);
        let expected = scope_oracle::run(&graph, json!("go"), limits, &walk.order);
        prop_assert_eq!(&walk.ended, &expected, "{}\norder {:?}", graph.write(), walk.order);
    }

    #[test]
    fn what_makes_no_sense_changes_nothing(graph in graph(), limits in limits(), choices in choices()) {
        let Some(walker) = Interleaver::new(&sound(graph), limits) else { return Ok(()) };
        let pestered = walk(&walker, RunOptions { send_invalid_events: true, ..WRITE }, &choices);
        let left_alone = walk(&walker, WRITE, &choices);
        prop_assert_eq!(pestered.text, left_alone.text);
    }

    #[test]
    fn the_same_events_give_the_same_run(graph in graph(), limits in limits(), choices in choices()) {
        let graph = sound(graph);
        let (Some(one), Some(other)) = (Interleaver::new(&graph, limits), Interleaver::new(&graph, limits)) else { return Ok(()) };
        let (first, second) = (walk(&one, WRITE, &choices), walk(&other, WRITE, &choices));
        prop_assert_eq!(first.text, second.text);
        prop_assert_eq!(first.ended, second.ended);
    }

    #[test]
    fn any_order_gives_the_same_report(graph in graph(), orders in prop::collection::vec(choices(), 2..5)) {
        let graph = steady(sound(graph));
        let limits = Limits { visits: Some(3), ..Limits::default() };
        let Some(walker) = Interleaver::new(&graph, limits) else { return Ok(()) };
        let walks: Vec<InterleavedRun> = orders.iter().map(|choices| walk(&walker, RunOptions::default(), choices)).collect();
        let first = &walks[0].ended;
        for InterleavedRun { ended, order, .. } in &walks {
            let report = |ended: &scope_oracle::RunResult| (ended.outcome.clone(), ended.last.clone(), ended.outputs.clone(), ended.path.clone());
            prop_assert_eq!(report(ended), report(first), "{}\norder {:?}", graph.write(), order);
            let abandoned = |ended: &scope_oracle::RunResult| {
                ended.log.iter().any(|told| matches!(told, scope_oracle::OracleEvent::ScopeEnded { how, .. } if how == "abandoned"))
            };
            // If a branch failed, the order of answers decides how far the others came.
            if !abandoned(ended) && !abandoned(first) {
                prop_assert_eq!(ended.counts, first.counts);
                let sorted = |ended: &scope_oracle::RunResult| {
                    let mut told: Vec<String> = ended.log.iter().map(|told| format!("{told:?}")).collect();
                    told.sort();
                    told
                };
                prop_assert_eq!(sorted(ended), sorted(first));
            }
        }
    }

    #[test]
    fn a_run_can_be_restored_at_any_moment(graph in graph(), limits in limits(), choices in choices()) {
        let graph = sound(graph);
        let Some(walker) = Interleaver::new(&graph, limits) else { return Ok(()) };
        let thawed = walk(&walker, RunOptions { restore: true, ..RunOptions::default() }, &choices);
        let whole = walk(&walker, RunOptions::default(), &choices);
        prop_assert_eq!(&thawed.ended, &whole.ended, "{}\norder {:?}", graph.write(), whole.order);
    }

    #[test]
    fn a_run_can_be_cancelled_at_any_moment(graph in graph(), choices in choices(), at in 1..12_usize) {
        let limits = Limits { visits: Some(3), ..Limits::default() };
        let Some(walker) = Interleaver::new(&sound(graph), limits) else { return Ok(()) };
        let walk = walk(&walker, RunOptions { send_invalid_events: true, cancel_at: Some(at), ..RunOptions::default() }, &choices);
        prop_assert!(walk.choices.len() < at, "event {} came after the run was cancelled", walk.choices.len() + 1);
        prop_assert!(walk.ended.outcome != "cancelled" || walk.choices.len() + 1 == at);
    }

    /// Drivers use virtual time.
    #[test]
    fn machine_and_driver_agree(graph in graph(), limits in limits(), delays in prop::collection::vec(1..100_000_u32, 12)) {
        let case = case(sound(graph), limits, &delays);
        let (machine, driver) = (by_machine(&case), by_driver(&case));
        let known = [Code::EndlessLoop, Code::UnknownOutput, Code::UnknownPath, Code::NotAList];
        let refuses = |code| known.contains(&code);
        let refused = machine.diagnostics.iter().any(|problem| problem.is_error() && refuses(problem.code));
        prop_assert_eq!(machine.state.is_none(), refused, "{:?}", machine.diagnostics);
        prop_assert_eq!(machine.canonical(), driver.canonical(), "{}", case.text());
        prop_assert_eq!(machine.state, driver.state);
    }
}
