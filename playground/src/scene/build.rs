//! The boxes and lines of a plan's graphs.

use super::corners::settle;
use super::ghosts::{Link, Links};
use super::ports::Ports;
use super::route::{back, onwards};
use super::{Choices, Frame, Line, NodeBox, Scene, Stood, labels, measure};
use crate::geometry::{Point, Rect, Size};
use crate::layout::{Arrangement, Diagram};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expr::Condition;
use stepgraph_core::graph::{Graph, Node, PlanGraph, is_failure_condition, scoped_name};
use stepgraph_core::source::Kind;

/// Room between nodes beside each other, and between layers.
const GAP: f64 = 36.0;
const LAYER_GAP: f64 = 64.0;
/// Room around a graph inside a node, and for the title above it.
const PADDING: f64 = 24.0;
const HEADER: f64 = 54.0;
/// Room for the name of one of several branches.
const BRANCH: f64 = 26.0;
/// Room above and below conditions between layers.
const LABEL_GAP: f64 = 32.0;

/// Draws a plan.
///
/// # Example
/// ```
/// use stepgraph_core::{graph::PlanGraph, source::Format};
/// use stepgraph_playground::scene::{Choices, scene};
/// let plan = PlanGraph::parse("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]", Format::Auto).graph.unwrap();
/// let drawn = scene(&plan, &Choices::default());
/// assert_eq!((drawn.nodes.len(), drawn.edges[0].from, drawn.edges[0].to), (2, 0, 1));
/// assert!(drawn.nodes[0].is_start && drawn.nodes[0].area.max().y < drawn.nodes[1].area.min.y);
/// ```
pub fn scene(plan: &PlanGraph, choices: &Choices) -> Scene {
    let mut scene = Drawer { plan, choices }.graph(&plan.root);
    let size = scene.bounds.size;
    scene.frames.insert(
        0,
        Frame {
            scope: String::new(),
            owner: None,
            name: String::new(),
            area: Rect::new(Point::default(), size),
            origin: Point::default(),
        },
    );
    let curves = scene.edges.iter().map(|line| line.curve.bounds());
    let tags = scene.edges.iter().filter(|line| !line.label.is_empty()).map(|line| line.tag);
    let nodes = scene.nodes.iter().map(|node| node.area);
    scene.bounds = Rect::around_all(nodes.chain(curves).chain(tags)).unwrap_or_default();
    scene
}

struct Drawer<'a> {
    plan: &'a PlanGraph,
    choices: &'a Choices,
}

/// What stands inside a node, as if it began at zero.
struct Inside {
    frames: Vec<(String, Rect, Scene)>,
    size: Size,
}

impl Drawer<'_> {
    /// One graph with all that is shown inside its nodes; its own nodes come first to know their numbers, then they are sorted in.
    fn graph(&self, graph: &Graph) -> Scene {
        let links = Links::new(graph);
        let mut inside: Vec<Option<Inside>> =
            graph.nodes.iter().map(|node| self.inside(graph, node)).collect();
        inside.extend(links.ghosts.iter().map(|_| None));
        let own = graph.nodes.iter().enumerate().map(|(at, node)| self.node(graph, at, node));
        let ghosts = links.ghosts.iter().map(|(name, span)| ghost(graph, name, *span));
        let boxes: Vec<NodeBox> = own.chain(ghosts).collect();
        let sizes: Vec<Size> =
            boxes.iter().zip(&inside).map(|(node, inside)| size(node, inside.as_ref())).collect();
        let stood = self.stood(&boxes);
        let diagram = diagram(graph, &links, sizes.clone(), &stood);
        let placed = self.placed(graph, &boxes);
        let settled = settle(&diagram, &placed, &stood);
        let mut scene = Scene::default();
        let mut numbers = Vec::with_capacity(boxes.len());
        let corners = settled.found.corners.iter().zip(&settled.homes);
        for ((((mut node, inside), size), (corner, home)), placed) in
            boxes.into_iter().zip(inside).zip(sizes).zip(corners).zip(&placed)
        {
            node.area = Rect::new(*corner, size);
            (node.corner, node.home, node.is_placed) = (*corner, *home, placed.is_some());
            numbers.push(scene.nodes.len());
            let owner = scene.nodes.len();
            scene.nodes.push(node);
            for (name, area, inner) in inside.into_iter().flat_map(|inside| inside.frames) {
                scene.take_in(inner, &name, owner, area, *corner);
            }
        }
        let mut lines = lines(&graph.scope, &links, &scene, &numbers, &settled.found);
        let own = Rect::around_all(numbers.iter().filter_map(|node| Some(scene.nodes.get(*node)?.area)));
        let curves = lines.iter().map(|line| line.curve.bounds().with(&line.tag));
        scene.bounds = Rect::around_all(own.into_iter().chain(curves)).unwrap_or_default();
        lines.append(&mut scene.edges);
        scene.edges = lines;
        scene
    }

    fn node(&self, graph: &Graph, at: usize, node: &Node) -> NodeBox {
        let text = |key: &str| {
            let entry = self.plan.node_entry(graph, at)?.value.get("metadata")?.value.get(key)?;
            entry.value.as_text().map(str::to_owned)
        };
        let title = text("title").filter(|title| !title.trim().is_empty());
        let tool = node.tool.as_ref().map(|tool| tool.name.clone());
        let detail = match (&title, tool) {
            (_, Some(tool)) => tool,
            (Some(_), None) => format!("{} · {}", node.key, node.kind),
            (None, None) => node.kind.clone(),
        };
        let inside = (!node.nested.is_empty())
            .then(|| self.choices.open.contains(&scoped_name(&graph.scope, &node.key)));
        NodeBox {
            scope: graph.scope.clone(),
            key: node.key.clone(),
            kind: node.kind.clone(),
            title: title.unwrap_or_else(|| node.key.clone()),
            detail,
            area: Rect::default(),
            corner: Point::default(),
            home: Point::default(),
            is_start: graph.start == Some(at),
            is_ghost: false,
            inside,
            is_placed: false,
            span: node.key_span,
        }
    }

    fn inside(&self, graph: &Graph, node: &Node) -> Option<Inside> {
        if node.nested.is_empty() || !self.choices.open.contains(&scoped_name(&graph.scope, &node.key)) {
            return None;
        }
        let several = node.nested.len() > 1 || node.nested.iter().any(|nested| !nested.name.is_empty());
        let top = HEADER + if several { BRANCH } else { 0.0 };
        let mut left = PADDING;
        let mut height: f64 = 0.0;
        let mut frames = Vec::new();
        for nested in &node.nested {
            let inner = self.graph(&nested.graph);
            // What stands left of zero or above it, because a person put it there, is moved in.
            let size = inner.bounds.size;
            frames.push((nested.name.clone(), Rect::new(Point::new(left, top), size), inner));
            left += size.width + PADDING;
            height = height.max(size.height);
        }
        Some(Inside { frames, size: Size::new(left, top + height + PADDING) })
    }

    /// Where nodes stood when the plan was drawn last.
    fn stood(&self, boxes: &[NodeBox]) -> Vec<Option<Stood>> {
        if self.choices.before.is_empty() {
            return Vec::new();
        }
        boxes.iter().map(|node| self.choices.before.get(&node.place()).copied()).collect()
    }

    /// Where the file says that nodes stand.
    fn placed(&self, graph: &Graph, boxes: &[NodeBox]) -> Vec<Option<Point>> {
        let layout = self.plan.graph_map(graph).and_then(|map| map.get("layout"));
        let entries = layout.and_then(|layout| layout.value.as_map()).unwrap_or_default();
        let known: std::collections::HashMap<&str, Point> = entries
            .iter()
            .filter_map(|entry| Some((entry.key.as_str(), pair(entry.value.as_list()?)?)))
            .collect();
        boxes.iter().map(|node| known.get(node.key.as_str()).copied()).collect()
    }
}

fn diagram(graph: &Graph, links: &Links<'_>, sizes: Vec<Size>, stood: &[Option<Stood>]) -> Diagram {
    Diagram {
        sizes,
        edges: links.list.iter().map(|link| (link.source, link.target)).collect(),
        start: graph.start,
        before: stood.iter().map(|stood| stood.map(|stood| stood.home)).collect(),
        gap: GAP,
        layer_gap: LAYER_GAP,
        labels: links.list.iter().map(|link| measure::label(link.text)).collect(),
        label_gap: LABEL_GAP,
        ..Diagram::default()
    }
}

/// What stands for a node that is missing.
fn ghost(graph: &Graph, name: &str, span: Span) -> NodeBox {
    NodeBox {
        scope: graph.scope.clone(),
        key: name.to_owned(),
        kind: String::new(),
        title: name.to_owned(),
        detail: "?".to_owned(),
        area: Rect::default(),
        corner: Point::default(),
        home: Point::default(),
        is_start: false,
        is_ghost: true,
        inside: None,
        is_placed: false,
        span,
    }
}

fn pair(items: &[stepgraph_core::source::Spanned]) -> Option<Point> {
    let number = |item: &stepgraph_core::source::Spanned| match &item.kind {
        Kind::Number(number) => number.as_f64(),
        _ => None,
    };
    let [x, y] = items else { return None };
    Some(Point::new(number(x)?, number(y)?))
}

fn size(node: &NodeBox, inside: Option<&Inside>) -> Size {
    let own = measure::node(&node.title, &node.detail);
    match inside {
        Some(inside) => Size::new(own.width.max(inside.size.width), inside.size.height),
        None => own,
    }
}

impl Scene {
    /// Takes in what stands inside a node: `area` is its place within the node, whose corner is given.
    fn take_in(&mut self, inner: Scene, name: &str, owner: usize, area: Rect, corner: Point) {
        let first = self.nodes.len();
        let frame_at = corner.plus(area.min.x, area.min.y);
        let shift = inner.bounds.min.to(frame_at);
        let scope = inner.nodes.first().map(|node| node.scope.clone()).unwrap_or_default();
        self.frames.push(Frame {
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
        self.edges.extend(inner.edges.into_iter().map(|mut line| {
            line.curve.shift(shift);
            line.tag.min = line.tag.min.plus(shift.x, shift.y);
            Line { from: line.from + first, to: line.to + first, ..line }
        }));
        self.frames.extend(inner.frames.into_iter().map(|mut frame| {
            frame.area.min = frame.area.min.plus(shift.x, shift.y);
            frame.origin = frame.origin.plus(shift.x, shift.y);
            frame.owner = frame.owner.map(|owner| owner + first);
            frame
        }));
    }
}

/// The edges of a graph. Those that a person has moved an end of run straight from node to node.
fn lines(scope: &str, links: &Links<'_>, scene: &Scene, numbers: &[usize], found: &Arrangement) -> Vec<Line> {
    let ports = Ports::new(&links.list, &scene.nodes, numbers, found);
    let mut settled = Vec::with_capacity(links.list.len());
    let mut lines: Vec<Line> = Vec::with_capacity(links.list.len());
    for (at, link) in links.list.iter().enumerate() {
        let ends = numbers.get(link.source).zip(numbers.get(link.target));
        let Some((from, to)) = ends.map(|(from, to)| (*from, *to)) else { continue };
        let line = line((at, link), scope, (from, to), scene, (found, ports.of(at)));
        settled.push(found.labels.get(at).is_some_and(Option::is_some));
        lines.push(line);
    }
    labels::place(&scene.nodes, &mut lines, &settled);
    lines
}

fn line(
    (at, link): (usize, &Link<'_>),
    scope: &str,
    (from, to): (usize, usize),
    scene: &Scene,
    (found, ports): (&Arrangement, (f64, f64)),
) -> Line {
    let area = |node: usize| scene.nodes.get(node).map(|node| node.area).unwrap_or_default();
    let is_back = found.back.get(at).copied().unwrap_or_default();
    let bends = found.bends.get(at).map_or(&[][..], Vec::as_slice);
    let curve = if is_back { back } else { onwards }(&area(from), &area(to), bends, ports);
    let label_at = found.labels.get(at).copied().flatten();
    let tag = Rect::around(label_at.unwrap_or_else(|| curve.middle()), measure::label(link.text));
    Line {
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
        tag,
    }
}
