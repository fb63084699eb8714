//! Paints groups, edges and small nodes, as [`crate::paint`] decides, in the colours of [`crate::appearance`]. If only
//! the view moved over many nodes, it shifts pixels and paints new strips.

use crate::appearance::{Colours, NodeAppearance, Theme};
use crate::geometry::{Point, Rect, Size};
use crate::paint::{DisplayList, EdgeStyle, IndexedScene, LevelOfDetail, scroll_shift, uncovered_rects};
use crate::run_overlay::NodeStatus;
use crate::scene::{Curve, Scene};
use crate::viewport::Viewport;
use leptos::web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use stepgraph_core::diagnostic::Severity;
use wasm_bindgen::{JsCast, JsValue};

/// Longer paths slow software renderers more than linearly.
const MAX_EDGES_IN_PATH: usize = 256;
/// On the canvas, and at least on the screen.
const EDGE_WIDTH: f64 = 1.5;
const MIN_EDGE_WIDTH: f64 = 0.8;
const ARROW_SIZE: (f64, f64) = (9.0, 4.0);
const RADIUS: f64 = 10.0;

#[derive(Debug)]
pub(super) struct CanvasRenderer {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    painted: Option<(RenderInputs, Viewport)>,
    strip: DisplayList,
}

/// All but the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RenderInputs {
    /// Changes with scene, states and theme.
    pub(super) stamp: u32,
    pub(super) screen: Size,
    pub(super) theme: Theme,
    pub(super) hovered_edge: Option<usize>,
    /// Device pixels per CSS pixel.
    pub(super) ratio: f64,
}

pub(super) struct RenderFrame<'a> {
    pub(super) scene: &'a Scene,
    pub(super) board: &'a IndexedScene,
    pub(super) picture: &'a DisplayList,
    pub(super) view: Viewport,
    pub(super) inputs: RenderInputs,
}

impl CanvasRenderer {
    pub(super) fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self { canvas, context, painted: None, strip: DisplayList::default() })
    }

    fn resize(&mut self, RenderInputs { screen, ratio, .. }: RenderInputs) {
        let (width, height) = (device_pixels(screen.width * ratio), device_pixels(screen.height * ratio));
        if (self.canvas.width(), self.canvas.height()) != (width, height) {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
            self.painted = None;
        }
    }

    fn size(&self) -> Size {
        Size::new(f64::from(self.canvas.width()), f64::from(self.canvas.height()))
    }

    /// Returns false if more than the view changed.
    pub(super) fn scroll(
        &mut self,
        scene: &Scene,
        indexed: &IndexedScene,
        stand: RenderInputs,
        view: Viewport,
    ) -> bool {
        self.resize(stand);
        let Some((_, before)) = self.painted.filter(|(painted, _)| *painted == stand) else { return false };
        if LevelOfDetail::for_zoom(view.zoom, scene.nodes.len()) == LevelOfDetail::Cards {
            return false;
        }
        let Some(by) = scroll_shift(&before, &view, stand.ratio) else { return false };
        let Some(parts) = uncovered_rects(by, self.size()) else { return false };
        self.painted = Some((stand, view));
        if parts.is_empty() {
            return true;
        }
        self.reset_transform();
        drop(self.context.set_global_composite_operation("copy"));
        drop(self.context.draw_image_with_html_canvas_element(&self.canvas, by.x, by.y));
        drop(self.context.set_global_composite_operation("source-over"));
        for area in parts {
            self.paint_strip(scene, indexed, stand, view, area);
        }
        true
    }

    fn paint_strip(
        &mut self,
        scene: &Scene,
        indexed: &IndexedScene,
        stand: RenderInputs,
        view: Viewport,
        area: Rect,
    ) {
        let place = |point: Point| view.to_drawing(Point::new(point.x / stand.ratio, point.y / stand.ratio));
        let mut list = std::mem::take(&mut self.strip);
        let visible = Rect::between(place(area.min), place(area.max()));
        list.compose_part(scene, indexed, (view.zoom, visible), None, stand.hovered_edge);
        let frame = RenderFrame { scene, board: indexed, picture: &list, view, inputs: stand };
        let context = &self.context;
        context.save();
        self.reset_transform();
        context.begin_path();
        context.rect(area.min.x, area.min.y, area.size.width, area.size.height);
        context.clip();
        self.fill(&frame, area);
        context.restore();
        self.strip = list;
    }

    pub(super) fn paint(&mut self, frame: &RenderFrame<'_>) {
        self.resize(frame.inputs);
        self.painted = Some((frame.inputs, frame.view));
        self.fill(frame, Rect::new(Point::default(), self.size()));
    }

    fn reset_transform(&self) {
        drop(self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0));
    }

    fn fill(&self, frame: &RenderFrame<'_>, area: Rect) {
        let (context, ratio) = (&self.context, frame.inputs.ratio);
        self.reset_transform();
        context.clear_rect(area.min.x, area.min.y, area.size.width, area.size.height);
        let (zoom, origin) = (frame.view.zoom * ratio, frame.view.origin);
        drop(context.set_transform(zoom, 0.0, 0.0, zoom, origin.x * ratio, origin.y * ratio));
        let colours = frame.inputs.theme.colours();
        self.draw_groups(frame, colours);
        self.draw_edges(frame, colours);
        self.draw_boxes(frame, colours);
        self.draw_states(frame, colours);
    }

    fn draw_groups(&self, frame: &RenderFrame<'_>, colours: &Colours) {
        let context = &self.context;
        for number in &frame.picture.groups {
            let Some(node) = frame.scene.nodes.get(*number) else { continue };
            let area = node.area;
            context.begin_path();
            let (min, size) = (area.min, area.size);
            drop(context.round_rect_with_f64(min.x, min.y, size.width, size.height, RADIUS));
            context.set_fill_style_str(colours.group);
            context.fill();
            context.set_stroke_style_str(if node.is_start { colours.strong } else { colours.border });
            context.set_line_width(1.0_f64.max(MIN_EDGE_WIDTH / frame.view.zoom));
            context.stroke();
        }
        if frame.view.zoom < 0.4 {
            return;
        }
        context.set_font("600 12px system-ui, sans-serif");
        context.set_fill_style_str(colours.faint);
        for inner in frame.scene.groups.iter().filter(|inner| inner.owner.is_some() && !inner.name.is_empty())
        {
            drop(context.fill_text(&inner.name, inner.area.min.x, inner.area.min.y - 8.0));
        }
    }

    fn draw_edges(&self, frame: &RenderFrame<'_>, colours: &Colours) {
        let context = &self.context;
        let width = EDGE_WIDTH.max(MIN_EDGE_WIDTH / frame.view.zoom);
        for (style, list) in EdgeStyle::ALL.iter().zip(&frame.picture.edges_by_style) {
            if list.is_empty() {
                continue;
            }
            let (colour, wider) = edge_ink(*style, frame.inputs.theme, colours);
            context.set_stroke_style_str(colour);
            context.set_fill_style_str(colour);
            context.set_line_width(width * wider);
            let dashes = dashes(*style, frame.picture.has_curves);
            drop(context.set_line_dash(&dashes));
            for chunk in list.chunks(MAX_EDGES_IN_PATH) {
                context.begin_path();
                for edge in chunk.iter().filter_map(|line| frame.scene.edges.get(*line)) {
                    self.trace_curve(&edge.curve, frame.picture.has_curves);
                }
                context.stroke();
            }
            if frame.picture.has_curves {
                context.begin_path();
                for edge in list.iter().filter_map(|line| frame.scene.edges.get(*line)) {
                    self.draw_arrow(&edge.curve);
                }
                context.fill();
            }
        }
        drop(context.set_line_dash(&js_sys::Array::new()));
    }

    fn trace_curve(&self, curve: &Curve, has_curves: bool) {
        let context = &self.context;
        context.move_to(curve.start.x, curve.start.y);
        for [a, b, end] in &curve.pieces {
            if has_curves {
                context.bezier_curve_to(a.x, a.y, b.x, b.y, end.x, end.y);
            } else {
                context.line_to(end.x, end.y);
            }
        }
    }

    fn draw_arrow(&self, curve: &Curve) {
        let Some([_, before, end]) = curve.pieces.last() else { return };
        let offset = before.offset_to(*end);
        let length = offset.x.hypot(offset.y).max(0.01);
        let (x, y) = (offset.x / length, offset.y / length);
        let back = end.plus(-x * ARROW_SIZE.0, -y * ARROW_SIZE.0);
        self.context.move_to(end.x, end.y);
        self.context.line_to(back.x - y * ARROW_SIZE.1, back.y + x * ARROW_SIZE.1);
        self.context.line_to(back.x + y * ARROW_SIZE.1, back.y - x * ARROW_SIZE.1);
        self.context.close_path();
    }

    fn draw_boxes(&self, frame: &RenderFrame<'_>, colours: &Colours) {
        if frame.picture.level_of_detail == LevelOfDetail::Cards {
            return;
        }
        let context = &self.context;
        let has_titles = frame.picture.level_of_detail == LevelOfDetail::Titles;
        context.set_line_width(1.0_f64.max(MIN_EDGE_WIDTH / frame.view.zoom));
        context.set_stroke_style_str(colours.border);
        for (appearance, list) in &frame.picture.boxes {
            context.set_fill_style_str(if has_titles {
                colours.card
            } else {
                appearance.tint(frame.inputs.theme)
            });
            for chunk in list.chunks(MAX_EDGES_IN_PATH) {
                context.begin_path();
                for node in chunk.iter().filter_map(|node| frame.scene.nodes.get(*node)) {
                    context.rect(
                        node.area.min.x,
                        node.area.min.y,
                        node.area.size.width,
                        node.area.size.height,
                    );
                }
                context.fill();
                if frame.view.zoom > 0.06 {
                    context.stroke();
                }
            }
        }
        if has_titles {
            self.draw_titles(frame, colours);
        }
    }

    fn draw_titles(&self, frame: &RenderFrame<'_>, colours: &Colours) {
        let context = &self.context;
        for (appearance, list) in &frame.picture.boxes {
            context.set_fill_style_str(appearance.tint(frame.inputs.theme));
            context.begin_path();
            for node in list.iter().filter_map(|node| frame.scene.nodes.get(*node)) {
                context.rect(node.area.min.x + 10.0, node.area.min.y + 10.0, 32.0, 32.0);
            }
            context.fill();
        }
        context.set_font("600 14px system-ui, sans-serif");
        context.set_fill_style_str(colours.ink);
        for number in frame.picture.visible_nodes() {
            let (Some(node), Some(title)) = (frame.scene.nodes.get(*number), frame.board.titles.get(*number))
            else {
                continue;
            };
            if node.is_expanded != Some(true) {
                drop(context.fill_text(title, node.area.min.x + 50.0, node.area.min.y + 31.0));
            }
        }
    }

    /// Elements show their own states.
    fn draw_states(&self, frame: &RenderFrame<'_>, colours: &Colours) {
        let is_far = frame.picture.level_of_detail != LevelOfDetail::Cards;
        if !is_far {
            return;
        }
        let context = &self.context;
        let width = 2.0_f64.max(2.0 / frame.view.zoom);
        for number in frame.picture.visible_nodes() {
            let state = frame.board.node_state(*number);
            let Some(node) = frame.scene.nodes.get(*number) else { continue };
            let Some((colour, sign)) = box_ink(state, node.is_start, colours, frame.inputs.theme) else {
                continue;
            };
            context.set_stroke_style_str(colour);
            context.set_line_width(width);
            let area = node.area.expanded(width / 2.0);
            context.stroke_rect(area.min.x, area.min.y, area.size.width, area.size.height);
            if !sign.is_empty() && frame.view.zoom > 0.12 {
                context.set_font("700 30px system-ui, sans-serif");
                context.set_fill_style_str(colour);
                let at = Point::new(node.area.max().x - 30.0, node.area.min.y + 36.0);
                drop(context.fill_text(sign, at.x, at.y));
            }
        }
    }
}

fn edge_ink(style: EdgeStyle, theme: Theme, colours: &Colours) -> (&'static str, f64) {
    match style {
        EdgeStyle::NotTaken => (faded_colour(theme), 1.0),
        EdgeStyle::Plain => (colours.edge, 1.0),
        EdgeStyle::Failure => (colours.failure, 1.0),
        EdgeStyle::Suspect => (warning_colour(theme), 1.4),
        EdgeStyle::Invalid => (colours.failure, 1.4),
        EdgeStyle::TakenEarlier => (faded_colour(theme), 1.8),
        EdgeStyle::Taken => (success_colour(theme), 1.8),
        EdgeStyle::Selected => (colours.strong, 1.6),
    }
}

fn dashes(style: EdgeStyle, is_near: bool) -> JsValue {
    let pattern: &[f64] = match style {
        _ if !is_near => &[],
        EdgeStyle::Failure => &[5.0, 4.0],
        EdgeStyle::Invalid => &[2.0, 3.0],
        EdgeStyle::TakenEarlier => &[7.0, 4.0],
        _ => &[],
    };
    pattern.iter().map(|length| JsValue::from_f64(*length)).collect::<js_sys::Array>().into()
}

/// The sign repeats the meaning of the colour.
fn box_ink(
    state: crate::paint::ElementState,
    is_start: bool,
    colours: &Colours,
    theme: Theme,
) -> Option<(&'static str, &'static str)> {
    let sign = match state.status {
        NodeStatus::Failed | NodeStatus::Rejected => "✕",
        NodeStatus::Done => "✓",
        NodeStatus::Running => "▸",
        NodeStatus::Waiting | NodeStatus::Stopped => "‖",
        NodeStatus::Skipped | NodeStatus::None if state.problem == Some(Severity::Error) => "!",
        NodeStatus::Skipped | NodeStatus::None => "",
    };
    match state.status {
        _ if state.flags.is_selected => Some((colours.strong, sign)),
        _ if state.is_outdated => Some((faded_colour(theme), sign)),
        NodeStatus::Failed => Some((colours.failure, sign)),
        NodeStatus::Done => Some((success_colour(theme), sign)),
        NodeStatus::Rejected => Some((warning_colour(theme), sign)),
        NodeStatus::Running | NodeStatus::Waiting | NodeStatus::Stopped => Some((colours.strong, sign)),
        NodeStatus::Skipped | NodeStatus::None if state.problem == Some(Severity::Error) => {
            Some((colours.failure, sign))
        }
        NodeStatus::Skipped | NodeStatus::None if is_start => Some((colours.strong, "")),
        NodeStatus::Skipped | NodeStatus::None => None,
    }
}

/// As in `base.css`.
fn success_colour(theme: Theme) -> &'static str {
    if theme == Theme::Light { "#1a7a45" } else { "#6fd39a" }
}

fn warning_colour(theme: Theme) -> &'static str {
    if theme == Theme::Light { "#8a5a00" } else { "#e5b454" }
}

fn faded_colour(theme: Theme) -> &'static str {
    if theme == Theme::Light { "#b4b6c4" } else { "#4d5063" }
}

pub(super) fn minimap_colour(appearance: NodeAppearance, theme: Theme) -> &'static str {
    appearance.ink(theme)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a screen has so many pixels at most"
)]
fn device_pixels(length: f64) -> u32 {
    length.round().clamp(1.0, 16_384.0) as u32
}
