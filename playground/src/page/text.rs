//! The text pane: the editor that the page's scripts bring, and the plan.
//!
//! Decides who follows whom. What is typed becomes an edit of the plan; what is done to the plan elsewhere becomes a change in the editor.
//! Who selects in the drawing sees the text of it; who puts the cursor into the text of a node sees that node selected. Neither answers
//! the other: what came from the text is marked there, but not scrolled to.
//!
//! Files: `pane` the editor as the scripts make it.

mod pane;

use self::pane::{Pane, open_text};
use super::act::act;
use super::dom::behind;
use super::store::{Heard, Store, t};
use crate::command::COMMANDS;
use crate::session::Session;
use crate::text::{edits_told, length, part_of, problems_told, thing_at, typed};
use crate::words::{Text as W, Words, fill};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::web_sys::HtmlElement;
use serde_json::json;
use stepgraph_core::diagnostic::{Span, Target};
use stepgraph_core::value::json_text;
use stepgraph_lazy::lazy;
use wasm_bindgen::prelude::Closure;

/// The editor, once it is there, and what it shows as selected.
#[derive(Clone, Copy)]
struct Editor {
    store: Store,
    pane: StoredValue<Option<Pane>, LocalStorage>,
    /// Counts editors that were made: the first is one.
    ready: RwSignal<u32>,
    /// What is marked in the text.
    marked: StoredValue<Option<Target>, LocalStorage>,
}

lazy! {
    /// What the editor tells.
    fn told(editor: Editor, what: &str, data: &str) = Editor::tells;

    /// What was typed and waits becomes a part of the plan.
    fn settle(editor: Editor) = Editor::settle;

    /// The plan was changed elsewhere.
    fn hear(editor: Editor, heard: Heard<'_>) = Editor::hear;

    /// Shows what is selected in the text.
    fn mark(editor: Editor, target: Option<&Target>) = Editor::mark_selected;
}

/// The plan's text, to be edited.
#[component]
pub fn TextPane(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let editor = Editor {
        store,
        pane: StoredValue::new_local(None),
        ready: RwSignal::new(0),
        marked: StoredValue::new_local(None),
    };
    host.on_load(move |element| editor.open(&element));
    store.listen(move |heard| hear(editor, heard), move || settle(editor));
    let heed = move || {
        editor.ready.track();
        store.text.track();
    };
    behind(heed, move || editor.show_problems());
    Effect::new(move || editor.show_selection());
    Effect::new(move || editor.go());
    Effect::new(move || editor.serve());
    Effect::new(move || editor.speak());
    Effect::new(move || editor.lock());
    let opening = move || {
        (editor.ready.get() == 0).then(|| view! { <p class="text-opening">{t(store, W::Opening)}</p> })
    };
    view! { <div class="text-host" node_ref=host>{opening}</div> }
}

impl Editor {
    /// Does something with the editor, if it is there.
    fn with(self, does: impl FnOnce(&Pane)) {
        let pane = self.pane.with_value(Clone::clone);
        if let Some(pane) = pane {
            does(&pane);
        }
    }

    fn open(self, element: &HtmlElement) {
        let lang = self.store.lang.get_untracked();
        let opening = json!({
            "text": self.store.read(|session| session.text().to_owned()), "lang": lang.tag(), "label": W::Plan.text(lang), "readOnly": self.store.share.is_readonly.get_untracked(),
        });
        let listener = Closure::<dyn Fn(String, String)>::new(move |what: String, data: String| {
            told(self, &what, &data);
        });
        let ready = Closure::<dyn Fn(Pane)>::new(move |pane: Pane| {
            // The plan may have changed while the editor was on its way.
            pane.open(&self.store.read(|session| session.text().to_owned()));
            self.pane.set_value(Some(pane));
            self.ready.update(|count| *count += 1);
        });
        let failed = Closure::<dyn Fn(String)>::new(move |why: String| {
            self.store.tell(fill(W::Failed.text(self.store.lang.get_untracked()), &[&why]), true);
        });
        open_text(element, &json_text(&opening), &listener, &ready, &failed);
        // As long as the page.
        listener.forget();
        ready.forget();
        failed.forget();
    }

    /// What the editor tells.
    fn tells(self, what: &str, data: &str) {
        match (what, data) {
            ("typed", data) => self.typed(data),
            ("command", id) => {
                if let Some(row) = COMMANDS.iter().find(|row| row.id == id) {
                    act(self.store, row.command);
                }
            }
            ("cursor", at) => self.cursor(at.parse().unwrap_or_default()),
            ("notice", text) => self.store.tell(text, false),
            _ => {}
        }
    }

    fn typed(self, data: &str) {
        let Some(typed) = typed(data) else { return };
        self.store.typed(&typed.groups);
        let text = self.store.read(|session| {
            let differs = length(session.text()) != typed.length;
            differs.then(|| session.text().to_owned())
        });
        // Something was lost on the way: the plan's text counts.
        if let Some(text) = text {
            self.with(|pane| pane.open(&text));
        }
    }

    /// What was typed and waits becomes a part of the plan.
    fn settle(self) {
        self.with(|pane| {
            let waiting = pane.take();
            if !waiting.is_empty() {
                self.typed(&waiting);
            }
        });
    }

    fn hear(self, heard: Heard<'_>) {
        self.with(|pane| match heard {
            Heard::Edits(before, edits) => pane.apply(&edits_told(before, edits)),
            Heard::Opened(text) => pane.open(text),
        });
    }

    fn show_problems(self) {
        let problems = self.store.read(|session| problems_told(session.document()));
        self.with(|pane| pane.problems(&problems));
    }

    /// The cursor stands still: what it stands in is selected, and stays so while it moves there.
    fn cursor(self, at: usize) {
        let found = self.store.read(|session| {
            let at = session.document().line_index().byte(at);
            drawn(session, thing_at(session, at)?)
        });
        let Some(found) = found.filter(|found| self.selected().as_ref() != Some(found)) else { return };
        self.marked.set_value(Some(found.clone()));
        self.store.choose(|session| match &found {
            Target::Node(place) => session.choose_node(place, false),
            Target::Edge(scope, index) => session.choose_edge(scope, *index, false),
            _ => {}
        });
        self.mark(&found, "here");
    }

    /// What alone is selected.
    fn selected(self) -> Option<Target> {
        self.store.read(|session| {
            let chosen = session.selection();
            let edge = || {
                let mut edges = chosen.edges().filter(|_| chosen.nodes().next().is_none());
                let (scope, index) = edges.next()?;
                edges.next().is_none().then(|| Target::Edge(scope.to_owned(), index))
            };
            chosen.only_node().map(|place| Target::Node(place.to_owned())).or_else(edge)
        })
    }

    fn show_selection(self) {
        self.ready.track();
        self.store.selection.track();
        let now = self.selected();
        if self.marked.with_value(|marked| *marked == now) {
            return;
        }
        mark(self, now.as_ref());
        self.marked.set_value(now);
    }

    fn mark_selected(self, target: Option<&Target>) {
        match target {
            Some(target) => self.mark(target, "mark"),
            None => self.with(Pane::unmark),
        }
    }

    fn mark(self, target: &Target, how: &str) {
        let part = self.store.read(|session| Some(units(session, part_of(session, target)?)));
        if let Some((start, end)) = part {
            self.with(|pane| pane.reveal(start, end, how));
        }
    }

    /// Somebody wants to see a part of the text.
    fn go(self) {
        let part = self.store.place.get();
        let part = part.map(|span| self.store.read(|session| units(session, span)));
        if let Some((start, end)) = part {
            self.with(|pane| pane.reveal(start, end, "focus"));
        }
    }

    /// Somebody wants the editor to do something.
    fn serve(self) {
        if let Some(service) = self.store.service.get() {
            self.with(|pane| pane.serve(service));
        }
    }

    /// A plan that is only shown can be read, searched and copied.
    fn lock(self) {
        self.ready.track();
        let is_readonly = self.store.share.is_readonly.get();
        self.with(|pane| pane.lock(is_readonly));
    }

    fn speak(self) {
        self.ready.track();
        let lang = self.store.lang.get();
        self.with(|pane| pane.speak(lang.tag(), W::Plan.text(lang)));
    }
}

/// A part of the text in units.
fn units(session: &Session, span: Span) -> (usize, usize) {
    let lines = session.document().line_index();
    (lines.utf16(span.start), lines.utf16(span.end))
}

/// A thing that is drawn: a node that stands in a closed one is shown by that one.
fn drawn(session: &Session, target: Target) -> Option<Target> {
    let Target::Node(place) = target else { return Some(target) };
    let mut place = place.as_str();
    while session.scene().node(place).is_none() {
        place = place.rsplit_once('/')?.0;
    }
    Some(Target::Node(place.to_owned()))
}
