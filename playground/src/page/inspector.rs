//! The selection's form, as `crate::form` decides. Elements live as long as their field, so typing keeps the focus.

mod condition_row;
mod condition_rows;
mod expression_field;
mod field;
mod field_input;
mod form_context;
mod header;
mod input;
mod list_controls;
mod multi_selection;
mod operand_cell;
mod picker_list;
mod reference_picker;
mod template_suggestions;
mod text_selection;

use super::dispatch::dispatch;
use super::store::{Store, t};
use crate::command::Command;
use crate::form::evaluate::{Samples, samples_at};
use crate::form::{FormTarget, Owner, Section, SectionKind, Subject, build_form};
use crate::i18n::Inspector as W;
use crate::plan_editor::PlanEditor;
use crate::problems::message_with_help;
use crate::run::{Outcome, Value};
use field::field_view;
use form_context::FormContext;
use leptos::prelude::*;
use leptos::web_sys;
use serde_json::Value as Json;
use std::sync::Arc;

/// Selection form.
#[component]
pub fn Inspector(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let subject = Memo::new(move |_| store.with_selection(form_subject));
    let form = Memo::new(move |_| {
        let (subject, lang) = (subject.get(), store.lang.get());
        store.with_text(|editor| build_form(editor.document(), &subject, lang)).map(Arc::new)
    });
    let samples = Memo::new(move |_| match subject.get() {
        Subject::One(owner) => store.with_text(|editor| Arc::new(samples(store, editor, &owner))),
        Subject::Several(_) => Arc::default(),
    });
    let ctx = FormContext { store, form, samples };
    // Tracks presence only, so elements survive changes.
    let is_gone = Memo::new(move |_| form.with(Option::is_none));
    let shown = move || match subject.get() {
        _ if is_gone.get() => view! { <p class="empty" role="note">{t(store, W::Unreadable)}</p> }.into_any(),
        Subject::Several(nodes) => multi_selection::multi_selection(ctx, nodes),
        Subject::One(Owner::Node(scope, key)) => header::node_form(ctx, scope, key),
        Subject::One(Owner::Edge(scope, at)) => header::edge_form(ctx, &scope, at),
        Subject::One(Owner::Plan) => header::plan_form(ctx),
    };
    // `subject` changes only with the selected item, so the form survives.
    view! {
        <fieldset class="form" disabled=move || store.share.is_readonly.get() on:keydown=move |event| on_key(store, &event)
            on:focusin=move |_| store.end_typing_step()>{shown}</fieldset>
    }
}

fn samples(store: Store, editor: &PlanEditor, owner: &Owner) -> Samples {
    store.runs.with(|run, moment| {
        let Some(target) = FormTarget::new(editor.document(), owner).filter(|_| !run.is_empty()) else {
            return Samples::default();
        };
        let given = run.visits().first().filter(|visit| visit.lane.is_empty());
        let input = given.and_then(|visit| json(&visit.input));
        samples_at(&target, owner, input, |node| {
            let (visit, _) = run.last_visit(node, moment)?;
            match &run.visit(visit)?.end {
                Outcome::Done(value) => json(value),
                _ => None,
            }
        })
    })
}

/// `None` if truncated.
fn json(value: &Value) -> Option<Json> {
    if value.is_cut { None } else { stepgraph_core::json::parse(&value.text) }
}

fn form_subject(editor: &PlanEditor) -> Subject {
    let split = |node_path: &str| {
        let (scope, key) = node_path.rsplit_once('/').unwrap_or(("", node_path));
        (scope.to_owned(), key.to_owned())
    };
    let nodes: Vec<(String, String)> = editor.selection().nodes().map(split).collect();
    let edge = editor.selection().edges().next();
    match (nodes.as_slice(), edge) {
        ([], None) => Subject::One(Owner::Plan),
        ([], Some((scope, at))) => Subject::One(Owner::Edge(scope.to_owned(), at)),
        ([(scope, key)], _) => Subject::One(Owner::Node(scope.clone(), key.clone())),
        _ => Subject::Several(nodes),
    }
}

/// Undo and redo work in fields, too.
fn on_key(store: Store, event: &web_sys::KeyboardEvent) {
    if !(event.ctrl_key() || event.meta_key()) || event.alt_key() {
        return;
    }
    let command = match (event.key().to_lowercase().as_str(), event.shift_key()) {
        ("z", false) => Command::Undo,
        ("z", true) | ("y", false) => Command::Redo,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    dispatch(store, command);
}

fn sections(ctx: FormContext) -> impl IntoView {
    let all = Memo::new(move |_| {
        ctx.form.with(|form| form.as_ref().map(|form| form.sections.clone())).unwrap_or_default()
    });
    let kind = move || all.with(|all| all.iter().map(|section| section.kind).collect::<Vec<_>>());
    view! {
        <For each=kind key=|kind| *kind children=move |kind| {
            let section = Memo::new(move |_| all.with(|all| all.iter().find(|one| one.kind == kind).cloned()));
            section_view(ctx, kind, section)
        }/>
    }
}

fn section_view(ctx: FormContext, kind: SectionKind, section: Memo<Option<Section>>) -> AnyView {
    let ids = move || {
        section.with(|section| section.as_ref().map(|section| section.fields.clone())).unwrap_or_default()
    };
    let fields = view! { <For each=ids key=Clone::clone children=move |id| field_view(ctx, id)/> };
    let of_plan =
        move || ctx.form.with(|form| form.as_ref().is_some_and(|form| form.owners == [Owner::Plan]));
    let title = move || {
        ctx.text(match kind {
            SectionKind::Basics => W::Basics,
            SectionKind::Input => W::Input,
            SectionKind::Settings => W::Settings,
            SectionKind::Advanced => W::Advanced,
            SectionKind::Limits if of_plan() => W::Limits,
            SectionKind::Limits => W::Bounds,
            SectionKind::Inputs => W::Inputs,
            SectionKind::Servers => W::Servers,
            SectionKind::Tests => W::Tests,
            SectionKind::Other => W::Other,
        })
    };
    if !section.with_untracked(|section| section.as_ref().is_some_and(|section| section.is_collapsed)) {
        // A lone field of the same name needs no heading.
        let only_choice = matches!(
            kind,
            SectionKind::Basics | SectionKind::Input | SectionKind::Inputs | SectionKind::Servers
        );
        return view! { <section class="part">{(!only_choice).then(|| view! { <h3>{title}</h3> })}{fields}</section> }.into_any();
    }
    let written = move || section.with(|section| section.as_ref().map_or(0, |section| section.set_count));
    let troubled = move || {
        ctx.form.with(|form| {
            let own = |id: &String| form.as_ref().and_then(|form| form.fields.get(id));
            section.with(|section| {
                let ids = section.iter().flat_map(|section| &section.fields);
                ids.filter_map(own).any(|field| !field.problems.is_empty())
            })
        })
    };
    let count = move || {
        Some(written()).filter(|count| *count > 0).map(|count| ctx.format(W::Written, &[&count.to_string()]))
    };
    view! {
        <details class="part" open=untrack(troubled)>
            <summary><h3>{title}</h3><span class="count">{count}</span></summary>
            {fields}
        </details>
    }
    .into_any()
}
