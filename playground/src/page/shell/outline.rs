//! The plan as lines: what is drawn, for who reads line by line.
//!
//! Decides nothing of the lines, which are those of [`crate::outline`]; only those in sight are elements.
//!
//! Source: the tree pattern of ARIA, flat, with levels told.

use super::super::icon::{self, icon};
use super::super::keys::{focus, focus_on};
use super::super::store::{Store, t};
use crate::announce::{condition, of_mark};
use crate::keyboard::{Focus, walk};
use crate::look::Look;
use crate::outline::{Move, Row, What, outline, step, window};
use crate::session::Session;
use crate::words::{Heard, Shell as W, Words, fill};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{self, HtmlElement};
use std::collections::HashSet;
use stepgraph_core::graph::scoped_name;

/// How high a line is.
///
/// # Units
/// Pixels, as in the styles.
const LINE: i32 = 28;

/// The lines and what is chosen about them.
#[derive(Clone, Copy)]
struct Lines {
    store: Store,
    rows: Memo<Vec<Row>>,
    folded: RwSignal<HashSet<String>>,
    /// The line that has the focus, or would get it.
    at: RwSignal<usize>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    tree: NodeRef<Div>,
}

/// The outline.
#[component]
pub fn Outline(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let folded = RwSignal::new(HashSet::new());
    let rows = Memo::new(move |_| {
        // While it is not seen nobody needs its lines.
        if !store.outline.get() {
            return Vec::new();
        }
        store.with_drawing(|session| folded.with(|folded| outline(session.scene(), folded)))
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
        let (first, last) = window(count, lines.scrolled.get(), lines.height.get(), f64::from(LINE));
        // The line with the focus stays an element, wherever the list is scrolled to.
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
    /// Whatever gets the focus in the drawing has its line here.
    fn follow(self) {
        self.store.focus.track();
        let focus = focus(self.store);
        let at = self.store.read(|session| {
            let found = walk::number(session.scene(), &focus)?;
            let what = match found {
                walk::Item::Node(node) => What::Node(node),
                walk::Item::Edge(edge) => What::Edge(edge),
            };
            self.rows.with(|rows| rows.iter().position(|row| row.what == what))
        });
        if let Some(at) = at.filter(|at| *at != self.at.get_untracked()) {
            self.at.set(at);
            self.show(at);
        }
    }

    /// Lines are made anew when the plan, or what is known of it, changes; the one with the focus gets it back.
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

    /// Scrolls no further than needed to see a line.
    fn show(self, at: usize) {
        let Some(tree) = self.tree.get_untracked() else { return };
        let top = i32::try_from(at).unwrap_or_default().saturating_mul(LINE);
        let bottom = top.saturating_add(LINE);
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
        match self.rows.with_untracked(|rows| step(rows, at, &event.key())) {
            Some(Move::To(at)) => self.go(at),
            Some(Move::Turn(at)) => self.turn(at),
            // Arrows lead through the lines, never through the drawing behind them.
            None if event.key().starts_with("Arrow") => {}
            None => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    /// The focus goes to a line; what it stands for is selected.
    fn go(self, at: usize) {
        self.at.set(at);
        self.show(at);
        if let Some(focus) = self.focus_of(at) {
            focus_on(self.store, &focus);
        }
        request_animation_frame(move || self.focus_line());
    }

    fn focus_of(self, at: usize) -> Option<Focus> {
        self.rows.with_untracked(|rows| {
            let row = rows.get(at)?;
            self.store.read(|session| row.focus(session.scene()))
        })
    }

    /// Shows what stands below a line, or hides it.
    fn turn(self, at: usize) {
        let Some(what) = self.rows.with_untracked(|rows| rows.get(at).map(|row| row.what.clone())) else {
            return;
        };
        let place = |node: usize| {
            self.store.read(|session| session.scene().nodes.get(node).map(crate::scene::NodeBox::place))
        };
        match what {
            What::Node(node) => {
                if let Some(place) = place(node) {
                    self.folded.update(|folded| {
                        if !folded.remove(&place) {
                            folded.insert(place);
                        }
                    });
                }
            }
            What::Inside(node, _) => {
                if let Some(place) = place(node) {
                    self.store.choose(|session| session.toggle(&place));
                }
            }
            What::Edge(_) => {}
        }
    }

    fn line(self, at: usize) -> Option<impl IntoView> {
        let row = self.rows.with(|rows| rows.get(at).cloned())?;
        let drawn = self.drawn(&row);
        let is = move || self.at.get() == at;
        let top = pixels(at);
        let indent = [&(row.level * 16 - 8).to_string(), "px"].concat();
        let can_turn = row.open.is_some();
        let arrow = row.open.map_or("", |open| if open { icon::DOWN } else { icon::RIGHT });
        let turn = move |event: leptos::ev::MouseEvent| {
            if can_turn {
                event.stop_propagation();
                self.turn(at);
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
                aria-expanded=row.open.map(|open| open.to_string())
                aria-selected=drawn.chosen.to_string()
                data-kind=drawn.class
                tabindex=move || if is() { "0" } else { "-1" }
                on:click=move |_| self.go(at)
                on:dblclick=move |_| if can_turn { self.turn(at) }
            >
                <span class="turn" on:click=turn>{icon(arrow)}</span>
                {icon(drawn.icon)}
                <span class="name">{drawn.name}</span>
                <span class="detail">{drawn.detail}</span>
                {(!drawn.state.is_empty()).then(|| view! { <span class="state">{drawn.state}</span> })}
                {(!drawn.wrong.is_empty()).then(|| view! { <span class="wrong">{icon(icon::WRONG)}{drawn.wrong}</span> })}
            </div>
        })
    }

    fn drawn(self, row: &Row) -> Drawn {
        let lang = self.store.lang.get();
        self.store.with_selection(|session| match &row.what {
            What::Node(node) => self.node(session, *node),
            What::Edge(edge) => {
                let scene = session.scene();
                let Some(line) = scene.edges.get(*edge) else { return Drawn::default() };
                let to = scene.nodes.get(line.to).map(|node| node.title.as_str()).unwrap_or_default();
                Drawn {
                    icon: icon::EDGE,
                    class: "edge",
                    name: fill(Heard::LeadsTo.text(lang), &[to]),
                    detail: condition(line, lang),
                    chosen: session.selection().has_edge(&line.scope, line.index),
                    wrong: problem(
                        session,
                        &scoped_name(&line.scope, &["#", &line.index.to_string()].concat()),
                    ),
                    ..Drawn::default()
                }
            }
            What::Inside(_, name) => Drawn {
                icon: icon::GRAPH,
                class: "inside",
                name: if name.is_empty() {
                    Heard::Inside.text(lang).to_owned()
                } else {
                    fill(Heard::InsideOf.text(lang), &[name])
                },
                ..Drawn::default()
            },
        })
    }

    fn node(self, session: &Session, node: usize) -> Drawn {
        let Some(found) = session.scene().nodes.get(node) else { return Drawn::default() };
        let place = found.place();
        let lang = self.store.lang.get();
        let mark =
            self.store.marks.with(|marks| marks.nodes.get(&place).and_then(|mark| of_mark(mark.mark, lang)));
        Drawn {
            icon: Look::of(&found.kind).icon(),
            class: "node",
            name: found.title.clone(),
            detail: found.detail.clone(),
            state: mark.unwrap_or_default(),
            chosen: session.selection().has_node(&place),
            wrong: problem(session, &place),
        }
    }
}

/// Where a line begins, as styles write it.
fn pixels(line: usize) -> String {
    let at = i32::try_from(line).unwrap_or_default().saturating_mul(LINE);
    [&at.to_string(), "px"].concat()
}

/// What a line shows.
#[derive(Default)]
struct Drawn {
    icon: &'static str,
    class: &'static str,
    name: String,
    detail: String,
    state: &'static str,
    chosen: bool,
    wrong: String,
}

/// The worst problem at a place.
fn problem(session: &Session, place: &str) -> String {
    let problems = session.problems();
    problems
        .get(place)
        .and_then(|problems| problems.first())
        .map(|problem| problem.message.clone())
        .unwrap_or_default()
}
