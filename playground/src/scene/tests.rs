//! Tests of example scenes and nested graphs.

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

fn all_open(plan: &PlanGraph) -> ViewOptions {
    let holders = |graph: &Graph| {
        let scope = graph.scope.clone();
        let node_paths = graph
            .nodes
            .iter()
            .filter(|node| !node.nested.is_empty())
            .map(move |node| scoped_name(&scope, &node.key));
        node_paths.collect::<Vec<_>>()
    };
    ViewOptions { expanded: plan.graphs().into_iter().flat_map(holders).collect(), ..ViewOptions::default() }
}

fn plan(text: &str) -> PlanGraph {
    let parsed = PlanGraph::parse(text, Format::Auto);
    parsed.graph.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

#[test]
fn nodes_do_not_overlap_and_nested_nodes_are_inside() {
    let examples = examples();
    assert!(examples.len() >= 8);
    for direction in [LayoutDirection::Down, LayoutDirection::Right] {
        check_nesting(&examples, direction);
    }
}

fn check_nesting(examples: &[(String, PlanGraph)], direction: LayoutDirection) {
    for (name, plan) in examples {
        let scene = build_scene(plan, &ViewOptions { direction, ..all_open(plan) });
        let count: usize = plan.graphs().iter().map(|graph| graph.nodes.len()).sum();
        assert_eq!(scene.nodes.len(), count, "{name}");
        for (at, a) in scene.nodes.iter().enumerate() {
            for b in scene.nodes[at + 1..].iter().filter(|b| b.scope == a.scope) {
                assert!(!a.area.intersects(&b.area), "{name}: {} {}", a.node_path(), b.node_path());
            }
        }
        for group in scene.groups.iter().filter(|group| group.owner.is_some()) {
            let owner = &scene.nodes[group.owner.unwrap()];
            assert!(group.scope.starts_with(&owner.node_path()));
            for node in scene.nodes.iter().filter(|node| node.scope == group.scope) {
                for outer in [&group.area, &owner.area] {
                    assert!(
                        outer.expanded(0.01).contains(node.area.min)
                            && outer.expanded(0.01).contains(node.area.max()),
                        "{name}: {}",
                        node.node_path()
                    );
                }
            }
        }
        for edge in &scene.edges {
            let (from, to) = (&scene.nodes[edge.from], &scene.nodes[edge.to]);
            assert_eq!((&from.scope, &to.scope), (&edge.scope, &edge.scope));
            assert!(
                from.area.expanded(0.01).contains(edge.curve.start)
                    && to.area.expanded(0.01).contains(edge.curve.end())
            );
            assert!(edge.curve.distance(edge.curve.middle()) < 1.0, "{name}");
        }
    }
}

#[test]
fn collapsed_groups_hide_nested_nodes() {
    let plan = plan(
        "nodes: {fan: {type: parallel, branches: {a: {nodes: {x: {type: log}}}, b: {nodes: {y: {type: log}}}}}}",
    );
    let closed = build_scene(&plan, &ViewOptions::default());
    assert_eq!((closed.nodes.len(), closed.nodes[0].is_expanded), (1, Some(false)));
    let open = build_scene(&plan, &all_open(&plan));
    let node_paths: Vec<String> = open.nodes.iter().map(SceneNode::node_path).collect();
    assert_eq!(node_paths, ["fan", "fan/a/x", "fan/b/y"]);
    assert_eq!(open.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["", "a", "b"]);
}

#[test]
fn uses_positions_of_the_file() {
    let plan =
        plan("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\nlayout: {a: [500, -40]}");
    let scene = build_scene(&plan, &ViewOptions::default());
    assert_eq!(scene.nodes[0].area.min, Point::new(500.0, -40.0));
    assert!(scene.nodes[0].is_placed && !scene.nodes[1].is_placed && scene.nodes[1].area.min.y > 12.0);
}

#[test]
fn marks_back_edges_and_failure_edges() {
    let text = "start: a\nnodes: {a: {type: fetch}, b: {type: log}, c: {type: log}}\nedges:\n  - {from: a, to: b, condition: last==ok}\n  - {from: b, to: a}\n  - {from: a, to: c, condition: error.code == busy}\n  - {from: a, to: c}";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    let seen: Vec<(bool, bool)> = scene.edges.iter().map(|edge| (edge.is_back, edge.is_failure)).collect();
    assert_eq!(seen, [(false, false), (true, false), (false, true), (false, false)]);
    assert_eq!(scene.edges[0].label, "last==ok");
}

#[test]
fn shows_titles_tools_and_types() {
    let text = "nodes:\n  a: {type: tool, tool: search, metadata: {title: Look it up}}\n  b: {type: log, metadata: {title: Say it}}\n  c: {type: noop}\nedges: [{from: a, to: b}, {from: b, to: c}]";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    let said: Vec<(&str, &str)> =
        scene.nodes.iter().map(|node| (node.title.as_str(), node.subtitle.as_str())).collect();
    assert_eq!(said, [("Look it up", "search"), ("Say it", "b · log"), ("c", "noop")]);
}

#[test]
fn a_node_that_runs_a_file_is_closed() {
    let plan = plan(
        "nodes:\n  a: {type: graph, graph: ./sub/other.yaml}\n  b: {type: parallel, branches: {x: x.yaml, y: {nodes: {n: {type: log}}}}}\nedges: [{from: a, to: b}]\n",
    );
    let scene = build_scene(&plan, &all_open(&plan));
    let found: Vec<_> = scene.nodes.iter().map(|node| (node.node_path(), node.is_expanded)).collect();
    let expected = [("a", None), ("b", Some(true)), ("b/y/n", None)];
    assert_eq!(found, expected.map(|(path, expanded)| (path.to_owned(), expanded)));
    assert_eq!(scene.nodes[0].subtitle, "./sub/other.yaml");
}

#[test]
fn the_fallback_is_the_last_branch() {
    let text = "start: a\nnodes: {a: {type: noop}, rest: {type: noop}, low: {type: noop}, high: {type: noop}}\nedges:\n  - {from: a, to: rest}\n  - {from: a, to: low, condition: last < 3}\n  - {from: a, to: high, condition: last > 7}\n";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    assert_eq!(scene.edges.iter().map(|edge| edge.index).collect::<Vec<_>>(), [1, 2, 0]);
    let x = |key: &str| scene.nodes.iter().find(|node| node.key == key).unwrap().area.min.x;
    assert!(x("low") < x("high") && x("high") < x("rest"));
}

#[test]
fn a_branch_that_leads_back_stays_in_its_place() {
    let text = "start: a\nnodes: {a: {type: noop}, b: {type: noop}, c: {type: noop}, d: {type: noop}, e: {type: noop}}\nedges:\n  - {from: a, to: b, condition: last.n > 1}\n  - {from: a, to: c, condition: last.n > 2}\n  - {from: a, to: d, condition: last.n == 0}\n  - {from: a, to: e}\n  - {from: b, to: a}\n";
    for direction in [LayoutDirection::Down, LayoutDirection::Right] {
        let scene = build_scene(&plan(text), &ViewOptions { direction, ..ViewOptions::default() });
        let place = |key: &str| {
            let area = scene.nodes.iter().find(|node| node.key == key).unwrap().area;
            if direction == LayoutDirection::Down { area.min.x } else { area.min.y }
        };
        for pair in ["b", "c", "d", "e"].windows(2) {
            assert!(place(pair[0]) < place(pair[1]), "{direction:?} {pair:?}");
        }
        assert_eq!(crossings(&scene), [], "{direction:?}");
    }
}

#[test]
fn no_edge_goes_through_a_node_and_no_label_covers_another() {
    for direction in [LayoutDirection::Down, LayoutDirection::Right] {
        check_random_scenes(&ViewOptions { direction, ..ViewOptions::default() });
    }
}

fn check_random_scenes(options: &ViewOptions) {
    let mut state = 7_usize;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..120 {
        let count = 2 + next(30);
        let nodes: Vec<String> = (0..count).map(|node| format!("n{node}: {{type: log}}")).collect();
        let edges: Vec<String> = (0..count + next(count))
            .map(|edge| {
                let to = if edge < count { edge } else { next(count) };
                let from = if edge < count { next(edge.max(1)) } else { next(count) };
                let condition = if next(3) == 0 { ", condition: last==ok" } else { "" };
                format!("  - {{from: n{from}, to: n{to}{condition}}}\n")
            })
            .collect();
        let text = format!("start: n0\nnodes: {{{}}}\nedges:\n{}", nodes.join(", "), edges.concat());
        let scene = build_scene(&plan(&text), options);
        for edge in &scene.edges {
            let (from, to) = (&scene.nodes[edge.from].area, &scene.nodes[edge.to].area);
            assert!(
                from.expanded(0.01).contains(edge.curve.start)
                    && to.expanded(0.01).contains(edge.curve.end())
            );
            if !edge.is_back {
                let [from, to] = [from, to].map(|area| options.direction.turn_rect(*area));
                assert!(from.max().y < to.min.y, "{round}: forward edges lead onwards\n{text}");
            }
            let points = edge.curve.sample_points(24);
            for (at, node) in scene.nodes.iter().enumerate() {
                if at != edge.from && at != edge.to {
                    let inner = node.area.expanded(-1.0);
                    assert!(
                        !points.iter().any(|point| inner.contains(*point)),
                        "{round}: {edge:?} through {at} {:?}\n{text}",
                        node.area
                    );
                }
                assert!(edge.label.is_empty() || !edge.label_box.intersects(&node.area), "{round}: {text}");
            }
        }
        let labels: Vec<_> = scene.edges.iter().filter(|edge| !edge.label.is_empty()).collect();
        for (at, one) in labels.iter().enumerate() {
            for other in &labels[at + 1..] {
                assert!(!one.label_box.intersects(&other.label_box), "{round}: {text}");
            }
        }
    }
}

#[test]
fn a_horizontal_scene_is_the_transposed_one_of_turned_nodes() {
    // A square node survives turning, so coordinates must.
    let text = "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}, d: {type: log}}\nedges:\n  - {from: a, to: b}\n  - {from: a, to: c}\n  - {from: b, to: d}\n  - {from: c, to: d}\n  - {from: d, to: a}\n  - {from: c, to: c}\n";
    let plan = plan(text);
    let down = build_scene(&plan, &ViewOptions::default());
    let right =
        build_scene(&plan, &ViewOptions { direction: LayoutDirection::Right, ..ViewOptions::default() });
    assert_eq!(right.direction, LayoutDirection::Right);
    for (a, b) in down.nodes.iter().zip(&right.nodes) {
        assert_eq!(a.area.size, b.area.size, "cards keep their form");
    }
    let order = |scene: &Scene, direction: LayoutDirection| {
        let centres = scene.nodes.iter().map(|node| direction.turn_point(node.area.centre()));
        let centres: Vec<Point> = centres.collect();
        let less = |a: f64, b: f64| a + 0.5 < b;
        let pairs =
            centres.iter().flat_map(|a| centres.iter().map(move |b| (less(a.x, b.x), less(a.y, b.y))));
        pairs.collect::<Vec<_>>()
    };
    assert_eq!(order(&down, LayoutDirection::Down), order(&right, LayoutDirection::Right));
    let kinds = |scene: &Scene| {
        scene.edges.iter().map(|edge| (edge.is_back, edge.curve.pieces.len())).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&down), kinds(&right));
}

#[test]
fn a_dragged_node_of_a_horizontal_scene_keeps_its_edges_on_their_sides() {
    let plan = plan("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
    let options = ViewOptions { direction: LayoutDirection::Right, ..ViewOptions::default() };
    let before = build_scene(&plan, &options);
    let mut scene = before.clone();
    let mut dragged = scene.grab(|node| node.key == "b");
    scene.drag(&mut dragged, Point::new(80.0, 120.0));
    let (edge, a, b) = (&scene.edges[0], &scene.nodes[0].area, &scene.nodes[1].area);
    assert!((edge.curve.start.x - a.max().x).abs() < 0.01 && (edge.curve.end().x - b.min.x).abs() < 0.01);
    scene.drag(&mut dragged, Point::default());
    assert_eq!(scene, before);
}

#[test]
fn a_back_edge_of_a_branch_runs_outside_and_crosses_nothing() {
    let text = "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}}\nedges:\n  - {from: a, to: b, condition: last==again}\n  - {from: a, to: c}\n  - {from: b, to: a}\n";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    let back = scene.edges.iter().find(|edge| edge.is_back).unwrap();
    let first = scene.edges[0].label_box;
    let outside = back
        .curve
        .sample_points(16)
        .into_iter()
        .filter(|point| point.y > first.min.y && point.y < first.max().y);
    assert!(
        outside.clone().count() > 0 && outside.into_iter().all(|point| point.x < first.min.x),
        "{back:?} {first:?}"
    );
}

#[test]
fn a_loop_leaves_the_chain_straight() {
    let text = "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}}\nedges:\n  - {from: a, to: b}\n  - {from: b, to: a, condition: last==again}\n  - {from: b, to: c, condition: default}\n";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    let xs: Vec<f64> = scene.nodes.iter().map(|node| node.area.centre().x).collect();
    assert!(xs.iter().all(|x| (x - xs[0]).abs() < 0.5), "{xs:?}");
    assert!(
        scene.edges[0]
            .curve
            .sample_points(8)
            .iter()
            .all(|point| (point.x - scene.edges[0].curve.start.x).abs() < 12.0)
    );
}

/// Pairs of edges that cross away from their ends.
fn crossings(scene: &Scene) -> Vec<(usize, usize)> {
    let lines: Vec<Vec<Point>> = scene.edges.iter().map(|edge| edge.curve.sample_points(12)).collect();
    let side = |a: Point, b: Point, c: Point| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let cross = |(a, b): (Point, Point), (c, d): (Point, Point)| {
        side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
    };
    let segments = |line: &[Point]| line.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
    let mut found = Vec::new();
    for (at, one) in lines.iter().enumerate() {
        for (more, other) in lines.iter().enumerate().skip(at + 1) {
            let others = segments(other);
            if segments(one).iter().any(|one| others.iter().any(|other| cross(*one, *other))) {
                found.push((at, more));
            }
        }
    }
    found
}

#[test]
fn back_edges_of_branches_that_join_cross_nothing() {
    let edges = "0-1 1-2 1-4 1-6 2-3 4-5 3-7 5-7 6-7 7-8 7-1 7-2 7-3 8-9 9-6";
    let edges = edges.split(' ').map(|edge| edge.split_once('-').unwrap());
    let edges: Vec<String> = edges
        .enumerate()
        .map(|(at, (from, to))| {
            let condition = if at % 3 == 0 { ", condition: last==ok" } else { "" };
            format!("  - {{from: n{from}, to: n{to}{condition}}}\n")
        })
        .collect();
    let nodes: Vec<String> = (0..10).map(|node| format!("n{node}: {{type: log}}")).collect();
    let text = format!("start: n0\nnodes: {{{}}}\nedges:\n{}", nodes.join(", "), edges.concat());
    for direction in [LayoutDirection::Down, LayoutDirection::Right] {
        let scene = build_scene(&plan(&text), &ViewOptions { direction, ..ViewOptions::default() });
        assert_eq!(scene.edges.iter().filter(|edge| edge.is_back).count(), 4);
        assert_eq!(crossings(&scene), [], "{direction:?}");
    }
}

#[test]
fn an_edge_between_nodes_above_each_other_is_straight_if_none_is_between() {
    let text = "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}, d: {type: log}}\nedges:\n  - {from: a, to: b, condition: last==1}\n  - {from: b, to: c}\n  - {from: b, to: d}\n  - {from: c, to: b}\n  - {from: a, to: c}\n";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    let centre = |node: usize| scene.nodes[node].area.centre().x;
    for edge in scene.edges.iter().filter(|edge| (centre(edge.from) - centre(edge.to)).abs() < 0.5) {
        let points = edge.curve.sample_points(8);
        let rows = scene.nodes[edge.from].area.max().y..scene.nodes[edge.to].area.min.y;
        let is_between = |node: &SceneNode| {
            rows.contains(&node.area.centre().y) && (node.area.centre().x - centre(edge.from)).abs() < 70.0
        };
        assert!(
            edge.is_back
                || scene.nodes.iter().any(is_between)
                || points.iter().all(|point| (point.x - centre(edge.from)).abs() < 0.5),
            "{edge:?}"
        );
    }
}

#[test]
fn a_note_is_readable_or_left_out() {
    let long = "a".repeat(40);
    let text = format!(
        "nodes:\n  a: {{type: log}} # Reads the mail of the day\n  b: {{type: log}}\n  {long}: {{type: tool, tool: {long}}} # Sends\n  c: {{type: log}} # hi\n"
    );
    let plan = PlanGraph::parse(&text, Format::Auto).graph.unwrap();
    let scene = build_scene(&plan, &ViewOptions::default());
    let [a, b, long_node, c] = &scene.nodes[..] else { panic!("four nodes") };
    assert!(a.area.size.width > b.area.size.width, "a note has space for its start");
    assert_eq!(a.detail_line(), "log · Reads the mail of the day");
    assert_eq!(long_node.detail_line(), long, "a letter of it would say nothing");
    assert_eq!(c.detail_line(), "log · hi");
}

/// Whether the middle part of the edge is outside all nodes.
fn is_outside(scene: &Scene, edge: &SceneEdge) -> bool {
    let turn = |point: Point| scene.direction.turn_point(point).x;
    let nodes = || scene.nodes.iter();
    let left = nodes().map(|node| turn(node.area.min)).fold(f64::INFINITY, f64::min);
    let right = nodes().map(|node| turn(node.area.max())).fold(f64::NEG_INFINITY, f64::max);
    let middle = turn(edge.curve.at(0.5));
    middle < left || middle > right
}

/// Two branches of two nodes, with or without an edge from the end to the start.
fn diamond(is_loop: bool, layout: &str) -> PlanGraph {
    let back = if is_loop { ", {from: f, to: a}" } else { "" };
    let nodes = "abcdef".chars().map(|node| format!("{node}: {{type: log}}")).collect::<Vec<_>>().join(", ");
    let edges = [("a", "b"), ("b", "c"), ("c", "f"), ("a", "d"), ("d", "e"), ("e", "f")]
        .map(|(from, to)| format!("{{from: {from}, to: {to}}}"))
        .join(", ");
    plan(&format!("start: a\nnodes: {{{nodes}}}\nedges: [{edges}{back}]\n{layout}"))
}

#[test]
fn a_back_edge_added_to_a_drawing_runs_outside() {
    for direction in [LayoutDirection::Down, LayoutDirection::Right] {
        let before = build_scene(&diamond(false, ""), &ViewOptions { direction, ..ViewOptions::default() });
        let previous = before.nodes.iter().map(|node| {
            let before =
                PreviousPosition { auto_position: node.auto_position, position: Some(node.position) };
            (node.node_path(), before)
        });
        let options = ViewOptions { direction, previous: previous.collect(), ..ViewOptions::default() };
        let scene = build_scene(&diamond(true, ""), &options);
        assert!(is_outside(&scene, scene.edges.last().unwrap()), "{:?}", scene.edges.last());
        assert_eq!(crossings(&scene), []);
    }
}

#[test]
fn back_edges_between_moved_nodes_run_outside_and_behind_no_node() {
    let layouts = [
        "layout: {a: [0, 0], b: [-100, 120], c: [-100, 240], d: [100, 120], e: [100, 240], f: [0, 360]}",
        // In the way of the straight line.
        "layout: {a: [0, 0], b: [0, 120], c: [60, 240], d: [300, 120], e: [300, 240], f: [0, 360]}",
        // Less than half are fixed.
        "layout: {f: [40, 600]}",
    ];
    for layout in layouts {
        let scene = build_scene(&diamond(true, layout), &ViewOptions::default());
        let back = scene.edges.last().unwrap();
        assert!(back.is_back && is_outside(&scene, back), "{layout}: {back:?}");
        for point in back.curve.sample_points(24) {
            assert!(!scene.nodes.iter().any(|node| node.area.expanded(-1.0).contains(point)), "{layout}");
        }
    }
}

#[test]
fn back_edges_between_moved_nodes_have_a_lane_each() {
    let text = "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}, d: {type: log}}\nedges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}, {from: d, to: a}, {from: c, to: a}]\nlayout: {a: [0, 0], b: [40, 120], c: [0, 240], d: [0, 360]}";
    let scene = build_scene(&plan(text), &ViewOptions::default());
    let lane = |edge: usize| scene.edges[edge].curve.at(0.5).x;
    let right = scene.nodes[1].area.max().x;
    assert!(scene.edges.iter().skip(3).all(|edge| edge.is_back), "{:?}", scene.edges);
    let outer = lane(3) - lane(4);
    let is_right = lane(4) > right && outer >= 16.0;
    assert!(is_right || (lane(4) < 0.0 && outer <= -16.0), "{} {}", lane(3), lane(4));
    assert_eq!(crossings(&scene), []);
}

#[test]
fn the_branch_of_a_back_edge_is_outside() {
    let text = include_str!("../../../examples/gallery/en/react.yaml");
    for direction in [LayoutDirection::Down, LayoutDirection::Right] {
        let scene = build_scene(&plan(text), &ViewOptions { direction, ..ViewOptions::default() });
        let back = scene.edges.iter().find(|edge| edge.is_back).unwrap();
        let others = scene.edges.iter().filter(|edge| !edge.is_back);
        let turn = |point: Point| direction.turn_point(point).x;
        let right = others.map(|edge| turn(edge.curve.bounds().max())).fold(0.0, f64::max);
        assert!(turn(back.curve.bounds().max()) > right, "{direction:?}: {back:?}");
        assert_eq!(crossings(&scene), []);
    }
}
