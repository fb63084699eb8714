//! Values of a visit, or of all nodes.

use super::super::js_bridge::copy_text;
use super::super::language::engine_text;
use super::super::store::{Store, t};
use super::control::send;
use super::scrubber::Scrubber;
use super::visit_detail::TimelineDetail;
use super::visit_status::{show_visit, status_icon, status_id, status_text};
use crate::i18n::Run as W;
use crate::run::{Outcome, Value, VisitStatus, one_line, pretty};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;
use serde_json::json;

const MAX_VALUE_CHARS: usize = 120;
const MAX_NODES: usize = 500;

/// A named value.
#[component]
pub fn ValueView(
    /// Page state.
    store: Store,
    /// Its name.
    name: W,
    /// The value.
    value: Value,
) -> impl IntoView {
    let Value { text, is_cut, event } = value;
    let summary = pretty(&text);
    let text = move || {
        let whole = store
            .runs
            .full_value
            .with(|whole| whole.as_ref().filter(|(of, _)| *of == event).map(|(_, text)| pretty(text)));
        whole.unwrap_or_else(|| summary.clone())
    };
    let copied = text.clone();
    let copy = move |_| copy_text(&copied(), &JsValue::NULL);
    let more = is_cut.then(|| {
        let ask = move |_| send(&json!({"type": "value", "id": event, "event": event}));
        let exists =
            move || store.runs.full_value.with(|whole| whole.as_ref().is_some_and(|(of, _)| *of == event));
        view! { <button type="button" hidden=exists on:click=ask>{t(store, W::Whole)}</button> }
    });
    view! {
        <section class="part">
            <h4 class="heading">{t(store, name)} <button type="button" class="copy" on:click=copy>{t(store, W::Copy)}</button></h4>
            <pre class="value" tabindex="0">{text}{is_cut.then_some("…")}</pre>
            {more}
        </section>
    }
}

/// Node path, visit, number of visits, status, input, output.
type Line = (String, usize, usize, VisitStatus, String, String);

/// Values tab.
#[component]
pub fn ValuesTab(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let lines = Memo::new(move |_| {
        let lang = store.lang.get();
        store.runs.with(|run, at| {
            let line = |node_path: &str| -> Option<Line> {
                let (id, begun) = run.last_visit(node_path, at)?;
                let visit = run.visit(id)?;
                let status = run.visit_status(visit, at)?;
                let gave = match &visit.end {
                    Outcome::Done(value) if matches!(status, VisitStatus::Done | VisitStatus::Rejected) => {
                        one_line(&value.text, MAX_VALUE_CHARS)
                    }
                    Outcome::Failed { code, message }
                        if matches!(status, VisitStatus::Failed | VisitStatus::Rejected) =>
                    {
                        engine_text(lang, code, message)
                    }
                    _ => String::new(),
                };
                Some((
                    node_path.to_owned(),
                    id,
                    begun,
                    status,
                    one_line(&visit.input.text, MAX_VALUE_CHARS),
                    gave,
                ))
            };
            let mut lines: Vec<Line> = run.visited_paths(at).into_iter().filter_map(line).collect();
            lines.sort_by_key(|(_, id, ..)| *id);
            lines.truncate(MAX_NODES);
            lines
        })
    });
    let row = move |(node_path, id, begun, status, input, gave): Line| {
        let name = node_path.clone();
        view! {
            <tr data-fate=status_id(status)>
                <th scope="row"><button type="button" on:click=move |_| show_visit(store, &node_path, id)>{name}</button></th>
                <td class="state">{status_icon(status)} " " {t(store, status_text(status))}</td>
                <td>{begun}</td>
                <td><code>{input}</code></td>
                <td><code>{gave}</code></td>
            </tr>
        }
    };
    let heads = [W::Node, W::State, W::Visits, W::Input, W::Output]
        .map(|word| view! { <th scope="col">{t(store, word)}</th> });
    let table = move || {
        if lines.with(Vec::is_empty) {
            return view! { <p class="empty">{t(store, W::NoRun)}</p> }.into_any();
        }
        let rows = lines.get().into_iter().map(row).collect_view();
        view! { <tbody>{rows}</tbody> }.into_any()
    };
    view! {
        <div class="run">
            <Scrubber store/>
            <div class="split">
                <div class="list"><table class="values" aria-label=t(store, W::Values)><thead><tr>{heads.into_iter().collect_view()}</tr></thead>{table}</table></div>
                <TimelineDetail store/>
            </div>
        </div>
    }
}
