//! Tests of random and large layouts.

use super::*;
use crate::geometry::Rect;

fn diagram(nodes: usize, edges: &[(usize, usize)]) -> LayoutInput {
    let sizes = (0..nodes).map(|node| Size::new([160.0, 200.0, 240.0][node % 3], 48.0)).collect();
    LayoutInput { sizes, edges: edges.to_vec(), gap: 40.0, layer_gap: 64.0, ..LayoutInput::default() }
}

fn boxes(input: &LayoutInput, found: &LayoutResult) -> Vec<Rect> {
    found.positions.iter().zip(&input.sizes).map(|(position, size)| Rect::new(*position, *size)).collect()
}

fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    }
}

fn random(seed: u64) -> LayoutInput {
    let mut next = numbers(seed);
    let nodes = 1 + next(40);
    let edges: Vec<(usize, usize)> = (0..next(80)).map(|_| (next(nodes), next(nodes))).collect();
    LayoutInput {
        direction: if next(2) == 0 { LayoutDirection::Down } else { LayoutDirection::Right },
        ..diagram(nodes, &edges)
    }
}

/// In text order.
fn assign_ranks(nodes: usize, edges: &[(usize, usize)], start: Option<usize>) -> Ranks {
    let order: Vec<usize> = (0..edges.len()).collect();
    ranking::assign_ranks(nodes, edges, start, &order)
}

#[test]
fn nodes_do_not_overlap_and_start_at_zero() {
    for seed in 1..60 {
        let input = random(seed);
        let found = compute_layout(&input);
        let boxes = boxes(&input, &found);
        for (at, a) in boxes.iter().enumerate() {
            let far = a.max();
            assert!(
                a.min.x >= 0.0 && a.min.y >= 0.0 && far.x <= found.size.width && far.y <= found.size.height
            );
            for b in &boxes[at + 1..] {
                assert!(!a.intersects(b), "seed {seed}: {a:?} {b:?}");
            }
        }
        assert_eq!(found, compute_layout(&input), "the same again");
    }
}

#[test]
fn only_back_edges_point_backwards() {
    for seed in 1..60 {
        let input = LayoutInput { direction: LayoutDirection::Down, ..random(seed) };
        let found = compute_layout(&input);
        for ((from, to), back) in input.edges.iter().zip(&found.is_back) {
            let (a, b) = (found.positions[*from].y, found.positions[*to].y);
            assert!(if *back { b <= a } else { a < b }, "seed {seed}: {from} to {to}");
        }
    }
}

#[test]
fn back_edges_are_found_from_the_start() {
    let mut loop_first = diagram(3, &[(2, 0), (0, 1), (1, 2)]);
    loop_first.start = Some(0);
    assert_eq!(compute_layout(&loop_first).is_back, [true, false, false]);
}

#[test]
fn a_chain_stays_straight_beside_its_long_edges() {
    // Each node of the chain also leads to the last node, as to a common end.
    let edges = [(0, 1), (0, 5), (1, 2), (1, 5), (2, 3), (2, 5), (3, 4), (3, 5)];
    let labels = (0..edges.len()).map(|edge| Size::new(if edge % 2 == 0 { 80.0 } else { 0.0 }, 22.0));
    let labels = labels.collect();
    let input = LayoutInput { labels, label_gap: 32.0, ..diagram(6, &edges) };
    let found = compute_layout(&input);
    let centres: Vec<f64> = boxes(&input, &found).iter().map(|one| one.centre().x).collect();
    assert!(centres[..4].iter().all(|x| (x - centres[0]).abs() < 1e-9), "{centres:?}");
}

#[test]
fn chains_are_straight() {
    let input = diagram(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    let centres: Vec<f64> = boxes(&input, &compute_layout(&input)).iter().map(|one| one.centre().x).collect();
    assert!(centres.iter().all(|x| (x - centres[0]).abs() < 1e-9), "{centres:?}");
}

#[test]
fn long_edges_avoid_nodes() {
    let input = diagram(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
    let found = compute_layout(&input);
    let boxes = boxes(&input, &found);
    assert_eq!(found.bends[3].len(), 2);
    assert!(found.bends[3].iter().all(|bend| boxes.iter().all(|node| !node.contains(*bend))));
    assert!(found.bends[3][0].y < found.bends[3][1].y, "in the direction of the edge");
}

#[test]
fn avoids_avoidable_crossings() {
    // Two chains, crossed in the text.
    let mut twisted = diagram(6, &[(0, 3), (1, 2), (3, 4), (2, 5)]);
    twisted.start = Some(0);
    let ranks = assign_ranks(6, &twisted.edges, twisted.start);
    let mut graph = RankedGraph::new(&twisted.sizes, &twisted.edges, &ranks);
    ordering::order_layers(&mut graph, &[]);
    assert_eq!(ordering::count_crossings(&graph), 0);
}

#[test]
fn counts_crossings_like_the_naive_algorithm() {
    for seed in 1..60 {
        let input = random(seed);
        let ranks = assign_ranks(input.sizes.len(), &input.edges, None);
        let graph = RankedGraph::new(&input.sizes, &input.edges, &ranks);
        let position =
            |vertex: usize| graph.layers[graph.rank[vertex]].iter().position(|at| *at == vertex).unwrap();
        let segments: Vec<(usize, usize)> =
            (0..graph.rank.len()).flat_map(|a| graph.below.get(a).iter().map(move |b| (a, *b))).collect();
        let mut naive = 0;
        for (at, (a, b)) in segments.iter().enumerate() {
            for (c, d) in &segments[at + 1..] {
                let same = graph.rank[*a] == graph.rank[*c];
                let (upper, lower) = (position(*a).cmp(&position(*c)), position(*b).cmp(&position(*d)));
                naive += usize::from(same && upper.is_ne() && lower == upper.reverse());
            }
        }
        assert_eq!(ordering::count_crossings(&graph), naive, "seed {seed}");
    }
}

#[test]
fn a_layout_after_itself_is_the_same() {
    for seed in 1..60 {
        let mut input = LayoutInput { direction: LayoutDirection::Down, ..random(seed) };
        let first = compute_layout(&input);
        input.previous = first.positions.iter().copied().map(Some).collect();
        let again = compute_layout(&input);
        assert_eq!(again, first, "seed {seed}: the same plan looks the same");
    }
}

#[test]
fn keeps_the_order_of_placed_nodes() {
    let mut fan = diagram(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]);
    // Two and three were swapped. Four is new.
    fan.previous = [200.0, 0.0, 500.0, 250.0].map(|x| Some(Point::new(x, 0.0))).to_vec();
    let found = compute_layout(&fan);
    let x = |node: usize| found.positions[node].x;
    assert!(x(1) < x(3) && x(3) < x(2), "{found:?}");
}

#[test]
fn new_nodes_do_not_move_or_overlap_others() {
    for seed in 1..60 {
        let input = random(seed);
        let mut next = numbers(seed + 1_000);
        let whole = compute_layout(&input);
        let placed: Vec<Option<Point>> =
            whole.positions.iter().map(|position| (next(3) > 0).then_some(*position)).collect();
        let positions = place_new_nodes(&input, &placed, &[]);
        for (known, position) in placed.iter().zip(&positions) {
            assert!(known.is_none_or(|known| known == *position));
        }
        let found = LayoutResult { positions, ..whole };
        let boxes = boxes(&input, &found);
        for (at, a) in boxes.iter().enumerate() {
            assert!(boxes[at + 1..].iter().all(|b| !a.intersects(b)), "seed {seed}");
        }
    }
}

#[test]
fn lays_out_empty_graphs_and_dangling_edges() {
    assert_eq!(compute_layout(&LayoutInput::default()), LayoutResult::default());
    let odd = diagram(2, &[(0, 9), (7, 1), (1, 1)]);
    assert_eq!(compute_layout(&odd).positions.len(), 2);
}

#[test]
fn lays_out_ten_thousand_nodes() {
    let many = 10_000;
    let chain: Vec<(usize, usize)> = (1..many).map(|node| (node - 1, node)).collect();
    let fan: Vec<(usize, usize)> = (1..many).map(|node| (0, node)).collect();
    let skips: Vec<(usize, usize)> =
        chain.iter().copied().chain((0..many).map(|node| (node, many - 1))).collect();
    let back: Vec<(usize, usize)> = chain.iter().copied().chain((1..many).map(|node| (node, 0))).collect();
    let mut next = numbers(7);
    let tree: Vec<(usize, usize)> = (1..many).map(|node| (next(node), node)).collect();
    for edges in [chain, fan, skips, back, tree] {
        let found = compute_layout(&diagram(many, &edges));
        assert_eq!(found.positions.len(), many);
        let mut half: Vec<Option<Point>> = found.positions.iter().copied().map(Some).collect();
        half[..many / 2].fill(None);
        assert_eq!(place_new_nodes(&diagram(many, &edges), &half, &[]).len(), many);
        assert!(found.bends.iter().map(Vec::len).sum::<usize>() <= 4_000 + 6 * (many + edges.len()));
    }
}

#[test]
fn a_previous_order_stays_only_while_it_crosses_few_edges() {
    // Previous positions of namesakes would cross the chains.
    let mut chains = diagram(6, &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 5)]);
    chains.previous = [0.0, 0.0, 300.0, 300.0, 0.0, 0.0].map(|x| Some(Point::new(x, 0.0))).to_vec();
    let found = compute_layout(&chains);
    let x = |node: usize| found.positions[node].x;
    assert_eq!(x(1) < x(2), x(3) < x(4), "{found:?}");
}

#[test]
fn branches_stay_in_the_order_of_their_edges() {
    let fan =
        diagram(9, &[(0, 1), (0, 2), (0, 3), (0, 4), (1, 5), (3, 6), (5, 7), (6, 7), (4, 7), (2, 8), (8, 7)]);
    let found = compute_layout(&fan);
    let x = |node: usize| found.positions[node].x;
    assert!(x(1) < x(2) && x(2) < x(3) && x(3) < x(4), "{found:?}");
}

#[test]
fn swaps_only_remove_crossings() {
    for seed in 1..60 {
        let input = random(seed);
        let ranks = assign_ranks(input.sizes.len(), &input.edges, input.start);
        let mut graph = RankedGraph::new(&input.sizes, &input.edges, &ranks);
        let before = ordering::count_crossings(&graph);
        let mut vertices = graph.layers.clone();
        adjacent_swaps::swap_adjacent(&mut graph, None);
        assert!(ordering::count_crossings(&graph) <= before, "seed {seed}");
        let order: Vec<usize> = (0..graph.rank.len()).rev().collect();
        let least = ordering::count_crossings(&graph);
        adjacent_swaps::swap_adjacent(&mut graph, Some(&order));
        assert!(ordering::count_crossings(&graph) <= least, "seed {seed}");
        let mut sorted = graph.layers.clone();
        for layer in vertices.iter_mut().chain(&mut sorted) {
            layer.sort_unstable();
        }
        assert_eq!(sorted, vertices, "each layer keeps its vertices");
    }
}

#[test]
fn chain_moves_only_remove_crossings() {
    for seed in 1..60 {
        let input = random(seed);
        let ranks = assign_ranks(input.sizes.len(), &input.edges, input.start);
        let mut graph = RankedGraph::new(&input.sizes, &input.edges, &ranks);
        let (before, vertices) = (ordering::count_crossings(&graph), graph.layers.clone());
        let mut paths = 20_000;
        let is_better = chain_moves::move_chains(&mut graph, &mut paths);
        let after = ordering::count_crossings(&graph);
        assert_eq!(is_better, after < before, "seed {seed}");
        assert!(after <= before, "seed {seed}");
        let sorted = |layers: &[Vec<usize>]| {
            let mut layers = layers.to_vec();
            for layer in &mut layers {
                layer.sort_unstable();
            }
            layers
        };
        assert_eq!(sorted(&graph.layers), sorted(&vertices), "each layer keeps its vertices");
    }
}

#[test]
fn a_branch_and_a_node_move_as_a_whole() {
    // The branch 3, 4, 5 begins and ends left of the other two, but was right of them.
    let edges = [
        (0, 3),
        (3, 4),
        (4, 5),
        (5, 12),
        (1, 6),
        (6, 7),
        (7, 8),
        (8, 13),
        (2, 9),
        (9, 10),
        (10, 11),
        (11, 14),
    ];
    let input = diagram(15, &edges);
    let ranks = assign_ranks(15, &edges, None);
    let mut graph = RankedGraph::new(&input.sizes, &edges, &ranks);
    graph.layers = vec![vec![0, 1, 2], vec![6, 9, 3], vec![7, 10, 4], vec![8, 11, 5], vec![12, 13, 14]];
    assert_eq!(ordering::count_crossings(&graph), 4);
    adjacent_swaps::swap_adjacent(&mut graph, None);
    chain_moves::move_chains(&mut graph, &mut { 10_000 });
    assert_eq!(ordering::count_crossings(&graph), 0);
    // Without effort, nothing moves.
    graph.layers = vec![vec![0, 1, 2], vec![6, 9, 3], vec![7, 10, 4], vec![8, 11, 5], vec![12, 13, 14]];
    assert!(!chain_moves::move_chains(&mut graph, &mut 0));
}

#[test]
fn branches_exchange_their_places_without_a_crossing() {
    let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (4, 6), (5, 6), (3, 6)];
    let input = diagram(7, &edges);
    let ranks = assign_ranks(7, &edges, Some(0));
    let mut graph = RankedGraph::new(&input.sizes, &edges, &ranks);
    for layer in &mut graph.layers {
        layer.reverse();
    }
    branch_order::order_branches(&mut graph);
    assert_eq!(graph.layers, [vec![0], vec![1, 2, 3], vec![4, 5, 7], vec![6]]);
    for seed in 1..60 {
        let input = random(seed);
        let ranks = assign_ranks(input.sizes.len(), &input.edges, None);
        let mut graph = RankedGraph::new(&input.sizes, &input.edges, &ranks);
        let before = ordering::count_crossings(&graph);
        branch_order::order_branches(&mut graph);
        assert_eq!(ordering::count_crossings(&graph), before, "seed {seed}");
        assert!(graph.layers.iter().flatten().all(|vertex| *vertex < graph.rank.len()));
    }
}

#[test]
fn back_edges_leave_sideways_unless_forward_edges_are_further_out() {
    let size = vec![Size::new(60.0, 22.0); 8];
    let mut input = diagram(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 0)]);
    input.labels = size;
    input.start = Some(0);
    let found = compute_layout(&input);
    assert!(found.is_back[5]);
    assert_eq!(found.back_ends[5], (BackEnd::Level, BackEnd::Level), "the lane is outside: {found:?}");
    assert!(found.back_ends[..5].iter().all(|ends| *ends == (BackEnd::Beside, BackEnd::Beside)));
    for seed in 1..60 {
        let input = random(seed);
        assert_eq!(compute_layout(&input).back_ends.len(), input.edges.len());
    }
}

#[test]
fn bends_of_back_edges_lead_upwards() {
    for seed in 1..60 {
        let mut input = LayoutInput { direction: LayoutDirection::Down, ..random(seed) };
        input.labels = vec![Size::new(60.0, 22.0); input.edges.len()];
        let found = compute_layout(&input);
        for (bends, back) in found.bends.iter().zip(&found.is_back) {
            let y: Vec<f64> = bends.iter().map(|bend| if *back { -bend.y } else { bend.y }).collect();
            assert!(y.is_sorted(), "seed {seed}: {bends:?}");
        }
    }
}

#[test]
fn other_back_edges_remove_crossings_and_lead_down_to_each_node() {
    let mut changed = 0;
    for seed in 1..60 {
        let mut next = numbers(seed);
        let mut edges: Vec<(usize, usize)> = (1..20).map(|node| (next(node), node)).collect();
        edges.extend((0..5).map(|_| (next(20), next(20))));
        let mut input = LayoutInput { start: Some(0), ..diagram(20, &edges) };
        let task = Downward::new(&input);
        let text_order = Layered::new(&task, task.ranks(&task.text_order()));
        let found = task.layered();
        assert!(found.crossings <= text_order.crossings, "seed {seed}");
        if found.ranks.back != text_order.ranks.back {
            assert!(found.crossings < text_order.crossings, "seed {seed}: ties keep the order of the text");
            changed += 1;
        }
        assert_eq!(back_edges(&input), found.ranks.back, "seed {seed}: the same without a drawing");
        let mut reached = vec![0];
        let mut at = 0;
        while let Some(node) = reached.get(at).copied() {
            at += 1;
            for ((from, to), back) in edges.iter().zip(&found.ranks.back) {
                if *from == node && !back && !reached.contains(to) {
                    reached.push(*to);
                }
            }
        }
        assert_eq!(reached.len(), 20, "seed {seed}");
        assert_eq!(found.ranks.of[0], 0, "seed {seed}: the start is at the top");
        let first = compute_layout(&input);
        input.previous = first.positions.iter().copied().map(Some).collect();
        assert_eq!(compute_layout(&input), first, "seed {seed}: previous positions keep the back edges");
    }
    assert!(changed > 0);
}
