//! An edge's condition as rows or text, which `crate::form::condition` parses and writes. Rows are keyed by index, so
//! writing keeps their input.

use super::super::dom::focus_last_soon;
use super::condition_row::row_view;
use super::field_input::{FieldInput, read_field};
use super::form_context::form_options;
use super::input::text_control;
use crate::form::Owner;
use crate::form::condition::{ConditionPart, Join, Row, RowIndex, Rows};
use crate::form::new_row::{new_reference, new_row};
use crate::form::reference_options::ReferenceOption;
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(super) struct ConditionTable {
    pub(super) draft: FieldInput,
    /// `None` if only text fits.
    pub(super) rows: Memo<Option<Rows>>,
    pub(super) options: Memo<Arc<Vec<ReferenceOption>>>,
    /// Results with the run's values.
    pub(super) results: Memo<Vec<Option<bool>>>,
    /// Edited as expressions, even if comparisons.
    pub(super) expressions: RwSignal<Vec<RowIndex>>,
}

impl ConditionTable {
    pub(super) fn text(self) -> String {
        read_field(self.draft.field, |field| {
            field.value.as_ref().and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        })
    }

    pub(super) fn change(self, change: impl FnOnce(&mut Rows)) {
        if let Some(text) = self.changed(change) {
            self.draft.text_typed(&text);
        }
    }

    pub(super) fn changed(self, change: impl FnOnce(&mut Rows)) -> Option<String> {
        let (rows, before) = untrack(|| (self.rows.get(), self.text()));
        Some(rows?.rewrite(&before, change))
    }

    /// Indexes of expression rows may change then.
    pub(super) fn restructure(self, change: impl FnOnce(&mut Rows)) {
        self.expressions.set(Vec::new());
        self.change(change);
    }

    /// As an alternative to the row at `beside`.
    pub(super) fn add_row(self, left: &str, beside: Option<usize>) {
        let options = self.options.get_untracked();
        self.restructure(|rows| rows.add(new_row(&options, rows, left), beside));
    }

    pub(super) fn edge(self) -> Option<(String, usize)> {
        let owner = self.draft.ctx.form.with_untracked(|form| form.as_ref()?.owners.first().cloned());
        match owner? {
            Owner::Edge(scope, at) => Some((scope, at)),
            Owner::Node(..) | Owner::Plan => None,
        }
    }

    pub(super) fn row(self, at: RowIndex) -> Option<Row> {
        self.rows
            .with(|rows| rows.as_ref()?.rows().find(|(place, _)| *place == at).map(|(_, row)| row.clone()))
    }
}

pub(super) fn condition_rows(input: FieldInput) -> AnyView {
    let ctx = input.ctx;
    let written = move || {
        read_field(input.field, |field| {
            field.value.as_ref().and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        })
    };
    let rows = Memo::new(move |_| Rows::parse(&written()));
    let options = Memo::new(move |_| Arc::new(form_options(ctx)));
    let holds = Memo::new(move |_| {
        let samples = ctx.samples.get();
        rows.with(|rows| rows.as_ref().map(|rows| samples.evaluate_rows(rows)).unwrap_or_default())
    });
    let expressions = RwSignal::new(Vec::new());
    let table = ConditionTable { draft: input, rows, options, results: holds, expressions };
    let as_text = RwSignal::new(false);
    let can_be_rows = Memo::new(move |_| rows.with(Option::is_some));
    let shows_rows = Memo::new(move |_| can_be_rows.get() && !as_text.get());
    let switch = move || {
        can_be_rows.get().then(|| {
            let word = move || ctx.text(if as_text.get() { W::AsRows } else { W::AsText });
            view! { <button type="button" class="small" on:click=move |_| as_text.update(|text| *text = !*text)>{word}</button> }
        })
    };
    let body = move || {
        if shows_rows.get() {
            view! { <div class="rows" id=input.id() role="group" aria-label=move || ctx.text(W::Taken)>{table_view(table)}</div> }.into_any()
        } else {
            text_control(input, true)
        }
    };
    view! { {body}<div class="row-tools">{switch}{result_badge(table)}</div>{reference_datalist(table)} }
        .into_any()
}

fn result_badge(table: ConditionTable) -> impl IntoView {
    let ctx = table.draft.ctx;
    move || {
        let holds = ctx.samples.with(|samples| samples.evaluate(&table.text()))?;
        let (class, word) = if holds { ("truth yes", W::Holds) } else { ("truth no", W::Fails) };
        Some(view! { <span class=class>{if holds { "✓ " } else { "✗ " }}{ctx.text(word)}</span> })
    }
}

fn table_view(table: ConditionTable) -> AnyView {
    let ctx = table.draft.ctx;
    let shape = Memo::new(move |_| {
        table.rows.with(|rows| {
            let size =
                |part: &ConditionPart| if let ConditionPart::Group(rows) = part { rows.len() } else { 0 };
            rows.as_ref().map(|rows| rows.parts.iter().map(size).collect::<Vec<usize>>()).unwrap_or_default()
        })
    });
    let parts = move || shape.get().into_iter().enumerate().collect::<Vec<(usize, usize)>>();
    let empty =
        move || shape.with(Vec::is_empty).then(|| view! { <p class="empty">{ctx.text(W::Always)}</p> });
    let add = move |_| {
        let left = default_reference(table);
        table.add_row(&left, None);
        // The user fills it in next.
        focus_last_soon(".form .rows [data-side=left]");
    };
    view! {
        {empty}
        {join_view(table, move || shape.with(|shape| shape.len() > 1))}
        <For each=parts key=|part| *part children=move |(at, size)| part_view(table, at, size)/>
        <button type="button" class="small" id=table.draft.part_id("add-row") on:click=add>{move || ctx.text(W::AddRow)}</button>
    }
    .into_any()
}

pub(super) fn default_reference(table: ConditionTable) -> String {
    let options = table.options.get_untracked();
    untrack(|| table.rows.with(|rows| new_reference(&options, rows.as_ref())))
}

fn join_view(table: ConditionTable, shown: impl Fn() -> bool + Send + Sync + 'static) -> impl IntoView {
    let ctx = table.draft.ctx;
    let is_any = move || table.rows.with(|rows| rows.as_ref().is_some_and(|rows| rows.join == Join::Any));
    let choose = move |event| {
        let join = if event_target_value(&event) == "any" { Join::Any } else { Join::All };
        table.change(|rows| rows.join = join);
    };
    move || {
        shown().then(|| {
            view! {
                <select aria-label=ctx.text(W::Taken) on:change=choose prop:value=move || if is_any() { "any" } else { "all" }>
                    <option value="all" selected=move || !is_any()>{ctx.text(W::AllHold)}</option>
                    <option value="any" selected=is_any>{ctx.text(W::AnyHold)}</option>
                </select>
            }
        })
    }
}

fn part_view(table: ConditionTable, at: usize, size: usize) -> AnyView {
    let ctx = table.draft.ctx;
    if size == 0 {
        return row_view(table, (at, 0));
    }
    let word = move || {
        let is_any = table.rows.with(|rows| rows.as_ref().is_some_and(|rows| rows.join == Join::Any));
        ctx.text(if is_any { W::AllHold } else { W::AnyHold })
    };
    let rows = (0..size).map(|inner| row_view(table, (at, inner))).collect_view();
    view! { <div class="row-group" role="group" aria-label=word><p class="hint">{word}</p>{rows}</div> }
        .into_any()
}

fn reference_datalist(table: ConditionTable) -> impl IntoView {
    let list = move || {
        let option = |reference_option: &ReferenceOption| {
            let description =
                [reference_option.kind.as_str(), reference_option.sample.as_deref().unwrap_or_default()]
                    .join(" ");
            view! { <option value=reference_option.text.clone()>{description}</option> }
        };
        table.options.with(|options| options.iter().map(option).collect_view())
    };
    view! { <datalist id=table.draft.part_id("left")>{list}</datalist> }
}
