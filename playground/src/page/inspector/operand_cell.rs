//! A row's reference, or its fixed value.

use super::condition_row::RowCell;
use crate::form::condition::{Operator, Row};
use crate::form::parse_input::InputError;
use crate::form::reference_options::ReferenceOption;
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use stepgraph_core::expression::Reference;

#[derive(Clone, Copy)]
pub(super) struct OperandCell {
    pub(super) cell: RowCell,
    pub(super) of_left: bool,
}

impl OperandCell {
    fn is_valid(self, text: &str) -> bool {
        let needs_number =
            untrack(|| self.cell.row.with(|row| row.as_ref().is_some_and(|row| row.operator.needs_number())));
        match (self.of_left, needs_number) {
            (true, _) => Reference::parse(text).is_ok(),
            (false, true) => stepgraph_core::json::parse(text).is_some_and(|value| value.is_number()),
            (false, false) => true,
        }
    }

    /// The left text is no reference, but makes a condition.
    fn as_expression(self, text: &str) -> Option<Row> {
        let mut row = untrack(|| self.cell.row.get()).filter(|_| self.of_left)?;
        row.change(|row| text.trim().clone_into(&mut row.left));
        let whole = Row::new(&row.to_text(), Operator::Expression, "");
        whole.is_complete().then_some(whole)
    }
}

/// Writes valid text at once.
pub(super) fn operand_cell(operand: OperandCell) -> AnyView {
    let OperandCell { cell, of_left } = operand;
    let RowCell { table, row, number, .. } = cell;
    let ctx = table.draft.ctx;
    let typed: RwSignal<Option<String>> = RwSignal::new(None);
    let written = move || {
        row.with(|row| row.as_ref().map(|row| if of_left { row.left.clone() } else { row.right.clone() }))
            .unwrap_or_default()
    };
    let put = move |event| {
        let text = event_target_value(&event);
        typed.set(Some(text.clone()));
        if operand.is_valid(&text) {
            cell.set(|row| if of_left { row.left = text } else { row.right = text });
        }
    };
    let leave = move |_| {
        // Removing an element blurs it, too.
        let Some(text) = typed.try_get_untracked() else { return };
        match text {
            Some(text) if !operand.is_valid(&text) => {
                if let Some(whole) = operand.as_expression(&text) {
                    typed.set(None);
                    cell.set(|row| *row = whole);
                }
            }
            _ => typed.set(None),
        }
        table.draft.focus_left();
    };
    let bad = move || typed.with(|typed| typed.as_ref().is_some_and(|text| !operand.is_valid(text)));
    let name = move || ctx.format(if of_left { W::Left } else { W::Right }, &[&number.get()]);
    let list = if of_left { table.draft.part_id("left") } else { cell.part_id("values") };
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
                InputError::NotANumber.message(ctx.store.lang.get())
            };
            view! { <p class="trouble error">{word}</p> }
        })
    };
    let hint = move || {
        let is_list = row.with(|row| row.as_ref().is_some_and(|row| row.operator == Operator::In));
        (is_list && !of_left).then(|| ctx.text(W::ListHint))
    };
    let id = (!of_left).then(|| cell.part_id("right"));
    view! {
        <input id=id data-side=if of_left { "left" } else { "right" } type="text" autocomplete="off" spellcheck="false" class:code=of_left list=list.clone() aria-label=name aria-invalid=move || bad().to_string()
            placeholder=hint prop:value=move || typed.get().unwrap_or_else(written) on:input=put on:blur=leave/>
        {own}{wrong}
    }
    .into_any()
}

fn values_of(options: &[ReferenceOption], reference: &str) -> Vec<String> {
    options
        .iter()
        .find(|option| option.text == reference)
        .map(|option| option.values.clone())
        .unwrap_or_default()
}
