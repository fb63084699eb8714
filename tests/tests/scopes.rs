//! Every small nested plan in every order of answers, compared with `stepgraph_tests::scope_oracle`.

#![expect(clippy::panic, reason = "where the two differ the test fails, and says where")]

use serde_json::{Value as Json, json};
use stepgraph_tests::interleaving::{InterleavedRun, Interleaver, run_all_orders};
use stepgraph_tests::scope_oracle::{
    self, Composite, CompositeKind, Edge, EdgeCondition, Graph, InputSource, Join, Limits, Node,
    NodeBehaviour, Reply, Retry,
};

const JOINS: [Join; 3] = [Join::All, Join::Any, Join::Settled];

struct PlanParts {
    leaves: Vec<NodeBehaviour>,
    /// Lists of a `map`, each with its concurrency.
    lists: Vec<(Json, usize)>,
    /// Whether a `parallel` may have one branch.
    lonely: bool,
}

impl PlanParts {
    fn all() -> Self {
        let (x, bad) = ("x", "bad");
        let lists = [
            (json!([]), 1),
            (json!([x]), 1),
            (json!([bad]), 1),
            (json!([x, bad]), 1),
            (json!([x, bad]), 2),
            (json!([bad, x]), 1),
            (json!([bad, x]), 2),
            (json!([x, bad, x]), 1),
            (json!([bad, x, bad]), 2),
            (json!([x, "y", "z"]), 2),
            (json!([x, "y", bad]), 8),
        ];
        Self { leaves: vec![give(), fail(), judge(), NodeBehaviour::Pass], lists: lists.into(), lonely: true }
    }

    fn few() -> Self {
        let lists = [(json!(["x", "bad"]), 1), (json!(["bad", "x", "y"]), 2)];
        Self { leaves: vec![fail(), judge()], lists: lists.into(), lonely: false }
    }

    fn nodes(&self, size: usize) -> Vec<Node> {
        if size == 1 {
            return self.leaves.iter().map(|act| Node::new("", act.clone())).collect();
        }
        let mut found = Vec::new();
        let inside = self.graphs(size - 1);
        let mut add = |shape, join, concurrency, graphs, given: InputSource| {
            let mut node = Node::new("", NodeBehaviour::Run(Composite { shape, join, concurrency, graphs }));
            node.given = given;
            found.push(node);
        };
        for graph in &inside {
            let only = || vec![(String::new(), graph.clone())];
            add(CompositeKind::Graph, Join::All, None, only(), InputSource::Last);
            for join in JOINS {
                for (list, concurrency) in &self.lists {
                    add(
                        CompositeKind::Map,
                        join,
                        Some(*concurrency),
                        only(),
                        InputSource::Value(list.clone()),
                    );
                }
            }
        }
        for branches in self.branches(size - 1) {
            for join in JOINS {
                let names = ["a", "b", "c", "d"].into_iter().map(str::to_owned);
                let graphs: Vec<(String, Graph)> = names.zip(branches.iter().cloned()).collect();
                if graphs.len() > 1 || self.lonely {
                    add(CompositeKind::Parallel, join, None, graphs.clone(), InputSource::Last);
                }
                if graphs.len() > 2 {
                    add(CompositeKind::Parallel, join, Some(2), graphs, InputSource::Last);
                }
            }
        }
        found
    }

    fn branches(&self, size: usize) -> Vec<Vec<Graph>> {
        let mut found: Vec<Vec<Graph>> = self.graphs(size).into_iter().map(|graph| vec![graph]).collect();
        for first in 1..size {
            let rest = self.branches(size - first);
            for graph in self.graphs(first) {
                found.extend(rest.iter().map(|rest| [vec![graph.clone()], rest.clone()].concat()));
            }
        }
        found
    }

    fn graphs(&self, size: usize) -> Vec<Graph> {
        let mut found: Vec<Graph> = self.nodes(size).into_iter().map(Graph::of).collect();
        for first in 1..size {
            let others = self.nodes(size - first);
            for node in self.nodes(first) {
                for other in &others {
                    for when in [EdgeCondition::Always, EdgeCondition::LastIs("x"), EdgeCondition::Failed] {
                        let edges = vec![Edge { from: 0, to: 1, when }];
                        found.push(Graph { nodes: vec![node.clone(), other.clone()], edges });
                    }
                }
            }
        }
        if size == 3 {
            found.extend(self.triples());
        }
        found
    }

    /// Returns graphs of three leaves in shapes that two nodes can't form.
    fn triples(&self) -> Vec<Graph> {
        let edge = |from, to, when| Edge { from, to, when };
        let ways = [
            vec![edge(0, 1, EdgeCondition::Always), edge(0, 2, EdgeCondition::Failed)],
            vec![edge(0, 1, EdgeCondition::Always), edge(0, 2, EdgeCondition::LastIs("x"))],
            vec![edge(0, 1, EdgeCondition::FailedWith("handler/bad")), edge(0, 2, EdgeCondition::Failed)],
            vec![
                edge(0, 1, EdgeCondition::Failed),
                edge(1, 2, EdgeCondition::Failed),
                edge(1, 0, EdgeCondition::LastIs("x")),
            ],
            vec![
                edge(0, 1, EdgeCondition::Always),
                edge(1, 2, EdgeCondition::LastIs("x")),
                edge(2, 0, EdgeCondition::Always),
            ],
        ];
        let mut found = Vec::new();
        for nodes in [0, 1, 2].map(|_| self.nodes(1)).into_iter().fold(vec![Vec::new()], |all, nodes| {
            let more = |list: &Vec<Node>| {
                nodes.iter().map(|node| [list.clone(), vec![node.clone()]].concat()).collect::<Vec<_>>()
            };
            all.iter().flat_map(more).collect()
        }) {
            found.extend(ways.iter().map(|edges| Graph { nodes: nodes.clone(), edges: edges.clone() }));
        }
        found
    }
}

fn give() -> NodeBehaviour {
    NodeBehaviour::Ask(vec![Reply::Give("x".into())])
}

fn fail() -> NodeBehaviour {
    NodeBehaviour::Ask(vec![Reply::Fail("handler/failed")])
}

fn judge() -> NodeBehaviour {
    NodeBehaviour::Ask(vec![Reply::Judge])
}

fn number(graph: &mut Graph, next: &mut usize) {
    for node in &mut graph.nodes {
        node.id = format!("n{next}");
        *next += 1;
        if let NodeBehaviour::Run(fan) = &mut node.act {
            fan.graphs.iter_mut().for_each(|(_, graph)| number(graph, next));
        }
    }
}

fn change(graph: &mut Graph, id: &str, by: &dyn Fn(&mut Node)) {
    for node in &mut graph.nodes {
        if node.id == id {
            by(node);
        }
        if let NodeBehaviour::Run(fan) = &mut node.act {
            fan.graphs.iter_mut().for_each(|(_, graph)| change(graph, id, by));
        }
    }
}

fn agree(graph: &Graph, limits: Limits, most: usize) -> usize {
    let Some(walker) = Interleaver::new(graph, limits) else { return 0 };
    let input = Json::from("go");
    run_all_orders(&walker, &input, most, &mut |walk: &InterleavedRun| {
        let expected = scope_oracle::run(graph, input.clone(), limits, &walk.order);
        if walk.ended != expected {
            let plan = graph.write();
            let order = {
                let mut order: Vec<_> = walk.order.iter().collect();
                order.sort_by_key(|(_, step)| **step);
                order
            };
            panic!("{plan}\norder {order:?}\nmachine  {:#?}\nexpected {expected:#?}", walk.ended);
        }
    })
}

/// Checks every `stride`-th graph. The limits end loops soon.
fn every(parts: &PlanParts, size: usize, stride: usize, most: usize) -> (usize, usize) {
    let limits = Limits { visits: Some(2), ..Limits::default() };
    let (mut plans, mut runs) = (0, 0);
    for mut graph in parts.graphs(size).into_iter().step_by(stride) {
        number(&mut graph, &mut 0);
        plans += 1;
        runs += agree(&graph, limits, most);
    }
    (plans, runs)
}

/// A generator that yields little proves little.
fn at_least((plans, runs): (usize, usize), least: (usize, usize)) {
    assert!(plans >= least.0 && runs >= least.1, "only {plans} plans and {runs} runs of {least:?}");
}

#[test]
fn all_plans_of_up_to_three_nodes() {
    let sizes = [1, 2, 3].map(|size| every(&PlanParts::all(), size, 1, 100));
    let sum = sizes.into_iter().fold((0, 0), |(plans, runs), (more, of)| (plans + more, runs + of));
    at_least(sum, (11_372, 77_280));
}

/// Uses fewer kinds of leaves and lists.
#[test]
fn all_plans_of_four_nodes() {
    at_least(every(&PlanParts::few(), 4, 1, 60), (6_090, 70_495));
}

/// Tries every 53rd of about a hundred thousand plans.
#[test]
fn plans_of_five_nodes() {
    at_least(every(&PlanParts::few(), 5, 53, 24), (1_997, 19_101));
}

type Change = Box<dyn Fn(&mut Node)>;

/// Each node of every plan of up to three gets a retry, a timeout, or both.
#[test]
fn tries_and_timeouts() {
    let retry = |backoff| Some(Retry { attempts: 2, backoff, on: Vec::new() });
    let second = |node: &mut Node| {
        if let NodeBehaviour::Ask(replies) = &mut node.act {
            replies.push(Reply::Give("x".into()));
        }
    };
    let changes: [Change; 6] = [
        Box::new(move |node| node.retry = retry(false)),
        Box::new(move |node| {
            node.retry = retry(false);
            second(node);
        }),
        Box::new(move |node| {
            node.retry = retry(true);
            second(node);
        }),
        Box::new(|node| node.timeout_ms = Some(50)),
        Box::new(move |node| (node.timeout_ms, node.retry) = (Some(50), retry(true))),
        Box::new(|node| {
            node.retry = Some(Retry { attempts: 2, backoff: false, on: vec!["handler/failed", "node/*"] });
        }),
    ];
    let (mut plans, mut runs) = (0, 0);
    let limits = Limits { visits: Some(2), ..Limits::default() };
    for size in 1..=3 {
        for graph in if size < 3 { PlanParts::all() } else { PlanParts::few() }.graphs(size) {
            for at in 0..size {
                for by in &changes {
                    let mut graph = graph.clone();
                    number(&mut graph, &mut 0);
                    change(&mut graph, &format!("n{at}"), by);
                    plans += 1;
                    runs += agree(&graph, limits, 40);
                }
            }
        }
    }
    at_least((plans, runs), (9_612, 73_197));
}

#[test]
fn bounds_of_the_run() {
    let (mut plans, mut runs) = (0, 0);
    for size in 1..=3 {
        for mut graph in PlanParts::few().graphs(size) {
            number(&mut graph, &mut 0);
            let none = Limits { visits: Some(2), ..Limits::default() };
            for most in 1..=4 {
                let limits = [
                    Limits { steps: Some(most), ..none },
                    Limits { calls: Some(most), ..none },
                    Limits { output_bytes: Some(most * 4), ..none },
                ];
                for limits in limits {
                    plans += 1;
                    runs += agree(&graph, limits, 20);
                }
            }
            plans += 1;
            runs += agree(&graph, Limits { timeout: true, ..none }, 40);
        }
    }
    at_least((plans, runs), (5_590, 13_894));
}
