//! Controls for typing and choosing.
//!
//! A valid value is written at once. An invalid text stays in the control with its error. If the value
//! changes elsewhere, by undo or in the text pane, the control shows the new value.

use super::FormContext;
use super::field::read_field;
use super::reference_picker::reference_picker;
use super::template_suggestions::{TemplateSuggestions, suggestion_list};
use crate::form::parse_input::{control_text as text_of, parse_field};
use crate::form::{Choice, Control, Field, change};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use serde_json::Value as Json;
use stepgraph_core::value::json_equal;

#[derive(Clone, Copy)]
pub(super) struct FieldInput {
    pub(super) ctx: FormContext,
    pub(super) field: Memo<Option<Field>>,
    /// Until the focus leaves.
    typed: RwSignal<Option<String>>,
    /// Why the typed text is invalid.
    pub(super) error: RwSignal<Option<String>>,
    pub(super) is_help_open: RwSignal<bool>,
    pub(super) is_picker_open: RwSignal<bool>,
    last_write: StoredValue<LastWrite>,
    id: StoredValue<String>,
}

/// Tells a control's own writes from changes made elsewhere.
#[derive(Debug, Clone, PartialEq)]
enum LastWrite {
    /// The control has not written yet.
    Nothing,
    /// The written value, `None` for a removed key.
    Value(Option<Json>),
}

impl FieldInput {
    pub(super) fn new(ctx: FormContext, field: Memo<Option<Field>>, id: String) -> Self {
        let input = Self {
            ctx,
            field,
            typed: RwSignal::new(None),
            error: RwSignal::new(None),
            is_help_open: RwSignal::new(false),
            is_picker_open: RwSignal::new(false),
            last_write: StoredValue::new(LastWrite::Nothing),
            id: StoredValue::new(id),
        };
        let value = Memo::new(move |_| read_field(field, |field| field.value.clone()));
        Effect::new(move |before: Option<()>| {
            let value = value.get();
            let own = input
                .last_write
                .with_value(|written| matches!(written, LastWrite::Value(own) if *own == value));
            if before.is_some() && !own {
                input.clear_typed();
            }
        });
        input
    }

    pub(super) fn id(self) -> String {
        self.id.get_value()
    }

    pub(super) fn part_id(self, what: &str) -> String {
        [&self.id.get_value(), ":", what].concat()
    }

    pub(super) fn described_by(self) -> String {
        [self.part_id("help"), self.part_id("wrong")].join(" ")
    }

    pub(super) fn shown_text(self) -> String {
        self.typed.get().unwrap_or_else(|| read_field(self.field, text_of))
    }

    pub(super) fn clear_typed(self) {
        self.typed.set(None);
        self.error.set(None);
        self.last_write.set_value(LastWrite::Nothing);
    }

    pub(super) fn text_typed(self, text: &str) {
        let Some(field) = self.field.try_get_untracked().flatten() else { return };
        let lang = self.ctx.store.lang.get_untracked();
        self.typed.set(Some(text.to_owned()));
        match parse_field(&field, text) {
            Ok(value) => self.write_value(&field, value.as_ref()),
            Err(error) => self.error.set(Some(error.message(lang))),
        }
    }

    pub(super) fn write_value(self, field: &Field, value: Option<&Json>) {
        self.last_write.set_value(LastWrite::Value(value.cloned()));
        let done = self.ctx.write_field(field, |form, field| change::set(form, field, value));
        self.error.set(done.err().filter(|why| !why.is_empty()));
    }

    /// A written value is shown as stored, an invalid text stays.
    pub(super) fn focus_left(self) {
        // Removing an element blurs it, too.
        let Some(error) = self.error.try_get_untracked() else { return };
        if error.is_none() {
            self.clear_typed();
        }
        self.ctx.store.end_typing_step();
    }

    pub(super) fn placeholder(self) -> String {
        read_field(self.field, |field| {
            let (default_text, mixed) = (field.default_text.as_str(), field.is_mixed);
            match default_text {
                _ if mixed => self.ctx.text(W::Mixed).to_owned(),
                "" => String::new(),
                default_text => default_text.to_owned(),
            }
        })
    }

    pub(super) fn aria_invalid(self) -> &'static str {
        let troubled = read_field(self.field, |field| {
            field
                .problems
                .iter()
                .any(|problem| problem.severity == stepgraph_core::diagnostic::Severity::Error)
        });
        if troubled || self.error.get().is_some() { "true" } else { "false" }
    }
}

pub(super) fn text_control(input: FieldInput, long: bool) -> AnyView {
    let suggestions = TemplateSuggestions::new(input);
    let typed = move |event| {
        let text = event_target_value(&event);
        input.text_typed(&text);
        suggestions.look(&text);
    };
    let is_template = Memo::new(move |_| read_field(input.field, |field| field.is_template));
    let extras =
        move || is_template.get().then(|| view! { {suggestion_list(suggestions)}{reference_picker(input)} });
    let completes = move || is_template.get().then_some("list");
    let list = move || is_template.get().then(|| suggestions.list_id());
    let rows = move || input.shown_text().split('\n').count().clamp(2, 12).to_string();
    let leave = move |_| {
        suggestions.close();
        input.focus_left();
    };
    if long {
        return view! {
            <textarea id=input.id() rows=rows spellcheck="false" prop:value=move || input.shown_text() placeholder=move || input.placeholder() aria-invalid=move || input.aria_invalid()
                aria-autocomplete=completes aria-controls=list aria-activedescendant=move || suggestions.active()
                aria-describedby=input.described_by() on:input=typed on:keydown=move |event| suggestions.on_key(&event) on:blur=leave></textarea>
            {extras}
        }
        .into_any();
    }
    view! {
        <input id=input.id() type="text" autocomplete="off" spellcheck="false" prop:value=move || input.shown_text() placeholder=move || input.placeholder()
            aria-autocomplete=completes aria-controls=list aria-activedescendant=move || suggestions.active()
            aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() on:input=typed on:keydown=move |event| suggestions.on_key(&event) on:blur=leave/>
        {extras}
    }
    .into_any()
}

pub(super) fn number_control(input: FieldInput) -> AnyView {
    let typed = move |event| input.text_typed(&event_target_value(&event));
    let picks = move || read_field(input.field, |field| field.is_template).then(|| reference_picker(input));
    view! {
        <input id=input.id() class="number" type="text" inputmode="decimal" autocomplete="off" prop:value=move || input.shown_text()
            placeholder=move || input.placeholder() aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by()
            on:input=typed on:blur=move |_| input.focus_left()/>
        {picks}
    }
    .into_any()
}

pub(super) fn raw_control(input: FieldInput) -> AnyView {
    let typed = move |event| input.text_typed(&event_target_value(&event));
    let rows = move || input.shown_text().split('\n').count().clamp(2, 16).to_string();
    view! {
        <textarea id=input.id() class="code" rows=rows spellcheck="false" prop:value=move || input.shown_text() placeholder=move || input.placeholder()
            aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() on:input=typed on:blur=move |_| input.focus_left()></textarea>
    }
    .into_any()
}

fn choices(input: FieldInput) -> Vec<Choice> {
    match read_field(input.field, |field| Some(field.control.clone())) {
        Some(Control::Choice(choices) | Control::Combobox(choices)) => choices,
        Some(Control::Boolean) => {
            let truth = |(value, word): (bool, W)| Choice {
                value: Json::Bool(value),
                label: input.ctx.text(word).to_owned(),
                help: String::new(),
            };
            [(true, W::Yes), (false, W::No)].into_iter().map(truth).collect()
        }
        _ => Vec::new(),
    }
}

/// Longer lists are filled at the first interaction: a plan may offer ten thousand nodes.
const MAX_CHOICES: usize = 200;

pub(super) fn choice_control(input: FieldInput) -> AnyView {
    let FieldInput { ctx, field, .. } = input;
    // The form is rebuilt with each character.
    let all = Memo::new(move |_| choices(input));
    let is_seen = RwSignal::new(false);
    let at = Memo::new(move |_| {
        let value = read_field(field, |field| field.value.clone());
        let is = |choice: &Choice| value.as_ref().is_some_and(|value| json_equal(&choice.value, value));
        all.with(|all| all.iter().position(is))
    });
    let selected = move || at.get().map(|at| at.to_string()).unwrap_or_default();
    let nothing = move || {
        let (default_text, mixed, required) = read_field(field, |field| {
            (field.default_text.clone(), field.is_mixed, field.is_required && field.value.is_some())
        });
        let default_text = match default_text.as_str() {
            "true" => ctx.text(W::Yes).to_owned(),
            "false" => ctx.text(W::No).to_owned(),
            _ => default_text,
        };
        let text = match default_text.as_str() {
            _ if mixed => ctx.text(W::Mixed).to_owned(),
            "" => ctx.text(W::Unset).to_owned(),
            default_text => ctx.format(W::Default, &[default_text]),
        };
        (!required).then(|| view! { <option value="" selected=move || at.get().is_none()>{text}</option> })
    };
    let list = move || {
        let is_whole = is_seen.get() || all.with(Vec::len) <= MAX_CHOICES;
        let here = if is_whole { at.get_untracked() } else { at.get() };
        let option = |(vertex, choice): (usize, &Choice)| {
            view! { <option value=vertex.to_string() selected=here == Some(vertex) title=choice.help.clone()>{choice.label.clone()}</option> }
        };
        let exists = |(vertex, _): &(usize, &Choice)| is_whole || here == Some(*vertex);
        all.with(|all| all.iter().enumerate().filter(exists).map(option).collect_view())
    };
    let choose = move |event| {
        let at: Option<usize> = event_target_value(&event).parse().ok();
        let value =
            at.and_then(|at| all.with_untracked(|all| all.get(at).map(|choice| choice.value.clone())));
        ctx.store.end_typing_step();
        if let Some(field) = field.get_untracked() {
            input.write_value(&field, value.as_ref());
        }
    };
    view! {
        <select id=input.id() aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() prop:value=selected on:change=choose
            on:focus=move |_| is_seen.set(true) on:pointerdown=move |_| is_seen.set(true)>
            {nothing}{list}
        </select>
    }
    .into_any()
}

pub(super) fn combobox_control(input: FieldInput) -> AnyView {
    let typed = move |event| input.text_typed(&event_target_value(&event));
    let list = input.part_id("list");
    let all = Memo::new(move |_| choices(input));
    let is_seen = RwSignal::new(false);
    let options = move || {
        let option = |choice: Choice| view! { <option value=choice.label>{choice.help}</option> };
        let is_whole = is_seen.get() || all.with(Vec::len) <= MAX_CHOICES;
        is_whole.then(|| all.get().into_iter().map(option).collect_view())
    };
    view! {
        <input id=input.id() type="text" on:focus=move |_| is_seen.set(true) autocomplete="off" spellcheck="false" list=list.clone() prop:value=move || input.shown_text() placeholder=move || input.placeholder()
            aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() on:input=typed on:blur=move |_| input.focus_left()/>
        <datalist id=list>{options}</datalist>
    }
    .into_any()
}
