//! The plan as a tree, with elements for visible lines.
//!
//! Source: the tree view pattern of ARIA, as a flat list with levels.

use super::super::icon::{self, icon};
use super::super::key_events::{current_focus, focus_on};
use super::super::language::engine_text;
use super::super::store::{Store, t};
use crate::announce::{condition_text, status_text};
use crate::appearance::NodeAppearance;
use crate::i18n::{Announcement, Canvas, Lang, Localized, Shell as W, format_message};
use crate::keyboard::{Focus, spatial_navigation};
use crate::outline::{OutlineMove, Row, RowKind, key_action, outline_rows, visible_range};
use crate::plan_editor::PlanEditor;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{self, HtmlElement};
use std::collections::HashSet;
use stepgraph_core::graph::scoped_name;

/// Pixels, as in the styles.
const LINE_HEIGHT: i32 = 28;

#[derive(Clone, Copy)]
struct Lines {
    store: Store,
    rows: Memo<Vec<Row>>,
    folded: RwSignal<HashSet<String>>,
    /// Focused now or next.
    at: RwSignal<usize>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    tree: NodeRef<Div>,
}

/// Outline tree.
#[component]
pub fn Outline(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let folded = RwSignal::new(HashSet::new());
    let rows = Memo::new(move |_| {
        // Hidden outlines compute nothing.
        if !store.shows_outline.get() {
            return Vec::new();
        }
        store.with_scene(|editor| folded.with(|folded| outline_rows(editor.scene(), folded)))
    });
    let lines = Lines {
        store,
        rows,
        folded,
        at: RwSignal::new(0),
        scrolled: RwSignal::new(0.0),
        height: RwSignal::new(600.0),
        tree: NodeRef::new(),
    };
    Effect::new(move |_| lines.follow());
    let scrolled = move |_| {
        if let Some(tree) = lines.tree.get_untracked() {
            lines.scrolled.set(f64::from(tree.scroll_top()));
            lines.height.set(f64::from(tree.client_height()));
        }
    };
    let whole = move || pixels(rows.with(Vec::len));
    let seen = move || {
        let count = rows.with(Vec::len);
        let (first, last) =
            visible_range(count, lines.scrolled.get(), lines.height.get(), f64::from(LINE_HEIGHT));
        // The focused line stays an element out of view.
        let at = lines.at.get().min(count.saturating_sub(1));
        let apart = (count > 0 && !(first..last).contains(&at)).then_some(at);
        let shown: Vec<usize> = (first..last).chain(apart).collect();
        lines.keep_focus();
        shown.into_iter().filter_map(|at| lines.line(at)).collect_view()
    };
    let empty =
        move || rows.with(Vec::is_empty).then(|| view! { <p class="empty">{t(store, W::OutlineEmpty)}</p> });
    view! {
        {empty}
        <div
            class="tree"
            role="tree"
            aria-label=t(store, W::Outline)
            aria-multiselectable="true"
            hidden=move || rows.with(Vec::is_empty)
            node_ref=lines.tree
            on:scroll=scrolled
            on:keydown=move |event| lines.on_key(&event)
        >
            <div class="whole" role="presentation" style:height=whole>{seen}</div>
        </div>
    }
}

impl Lines {
    fn follow(self) {
        self.store.focus.track();
        let focus = current_focus(self.store);
        let at = self.store.read(|editor| {
            let found = spatial_navigation::item_of_focus(editor.scene(), &focus)?;
            let kind = match found {
                spatial_navigation::Item::Node(node) => RowKind::Node(node),
                spatial_navigation::Item::Edge(edge) => RowKind::Edge(edge),
            };
            self.rows.with(|rows| rows.iter().position(|row| row.kind == kind))
        });
        if let Some(at) = at.filter(|at| *at != self.at.get_untracked()) {
            self.at.set(at);
            self.scroll_to(at);
        }
    }

    /// Lines were rebuilt.
    fn keep_focus(self) {
        let is_here = |element: &web_sys::Element| element.closest(".tree").is_ok_and(|tree| tree.is_some());
        if document().active_element().is_some_and(|element| is_here(&element)) {
            request_animation_frame(move || {
                if !document().active_element().is_some_and(|element| is_here(&element)) {
                    self.focus_line();
                }
            });
        }
    }

    fn focus_line(self) {
        let found =
            self.tree.get_untracked().and_then(|tree| tree.query_selector("[tabindex='0']").ok().flatten());
        if let Some(line) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            drop(line.focus());
        }
    }

    fn scroll_to(self, at: usize) {
        let Some(tree) = self.tree.get_untracked() else { return };
        let top = i32::try_from(at).unwrap_or_default().saturating_mul(LINE_HEIGHT);
        let bottom = top.saturating_add(LINE_HEIGHT);
        if top < tree.scroll_top() {
            tree.set_scroll_top(top);
        } else if bottom > tree.scroll_top() + tree.client_height() {
            tree.set_scroll_top(bottom - tree.client_height());
        }
    }

    fn on_key(self, event: &web_sys::KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let at = self.at.get_untracked();
        match self.rows.with_untracked(|rows| key_action(rows, at, &event.key())) {
            Some(OutlineMove::To(at)) => self.focus_and_select(at),
            Some(OutlineMove::Toggle(at)) => self.toggle(at),
            // Keeps arrows from the canvas.
            None if event.key().starts_with("Arrow") => {}
            None => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    fn focus_and_select(self, at: usize) {
        self.at.set(at);
        self.scroll_to(at);
        if let Some(focus) = self.focus_of(at) {
            focus_on(self.store, &focus);
        }
        request_animation_frame(move || self.focus_line());
    }

    fn focus_of(self, at: usize) -> Option<Focus> {
        self.rows.with_untracked(|rows| {
            let row = rows.get(at)?;
            self.store.read(|editor| row.focus(editor.scene()))
        })
    }

    fn toggle(self, at: usize) {
        let Some(kind) = self.rows.with_untracked(|rows| rows.get(at).map(|row| row.kind.clone())) else {
            return;
        };
        let place = |node: usize| {
            self.store.read(|editor| editor.scene().nodes.get(node).map(crate::scene::SceneNode::node_path))
        };
        match kind {
            RowKind::Node(node) => {
                if let Some(node_path) = place(node) {
                    self.folded.update(|folded| {
                        if !folded.remove(&node_path) {
                            folded.insert(node_path);
                        }
                    });
                }
            }
            RowKind::Inside(node, _) => {
                if let Some(node_path) = place(node) {
                    self.store.update_selection(|editor| editor.toggle_group(&node_path));
                }
            }
            RowKind::Edge(_) => {}
        }
    }

    fn line(self, at: usize) -> Option<impl IntoView> {
        let row = self.rows.with(|rows| rows.get(at).cloned())?;
        let content = self.line_content(&row);
        let is = move || self.at.get() == at;
        let top = pixels(at);
        let indent = [&(row.level * 16 - 8).to_string(), "px"].concat();
        let can_turn = row.is_expanded.is_some();
        let arrow = row.is_expanded.map_or("", |open| if open { icon::DOWN } else { icon::RIGHT });
        let turn = move |event: leptos::ev::MouseEvent| {
            if can_turn {
                event.stop_propagation();
                self.toggle(at);
            }
        };
        Some(view! {
            <div
                role="treeitem"
                class="line"
                style:top=top
                style:padding-left=indent
                prop:ariaLevel=row.level.to_string()
                aria-posinset=row.position
                aria-setsize=row.count
                aria-expanded=row.is_expanded.map(|open| open.to_string())
                aria-selected=content.chosen.to_string()
                data-kind=content.class
                tabindex=move || if is() { "0" } else { "-1" }
                on:click=move |_| self.focus_and_select(at)
                on:dblclick=move |_| if can_turn { self.toggle(at) }
            >
                <span class="turn" on:click=turn>{icon(arrow)}</span>
                {icon(content.icon)}
                <span class="name">{content.name}</span>
                <span class="detail">{content.detail}</span>
                {(!content.state.is_empty()).then(|| view! { <span class="state">{content.state}</span> })}
                {(!content.wrong.is_empty()).then(|| view! { <span class="wrong">{icon(icon::WRONG)}{content.wrong}</span> })}
            </div>
        })
    }

    fn line_content(self, row: &Row) -> LineContent {
        let lang = self.store.lang.get();
        self.store.with_selection(|editor| match &row.kind {
            RowKind::Node(node) => self.node_content(editor, *node),
            RowKind::Edge(edge) => {
                let scene = editor.scene();
                let Some(scene_edge) = scene.edges.get(*edge) else { return LineContent::default() };
                let to = scene.nodes.get(scene_edge.to).map(|node| node.title.as_str()).unwrap_or_default();
                LineContent {
                    icon: icon::EDGE,
                    class: "edge",
                    name: format_message(Announcement::LeadsTo.text(lang), &[to]),
                    detail: condition_text(scene_edge, lang),
                    chosen: editor.selection().has_edge(&scene_edge.scope, scene_edge.index),
                    wrong: worst_problem(
                        lang,
                        editor,
                        &scoped_name(&scene_edge.scope, &["#", &scene_edge.index.to_string()].concat()),
                    ),
                    ..LineContent::default()
                }
            }
            RowKind::Inside(_, name) => LineContent {
                icon: icon::GRAPH,
                class: "inside",
                name: if name.is_empty() {
                    Announcement::Inside.text(lang).to_owned()
                } else {
                    format_message(Announcement::InsideOf.text(lang), &[name])
                },
                ..LineContent::default()
            },
        })
    }

    fn node_content(self, editor: &PlanEditor, node: usize) -> LineContent {
        let Some(found) = editor.scene().nodes.get(node) else { return LineContent::default() };
        let node_path = found.node_path();
        let lang = self.store.lang.get();
        let mark = self.store.overlay.with(|overlay| {
            let status = overlay.nodes.get(&node_path)?.status;
            let is_earlier = overlay.is_outdated && status.is_result();
            if is_earlier { Some(Canvas::EarlierResult.text(lang)) } else { status_text(status, lang) }
        });
        LineContent {
            icon: NodeAppearance::for_type(&found.kind).icon(),
            class: "node",
            name: found.title.clone(),
            detail: found.subtitle.clone(),
            state: mark.unwrap_or_default(),
            chosen: editor.selection().has_node(&node_path),
            wrong: worst_problem(lang, editor, &node_path),
        }
    }
}

fn pixels(line: usize) -> String {
    let at = i32::try_from(line).unwrap_or_default().saturating_mul(LINE_HEIGHT);
    [&at.to_string(), "px"].concat()
}

#[derive(Default)]
struct LineContent {
    icon: &'static str,
    class: &'static str,
    name: String,
    detail: String,
    state: &'static str,
    chosen: bool,
    wrong: String,
}

fn worst_problem(lang: Lang, editor: &PlanEditor, node_path: &str) -> String {
    let problems = editor.problems();
    problems
        .get(node_path)
        .and_then(|problems| problems.first())
        .map(|problem| engine_text(lang, problem.code.slug(), &problem.message))
        .unwrap_or_default()
}
