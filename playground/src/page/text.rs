//! Connects the JavaScript editor with the plan. Selecting reveals text. A cursor in an item selects it, without
//! scrolling.

mod editor_binding;

use self::editor_binding::{TextEditor, open_text};
use super::dispatch::dispatch;
use super::dom::after_next_frame;
use super::key_events::is_mac;
use super::store::{Store, TextPaneEvent, t};
use crate::command::{COMMANDS, Command};
use crate::i18n::{Localized, Text as W, format_message};
use crate::plan_editor::PlanEditor;
use crate::text::{edits_json, length, parse_typing, problems_json, target_at, target_span};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::web_sys::HtmlElement;
use serde_json::json;
use stepgraph_core::diagnostic::{Span, Target};
use stepgraph_core::value::json_text;
use stepgraph_lazy::lazy;
use wasm_bindgen::prelude::Closure;

#[derive(Clone, Copy)]
struct Editor {
    store: Store,
    pane: StoredValue<Option<TextEditor>, LocalStorage>,
    ready: RwSignal<u32>,
    marked_target: StoredValue<Option<Target>, LocalStorage>,
}

lazy! {
    fn on_message(editor: Editor, what: &str, data: &str) = Editor::handle_message;

    fn commit_typing(editor: Editor) = Editor::commit_pending;

    fn on_event(editor: Editor, event: TextPaneEvent<'_>) = Editor::apply_event;

    fn mark_target(editor: Editor, target: Option<&Target>) = Editor::mark_selected;
}

/// Text editor.
#[component]
pub fn TextPane(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let editor = Editor {
        store,
        pane: StoredValue::new_local(None),
        ready: RwSignal::new(0),
        marked_target: StoredValue::new_local(None),
    };
    host.on_load(move |element| editor.open(&element));
    store.listen(move |event| on_event(editor, event), move || commit_typing(editor));
    let dependencies = move || {
        editor.ready.track();
        store.text_version.track();
    };
    after_next_frame(dependencies, move || editor.show_problems());
    Effect::new(move || editor.show_selection());
    Effect::new(move || editor.reveal());
    Effect::new(move || editor.run_service());
    Effect::new(move || editor.update_language());
    Effect::new(move || editor.update_read_only());
    Effect::new(move || editor.update_wrapping());
    Effect::new(move || editor.update_tab());
    let opening = move || {
        (editor.ready.get() == 0).then(|| view! { <p class="text-opening">{t(store, W::Opening)}</p> })
    };
    view! {
        <p id="text-hint" class="unseen">{move || tab_hint(store)}</p>
        <div class="text-host" node_ref=host>{opening}</div>
    }
}

impl Editor {
    /// Needs a ready editor.
    fn with(self, does: impl FnOnce(&TextEditor)) {
        let editor = self.pane.with_value(Clone::clone);
        if let Some(editor) = editor {
            does(&editor);
        }
    }

    fn open(self, element: &HtmlElement) {
        let lang = self.store.lang.get_untracked();
        let opening = json!({
            "text": self.store.read(|editor| editor.text().to_owned()), "lang": lang.tag(), "label": W::Plan.text(lang), "readOnly": self.store.share.is_readonly.get_untracked(),
            "wraps": self.store.layout.with_untracked(|layout| layout.wraps_text),
        });
        let listener = Closure::<dyn Fn(String, String)>::new(move |what: String, data: String| {
            on_message(self, &what, &data);
        });
        let ready = Closure::<dyn Fn(TextEditor)>::new(move |pane: TextEditor| {
            // The plan may have changed during the load.
            pane.open(&self.store.read(|editor| editor.text().to_owned()));
            self.pane.set_value(Some(pane));
            self.ready.update(|count| *count += 1);
        });
        let failed = Closure::<dyn Fn(String)>::new(move |why: String| {
            self.store.notify(format_message(W::Failed.text(self.store.lang.get_untracked()), &[&why]), true);
        });
        open_text(element, &json_text(&opening), &listener, &ready, &failed);
        // The closures live as long as the page.
        listener.forget();
        ready.forget();
        failed.forget();
    }

    fn handle_message(self, what: &str, data: &str) {
        match (what, data) {
            ("typed", data) => self.apply_typing(data),
            ("command", id) => {
                if let Some(row) = COMMANDS.iter().find(|row| row.id == id) {
                    dispatch(self.store, row.command);
                }
            }
            ("cursor", at) => self.cursor_rested(at.parse().unwrap_or_default()),
            ("notice", text) => self.store.notify(text, false),
            _ => {}
        }
    }

    fn apply_typing(self, data: &str) {
        let Some(typed) = parse_typing(data) else { return };
        self.store.apply_typing(&typed.groups);
        let text = self.store.read(|editor| {
            let differs = length(editor.text()) != typed.length;
            differs.then(|| editor.text().to_owned())
        });
        // An edit was lost, so the plan's text wins.
        if let Some(text) = text {
            self.with(|pane| pane.open(&text));
        }
    }

    fn commit_pending(self) {
        self.with(|editor| {
            let waiting = editor.take();
            if !waiting.is_empty() {
                self.apply_typing(&waiting);
            }
        });
    }

    fn apply_event(self, event: TextPaneEvent<'_>) {
        self.with(|editor| match event {
            TextPaneEvent::Edits(before, edits) => editor.apply(&edits_json(before, edits)),
            TextPaneEvent::Opened(text) => editor.open(text),
        });
    }

    fn show_problems(self) {
        let problems = self.store.read(|editor| problems_json(editor.document()));
        self.with(|pane| pane.problems(&problems));
    }

    fn cursor_rested(self, at: usize) {
        let found = self.store.read(|editor| {
            let at = editor.document().line_index().to_byte(at);
            visible_target(editor, target_at(editor, at)?)
        });
        let Some(found) = found.filter(|found| self.selected().as_ref() != Some(found)) else { return };
        self.marked_target.set_value(Some(found.clone()));
        self.store.update_selection(|editor| match &found {
            Target::Node(node_path) => editor.select_node(node_path, false),
            Target::Edge(scope, index) => editor.select_edge(scope, *index, false),
            _ => {}
        });
        self.mark_text(&found, "here");
    }

    /// Only one item.
    fn selected(self) -> Option<Target> {
        self.store.read(|editor| {
            let chosen = editor.selection();
            let edge = || chosen.only_edge().map(|(scope, index)| Target::Edge(scope.to_owned(), index));
            chosen.only_node().map(|node_path| Target::Node(node_path.to_owned())).or_else(edge)
        })
    }

    fn show_selection(self) {
        self.ready.track();
        self.store.selection_version.track();
        let now = self.selected();
        if self.marked_target.with_value(|marked_target| *marked_target == now) {
            return;
        }
        mark_target(self, now.as_ref());
        self.marked_target.set_value(now);
    }

    fn mark_selected(self, target: Option<&Target>) {
        match target {
            Some(target) => self.mark_text(target, "mark"),
            None => self.with(TextEditor::unmark),
        }
    }

    fn mark_text(self, target: &Target, how: &str) {
        let part = self.store.read(|editor| Some(utf16_range(editor, target_span(editor, target)?)));
        if let Some((start, end)) = part {
            self.with(|pane| pane.reveal(start, end, how));
        }
    }

    fn reveal(self) {
        let part = self.store.reveal_span.get();
        let part = part.map(|span| self.store.read(|editor| utf16_range(editor, span)));
        if let Some((start, end)) = part {
            self.with(|pane| pane.reveal(start, end, "focus"));
        }
    }

    fn run_service(self) {
        if let Some(service) = self.store.service.get() {
            self.with(|editor| editor.serve(service));
        }
    }

    /// Reading, searching and copying remain.
    fn update_read_only(self) {
        self.ready.track();
        let is_readonly = self.store.share.is_readonly.get();
        self.with(|editor| editor.lock(is_readonly));
    }

    fn update_wrapping(self) {
        self.ready.track();
        let wraps = self.store.layout.with(|layout| layout.wraps_text);
        self.with(|editor| editor.wrap(wraps));
    }

    fn update_tab(self) {
        self.ready.track();
        let indents = self.store.layout.with(|layout| layout.tab_indents);
        let hint = tab_hint(self.store);
        self.with(|editor| editor.tab(indents, &hint));
    }

    fn update_language(self) {
        self.ready.track();
        let lang = self.store.lang.get();
        self.with(|editor| editor.speak(lang.tag(), W::Plan.text(lang)));
    }
}

/// What Tab does in the text, and the key that changes it.
pub fn tab_hint(store: Store) -> String {
    let lang = store.lang.get();
    let key = Command::TabIndents.key().map(|key| key.label(is_mac(), lang)).unwrap_or_default();
    let word = if store.layout.with(|layout| layout.tab_indents) { W::TabIndents } else { W::TabLeaves };
    format_message(word.text(lang), &[&key])
}

fn utf16_range(editor: &PlanEditor, span: Span) -> (usize, usize) {
    let lines = editor.document().line_index();
    (lines.to_utf16(span.start), lines.to_utf16(span.end))
}

/// A collapsed group represents its nodes.
fn visible_target(editor: &PlanEditor, target: Target) -> Option<Target> {
    let Target::Node(node_path) = target else { return Some(target) };
    let mut node_path = node_path.as_str();
    while editor.scene().node_at_path(node_path).is_none() {
        node_path = node_path.rsplit_once('/')?.0;
    }
    Some(Target::Node(node_path.to_owned()))
}
