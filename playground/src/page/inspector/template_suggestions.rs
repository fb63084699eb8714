//! Suggests expressions in placeholders.

use super::field_input::FieldInput;
use super::text_selection::{cursor, select};
use crate::form::change;
use crate::form::template::is_in_placeholder;
use crate::i18n::Inspector as W;
use crate::plan_editor::{PLACEHOLDER, Proposal};
use leptos::prelude::*;
use leptos::web_sys;
use serde_json::Value as Json;

const MAX_PROPOSALS: usize = 12;

#[derive(Clone, Copy)]
pub(super) struct TemplateSuggestions {
    input: FieldInput,
    proposals: RwSignal<Vec<Proposal>>,
    selected: RwSignal<Option<usize>>,
}

impl TemplateSuggestions {
    pub(super) fn new(input: FieldInput) -> Self {
        Self { input, proposals: RwSignal::new(Vec::new()), selected: RwSignal::new(None) }
    }

    fn id(self, at: usize) -> String {
        self.input.part_id(&["suggestion", &at.to_string()].concat())
    }

    pub(super) fn list_id(self) -> String {
        self.input.part_id("suggestions")
    }

    pub(super) fn active(self) -> Option<String> {
        self.selected.get().map(|at| self.id(at))
    }

    pub(super) fn look(self, text: &str) {
        self.close();
        let Some(field) = self.input.field.get_untracked().filter(|field| field.is_template) else { return };
        let Some(at) = cursor(&self.input.id(), text).filter(|at| is_in_placeholder(text, *at)) else {
            return;
        };
        let ctx = self.input.ctx;
        let Some(form) = ctx.form.get_untracked() else { return };
        let edits = change::set(&form, &field, Some(&Json::from(PLACEHOLDER)));
        let mut proposals = ctx.store.read(|editor| editor.check_template(&edits, text, at)).proposals;
        proposals.truncate(MAX_PROPOSALS);
        self.proposals.set(proposals);
    }

    pub(super) fn close(self) {
        // Removing an element blurs it, too.
        if self.proposals.try_with_untracked(Vec::is_empty) == Some(false) {
            self.proposals.set(Vec::new());
            self.selected.set(None);
        }
    }

    fn take(self, at: usize) {
        let Some(proposal) = self.proposals.with_untracked(|all| all.get(at).cloned()) else { return };
        let text = untrack(|| self.input.shown_text());
        let part = |range: Option<&str>| range.unwrap_or_default().to_owned();
        let before = part(text.get(..proposal.span.start));
        let start = [before.as_str(), &proposal.text].concat();
        let next = [start.as_str(), &part(text.get(proposal.span.end..))].concat();
        self.input.text_typed(&next);
        select(&self.input.id(), &next, start.len(), start.len());
        self.close();
        if proposal.text.ends_with(['.', '(']) {
            self.look(&next);
        }
    }

    pub(super) fn on_key(self, event: &web_sys::KeyboardEvent) {
        let count = self.proposals.with_untracked(Vec::len);
        if count == 0 {
            return;
        }
        match (event.key().as_str(), self.selected.get_untracked()) {
            ("ArrowDown", at) => self.selected.set(Some(at.map_or(0, |at| (at + 1) % count))),
            ("ArrowUp", Some(at)) => self.selected.set(Some((at + count - 1) % count)),
            ("Enter", Some(at)) => self.take(at),
            ("Escape", _) => self.close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

pub(super) fn suggestion_list(suggestions: TemplateSuggestions) -> impl IntoView {
    let TemplateSuggestions { input, proposals, selected } = suggestions;
    let rows = move || {
        let row = |(at, proposal): (usize, Proposal)| {
            let take = move |_| suggestions.take(at);
            view! {
                <li role="option" id=suggestions.id(at) aria-selected=move || (selected.get() == Some(at)).to_string()
                    on:mousedown=|event| event.prevent_default() on:click=take>
                    <code>{proposal.label}</code> <span class="detail">{proposal.detail}</span>
                </li>
            }
        };
        proposals.get().into_iter().enumerate().map(row).collect_view()
    };
    let name = move || input.ctx.text(W::Suggestions);
    view! {
        <div class="expression">
            <ul id=suggestions.list_id() role="listbox" aria-label=name hidden=move || proposals.with(Vec::is_empty)>{rows}</ul>
        </div>
    }
}
