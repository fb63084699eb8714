//! Reading order and nearest nodes.
//!
//! Rows start top left. A node precedes its outgoing edges, then its nested graph. Arrows stay in the graph, except
//! that Down enters an open group and others may leave it.
//!
//! Invariants: 1. reading order has each drawn item once. 2. a neighbour's centre lies in its direction.
//!
//! Source: WCAG 2.2, 1.3.2 and 2.4.3.

use super::Focus;
use crate::geometry::Point;
use crate::scene::{Scene, SceneEdge, SceneNode};
use std::collections::HashMap;

/// Per vertical pixel in horizontal moves.
const ASIDE_WEIGHT: f64 = 2.0;
/// Per pixel of distance in vertical moves.
const ROW_WEIGHT: f64 = 3.0;

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Left.
    Left,
    /// Right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

impl Direction {
    /// Opposite direction.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// Unit vector.
    pub fn unit(self) -> Point {
        match self {
            Self::Left => Point::new(-1.0, 0.0),
            Self::Right => Point::new(1.0, 0.0),
            Self::Up => Point::new(0.0, -1.0),
            Self::Down => Point::new(0.0, 1.0),
        }
    }

    fn distances(self, from: Point, to: Point) -> (f64, f64) {
        let offset = from.offset_to(to);
        match self {
            Self::Left => (-offset.x, offset.y.abs()),
            Self::Right => (offset.x, offset.y.abs()),
            Self::Up => (-offset.y, offset.x.abs()),
            Self::Down => (offset.y, offset.x.abs()),
        }
    }
}

/// Item by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// A node.
    Node(usize),
    /// An edge.
    Edge(usize),
}

/// Nearest node there.
pub fn nearest_toward(scene: &Scene, from: usize, direction: Direction) -> Option<usize> {
    let current = scene.nodes.get(from)?;
    if direction == Direction::Down && current.is_expanded == Some(true) {
        let inside = rows(scene, &members(scene, from));
        if let Some(first) = inside.first() {
            return Some(*first);
        }
    }
    let beside = nearest_in_graph(scene, current, direction, &current.scope);
    beside.or_else(|| {
        let owner = group_owner(scene, &current.scope)?;
        if direction == Direction::Up { Some(owner) } else { neighbour_of_owner(scene, owner, direction) }
    })
}

fn neighbour_of_owner(scene: &Scene, owner_of: usize, direction: Direction) -> Option<usize> {
    let mut around = owner_of;
    loop {
        let current = scene.nodes.get(around)?;
        if let Some(found) = nearest_in_graph(scene, current, direction, &current.scope) {
            return Some(found);
        }
        around = group_owner(scene, &current.scope)?;
    }
}

/// Horizontal moves prefer the row, vertical ones the next row over a distant node straight ahead.
fn nearest_in_graph(scene: &Scene, current: &SceneNode, direction: Direction, scope: &str) -> Option<usize> {
    let centre = current.area.centre();
    let cost = |node: &SceneNode| {
        let (ahead, aside) = direction.distances(centre, node.area.centre());
        let in_row = are_in_same_row(current, node);
        let sideways = matches!(direction, Direction::Left | Direction::Right);
        let fits = ahead > 0.5 && if sideways { in_row || ahead > aside } else { !in_row };
        let cost = if sideways { ahead + aside * ASIDE_WEIGHT } else { ahead * ROW_WEIGHT + aside };
        fits.then_some((sideways && !in_row, cost))
    };
    let others = scene.nodes.iter().enumerate().filter(|(_, node)| node.scope == scope);
    let costs = others.filter_map(|(at, node)| Some((at, cost(node)?)));
    let better = |a: &(bool, f64), b: &(bool, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    costs.min_by(|a, b| better(&a.1, &b.1)).map(|(at, _)| at)
}

fn are_in_same_row(a: &SceneNode, b: &SceneNode) -> bool {
    let (a, b) = (a.area, b.area);
    let shared = a.max().y.min(b.max().y) - a.min.y.max(b.min.y);
    shared > a.size.height.min(b.size.height) / 2.0
}

/// The end there.
pub fn end_toward(scene: &Scene, edge: &SceneEdge, direction: Direction) -> usize {
    let centre = |node: usize| scene.nodes.get(node).map(|node| node.area.centre()).unwrap_or_default();
    let (along, _) = direction.distances(centre(edge.from), centre(edge.to));
    let onwards =
        if along.abs() < 0.5 { matches!(direction, Direction::Down | Direction::Right) } else { along > 0.0 };
    if onwards { edge.to } else { edge.from }
}

/// Outgoing, then incoming, in text order.
pub fn edges_at(scene: &Scene, node: usize) -> Vec<usize> {
    let all = || scene.edges.iter().enumerate();
    let leaving = all().filter(|(_, edge)| edge.from == node);
    let arriving = all().filter(|(_, edge)| edge.to == node && edge.from != node);
    leaving.chain(arriving).map(|(at, _)| at).collect()
}

/// All in order.
pub fn reading_order(scene: &Scene) -> Vec<Item> {
    let mut outgoing: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, edge) in scene.edges.iter().enumerate() {
        outgoing.entry(edge.from).or_default().push(at);
    }
    let mut by_scope: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, node) in scene.nodes.iter().enumerate() {
        by_scope.entry(&node.scope).or_default().push(at);
    }
    let mut frames: HashMap<usize, Vec<&str>> = HashMap::new();
    for group in &scene.groups {
        if let Some(owner) = group.owner {
            frames.entry(owner).or_default().push(&group.scope);
        }
    }
    let in_order = |scope: &str| rows(scene, by_scope.get(scope).map_or(&[][..], Vec::as_slice));
    let mut found = Vec::with_capacity(scene.nodes.len() + scene.edges.len());
    let mut work: Vec<usize> = in_order("").into_iter().rev().collect();
    while let Some(node) = work.pop() {
        found.push(Item::Node(node));
        found.extend(outgoing.remove(&node).into_iter().flatten().map(Item::Edge));
        for scope in frames.remove(&node).into_iter().flatten().rev() {
            work.extend(in_order(scope).into_iter().rev());
        }
    }
    found
}

pub(super) fn rows(scene: &Scene, nodes: &[usize]) -> Vec<usize> {
    let area = |node: &usize| scene.nodes.get(*node).map(|node| node.area).unwrap_or_default();
    let mut sorted: Vec<usize> = nodes.to_vec();
    sorted.sort_by(|a, b| area(a).min.y.total_cmp(&area(b).min.y));
    let mut found = Vec::with_capacity(sorted.len());
    let mut row: Vec<usize> = Vec::new();
    // Middle of the row's first node.
    let mut until = f64::NEG_INFINITY;
    for node in sorted {
        let top = area(&node).min.y;
        if top > until {
            flush_row(&mut row, &mut found, area);
            until = top + area(&node).size.height.min(80.0) / 2.0;
        }
        row.push(node);
    }
    flush_row(&mut row, &mut found, area);
    found
}

fn flush_row(row: &mut Vec<usize>, found: &mut Vec<usize>, area: impl Fn(&usize) -> crate::geometry::Rect) {
    row.sort_by(|a, b| area(a).min.x.total_cmp(&area(b).min.x));
    found.append(row);
}

fn members(scene: &Scene, owner: usize) -> Vec<usize> {
    let scopes: Vec<&str> = scene
        .groups
        .iter()
        .filter(|group| group.owner == Some(owner))
        .map(|group| group.scope.as_str())
        .collect();
    let inside = scene.nodes.iter().enumerate().filter(|(_, node)| scopes.contains(&node.scope.as_str()));
    inside.map(|(at, _)| at).collect()
}

fn group_owner(scene: &Scene, scope: &str) -> Option<usize> {
    scene.groups.iter().find(|group| group.scope == scope)?.owner
}

/// The start node, else the first.
pub(super) fn first_node(scene: &Scene) -> Option<usize> {
    let start = scene.nodes.iter().position(|node| node.is_start && node.scope.is_empty());
    start.or_else(|| match reading_order(scene).first() {
        Some(Item::Node(node)) => Some(*node),
        _ => None,
    })
}

pub(super) fn last_node(scene: &Scene) -> Option<usize> {
    let nodes = reading_order(scene).into_iter().rev();
    nodes.into_iter().find_map(|item| if let Item::Node(node) = item { Some(node) } else { None })
}

pub(super) fn reading_neighbour(scene: &Scene, focus: &Focus, onwards: bool) -> Option<Item> {
    let all = reading_order(scene);
    if *focus == Focus::Nothing {
        return if onwards { all.first() } else { all.last() }.copied();
    }
    let now = item_of_focus(scene, focus)?;
    let at = all.iter().position(|item| *item == now)?;
    let next = if onwards { at + 1 } else { at.checked_sub(1)? };
    all.get(next).copied()
}

/// The focused item.
pub fn item_of_focus(scene: &Scene, focus: &Focus) -> Option<Item> {
    match focus {
        Focus::Nothing => None,
        Focus::Node(node_path) => scene.node_at_path(node_path).map(Item::Node),
        Focus::Edge(scope, index) => {
            let is_it = |edge: &SceneEdge| edge.index == *index && edge.scope == *scope;
            scene.edges.iter().position(is_it).map(Item::Edge)
        }
    }
}

/// An item's focus.
pub fn focus_of(scene: &Scene, item: Item) -> Option<Focus> {
    match item {
        Item::Node(node) => Some(Focus::Node(scene.nodes.get(node)?.node_path())),
        Item::Edge(edge) => {
            let scene_edge = scene.edges.get(edge)?;
            Some(Focus::Edge(scene_edge.scope.clone(), scene_edge.index))
        }
    }
}

pub(super) fn exists(scene: &Scene, focus: &Focus) -> bool {
    *focus == Focus::Nothing || item_of_focus(scene, focus).is_some()
}

pub(super) fn touches_edge(scene: &Scene, focus: &Focus, edge: usize) -> bool {
    item_of_focus(scene, focus) == Some(Item::Edge(edge))
}

pub(super) fn focused_edge<'a>(scene: &'a Scene, focus: &Focus) -> Option<&'a SceneEdge> {
    match item_of_focus(scene, focus)? {
        Item::Edge(edge) => scene.edges.get(edge),
        Item::Node(_) => None,
    }
}

pub(crate) fn node_path(scene: &Scene, node: usize) -> String {
    scene.nodes.get(node).map(SceneNode::node_path).unwrap_or_default()
}

pub(super) fn nearest_node(scene: &Scene, at: Point) -> Option<usize> {
    let far = |node: &SceneNode| node.area.centre().distance(at);
    let nodes = scene.nodes.iter().enumerate();
    nodes.min_by(|a, b| far(a.1).total_cmp(&far(b.1))).map(|(at, _)| at)
}
