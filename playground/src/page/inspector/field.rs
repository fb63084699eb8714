//! A form field. Its control is rebuilt only for another kind, which keeps the input.

use super::condition_rows::condition_rows;
use super::field_input::{FieldInput, read_field};
use super::form_context::FormContext;
use super::input::{choice_control, combobox_control, number_control, raw_control, text_control};
use super::list_controls::{add_controls, move_buttons};
use super::text_selection::keep_focus;
use crate::form::{Control, Field, FieldProblem, change};
use crate::i18n::Inspector as W;
use crate::page::language::engine_text;
use crate::page::problems::with_code;
use leptos::prelude::*;
use stepgraph_core::diagnostic::Severity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ControlKind {
    Line,
    Lines,
    Number,
    Choice,
    Combobox,
    Condition,
    Group,
    Variants,
    Raw,
}

fn control_kind(field: &Field) -> ControlKind {
    match &field.control {
        // Placeholder values are text of any type.
        Control::Number { .. } | Control::Boolean | Control::Choice(_) if field.is_placeholder_text() => {
            ControlKind::Line
        }
        Control::Text { is_multiline: false } => ControlKind::Line,
        Control::Text { is_multiline: true } => ControlKind::Lines,
        Control::Number { .. } => ControlKind::Number,
        Control::Boolean | Control::Choice(_) => ControlKind::Choice,
        Control::Combobox(_) => ControlKind::Combobox,
        Control::Condition => ControlKind::Condition,
        Control::Group => ControlKind::Group,
        Control::Variants { .. } => ControlKind::Variants,
        Control::Raw => ControlKind::Raw,
    }
}

pub(super) fn field_view(ctx: FormContext, id: String) -> AnyView {
    let field = ctx.field(id.clone());
    let is_group = Memo::new(move |_| {
        field.with(|field| field.as_ref().is_some_and(|field| control_kind(field) == ControlKind::Group))
    });
    let shown = move || {
        let id = id.clone();
        if is_group.get() { group_field(ctx, id, field) } else { single_field(ctx, &id, field) }
    };
    shown.into_any()
}

fn single_field(ctx: FormContext, id: &str, field: Memo<Option<Field>>) -> AnyView {
    let input = FieldInput::new(ctx, field, id.to_owned());
    let shape = Memo::new(move |_| field.with(|field| field.as_ref().map(control_kind)));
    let control = move || match shape.get() {
        Some(ControlKind::Line) => text_control(input, false),
        Some(ControlKind::Lines) => text_control(input, true),
        Some(ControlKind::Number) => number_control(input),
        Some(ControlKind::Choice) => choice_control(input),
        Some(ControlKind::Combobox) => combobox_control(input),
        Some(ControlKind::Condition) => condition_rows(input),
        Some(ControlKind::Variants) => variants_field(input),
        Some(ControlKind::Raw) => raw_control(input),
        Some(ControlKind::Group) | None => ().into_any(),
    };
    let label_for = id.to_owned();
    view! {
        <div class="field" class:is-set=move || read_field(field, |field| field.value.is_some())>
            <div class="field-head">
                <label for=label_for id=input.part_id("label")>{move || read_field(field, |field| field.label.clone())}</label>
                {required_mark(ctx, field)}
                <span class="hint">{move || read_field(field, |field| field.hint.clone())}</span>
                {field_buttons(input)}
            </div>
            {control}
            {field_notes(input)}
        </div>
    }
    .into_any()
}

fn group_field(ctx: FormContext, id: String, field: Memo<Option<Field>>) -> AnyView {
    let input = FieldInput::new(ctx, field, id);
    let parts = move || read_field(field, |field| field.children.clone());
    let starts_open = untrack(|| {
        read_field(field, |field| {
            field.path.len() < 2 && field.children.len() < 8 || field.value.is_some() || field.is_required
        })
    });
    let count = move || read_field(field, |field| field.children.len() + field.hidden_count);
    let hidden = move || {
        let hidden = read_field(field, |field| field.hidden_count);
        (hidden > 0).then(|| view! { <p class="empty">{ctx.format(W::Hidden, &[&hidden.to_string()])}</p> })
    };
    view! {
        <details class="group" open=starts_open>
            <summary>
                <span id=input.part_id("label") class="name">{move || read_field(field, |field| field.label.clone())}</span>
                {required_mark(ctx, field)}
                <span class="hint">{move || read_field(field, |field| field.hint.clone())}</span>
                <span class="count">{move || Some(count()).filter(|count| *count > 0)}</span>
            </summary>
            <div class="group-tools">{field_buttons(input)}</div>
            {field_notes(input)}
            <div class="parts" role="group" aria-labelledby=input.part_id("label")>
                <For each=parts key=Clone::clone children=move |id| field_view(ctx, id)/>
                {hidden}
                {add_controls(input)}
            </div>
        </details>
    }
    .into_any()
}

fn variants_field(input: FieldInput) -> AnyView {
    let FieldInput { ctx, field, .. } = input;
    let options = move || match read_field(field, |field| Some(field.control.clone())) {
        Some(Control::Variants { options, selected }) => (options, selected),
        _ => (Vec::new(), 0),
    };
    let choose = move |event| {
        let at: Option<usize> = event_target_value(&event).parse().ok();
        let initial = at.and_then(|at| options().0.get(at).map(|option| option.value.clone()));
        let Some(field) = field.get_untracked() else { return };
        if let Err(why) = ctx.write_field(&field, |form, field| change::set(form, field, initial.as_ref())) {
            input.error.set(Some(why));
        }
    };
    let list = move || {
        let (options, selected) = options();
        let option = |(at, option): (usize, &crate::form::Choice)| {
            view! { <option value=at.to_string() selected=at == selected>{option.label.clone()}</option> }
        };
        options.iter().enumerate().map(option).collect_view()
    };
    let parts = move || read_field(field, |field| field.children.clone());
    view! {
        <select id=input.id() aria-describedby=input.described_by() on:change=choose>{list}</select>
        <div class="parts"><For each=parts key=Clone::clone children=move |id| field_view(ctx, id)/></div>
    }
    .into_any()
}

fn required_mark(ctx: FormContext, field: Memo<Option<Field>>) -> impl IntoView {
    move || {
        let required = read_field(field, |field| field.is_required && field.value.is_none());
        required.then(|| view! { <span class="needed">{ctx.text(W::Required)}</span> })
    }
}

fn field_buttons(input: FieldInput) -> impl IntoView {
    let FieldInput { ctx, field, .. } = input;
    let label = move || read_field(field, |field| field.label.clone());
    let has_help = Memo::new(move |_| read_field(field, |field| !field.help.is_empty()));
    let help = move || {
        has_help.get().then(|| {
            view! {
                <button type="button" class="icon" aria-expanded=move || input.is_help_open.get().to_string() title=move || ctx.format(W::Help, &[&label()])
                    aria-label=move || ctx.format(W::Help, &[&label()]) on:click=move |_| input.is_help_open.update(|open| *open = !*open)>"?"</button>
            }
        })
    };
    let line = Memo::new(move |_| read_field(field, |field| field.line));
    let has_line = Memo::new(move |_| line.get().is_some());
    let number = move || line.get().map(|line| line.to_string()).unwrap_or_default();
    let line = move || {
        let name = move || ctx.format(W::Line, &[&label(), &number()]);
        let show = move |_| ctx.store.reveal_span.set(untrack(|| read_field(field, |field| field.span)));
        has_line.get().then(|| {
            view! { <button type="button" class="icon line" title=name aria-label=name on:click=show>{number}</button> }
        })
    };
    let can = Memo::new(move |_| {
        read_field(field, |field| (field.value.is_some() && !field.is_required, field.is_removable))
    });
    let clear = move || {
        let (set, removable) = can.get();
        let word = if removable { W::Remove } else { W::Clear };
        let remove = move |_| {
            let Some(field) = field.get_untracked() else { return };
            ctx.store.end_typing_step();
            input.clear_typed();
            drop(ctx.write_field(&field, change::remove));
            ctx.store.end_typing_step();
            keep_focus(vec![input.id(), [&parent_id(&input.id()), ":add"].concat()]);
        };
        let name = move || ctx.format(word, &[&label()]);
        (set || removable).then(|| view! { <button type="button" class="icon" title=name aria-label=name on:click=remove>"×"</button> })
    };
    view! { <span class="tools">{help}{move_buttons(input)}{line}{clear}</span> }
}

fn parent_id(id: &str) -> String {
    let end = id.rfind(['.', '[']).unwrap_or(id.len());
    id.get(..end).unwrap_or_default().to_owned()
}

fn field_notes(input: FieldInput) -> impl IntoView {
    let FieldInput { ctx, field, .. } = input;
    let problems = move || read_field(field, |field| field.problems.clone());
    let error = move || input.error.get().map(|text| view! { <p class="trouble error">{text}</p> });
    let all = move || {
        let one = |problem: FieldProblem| problem_view(ctx, problem);
        problems().into_iter().map(one).collect_view()
    };
    view! {
        <p class="help" id=input.part_id("help") class:shown=move || input.is_help_open.get()>{move || read_field(field, |field| field.help.clone())}</p>
        <div id=input.part_id("wrong")>{error}{all}</div>
    }
}

pub(super) fn problem_view(ctx: FormContext, problem: FieldProblem) -> AnyView {
    let class = match problem.severity {
        Severity::Error => "trouble error",
        Severity::Warning => "trouble warning",
        Severity::Hint => "trouble",
    };
    let FieldProblem { message, help, fix, .. } = problem;
    let help = help.unwrap_or_default();
    let mend = (!fix.is_empty()).then(|| {
        let mend = move |_| {
            let fix = fix.clone();
            drop(ctx.store.attempt(|editor, now| {
                editor.apply_text_edits(&fix, crate::history::ChangeSource::Command, "mend", now);
                Ok(fix)
            }));
        };
        let name = ctx.text(W::ApplyFix);
        view! { <button type="button" class="small" on:click=mend>{name}</button> }
    });
    let lang = ctx.store.lang.get_untracked();
    let [message, help] = [&message, &help].map(|text| engine_text(lang, "", text));
    let message = if help.is_empty() { message } else { [message.as_str(), ": ", &help].concat() };
    view! { <p class=class>{with_code(&message)}{mend}</p> }.into_any()
}
