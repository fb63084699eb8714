//! Aligns several nodes and edits common fields.

use super::form_context::FormContext;
use super::sections;
use crate::i18n::Inspector as W;
use crate::plan_editor::{Align, PlanEditor};
use leptos::prelude::*;

pub(super) fn multi_selection(ctx: FormContext, nodes: Vec<(String, String)>) -> AnyView {
    let count = nodes.len().to_string();
    let align = move |word: W, align: Align, sign: &'static str| {
        let go = move |_| {
            ctx.store.change(|editor, now| editor.align_selected(align, now));
        };
        view! { <button type="button" class="icon" title=move || ctx.text(word) aria-label=move || ctx.text(word) on:click=go>{sign}</button> }
    };
    let spread = move |word: W, across: bool, sign: &'static str| {
        let go = move |_| {
            ctx.store.change(|editor: &mut PlanEditor, now| editor.distribute_selected(across, now));
        };
        view! { <button type="button" class="icon" title=move || ctx.text(word) aria-label=move || ctx.text(word) on:click=go>{sign}</button> }
    };
    let names: Vec<String> = nodes.into_iter().take(12).map(|(_, key)| key).collect();
    view! {
        <header class="form-head">
            <h2>{move || ctx.format(W::Several, &[&count])}</h2>
            <p class="hint code">{names.join(", ")}</p>
            <div class="align" role="group" aria-label=move || ctx.text(W::Align)>
                {align(W::AlignLeft, Align::Left, "⇤")}{align(W::AlignCentre, Align::Centre, "↔")}{align(W::AlignRight, Align::Right, "⇥")}
                {align(W::AlignTop, Align::Top, "⤒")}{align(W::AlignMiddle, Align::Middle, "↕")}{align(W::AlignBottom, Align::Bottom, "⤓")}
                {spread(W::DistributeAcross, true, "⋯")}{spread(W::DistributeDown, false, "⋮")}
            </div>
        </header>
        <h3 class="common">{move || ctx.text(W::Common)}</h3>
        {sections(ctx)}
    }
    .into_any()
}
