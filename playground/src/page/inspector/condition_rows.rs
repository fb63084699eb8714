//! The condition of an edge, as rows or as text. `crate::form::condition` parses and writes it.
//!
//! Rows are keyed by their index, so that a row keeps its input while it is written.

use super::super::dom::focus_last_soon;
use super::field::read_field;
use super::input::{FieldInput, text_control};
use super::reference_picker::{form_options, keep_focus, values_of};
use crate::form::condition::{ConditionPart, Join, Operator, Row, RowIndex, Rows};
use crate::form::reference_options::ReferenceOption;
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct ConditionTable {
    draft: FieldInput,
    /// `None` if the condition can only be text.
    rows: Memo<Option<Rows>>,
    options: Memo<Arc<Vec<ReferenceOption>>>,
    /// Whether each row is true for the values of the run.
    results: Memo<Vec<Option<bool>>>,
}

impl ConditionTable {
    fn text(self) -> String {
        read_field(self.draft.field, |field| {
            field.value.as_ref().and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        })
    }

    fn change(self, change: impl FnOnce(&mut Rows)) {
        let (Some(rows), before) = untrack(|| (self.rows.get(), self.text())) else { return };
        self.draft.text_typed(&rows.rewrite(&before, change));
    }

    fn row(self, at: RowIndex) -> Option<Row> {
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
    let table = ConditionTable { draft: input, rows, options, results: holds };
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
        table.change(|rows| rows.add(Row::new(&left, Operator::Equals, ""), None));
        // The user fills in the new row next.
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

fn default_reference(table: ConditionTable) -> String {
    let options = table.options.get_untracked();
    let named = options.iter().find(|option| !option.values.is_empty()).or_else(|| options.first());
    named.map_or_else(|| "last".to_owned(), |option| option.text.clone())
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

fn row_view(table: ConditionTable, at: RowIndex) -> AnyView {
    let FieldInput { ctx, .. } = table.draft;
    let row = Memo::new(move |_| table.row(at));
    let number = move || {
        let place = table
            .rows
            .with(|rows| rows.as_ref().and_then(|rows| rows.rows().position(|(place, _)| place == at)));
        (place.unwrap_or_default() + 1).to_string()
    };
    let operator = move || row.with(|row| row.as_ref().map_or(Operator::Equals, |row| row.operator));
    let set = move |change: &dyn Fn(&mut Row)| {
        table.change(|rows| {
            if let Some(row) = rows.row_mut(at) {
                row.change(change);
            }
        });
    };
    let choose = move |event| {
        if let Some(operator) = Operator::from_id(&event_target_value(&event)) {
            set(&|row| {
                row.operator = operator;
                let is_number = row.right.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
                if operator.needs_number() && (row.right.is_empty() || !is_number) {
                    "0".clone_into(&mut row.right);
                }
            });
        }
    };
    let options = move || {
        let option = |one: Operator| view! { <option value=one.id() selected=move || operator() == one>{ctx.text(operator_text(one))}</option> };
        Operator::ALL.map(option).collect_view()
    };
    let left = OperandCell { table, row, at, of_left: true };
    let right = OperandCell { of_left: false, ..left };
    view! {
        <div class="row">
            {operand_cell(left, number)}
            <select aria-label=move || ctx.format(W::Operator, &[&number()]) prop:value=move || operator().id() on:change=choose>{options}</select>
            {move || operator().has_operand().then(|| operand_cell(right, number))}
            {row_tools(table, at, number)}
        </div>
    }
    .into_any()
}

fn row_tools(
    table: ConditionTable,
    at: RowIndex,
    number: impl Fn() -> String + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let ctx = table.draft.ctx;
    let alternative = move |_| {
        let left = table.row(at).map(|row| row.left).unwrap_or_default();
        table.change(|rows| rows.add(Row::new(&left, Operator::Equals, ""), Some(at.0)));
    };
    let remove = move |_| {
        table.change(|rows| rows.remove(at));
        keep_focus(vec![table.draft.part_id("add-row")]);
    };
    let other = move || ctx.format(W::AddAlternative, &[&number()]);
    let removed = move || ctx.format(W::RemoveRow, &[&number()]);
    let mark = move || {
        let vertex: usize = number().parse().ok()?;
        let holds = table.results.with(|holds| holds.get(vertex - 1).copied().flatten())?;
        let (class, sign, word) =
            if holds { ("truth yes", "✓", W::Holds) } else { ("truth no", "✗", W::Fails) };
        Some(
            view! { <span class=class role="img" aria-label=ctx.text(word) title=ctx.text(word)>{sign}</span> },
        )
    };
    view! {
        <span class="tools">
            {mark}
            <button type="button" class="icon" title=other aria-label=other on:click=alternative>"∥"</button>
            <button type="button" class="icon" title=removed aria-label=removed on:click=remove>"×"</button>
        </span>
    }
}

#[derive(Clone, Copy)]
struct OperandCell {
    table: ConditionTable,
    row: Memo<Option<Row>>,
    at: RowIndex,
    of_left: bool,
}

/// Writes as soon as the text is valid.
fn operand_cell(cell: OperandCell, number: impl Fn() -> String + Copy + Send + Sync + 'static) -> AnyView {
    let OperandCell { table, row, at, of_left } = cell;
    let ctx = table.draft.ctx;
    let typed: RwSignal<Option<String>> = RwSignal::new(None);
    let written = move || {
        row.with(|row| row.as_ref().map(|row| if of_left { row.left.clone() } else { row.right.clone() }))
            .unwrap_or_default()
    };
    let is_good = move |text: &str| {
        let orders = untrack(|| row.with(|row| row.as_ref().is_some_and(|row| row.operator.needs_number())));
        match (of_left, orders) {
            (true, _) => stepgraph_core::expression::Reference::parse(text).is_ok(),
            (false, true) => stepgraph_core::json::parse(text).is_some_and(|value| value.is_number()),
            (false, false) => true,
        }
    };
    let put = move |event| {
        let text = event_target_value(&event);
        typed.set(Some(text.clone()));
        if !is_good(&text) {
            return;
        }
        table.change(|rows| {
            if let Some(row) = rows.row_mut(at) {
                row.change(
                    |row| if of_left { row.left.clone_from(&text) } else { row.right.clone_from(&text) },
                );
            }
        });
    };
    let leave = move |_| {
        let Some(text) = typed.try_get_untracked() else { return };
        if text.is_none_or(|text| is_good(&text)) {
            typed.set(None);
        }
        table.draft.focus_left();
    };
    let bad = move || typed.with(|typed| typed.as_ref().is_some_and(|text| !is_good(text)));
    let name = move || ctx.format(if of_left { W::Left } else { W::Right }, &[&number()]);
    let list = table.draft.part_id(
        if of_left {
            "left".to_owned()
        } else {
            ["right", &at.0.to_string(), "-", &at.1.to_string()].concat()
        }
        .as_str(),
    );
    let values = move || {
        let left = row.with(|row| row.as_ref().map(|row| row.left.clone()).unwrap_or_default());
        let values = table.options.with(|options| values_of(options, &left));
        values.into_iter().map(|value| view! { <option value=value></option> }).collect_view()
    };
    let own = (!of_left).then(|| view! { <datalist id=list.clone()>{values}</datalist> });
    let wrong = move || {
        bad().then(|| {
            let word = if of_left {
                ctx.text(W::NoWord).to_owned()
            } else {
                crate::form::parse_input::InputError::NotANumber.message(ctx.store.lang.get())
            };
            view! { <p class="trouble error">{word}</p> }
        })
    };
    view! {
        <input data-side=if of_left { "left" } else { "right" } type="text" autocomplete="off" spellcheck="false" class:code=of_left list=list.clone() aria-label=name aria-invalid=move || bad().to_string()
            prop:value=move || typed.get().unwrap_or_else(written) on:input=put on:blur=leave/>
        {own}{wrong}
    }
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

fn operator_text(operator: Operator) -> W {
    match operator {
        Operator::Equals => W::Equals,
        Operator::NotEquals => W::Differs,
        Operator::Contains => W::Contains,
        Operator::NotContains => W::Lacks,
        Operator::Exists => W::Exists,
        Operator::Missing => W::Missing,
        Operator::Less => W::Less,
        Operator::AtMost => W::AtMost,
        Operator::Greater => W::Greater,
        Operator::AtLeast => W::AtLeast,
    }
}
