//! The picker's values and their actions.
//!
//! Source: the combobox pattern of the ARIA Authoring Practices Guide.

use super::field_input::FieldInput;
use super::form_context::{FormContext, form_options};
use super::text_selection::{cursor, focus, select};
use crate::form::reference_options::{ReferenceOption, search};
use crate::form::template::{insert, place_in_inserted};
use crate::form::value_actions::{ValueAction, result_of, type_of_value, value_actions};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use leptos::web_sys;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Reference;
use wasm_bindgen::JsCast;

const MAX_LISTED: usize = 60;

#[derive(Debug, Clone, PartialEq)]
enum Item {
    Value(ReferenceOption),
    Itself(ReferenceOption),
    Action(ValueAction),
}

#[derive(Clone, Copy)]
struct Picker {
    input: FieldInput,
    typed: RwSignal<String>,
    at: RwSignal<usize>,
    /// The list shows its actions.
    chosen: RwSignal<Option<ReferenceOption>>,
    items: Memo<Vec<Item>>,
}

impl Picker {
    fn ctx(self) -> FormContext {
        self.input.ctx
    }

    fn option_id(self, at: usize) -> String {
        self.input.part_id(&["value", &at.to_string()].concat())
    }

    fn item(self, at: usize) -> Option<Item> {
        self.items.with_untracked(|items| items.get(at).cloned())
    }

    fn take(self, item: Option<Item>) {
        match item {
            Some(Item::Value(option) | Item::Itself(option)) => {
                insert_expression(self.input, &option.text, Span::at(option.text.len()));
            }
            Some(Item::Action(action)) => insert_expression(self.input, &action.text, action.place),
            None => {}
        }
        self.input.is_picker_open.set(false);
    }

    fn show_actions(self, option: Option<ReferenceOption>) {
        self.chosen.set(option);
        self.typed.set(String::new());
        self.at.set(0);
    }

    fn on_key(self, event: &web_sys::KeyboardEvent) {
        let last = self.items.with_untracked(Vec::len).saturating_sub(1);
        let at = self.at.get_untracked();
        let is_inside = self.chosen.with_untracked(Option::is_some);
        match (event.key().as_str(), self.item(at)) {
            ("ArrowDown", _) => self.at.set((at + 1).min(last)),
            ("ArrowUp", _) => self.at.set(at.saturating_sub(1)),
            ("Enter", item) => self.take(item),
            ("ArrowRight", Some(Item::Value(option))) if is_cursor_at(event, true) => {
                self.show_actions(Some(option));
            }
            ("ArrowLeft", _) if is_inside && is_cursor_at(event, false) => self.show_actions(None),
            ("Escape", _) if is_inside => self.show_actions(None),
            ("Escape", _) => {
                self.input.is_picker_open.set(false);
                focus(&self.input.id());
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    fn result(self, action: &ValueAction) -> String {
        let ctx = self.ctx();
        self.chosen.with(|chosen| {
            let Some(option) = chosen else { return String::new() };
            ctx.samples.with(|samples| {
                let sample =
                    Reference::parse(&option.text).ok().and_then(|reference| samples.get(&reference));
                let kind = type_of_value(option.schema.as_ref(), sample);
                result_of(action.function, &kind, sample, ctx.store.lang.get())
            })
        })
    }
}

fn listed(
    values: &[ReferenceOption],
    ctx: FormContext,
    chosen: Option<&ReferenceOption>,
    typed: &str,
) -> Vec<Item> {
    let Some(option) = chosen else {
        return search(values, typed).into_iter().take(MAX_LISTED).cloned().map(Item::Value).collect();
    };
    let kind = ctx.samples.with(|samples| {
        let sample = Reference::parse(&option.text).ok().and_then(|reference| samples.get(&reference));
        type_of_value(option.schema.as_ref(), sample)
    });
    let typed = typed.trim().to_lowercase();
    let fits = |action: &ValueAction| {
        [action.function.name(), action.summary].iter().any(|text| text.to_lowercase().contains(&typed))
    };
    let itself = Some(Item::Itself(option.clone())).filter(|_| typed.is_empty());
    let actions = value_actions(&option.text, &kind).into_iter().filter(fits).map(Item::Action);
    itself.into_iter().chain(actions).collect()
}

pub(super) fn insert_expression(field_input: FieldInput, expression: &str, place: Span) {
    let text = untrack(|| field_input.shown_text());
    let id = field_input.id();
    let at = cursor(&id, &text).unwrap_or(text.len());
    let (text, end) = insert(&text, at, expression);
    let place = place_in_inserted(end, expression, place);
    field_input.text_typed(&text);
    focus(&id);
    select(&id, &text, place.start, place.end);
}

pub(super) fn option_list(input: FieldInput) -> AnyView {
    let ctx = input.ctx;
    let values = StoredValue::new(untrack(|| form_options(ctx)));
    let (typed, at, chosen) = (RwSignal::new(String::new()), RwSignal::new(0_usize), RwSignal::new(None));
    let items = Memo::new(move |_| {
        let chosen = chosen.get();
        values.with_value(|values| listed(values, ctx, chosen.as_ref(), &typed.get()))
    });
    let picker = Picker { input, typed, at, chosen, items };
    let options = move || {
        items.get().into_iter().enumerate().map(|(at, item)| option_view(picker, at, item)).collect_view()
    };
    let nothing =
        move || items.with(Vec::is_empty).then(|| view! { <p class="empty">{ctx.text(W::NoValues)}</p> });
    let field = NodeRef::<leptos::html::Input>::new();
    field.on_load(|input| drop(input.focus()));
    let search_for = move |event| {
        typed.set(event_target_value(&event));
        at.set(0);
    };
    let name = move || match chosen.get() {
        Some(option) => ctx.format(W::Actions, &[&option.text]),
        None => ctx.text(W::FindValue).to_owned(),
    };
    let list_name = move || match chosen.get() {
        Some(option) => ctx.format(W::Actions, &[&option.text]),
        None => ctx.text(W::Values).to_owned(),
    };
    let back = move || {
        let name = ctx.text(W::BackToValues);
        // Keeps the focus.
        let go = move |event: web_sys::MouseEvent| {
            event.prevent_default();
            picker.show_actions(None);
        };
        chosen.with(Option::is_some).then(|| {
            view! { <button type="button" class="small" tabindex="-1" on:mousedown=go>"‹ "{name}</button> }
        })
    };
    let hint = move || chosen.with(Option::is_none).then(|| ctx.text(W::ActionsHint));
    view! {
        <div class="picker" on:focusout=move |event| if !is_focus_in_list(&event) { input.is_picker_open.set(false) }>
            <input node_ref=field type="text" role="combobox" aria-expanded="true" aria-controls=input.part_id("values") aria-autocomplete="list" autocomplete="off" spellcheck="false"
                aria-activedescendant=move || picker.option_id(at.get()) aria-label=name placeholder=name aria-describedby=input.part_id("keys")
                prop:value=move || typed.get() on:input=search_for on:keydown=move |event| picker.on_key(&event)/>
            {back}
            <ul role="listbox" id=input.part_id("values") aria-label=list_name>{options}</ul>
            {nothing}
            <p class="hint keys" id=input.part_id("keys")>{hint}</p>
        </div>
    }
    .into_any()
}

fn option_view(picker: Picker, index: usize, item: Item) -> impl IntoView {
    let selected = move || (picker.at.get() == index).to_string();
    let row = item.clone();
    // Keeps the focus.
    let pick = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        picker.take(Some(row.clone()));
    };
    let body = match item {
        Item::Value(option) => value_view(picker, option).into_any(),
        Item::Itself(option) => {
            let name = picker.ctx().format(W::UseValue, &[&option.text]);
            view! { {name} <span class="hint">{option.kind}</span> }.into_any()
        }
        Item::Action(action) => action_view(picker, index, action).into_any(),
    };
    view! { <li role="option" id=picker.option_id(index) aria-selected=selected on:mousedown=pick>{body}</li> }
}

fn value_view(picker: Picker, option: ReferenceOption) -> impl IntoView {
    let ctx = picker.ctx();
    let about = [option.kind.as_str(), if option.is_certain { "" } else { ctx.text(W::MayBeMissing) }];
    let about = about.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    let title = ctx.format(W::Actions, &[&option.text]);
    let row = option.clone();
    let more = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        event.stop_propagation();
        picker.show_actions(Some(row.clone()));
    };
    view! {
        <span class="more" aria-hidden="true" title=title on:mousedown=more>"ƒ ›"</span>
        <code>{option.text}</code> <span class="hint">{about}</span>
        {option.sample.map(|sample| view! { <span class="sample">{sample}</span> })}
    }
}

fn action_view(picker: Picker, index: usize, action: ValueAction) -> impl IntoView {
    // The summaries are English.
    let (name, summary) = (action.function.name(), action.summary);
    let shown = action.text.clone();
    // Evaluates the selected action only.
    let result = move || (picker.at.get() == index).then(|| picker.result(&action));
    view! {
        <code>{name}</code> <span class="hint" lang="en">{summary}</span>
        <span class="sample"><code>{shown}</code> {move || result().map(|text| [" → ", &text].concat())}</span>
    }
}

fn is_cursor_at(event: &web_sys::KeyboardEvent, end: bool) -> bool {
    let input = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok());
    let Some(input) = input else { return false };
    let at = |found: Result<Option<u32>, wasm_bindgen::JsValue>| found.ok().flatten();
    let edge = if end { u32::try_from(input.value().encode_utf16().count()).ok() } else { Some(0) };
    at(input.selection_start()) == edge && at(input.selection_end()) == edge
}

fn is_focus_in_list(event: &web_sys::FocusEvent) -> bool {
    let element = |target: Option<web_sys::EventTarget>| {
        target.and_then(|target| target.dyn_into::<web_sys::Element>().ok())
    };
    let list = element(event.current_target());
    let next = element(event.related_target());
    list.zip(next).is_some_and(|(list, next)| list.contains(Some(&next)))
}
