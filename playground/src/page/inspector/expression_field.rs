//! An expression field with suggestions and mistakes. Valid text is written at once, unless the owner waits for the
//! focus to leave.
//!
//! Source: the combobox pattern of the ARIA Authoring Practices Guide.

use super::form_context::FormContext;
use super::text_selection::focus;
use crate::form::reference_options::{ReferenceOption, search};
use crate::i18n::Inspector as W;
use crate::page::proposals::{insert_proposal, typed_text};
use crate::plan_editor::{ConditionCheck, Proposal};
use leptos::prelude::*;
use leptos::web_sys::{HtmlInputElement, KeyboardEvent};
use std::sync::Arc;
use stepgraph_core::diagnostic::Span;

const MAX_PROPOSALS: usize = 12;

/// Result of the owner's attempt to write a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Yes,
    /// Valid, written when the focus leaves.
    Later,
    No,
}

#[derive(Clone, Copy)]
pub(super) struct ExpressionField {
    pub(super) ctx: FormContext,
    pub(super) id: StoredValue<String>,
    pub(super) name: Signal<String>,
    pub(super) text: Signal<String>,
    pub(super) check: Callback<(String, usize), ConditionCheck>,
    /// The flag says that the focus leaves.
    pub(super) write: Callback<(String, bool), Written>,
    /// Values that may stand alone.
    pub(super) options: Option<Memo<Arc<Vec<ReferenceOption>>>>,
    pub(super) about: Signal<Option<String>>,
}

#[derive(Clone, Copy)]
struct FieldState {
    field: ExpressionField,
    input: NodeRef<leptos::html::Input>,
    typed: RwSignal<Option<String>>,
    written: RwSignal<Written>,
    check: RwSignal<ConditionCheck>,
    selected: RwSignal<Option<usize>>,
    is_open: RwSignal<bool>,
}

impl FieldState {
    fn element(self) -> Option<HtmlInputElement> {
        self.input.try_get_untracked().flatten()
    }

    fn look(self, writes: bool) {
        let Some(element) = self.element() else { return };
        let (text, cursor) = typed_text(&element);
        if writes {
            self.typed.set(Some(text.clone()));
            self.written.set(self.field.write.run((text.clone(), false)));
        }
        let mut check = self.field.check.run((text.clone(), cursor));
        if let Some(values) = self.values(&text) {
            check.proposals.splice(0..0, values);
        }
        check.proposals.truncate(MAX_PROPOSALS);
        self.check.set(check);
        self.selected.set(None);
    }

    /// For texts that are at most a path.
    fn values(self, text: &str) -> Option<Vec<Proposal>> {
        let is_path = |c: char| c.is_alphanumeric() || "._-[]\"".contains(c);
        let options = self.field.options.filter(|_| text.chars().all(is_path))?.get_untracked();
        // A complete path gives way to others.
        let is_whole = options.iter().any(|option| option.text == text);
        let found = search(&options, if is_whole { "" } else { text });
        let proposal = |option: &ReferenceOption| Proposal {
            label: option.text.clone(),
            detail: about_option(option),
            span: Span::new(0, text.len()),
            text: option.text.clone(),
        };
        Some(found.into_iter().take(MAX_PROPOSALS).map(proposal).collect())
    }

    fn take(self, at: usize) {
        let found = self.check.with_untracked(|check| check.proposals.get(at).cloned());
        if let (Some(element), Some(proposal)) = (self.element(), found) {
            insert_proposal(&element, &proposal);
            self.look(true);
            self.is_open.set(proposal.text.ends_with(['.', '(']));
        }
    }

    fn leave(self) {
        self.is_open.set(false);
        // Removing an element blurs it, too.
        let Some(Some(text)) = self.typed.try_get_untracked() else { return };
        if self.field.write.run((text, true)) != Written::No {
            self.typed.set(None);
        }
        self.field.ctx.store.end_typing_step();
    }

    fn on_key(self, event: &KeyboardEvent) {
        let count = self.check.with_untracked(|check| check.proposals.len());
        let is_open = self.is_open.get_untracked() && count > 0;
        match (event.key().as_str(), self.selected.get_untracked()) {
            ("ArrowDown" | "ArrowUp", _) if !is_open && count > 0 => self.is_open.set(true),
            ("ArrowDown", at) if is_open => self.selected.set(Some(at.map_or(0, |at| (at + 1) % count))),
            ("ArrowUp", at) if is_open => {
                self.selected.set(Some(at.map_or(count - 1, |at| (at + count - 1) % count)));
            }
            ("Enter", Some(at)) if is_open => self.take(at),
            ("Enter", _) => self.leave(),
            ("Escape", _) if is_open => self.is_open.set(false),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

pub(super) fn about_option(option: &ReferenceOption) -> String {
    let sample = option.sample.as_deref().unwrap_or_default();
    let both = [option.kind.as_str(), sample].into_iter().filter(|text| !text.is_empty());
    both.collect::<Vec<_>>().join(" · ")
}

pub(super) fn expression_field(field: ExpressionField) -> AnyView {
    let state = FieldState {
        field,
        input: NodeRef::new(),
        typed: RwSignal::new(None),
        written: RwSignal::new(Written::Yes),
        check: RwSignal::new(ConditionCheck::default()),
        selected: RwSignal::new(None),
        is_open: RwSignal::new(false),
    };
    let FieldState { typed, check, selected, is_open, .. } = state;
    let id = field.id.get_value();
    let part = move |name: &str| [&field.id.get_value(), ":", name].concat();
    let is_shown = Memo::new(move |_| is_open.get() && check.with(|check| !check.proposals.is_empty()));
    let mistakes = Memo::new(move |_| {
        let is_typed = typed.with(Option::is_some);
        let mistakes = check.with(|check| check.problems.clone());
        match (is_typed, mistakes.is_empty(), state.written.get()) {
            (false, _, _) | (_, true, Written::Yes | Written::Later) => Vec::new(),
            (_, true, Written::No) => vec![field.ctx.text(W::Unfinished).to_owned()],
            (_, false, _) => mistakes,
        }
    });
    let opened = move |_| {
        state.look(false);
        is_open.set(true);
    };
    let input = move |_| {
        state.look(true);
        is_open.set(true);
    };
    let wrong = move || {
        let one = |text: String| view! { <p class="trouble error">{text}</p> };
        mistakes.get().into_iter().map(one).collect_view()
    };
    let about = move || field.about.get().map(|text| view! { <p class="hint about">{text}</p> });
    view! {
        <div class="expression">
            <input id=id node_ref=state.input type="text" role="combobox" class="code" autocomplete="off" spellcheck="false" aria-autocomplete="list"
                aria-controls=part("proposals") aria-expanded=move || is_shown.get().to_string()
                aria-activedescendant=move || selected.get().filter(|_| is_shown.get()).map(|at| part(&at.to_string()))
                aria-invalid=move || mistakes.with(|mistakes| !mistakes.is_empty()).to_string() aria-describedby=part("about")
                aria-label=move || field.name.get() prop:value=move || typed.get().unwrap_or_else(|| field.text.get())
                on:input=input on:click=opened on:keydown=move |event| state.on_key(&event) on:blur=move |_| state.leave()/>
            {proposal_list(state, is_shown)}
            <div id=part("about")>{about}{wrong}</div>
        </div>
    }
    .into_any()
}

fn proposal_list(state: FieldState, is_shown: Memo<bool>) -> impl IntoView {
    let part = move |name: &str| [&state.field.id.get_value(), ":", name].concat();
    let rows = move || {
        let row = |(at, proposal): (usize, Proposal)| {
            // Keeps the focus.
            let keep = move |event: leptos::web_sys::PointerEvent| event.prevent_default();
            let take = move |_| {
                state.take(at);
                focus(&state.field.id.get_value());
            };
            view! {
                <li role="option" id=part(&at.to_string()) aria-selected=move || (state.selected.get() == Some(at)).to_string()
                    on:pointerdown=keep on:mousedown=|event| event.prevent_default() on:click=take>
                    <code>{proposal.label}</code> <span class="detail">{proposal.detail}</span>
                </li>
            }
        };
        let proposals = state.check.with(|check| check.proposals.clone());
        is_shown.get().then(|| proposals.into_iter().enumerate().map(row).collect_view())
    };
    let name = move || state.field.ctx.text(W::Suggestions);
    view! { <ul id=part("proposals") role="listbox" aria-label=name hidden=move || !is_shown.get()>{rows}</ul> }
}
