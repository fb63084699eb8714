//! Inserts references and expressions at the cursor. `crate::form::reference_options` and `crate::form::value_actions`
//! decide the options. `picker_list` is a combobox, whose input keeps the focus.

use super::field_input::{FieldInput, read_field};
use super::picker_list::option_list;
use crate::form::template::{PreviewPart, preview};
use crate::i18n::Inspector as W;
use leptos::prelude::*;

pub(super) fn reference_picker(input: FieldInput) -> AnyView {
    let FieldInput { ctx, field, .. } = input;
    let name = move || ctx.format(W::Insert, &[&read_field(field, |field| field.label.clone())]);
    let list = move || input.is_picker_open.get().then(|| option_list(input));
    let label = move || {
        let pieces = preview(&input.shown_text(), &ctx.samples.get())
            .filter(|_| !ctx.samples.with(|samples| samples.is_empty()))?;
        let piece = |piece: PreviewPart| match piece {
            PreviewPart::Text(text) => view! { <span>{text}</span> }.into_any(),
            PreviewPart::Filled(text) => view! { <mark>{text}</mark> }.into_any(),
            PreviewPart::Unfilled(text) => view! { <em>{text}</em> }.into_any(),
        };
        let pieces = pieces.into_iter().map(piece).collect_view();
        Some(view! { <p class="preview" aria-label=ctx.text(W::Preview) role="note">{pieces}</p> })
    };
    view! {
        <button type="button" class="small pick" aria-haspopup="listbox" aria-expanded=move || input.is_picker_open.get().to_string() aria-label=name title=name
            on:click=move |_| input.is_picker_open.update(|open| *open = !*open)>"${ }"</button>
        {list}{label}
    }
    .into_any()
}
