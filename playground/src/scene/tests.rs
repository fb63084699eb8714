//! Drawings of every example, and of what stands inside nodes.

use super::*;
use stepgraph_core::graph::{Graph, PlanGraph, scoped_name};
use stepgraph_core::source::Format;

fn examples() -> Vec<(String, PlanGraph)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_plan = |path: &std::path::PathBuf| {
        let yaml = path.extension().is_some_and(|ending| ending == "yaml");
        yaml && path.to_str().is_some_and(|name| !name.contains(".stubs."))
    };
    let plans = files.filter(is_plan);
    let read = |path: std::path::PathBuf| {
        let plan = PlanGraph::parse(&std::fs::read_to_string(&path).unwrap(), Format::Auto).graph;
        plan.map(|plan| (path.display().to_string(), plan))
    };
    plans.filter_map(read).collect()
}

fn all_open(plan: &PlanGraph) -> Choices {
    let holders = |graph: &Graph| {
        let scope = graph.scope.clone();
        let places = graph
            .nodes
            .iter()
            .filter(|node| !node.nested.is_empty())
            .map(move |node| scoped_name(&scope, &node.key));
        places.collect::<Vec<_>>()
    };
    Choices { open: plan.graphs().into_iter().flat_map(holders).collect(), ..Choices::default() }
}

fn plan(text: &str) -> PlanGraph {
    let parsed = PlanGraph::parse(text, Format::Auto);
    parsed.graph.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

#[test]
fn neighbours_never_touch_and_what_is_inside_lies_inside() {
    let examples = examples();
    assert!(examples.len() >= 8);
    for (name, plan) in &examples {
        let drawn = scene(plan, &all_open(plan));
        let count: usize = plan.graphs().iter().map(|graph| graph.nodes.len()).sum();
        assert_eq!(drawn.nodes.len(), count, "{name}");
        for (at, a) in drawn.nodes.iter().enumerate() {
            for b in drawn.nodes[at + 1..].iter().filter(|b| b.scope == a.scope) {
                assert!(!a.area.touches(&b.area), "{name}: {} {}", a.place(), b.place());
            }
        }
        for frame in drawn.frames.iter().filter(|frame| frame.owner.is_some()) {
            let owner = &drawn.nodes[frame.owner.unwrap()];
            assert!(frame.scope.starts_with(&owner.place()));
            for node in drawn.nodes.iter().filter(|node| node.scope == frame.scope) {
                for outer in [&frame.area, &owner.area] {
                    assert!(
                        outer.grown(0.01).contains(node.area.min)
                            && outer.grown(0.01).contains(node.area.max()),
                        "{name}: {}",
                        node.place()
                    );
                }
            }
        }
        for line in &drawn.edges {
            let (from, to) = (&drawn.nodes[line.from], &drawn.nodes[line.to]);
            assert_eq!((&from.scope, &to.scope), (&line.scope, &line.scope));
            assert!(
                from.area.grown(0.01).contains(line.curve.start)
                    && to.area.grown(0.01).contains(line.curve.end())
            );
            assert!(line.curve.distance(line.curve.middle()) < 1.0, "{name}");
        }
    }
}

#[test]
fn closed_nodes_show_nothing_of_what_is_inside() {
    let plan = plan(
        "nodes: {fan: {type: parallel, branches: {a: {nodes: {x: {type: log}}}, b: {nodes: {y: {type: log}}}}}}",
    );
    let closed = scene(&plan, &Choices::default());
    assert_eq!((closed.nodes.len(), closed.nodes[0].inside), (1, Some(false)));
    let open = scene(&plan, &all_open(&plan));
    let places: Vec<String> = open.nodes.iter().map(NodeBox::place).collect();
    assert_eq!(places, ["fan", "fan/a/x", "fan/b/y"]);
    assert_eq!(open.frames.iter().map(|frame| frame.name.as_str()).collect::<Vec<_>>(), ["", "a", "b"]);
}

#[test]
fn what_the_file_places_stands_there_and_the_rest_beside_it() {
    let plan =
        plan("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\nlayout: {a: [500, -40]}");
    let drawn = scene(&plan, &Choices::default());
    assert_eq!(drawn.nodes[0].area.min, Point::new(500.0, -40.0));
    assert!(drawn.nodes[0].is_placed && !drawn.nodes[1].is_placed && drawn.nodes[1].area.min.y > 12.0);
}

#[test]
fn loops_and_failures_are_told_apart() {
    let text = "start: a\nnodes: {a: {type: fetch}, b: {type: log}, c: {type: log}}\nedges:\n  - {from: a, to: b, condition: last==ok}\n  - {from: b, to: a}\n  - {from: a, to: c, condition: error.code == busy}\n  - {from: a, to: c}";
    let drawn = scene(&plan(text), &Choices::default());
    let seen: Vec<(bool, bool)> = drawn.edges.iter().map(|line| (line.is_back, line.is_failure)).collect();
    assert_eq!(seen, [(false, false), (true, false), (false, true), (false, false)]);
    assert_eq!(drawn.edges[0].label, "last==ok");
}

#[test]
fn titles_tools_and_types_are_said() {
    let text = "nodes:\n  a: {type: tool, tool: search, metadata: {title: Look it up}}\n  b: {type: log, metadata: {title: Say it}}\n  c: {type: noop}\nedges: [{from: a, to: b}, {from: b, to: c}]";
    let drawn = scene(&plan(text), &Choices::default());
    let said: Vec<(&str, &str)> =
        drawn.nodes.iter().map(|node| (node.title.as_str(), node.detail.as_str())).collect();
    assert_eq!(said, [("Look it up", "search"), ("Say it", "b · log"), ("c", "noop")]);
}
