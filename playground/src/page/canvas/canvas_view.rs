//! The canvas pane's state and frames.
//!
//! It draws once per frame at most, only after changes. A moved view shifts the element layer and repaints. Other
//! changes also update elements. After typing it draws in the next frame, or in a pause if drawing is slow.

use super::canvas_renderer::{CanvasRenderer, RenderFrame, RenderInputs};
use super::edge_label::{self, EdgeLabel};
use super::element_pool::{ElementPool, set_attribute, set_style};
use super::node_card::{self, DropState, NodeCard};
use super::node_type_picker::TypePick;
use crate::geometry::{Point, Rect, Size};
use crate::gesture::{AutoPan, EdgeDrag, Gesture};
use crate::i18n::Lang;
use crate::page::js_bridge::now;
use crate::page::language::engine_text;
use crate::page::store::{Item, Store};
use crate::paint::{DisplayList, Element, IndexedScene, LevelOfDetail, connect_error};
use crate::plan_editor::PlanEditor;
use crate::scene::Scene;
use crate::viewport::{FIT_MARGIN, Viewport};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::web_sys::{HtmlCanvasElement, HtmlElement};
use std::collections::HashMap;
use std::time::Duration;
use stepgraph_core::sort::sort_items;
use stepgraph_lazy::lazy;

/// Slower drawing waits for a typing pause of `REDRAW_DELAY`.
const MAX_IMMEDIATE_MS: f64 = 5.0;
const REDRAW_DELAY: Duration = Duration::from_millis(160);

#[derive(Clone, Copy)]
pub(super) struct CanvasView {
    pub(super) store: Store,
    state: StoredValue<CanvasState, LocalStorage>,
    /// The flag: the user connects by clicks.
    pub(super) edge_drag: RwSignal<Option<(EdgeDrag, bool)>>,
    pub(super) edge_drag_end: RwSignal<(Point, Option<usize>)>,
    pub(super) marquee: RwSignal<Option<Rect>>,
    /// Of the dragged node.
    pub(super) guides: RwSignal<Vec<Rect>>,
    pub(super) hovered_edge: RwSignal<Option<usize>>,
    pub(super) picking: RwSignal<Option<TypePick>>,
    /// Scope and index.
    pub(super) edited_condition: RwSignal<Option<(String, usize)>>,
    pub(super) snaps_to_grid: RwSignal<bool>,
    /// `None` until the user chooses: then large plans show it.
    pub(super) minimap: RwSignal<Option<bool>>,
    pub(super) frames: RwSignal<u64>,
}

#[derive(Default)]
pub(super) struct CanvasState {
    pub(super) root: Option<HtmlElement>,
    layer: Option<HtmlElement>,
    painter: Option<CanvasRenderer>,
    pub(super) board: IndexedScene,
    picture: DisplayList,
    cards: ElementPool<NodeCard>,
    tags: ElementPool<EdgeLabel>,
    pub(super) gesture: Gesture,
    pub(super) auto_pan: AutoPan,
    /// Its number, position and bounds before the drag.
    pub(super) grabbed: Option<(usize, Point, Rect)>,
    pub(super) has_space: bool,
    node_problems: HashMap<usize, Vec<String>>,
    line_problems: HashMap<usize, Vec<String>>,
    /// Of the problems.
    lang: Lang,
    /// Counts changes other than the view's.
    stamp: u32,
    states_stamp: u32,
    is_frame_requested: bool,
    /// Its version.
    pub(super) fitted_plan: Option<u32>,
    /// While visible, and of the window then.
    pub(super) last_size: Option<(Size, Size)>,
    is_focus_due: bool,
    cost_ms: f64,
    pause: Option<TimeoutHandle>,
}

impl CanvasView {
    pub(super) fn new(store: Store) -> Self {
        Self {
            store,
            state: StoredValue::new_local(CanvasState::default()),
            edge_drag: RwSignal::new(None),
            edge_drag_end: RwSignal::new((Point::default(), None)),
            marquee: RwSignal::new(None),
            guides: RwSignal::new(Vec::new()),
            hovered_edge: RwSignal::new(None),
            picking: RwSignal::new(None),
            edited_condition: RwSignal::new(None),
            snaps_to_grid: RwSignal::new(true),
            minimap: RwSignal::new(None),
            frames: RwSignal::new(0),
        }
    }

    pub(super) fn attach(self, root: HtmlElement, layer: HtmlElement, canvas: HtmlCanvasElement) {
        self.with_state(|state| {
            (state.root, state.layer, state.painter) = (Some(root), Some(layer), CanvasRenderer::new(canvas));
        });
        self.request_frame();
    }

    pub(super) fn with_state<T>(self, work: impl FnOnce(&mut CanvasState) -> T) -> Option<T> {
        self.state.try_update_value(work)
    }

    pub(super) fn mark_changed(self) {
        self.with_state(|state| state.stamp = state.stamp.wrapping_add(1));
        self.request_frame();
    }

    pub(super) fn focus_changed(self) {
        self.with_state(|state| state.is_focus_due = true);
        self.mark_changed();
    }

    pub(super) fn request_frame(self) {
        let is_new = self.with_state(|state| !std::mem::replace(&mut state.is_frame_requested, true));
        if is_new == Some(true) {
            request_animation_frame(move || self.frame());
        }
    }

    pub(super) fn follow_text(self) {
        if !self.store.read(PlanEditor::is_stale) {
            return;
        }
        let is_quick = self.with_state(|state| {
            if let Some(pause) = state.pause.take() {
                pause.clear();
            }
            state.cost_ms < MAX_IMMEDIATE_MS
        });
        if is_quick == Some(true) {
            request_animation_frame(move || self.redraw());
            return;
        }
        let pause = set_timeout_with_handle(move || self.redraw(), REDRAW_DELAY).ok();
        self.with_state(|state| state.pause = pause);
    }

    fn redraw(self) {
        let begun = now();
        self.store.refresh();
        let cost = now() - begun;
        self.with_state(|state| state.cost_ms = cost);
    }

    fn frame(self) {
        let screen = self.store.screen.get_untracked();
        let drawn = self.with_state(|state| {
            state.is_frame_requested = false;
            screen.width > 1.0 && state.painter.is_some()
        });
        if drawn != Some(true) {
            return;
        }
        self.fit_when_due();
        self.auto_pan_step();
        let is_new = self.store.read(|editor| self.with_state(|state| self.draw(state, editor)));
        if is_new == Some(true) {
            self.frames.update(|count| *count += 1);
        }
        self.reveal_focus();
    }

    fn draw(self, state: &mut CanvasState, editor: &PlanEditor) -> bool {
        let (store, scene) = (self.store, editor.scene());
        let (view, screen) = (store.view.get_untracked(), store.screen.get_untracked());
        let theme = store.theme.get_untracked();
        let is_new = state.board.sync(editor);
        // Keys drag, too.
        state.board.sync_drag(editor);
        state.stamp = state.stamp.wrapping_add(u32::from(is_new));
        let lang = store.lang.get_untracked();
        if state.states_stamp != state.stamp || state.lang != lang {
            (state.states_stamp, state.lang) = (state.stamp, lang);
            store.overlay.with_untracked(|overlay| state.board.update_states(editor, overlay));
            state.node_problems.clear();
            state.line_problems.clear();
            if !editor.document().diagnostics().is_empty() {
                find_problems(state, editor);
            }
        }
        let focus = self.focused_elements(&state.board);
        let hovered = self.hovered_edge.get_untracked();
        let stand = RenderInputs {
            stamp: state.stamp,
            screen,
            theme,
            hovered_edge: hovered,
            ratio: window().device_pixel_ratio(),
        };
        if let Some(painter) = &mut state.painter
            // Shifted pixels would lack the dragged items.
            && (editor.dragged().is_some() || !painter.scroll(scene, &state.board, stand, view))
        {
            state.picture.compose(scene, &state.board, (&view, screen), focus.0, hovered);
            let (indexed, list) = (&state.board, &state.picture);
            painter.paint(&RenderFrame { scene, board: indexed, picture: list, view, inputs: stand });
        }
        state.show_cards(self, scene, focus.0);
        state.show_edge_labels(self, scene, focus.1);
        state.move_layer(&view);
        if let (true, Some(root)) = (is_new, &state.root) {
            set_attribute(root, "data-nodes", &scene.nodes.len().to_string());
        }
        is_new
    }

    fn focused_elements(self, indexed: &IndexedScene) -> (Option<usize>, Option<usize>) {
        self.store.focus.with_untracked(|focus| match focus {
            Some(Item::Node(node_path)) => (indexed.node_number(node_path), None),
            Some(Item::Edge(scope, edge)) => (None, indexed.edge_number(scope, *edge)),
            None => (None, None),
        })
    }

    /// If the canvas has the page's focus, the item's element gets it.
    fn reveal_focus(self) {
        if self.with_state(|state| std::mem::take(&mut state.is_focus_due)) != Some(true) {
            return;
        }
        let found = self.with_state(|state| {
            let (node, line) = self.focused_elements(&state.board);
            let card = node.and_then(|node| state.cards.get(node)).map(|card| card.face.clone());
            let tag = line.and_then(|line| state.tags.get(line)).map(|label| label.face.clone());
            let area = node.and_then(|node| state.board.node_index.get(node));
            let area = area.or_else(|| line.and_then(|line| state.board.edge_index.get(line)));
            (card.or(tag), area, state.root.clone())
        });
        let Some((element, area, Some(root))) = found else { return };
        if let Some(area) = area {
            self.store.reveal(area, FIT_MARGIN);
        }
        set_attribute(&root, "tabindex", if element.is_some() { "-1" } else { "0" });
        let has_focus = document().active_element().is_some_and(|active| {
            root.contains(Some(&active)) && active.closest("input, .over").ok().flatten().is_none()
        });
        if let (true, Some(element)) = (has_focus, element) {
            drop(element.focus());
        }
    }
}

lazy! {
    fn find_problems(state: &mut CanvasState, editor: &PlanEditor) = CanvasState::add_problems;

    fn badge_space(indexed: &IndexedScene, scene: &Scene, number: usize) -> (f64, f64) = IndexedScene::badge_space;
}

impl CanvasState {
    fn add_problems(&mut self, editor: &PlanEditor) {
        self.board.update_problems(editor);
        let mut problems: Vec<_> = editor.problems().into_iter().collect();
        // A group lists its nodes' in the same order each time.
        sort_items(&mut problems, |(a, _), (b, _)| a.cmp(b));
        for (path, problems) in problems {
            let lang = self.lang;
            let messages =
                problems.iter().map(|problem| engine_text(lang, problem.code.slug(), &problem.message));
            match self.board.element_of(&path) {
                Some(Element::Edge(line)) => self.line_problems.entry(line).or_default().extend(messages),
                Some(Element::Node { number, is_hidden: false }) => {
                    self.node_problems.entry(number).or_default().extend(messages);
                }
                Some(Element::Node { number, is_hidden: true }) => {
                    let place = path.split_once("/#").map_or(&*path, |(scope, _)| scope);
                    let messages = messages.map(|message| [place, ": ", &message].concat());
                    self.node_problems.entry(number).or_default().extend(messages);
                }
                None => {}
            }
        }
    }

    fn show_cards(&mut self, view: CanvasView, scene: &Scene, focus: Option<usize>) {
        let Some(layer) = self.layer.as_ref() else { return };
        self.cards.mount(&self.picture.cards, layer);
        let drag = view.edge_drag.get_untracked().map(|(drag, _)| drag);
        let (theme, lang) = (view.store.theme.get_untracked(), view.store.lang.get_untracked());
        let (stamp, indexed, problems) = (self.stamp, &self.board, &self.node_problems);
        view.store.overlay.with_untracked(|overlay| {
            for (number, card) in self.cards.iter_mut() {
                let Some(node) = scene.nodes.get(number) else { continue };
                // A reused card may show another node.
                let key = Some((stamp, number));
                if card.stamp == key {
                    continue;
                }
                card.stamp = key;
                let state =
                    if overlay.nodes.is_empty() { None } else { overlay.nodes.get(&node.node_path()) };
                card.show(&node_card::CardContent {
                    number,
                    node,
                    state: indexed.node_state(number),
                    mark: state.map(|state| (state, badge_space(indexed, scene, number))),
                    problems: problems.get(&number).map_or(&[][..], Vec::as_slice),
                    drop_state: drag.map_or(DropState::Inactive, |drag| {
                        connect_error(scene, drag, number).map_or(DropState::Allowed, DropState::Refused)
                    }),
                    has_focus: focus == Some(number),
                    theme,
                    lang,
                });
            }
        });
    }

    fn show_edge_labels(&mut self, view: CanvasView, scene: &Scene, focus: Option<usize>) {
        let Some(layer) = self.layer.as_ref() else { return };
        self.tags.mount(&self.picture.edge_labels, layer);
        let (hovered, lang) = (view.hovered_edge.get_untracked(), view.store.lang.get_untracked());
        let (stamp, indexed, problems) = (self.stamp, &self.board, &self.line_problems);
        let title = |node: usize| scene.nodes.get(node).map(|node| node.title.as_str()).unwrap_or_default();
        for (number, label) in self.tags.iter_mut() {
            let Some(edge) = scene.edges.get(number) else { continue };
            let key = Some((stamp, number));
            if label.stamp == key {
                continue;
            }
            label.stamp = key;
            label.show(&edge_label::LabelContent {
                number,
                line: edge,
                ends: (title(edge.from), title(edge.to)),
                state: indexed.edge_state(number),
                problems: problems.get(&number).map_or(&[][..], Vec::as_slice),
                has_focus: focus == Some(number),
                is_near: hovered == Some(number),
                lang,
            });
        }
    }

    pub(super) fn follow_drag(&mut self, editor: &PlanEditor) {
        self.board.sync_drag(editor);
        let (scene, Some(dragged)) = (editor.scene(), editor.dragged()) else { return };
        for number in dragged.nodes() {
            if let (Some(card), Some(node)) = (self.cards.get(number), scene.nodes.get(number)) {
                card.set_area(&node.area);
            }
        }
        for number in dragged.edges() {
            if let (Some(label), Some(edge)) = (self.tags.get(number), scene.edges.get(number)) {
                label.set_position(edge);
            }
        }
    }

    fn move_layer(&self, view: &Viewport) {
        let Some((layer, root)) = self.layer.as_ref().zip(self.root.as_ref()) else { return };
        let number = stepgraph_core::value::number_text;
        let (x, y, zoom) = (number(view.origin.x), number(view.origin.y), number(view.zoom));
        set_style(layer, "transform", &["translate(", &x, "px,", &y, "px) scale(", &zoom, ")"].concat());
        let step = if view.zoom >= 0.5 { view.zoom * 24.0 } else { 0.0 };
        set_style(root, "--grid", &[&number(step), "px"].concat());
        set_style(root, "--grid-at", &[&x, "px ", &y, "px"].concat());
        let detail = if self.picture.level_of_detail == LevelOfDetail::Cards { "cards" } else { "boxes" };
        if root.get_attribute("data-detail").as_deref() != Some(detail) {
            set_attribute(root, "data-detail", detail);
        }
    }
}
