//! Builds scenes.

use super::ghosts::{Link, Links};
use super::note::{NodeSpans, note_at};
use super::ports::Ports;
use super::positions::place_nodes;
use super::route::{LOOP_WIDTH, back_curve, forward_curve};
use super::{PreviousPosition, Scene, SceneEdge, SceneGroup, SceneNode, ViewOptions, edge_labels, measure};
use crate::geometry::{Point, Rect, Size};
use crate::layout::{BackEnd, LayoutDirection, LayoutInput, LayoutResult};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Condition;
use stepgraph_core::graph::{Graph, Node, PlanGraph, is_failure_condition, scoped_name};
use stepgraph_core::source::ValueKind;

/// Within layers, and between.
const GAP: f64 = 36.0;
const LAYER_GAP: f64 = 64.0;
/// Around a nested graph, and its header.
const PADDING: f64 = 24.0;
const HEADER: f64 = 64.0;
const BRANCH: f64 = 26.0;
/// Around edge labels between layers.
const LABEL_GAP: f64 = 32.0;
/// Between self-loop labels.
const LOOP_LABEL_GAP: f64 = 4.0;

stepgraph_lazy::lazy! {
    /// Lazy, because the first plan has an automatic layout.
    fn route_outside(links: &[Link<'_>], areas: &[Rect], numbers: &[usize], found: &mut LayoutResult) =
        super::outer_lanes::route_outside;
}

/// Builds a scene.
///
/// # Example
/// ```
/// use stepgraph_core::{graph::PlanGraph, source::Format};
/// use stepgraph_playground::scene::{ViewOptions, build_scene};
/// let text = "nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]";
/// let plan = PlanGraph::parse(text, Format::Auto).graph.unwrap();
/// let drawn = build_scene(&plan, &ViewOptions::default());
/// assert_eq!((drawn.nodes.len(), drawn.edges[0].from, drawn.edges[0].to), (2, 0, 1));
/// assert!(drawn.nodes[0].is_start && drawn.nodes[0].area.max().y < drawn.nodes[1].area.min.y);
/// ```
pub fn build_scene(plan: &PlanGraph, choices: &ViewOptions) -> Scene {
    let mut scene = SceneBuilder { plan, choices }.graph_scene(&plan.root);
    scene.direction = choices.direction;
    let size = scene.bounds.size;
    scene.groups.insert(
        0,
        SceneGroup {
            scope: String::new(),
            owner: None,
            name: String::new(),
            area: Rect::new(Point::default(), size),
            origin: Point::default(),
        },
    );
    let curves = scene.edges.iter().map(|edge| edge.curve.bounds());
    let tags = scene.edges.iter().filter(|edge| !edge.label.is_empty()).map(|edge| edge.label_box);
    let nodes = scene.nodes.iter().map(|node| node.area);
    scene.bounds = Rect::union_all(nodes.chain(curves).chain(tags)).unwrap_or_default();
    scene
}

struct SceneBuilder<'a> {
    plan: &'a PlanGraph,
    choices: &'a ViewOptions,
}

/// The node's corner is zero.
struct NestedScene {
    frames: Vec<(String, Rect, Scene)>,
    size: Size,
}

impl SceneBuilder<'_> {
    /// Includes visible nested graphs. `numbers` maps nodes to the scene.
    fn graph_scene(&self, graph: &Graph) -> Scene {
        let links = Links::new(graph);
        let mut inside: Vec<Option<NestedScene>> =
            graph.nodes.iter().map(|node| self.nested_scene(graph, node)).collect();
        inside.extend(links.ghosts.iter().map(|_| None));
        let own = graph.nodes.iter().enumerate().map(|(at, node)| self.scene_node(graph, at, node));
        let ghosts = links.ghosts.iter().map(|(name, span)| ghost_node(graph, name, *span));
        let boxes: Vec<SceneNode> = own.chain(ghosts).collect();
        let sizes: Vec<Size> =
            boxes.iter().zip(&inside).map(|(node, inside)| node_size(node, inside.as_ref())).collect();
        let previous = self.previous_positions(&boxes);
        let direction = self.choices.direction;
        let input = layout_input(graph, &links, sizes.clone(), &previous, direction);
        let placed = self.file_positions(graph, &boxes);
        let mut settled = place_nodes(&input, &placed, &previous);
        let mut scene = Scene::default();
        let mut numbers = Vec::with_capacity(boxes.len());
        let positions = settled.layout.positions.iter().zip(&settled.homes);
        for ((((mut node, inside), size), (position, auto_position)), placed) in
            boxes.into_iter().zip(inside).zip(sizes).zip(positions).zip(&placed)
        {
            node.area = Rect::new(*position, size);
            (node.position, node.auto_position, node.is_placed) =
                (*position, *auto_position, placed.is_some());
            numbers.push(scene.nodes.len());
            let owner = scene.nodes.len();
            scene.nodes.push(node);
            for (name, area, inner) in inside.into_iter().flat_map(|inside| inside.frames) {
                scene.insert_nested(inner, &name, owner, area, *position);
            }
        }
        settled.layout.turn(direction);
        let drawn = DrawnNodes::new(&scene, &numbers, direction);
        if settled.layout.is_back.contains(&true) && placed.iter().any(Option::is_some) {
            route_outside(&links.list, &drawn.areas, &numbers, &mut settled.layout);
        }
        let mut lines = scene_edges(&graph.scope, &links, &drawn, &settled.layout);
        let own = Rect::union_all(numbers.iter().filter_map(|node| Some(scene.nodes.get(*node)?.area)));
        let curves = lines.iter().map(|edge| edge.curve.bounds().union(&edge.label_box));
        scene.bounds = Rect::union_all(own.into_iter().chain(curves)).unwrap_or_default();
        lines.append(&mut scene.edges);
        scene.edges = lines;
        scene
    }

    fn scene_node(&self, graph: &Graph, at: usize, node: &Node) -> SceneNode {
        let text = |key: &str| {
            let entry = self.plan.node_entry(graph, at)?.value.get("metadata")?.value.get(key)?;
            entry.value.as_text().map(str::to_owned)
        };
        let title = text("title").filter(|title| !title.trim().is_empty());
        let tool = node.tool.as_ref().map(|tool| tool.name.clone());
        let closed = node.closed_file();
        let detail = match (&title, tool.or_else(|| closed.map(str::to_owned))) {
            (_, Some(tool)) => tool,
            (Some(_), None) => format!("{} · {}", node.key, node.kind),
            (None, None) => node.kind.clone(),
        };
        let inside = (!node.nested.is_empty() && closed.is_none())
            .then(|| self.choices.expanded.contains(&scoped_name(&graph.scope, &node.key)));
        let value = self.plan.node_entry(graph, at).map(|entry| entry.value.span);
        let spans = NodeSpans { key: node.key_span, value: value.unwrap_or(node.key_span) };
        SceneNode {
            scope: graph.scope.clone(),
            key: node.key.clone(),
            kind: node.kind.clone(),
            title: title.unwrap_or_else(|| node.key.clone()),
            subtitle: detail,
            note: note_at(self.plan.source(), spans),
            area: Rect::default(),
            position: Point::default(),
            auto_position: Point::default(),
            is_start: graph.start == Some(at),
            is_ghost: false,
            is_expanded: inside,
            is_placed: false,
            spans,
        }
    }

    fn nested_scene(&self, graph: &Graph, node: &Node) -> Option<NestedScene> {
        if node.nested.is_empty()
            || node.closed_file().is_some()
            || !self.choices.expanded.contains(&scoped_name(&graph.scope, &node.key))
        {
            return None;
        }
        let several = node.nested.len() > 1 || node.nested.iter().any(|nested| !nested.name.is_empty());
        let top = HEADER + if several { BRANCH } else { 0.0 };
        let mut left = PADDING;
        let mut height: f64 = 0.0;
        let mut frames = Vec::new();
        for nested in &node.nested {
            let inner = self.graph_scene(&nested.graph);
            // Fixed positions may be negative, so the frame moves them inside.
            let size = inner.bounds.size;
            frames.push((nested.name.clone(), Rect::new(Point::new(left, top), size), inner));
            left += size.width + PADDING;
            height = height.max(size.height);
        }
        Some(NestedScene { frames, size: Size::new(left, top + height + PADDING) })
    }

    fn previous_positions(&self, boxes: &[SceneNode]) -> Vec<Option<PreviousPosition>> {
        if self.choices.previous.is_empty() {
            return Vec::new();
        }
        boxes.iter().map(|node| self.choices.previous.get(&node.node_path()).copied()).collect()
    }

    fn file_positions(&self, graph: &Graph, boxes: &[SceneNode]) -> Vec<Option<Point>> {
        let layout = self.plan.graph_map(graph).and_then(|map| map.get("layout"));
        let entries = layout.and_then(|layout| layout.value.as_map()).unwrap_or_default();
        let known: std::collections::HashMap<&str, Point> = entries
            .iter()
            .filter_map(|entry| Some((entry.key.as_str(), parse_point(entry.value.as_list()?)?)))
            .collect();
        boxes.iter().map(|node| known.get(node.key.as_str()).copied()).collect()
    }
}

fn layout_input(
    graph: &Graph,
    links: &Links<'_>,
    sizes: Vec<Size>,
    previous: &[Option<PreviousPosition>],
    direction: LayoutDirection,
) -> LayoutInput {
    LayoutInput {
        sizes,
        edges: links.list.iter().map(|link| (link.source, link.target)).collect(),
        text_order: links.text_order(),
        start: graph.start,
        previous: previous.iter().map(|previous| previous.map(|previous| previous.auto_position)).collect(),
        gap: GAP,
        layer_gap: LAYER_GAP,
        labels: links.list.iter().map(|link| measure::label_size(link.text)).collect(),
        label_gap: LABEL_GAP,
        beside: beside(links, graph.nodes.len(), direction),
        direction,
    }
}

/// For self-loops.
fn beside(links: &Links<'_>, nodes: usize, direction: LayoutDirection) -> Vec<f64> {
    let mut space = vec![0.0_f64; nodes];
    for link in links.list.iter().filter(|link| link.source == link.target) {
        if let Some(space) = space.get_mut(link.source) {
            let label = direction.turn_size(measure::label_size(link.text));
            *space = space.max(LOOP_WIDTH) + label.width + LOOP_LABEL_GAP;
        }
    }
    space
}

fn ghost_node(graph: &Graph, name: &str, span: Span) -> SceneNode {
    SceneNode {
        scope: graph.scope.clone(),
        key: name.to_owned(),
        kind: String::new(),
        title: name.to_owned(),
        subtitle: "?".to_owned(),
        note: String::new(),
        area: Rect::default(),
        position: Point::default(),
        auto_position: Point::default(),
        is_start: false,
        is_ghost: true,
        is_expanded: None,
        is_placed: false,
        spans: NodeSpans { key: span, value: span },
    }
}

fn parse_point(items: &[stepgraph_core::source::Spanned]) -> Option<Point> {
    let number = |item: &stepgraph_core::source::Spanned| match &item.kind {
        ValueKind::Number(number) => number.as_f64(),
        _ => None,
    };
    let [x, y] = items else { return None };
    Some(Point::new(number(x)?, number(y)?))
}

fn node_size(node: &SceneNode, inside: Option<&NestedScene>) -> Size {
    let own = measure::node_size(&node.title, &node.subtitle, node.short_note().unwrap_or_default());
    match inside {
        Some(inside) => Size::new(own.width.max(inside.size.width), inside.size.height),
        None => own,
    }
}

impl Scene {
    /// `area` is relative to the corner at `position`.
    fn insert_nested(&mut self, inner: Scene, name: &str, owner: usize, area: Rect, position: Point) {
        let first = self.nodes.len();
        let frame_at = position.plus(area.min.x, area.min.y);
        let shift = inner.bounds.min.offset_to(frame_at);
        let scope = inner.nodes.first().map(|node| node.scope.clone()).unwrap_or_default();
        self.groups.push(SceneGroup {
            scope,
            owner: Some(owner),
            name: name.to_owned(),
            area: Rect::new(frame_at, area.size),
            origin: shift,
        });
        self.nodes.extend(inner.nodes.into_iter().map(|mut node| {
            node.area.min = node.area.min.plus(shift.x, shift.y);
            node
        }));
        self.edges.extend(inner.edges.into_iter().map(|mut edge| {
            edge.curve.shift(shift);
            edge.label_box.min = edge.label_box.min.plus(shift.x, shift.y);
            SceneEdge { from: edge.from + first, to: edge.to + first, ..edge }
        }));
        self.groups.extend(inner.groups.into_iter().map(|mut group| {
            group.area.min = group.area.min.plus(shift.x, shift.y);
            group.origin = group.origin.plus(shift.x, shift.y);
            group.owner = group.owner.map(|owner| owner + first);
            group
        }));
    }
}

/// Nodes in a downward layout, as edges see them.
struct DrawnNodes<'a> {
    areas: Vec<Rect>,
    /// To scene indexes.
    numbers: &'a [usize],
    direction: LayoutDirection,
}

impl<'a> DrawnNodes<'a> {
    fn new(scene: &Scene, numbers: &'a [usize], direction: LayoutDirection) -> Self {
        let areas = scene.nodes.iter().map(|node| direction.turn_rect(node.area)).collect();
        Self { areas, numbers, direction }
    }
}

/// Moved ends remove bends. `found` is a downward layout.
fn scene_edges(
    scope: &str,
    links: &Links<'_>,
    drawn: &DrawnNodes<'_>,
    found: &LayoutResult,
) -> Vec<SceneEdge> {
    let numbers = drawn.numbers;
    let ports = Ports::new(&links.list, &drawn.areas, numbers, found);
    let mut settled = Vec::with_capacity(links.list.len());
    // Self-loop labels are side by side.
    let mut used = vec![0.0; numbers.len()];
    let mut lines: Vec<SceneEdge> = Vec::with_capacity(links.list.len());
    for (at, link) in links.list.iter().enumerate() {
        let ends = numbers.get(link.source).zip(numbers.get(link.target));
        let Some((from, to)) = ends.map(|(from, to)| (*from, *to)) else { continue };
        let mut edge = scene_edge((at, link), scope, (from, to), drawn, (found, ports.shifts(at)));
        if from == to
            && let Some(used) = used.get_mut(link.source)
        {
            let (x, y) = (edge.curve.start.x + LOOP_WIDTH + *used, edge.curve.middle().y);
            edge.label_box.min = Point::new(x, y - edge.label_box.size.height / 2.0);
            *used += edge.label_box.size.width + LOOP_LABEL_GAP;
        }
        settled.push(from == to || found.labels.get(at).is_some_and(Option::is_some));
        lines.push(edge);
    }
    edge_labels::place_labels(&drawn.areas, &mut lines, &settled);
    for line in &mut lines {
        line.curve.turn(drawn.direction);
        line.label_box = drawn.direction.turn_rect(line.label_box);
    }
    lines
}

fn scene_edge(
    (at, link): (usize, &Link<'_>),
    scope: &str,
    (from, to): (usize, usize),
    drawn: &DrawnNodes<'_>,
    (found, ports): (&LayoutResult, (f64, f64)),
) -> SceneEdge {
    let area = |node: usize| drawn.areas.get(node).copied().unwrap_or_default();
    let is_back = found.is_back.get(at).copied().unwrap_or_default();
    let bends = found.bends.get(at).map_or(&[][..], Vec::as_slice);
    let (source, target) = (area(from), area(to));
    let ends = found.back_ends.get(at).copied().unwrap_or_default();
    let curve = if is_back {
        back_curve(&source, &target, bends, ports, ends)
    } else {
        forward_curve(&source, &target, bends, ports)
    };
    // A dragged edge goes to the sides.
    let at_side = |end: BackEnd, shift: f64| if end == BackEnd::Between { 0.0 } else { shift };
    let ports = (at_side(ends.0, ports.0), at_side(ends.1, ports.1));
    let label_at = found.labels.get(at).copied().flatten();
    let label = drawn.direction.turn_size(measure::label_size(link.text));
    let label_box = Rect::centred_at(label_at.unwrap_or_else(|| curve.middle()), label);
    SceneEdge {
        scope: scope.to_owned(),
        index: link.index,
        from,
        to,
        label: link.text.to_owned(),
        is_failure: link.condition.is_some_and(is_failure_condition),
        is_broken: link.condition.is_none_or(|condition| *condition == Condition::Unreadable),
        is_back,
        curve,
        ports,
        label_box,
    }
}
