//! Pointer events, and effects of the [`GestureAction`]s that [`crate::gesture`] decides.
//!
//! Source: WCAG 2.2, 2.5.1, 2.5.2, 2.5.7.

mod context_menu;
mod wheel;

use super::canvas_view::CanvasView;
use super::node_card::error_text;
use super::node_type_picker::{Purpose, TypePick};
use crate::alignment::align;
use crate::command::Command;
use crate::geometry::{GRID, Point, Rect};
use crate::gesture::{EdgeDrag, End, GestureAction, Hit, Pointer, PointerKind, PointerPhase};
use crate::i18n::{Canvas as W, Localized, format_message};
use crate::page::dispatch::dispatch;
use crate::page::store::Item;
use crate::paint::{IndexedScene, connect_error};
use crate::plan_editor::PlanEditor;
use crate::scene::{Scene, SceneNode};
use leptos::prelude::*;
use leptos::web_sys::{Element, MouseEvent, PointerEvent};
use wasm_bindgen::JsCast;

/// Screen pixels.
const HIT_DISTANCE: f64 = 7.0;
const EDGE_END_HIT_DISTANCE: f64 = 12.0;
const ALIGN_DISTANCE: f64 = 6.0;

pub(super) fn target(event: &leptos::web_sys::Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

pub(super) fn is_over(event: &leptos::web_sys::Event, selector: &str) -> bool {
    target(event).is_some_and(|at| at.closest(selector).ok().flatten().is_some())
}

pub(super) fn number_of(at: &Element, selector: &str, attribute: &str) -> Option<usize> {
    at.closest(selector).ok()??.get_attribute(attribute)?.parse().ok()
}

impl CanvasView {
    fn pane_point(self, x: i32, y: i32) -> Point {
        let root = self.with_state(|state| state.root.clone()).flatten();
        let corner = root.map(|root| root.get_bounding_client_rect());
        let position = corner.map(|corner| Point::new(corner.x(), corner.y())).unwrap_or_default();
        Point::new(f64::from(x) - position.x, f64::from(y) - position.y)
    }

    pub(super) fn canvas_point(self, event: &MouseEvent) -> Point {
        self.store.view.get_untracked().to_drawing(self.pane_point(event.client_x(), event.client_y()))
    }

    pub(super) fn hit_test(self, at: Point) -> Hit {
        let zoom = self.store.view.get_untracked().zoom;
        let found = self.store.read(|editor| {
            self.with_state(|state| {
                edge_end_near(editor, &state.board, at, EDGE_END_HIT_DISTANCE / zoom)
                    .unwrap_or_else(|| state.board.hit_test(editor.scene(), at, HIT_DISTANCE / zoom))
            })
        });
        found.unwrap_or_default()
    }

    pub(super) fn edge_drag_target(self, at: Point) -> Hit {
        let node = self.edge_drag.get_untracked().and_then(|_| self.node_under(at));
        node.map_or(Hit::Nothing, Hit::Node)
    }

    fn node_under(self, at: Point) -> Option<usize> {
        self.store
            .read(|editor| self.with_state(|state| state.board.node_under(editor.scene(), at)).flatten())
    }

    pub(super) fn pointer(self, event: &PointerEvent, phase: PointerPhase) {
        if phase == PointerPhase::Down && is_over(event, ".over, .toggle, .insert, .remove") {
            return;
        }
        if phase == PointerPhase::Down && event.button() == 2 {
            self.select_under(event);
            return;
        }
        let at = self.pane_point(event.client_x(), event.client_y());
        let drawing = self.store.view.get_untracked().to_drawing(at);
        if phase == PointerPhase::Down {
            self.capture(event);
        }
        if phase == PointerPhase::Move && event.buttons() == 0 {
            self.hover(event, drawing);
        }
        let hit = match phase {
            PointerPhase::Down => {
                let port = target(event).filter(|at| at.closest(".port").ok().flatten().is_some());
                let port = port.and_then(|port| number_of(&port, ".node", "data-node"));
                port.map_or_else(|| self.hit_test(drawing), Hit::Handle)
            }
            _ => self.edge_drag_target(drawing),
        };
        let with = match (event.pointer_type().as_str(), event.button()) {
            ("touch", _) => PointerKind::Touch,
            (_, 1) => PointerKind::Middle,
            _ => PointerKind::Main,
        };
        let (id, space) = (event.pointer_id(), self.with_state(|state| state.has_space).unwrap_or_default());
        let extend = event.shift_key() || event.ctrl_key() || event.meta_key();
        self.track_auto_pan(Pointer { phase, id, at, hit, kind: with, extend, space });
    }

    fn capture(self, event: &PointerEvent) {
        self.hovered_edge.set(None);
        if let Some(root) = self.with_state(|state| state.root.clone()).flatten() {
            drop(root.set_pointer_capture(event.pointer_id()));
        }
    }

    /// Hovers an edge, or moves a connection by clicks.
    fn hover(self, event: &PointerEvent, at: Point) {
        if let Some((_, true)) = self.edge_drag.get_untracked() {
            self.edge_drag_end.set((at, self.node_under(at)));
            return;
        }
        let own = target(event).and_then(|at| number_of(&at, ".edge", "data-edge"));
        let hovered = own.or_else(|| match self.hit_test(at) {
            Hit::Edge(edge) | Hit::EdgeEnd(edge, _) if !is_over(event, ".over") => Some(edge),
            _ => None,
        });
        if self.hovered_edge.get_untracked() != hovered {
            self.hovered_edge.set(hovered);
        }
    }

    /// Returns whether there was a gesture, connection or picker.
    pub(super) fn cancel(self) -> bool {
        let actions = self.with_state(|state| state.gesture.cancel()).unwrap_or_default();
        let was_leading = self.edge_drag.get_untracked().is_some();
        let was_begun = !actions.is_empty() || was_leading || self.picking.get_untracked().is_some();
        self.picking.set(None);
        if was_begun {
            self.perform(GestureAction::Cancel);
        }
        was_begun
    }

    pub(super) fn perform(self, meaning: GestureAction) {
        match meaning {
            GestureAction::View(view) => self.store.view.set(view),
            GestureAction::Click { hit, extend, at } => self.click(hit, extend, at),
            GestureAction::Grab { node } => self.grab(node),
            GestureAction::Drag { by } => self.drag(by),
            GestureAction::Drop { by } => {
                let by = self.snapped(by);
                self.guides.set(Vec::new());
                self.store.change(|editor, now| editor.drop_selected(by, None, now));
            }
            GestureAction::Marquee { area } => self.marquee.set(Some(area)),
            GestureAction::Select { area } => {
                self.marquee.set(None);
                self.store.update_selection(|editor| editor.select_area(&area));
            }
            GestureAction::DragEdge { edge: drag, to, over } => self.drag_edge(drag, to, over, false),
            GestureAction::Connect { edge: drag, to, .. } => self.connect(drag, to),
            GestureAction::Cancel => {
                self.marquee.set(None);
                self.edge_drag.set(None);
                self.guides.set(Vec::new());
                self.store.update_untracked(PlanEditor::cancel_drag);
                self.store.read(|editor| self.with_state(|state| state.follow_drag(editor)));
                self.mark_changed();
            }
        }
    }

    fn click(self, hit: Hit, extend: bool, at: Point) {
        if let Some((drag, true)) = self.edge_drag.get_untracked() {
            self.connect(drag, at);
            return;
        }
        let store = self.store;
        match hit {
            Hit::Handle(node) => {
                self.drag_edge(EdgeDrag::New(node), at, Hit::Nothing, true);
                store.announce(W::ConnectHint.text(store.lang.get_untracked()));
            }
            Hit::Node(node) => {
                let Some(node_path) = self.node_path(node) else { return };
                store.update_selection(|editor| editor.select_node(&node_path, extend));
                store.focus.set(Some(Item::Node(node_path)));
            }
            Hit::Edge(edge) | Hit::EdgeEnd(edge, _) => {
                let found = store.read(|editor| {
                    let edge = editor.scene().edges.get(edge)?;
                    Some((edge.scope.clone(), edge.index))
                });
                let Some((scope, index)) = found else { return };
                store.update_selection(|editor| editor.select_edge(&scope, index, extend));
                store.focus.set(Some(Item::Edge(scope, index)));
            }
            Hit::Nothing if !extend => {
                store.update_selection(PlanEditor::clear_selection);
                store.focus.set(None);
                if let Some(root) = self.with_state(|state| state.root.clone()).flatten() {
                    drop(root.focus());
                }
            }
            Hit::Nothing => {}
        }
    }

    fn grab(self, node: usize) {
        if self.is_readonly() {
            self.cancel();
            return;
        }
        let Some(node_path) = self.node_path(node) else { return };
        let store = self.store;
        if !store.read(|editor| editor.selection().has_node(&node_path)) {
            store.update_selection(|editor| editor.select_node(&node_path, false));
            store.focus.set(Some(Item::Node(node_path)));
        }
        let grabbed = store.read(|editor| {
            let found = editor.scene().nodes.get(node)?;
            Some((node, found.position, found.area))
        });
        self.with_state(|state| state.grabbed = grabbed);
    }

    /// The grabbed node ends in line with others, or on the grid.
    fn snapped(self, by: Point) -> Point {
        let Some((node, position, area)) = self.with_state(|state| state.grabbed).flatten() else {
            return by;
        };
        let is_on_grid = self.snaps_to_grid.get_untracked();
        let snapped =
            if is_on_grid { position.offset_to(position.plus(by.x, by.y).snapped(GRID)) } else { by };
        let view = self.store.view.get_untracked();
        let visible = view.visible_area(self.store.screen.get_untracked());
        let others: Vec<Rect> = self.store.read(|editor| {
            let (nodes, selection) = (&editor.scene().nodes, editor.selection());
            let Some(own) = nodes.get(node) else { return Vec::new() };
            let stays = |other: &&SceneNode| {
                visible.intersects(&other.area)
                    && other.scope == own.scope
                    && !selection.has_node(&other.node_path())
            };
            nodes.iter().filter(stays).map(|other| other.area).collect()
        });
        let moved = Rect::new(area.min.plus(by.x, by.y), area.size);
        let found = align(&moved, &others, ALIGN_DISTANCE / view.zoom);
        self.guides.set(found.guides);
        let aligned = |free: f64, correction: Option<f64>, snapped: f64| {
            correction.map_or(snapped, |correction| free + correction)
        };
        Point::new(aligned(by.x, found.x, snapped.x), aligned(by.y, found.y, snapped.y))
    }

    fn drag(self, by: Point) {
        if self.is_readonly() {
            return;
        }
        let by = self.snapped(by);
        self.store.update_untracked(|editor| editor.drag(by));
        self.store.read(|editor| self.with_state(|state| state.follow_drag(editor)));
        self.request_frame();
    }

    pub(super) fn drag_edge(self, drag: EdgeDrag, to: Point, over: Hit, by_clicks: bool) {
        if self.edge_drag.get_untracked() != Some((drag, by_clicks)) {
            self.edge_drag.set(Some((drag, by_clicks)));
        }
        let over = if let Hit::Node(node) = over { Some(node) } else { self.node_under(to) };
        self.edge_drag_end.set((to, over));
    }

    fn connect(self, drag: EdgeDrag, to: Point) {
        self.edge_drag.set(None);
        let store = self.store;
        // A key or the menu may have begun.
        store.keyboard(|keyboard, _| keyboard.exit_mode());
        store.edge_preview.set(None);
        let Some(node) = self.node_under(to) else {
            if let EdgeDrag::New(from) = drag
                && let Some(from) = self.node_path(from)
            {
                self.pick(to, Purpose::After(from));
            }
            return;
        };
        let lang = store.lang.get_untracked();
        if let Some(error) = store.read(|editor| connect_error(editor.scene(), drag, node)) {
            store.announce(error_text(error).text(lang));
            return;
        }
        let done = match drag {
            EdgeDrag::New(from) => {
                let Some((from, to)) = self.node_path(from).zip(self.node_path(node)) else { return };
                store.change(|editor, now| editor.connect(&from, &to, now))
            }
            EdgeDrag::Existing(edge, End::From) => {
                store.change(|editor, now| editor.reconnect(edge, Some(node), None, now))
            }
            EdgeDrag::Existing(edge, End::To) => {
                store.change(|editor, now| editor.reconnect(edge, None, Some(node), now))
            }
        };
        if done {
            let (from, to) = store.read(|editor| end_titles(editor.scene(), drag, node));
            store.announce(format_message(W::Connected.text(lang), &[&from, &to]));
        }
    }

    /// Expands, renames, edits a condition, or on empty canvas adds a node.
    pub(super) fn double_click(self, event: &MouseEvent) {
        if is_over(event, ".over, .port, .toggle, .insert, .remove") {
            return;
        }
        let at = self.canvas_point(event);
        match self.hit_test(at) {
            Hit::Node(node) if self.is_group(node) => self.toggle(node),
            Hit::Node(_) => dispatch(self.store, Command::Rename),
            Hit::Edge(edge) | Hit::EdgeEnd(edge, _) => self.edit_condition(edge),
            Hit::Nothing => self.pick(at, Purpose::Alone),
            Hit::Handle(_) => {}
        }
    }

    fn is_group(self, node: usize) -> bool {
        self.store
            .read(|editor| editor.scene().nodes.get(node).is_some_and(|node| node.is_expanded.is_some()))
    }

    pub(super) fn is_readonly(self) -> bool {
        self.store.share.is_readonly.get_untracked()
    }

    pub(super) fn pick(self, at: Point, purpose: Purpose) {
        if !self.is_readonly() {
            self.picking.set(Some(TypePick { at, purpose }));
        }
    }

    pub(super) fn toggle(self, node: usize) {
        let is_group = |editor: &PlanEditor| {
            let node = editor.scene().nodes.get(node)?;
            node.is_expanded.map(|_| node.node_path())
        };
        if let Some(node_path) = self.store.read(is_group) {
            self.store.update_selection(|editor| editor.toggle_group(&node_path));
        }
    }

    pub(super) fn edit_condition(self, edge: usize) {
        if self.is_readonly() {
            return;
        }
        let found = self.store.read(|editor| {
            editor.scene().edges.get(edge).map(|scene_edge| (scene_edge.scope.clone(), scene_edge.index))
        });
        self.edited_condition.set(found);
    }

    pub(super) fn node_path(self, node: usize) -> Option<String> {
        self.store.read(|editor| editor.scene().nodes.get(node).map(crate::scene::SceneNode::node_path))
    }

    pub(super) fn on_screen(self, area: &Rect) -> Rect {
        let view = self.store.view.get();
        Rect::between(view.to_screen(area.min), view.to_screen(area.max()))
    }
}

fn edge_end_near(editor: &PlanEditor, indexed: &IndexedScene, at: Point, reach: f64) -> Option<Hit> {
    editor.selection().edges().find_map(|(scope, edge)| {
        let number = indexed.edge_number(scope, edge)?;
        let scene_edge = editor.scene().edges.get(number)?;
        if scene_edge.curve.end().distance(at) <= reach {
            Some(Hit::EdgeEnd(number, End::To))
        } else if scene_edge.curve.start.distance(at) <= reach {
            Some(Hit::EdgeEnd(number, End::From))
        } else {
            None
        }
    })
}

fn end_titles(scene: &Scene, drag: EdgeDrag, node: usize) -> (String, String) {
    let title = |node: usize| scene.nodes.get(node).map(|node| node.title.clone()).unwrap_or_default();
    let ends = |edge: usize| scene.edges.get(edge).map(|edge| (edge.from, edge.to)).unwrap_or_default();
    match drag {
        EdgeDrag::New(from) => (title(from), title(node)),
        EdgeDrag::Existing(edge, End::To) => (title(ends(edge).0), title(node)),
        EdgeDrag::Existing(edge, End::From) => (title(node), title(ends(edge).1)),
    }
}
