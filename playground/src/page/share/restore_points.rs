//! Compares and restores points.

use super::super::store::{Store, t};
use super::autosave;
use super::plans::format_time;
use super::storage_client::{notify_error, request, request_or_notify};
use crate::i18n::{Lang, Localized, Share as W, format_message};
use crate::share::{PointKind, RestorePoint, parse_restore_points};
use leptos::prelude::*;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::{Span, TextEdit};

#[derive(Debug, Clone, PartialEq, Default)]
enum Comparison {
    #[default]
    Nothing,
    Loading,
    /// Text, sentences about changes, and lines by kind.
    Ready(String, Vec<String>, Vec<(String, String)>),
}

/// Restore points.
#[component]
pub fn RestorePointsDialog(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let list = RwSignal::new(Vec::<RestorePoint>::new());
    let selected = RwSignal::new(String::new());
    let comparison = RwSignal::new(Comparison::default());
    let fetch = move || {
        request_or_notify(store, "points", &[], move |value| list.set(parse_restore_points(&value)));
    };
    fetch();
    let name = RwSignal::new(String::new());
    let mark = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        request_or_notify(store, "mark", &["named", &name.get_untracked()], move |_| {
            name.set(String::new());
            fetch();
        });
    };
    let rows = move || {
        list.get().into_iter().map(|point| point_row(store, &point, selected, comparison)).collect_view()
    };
    view! {
        <p class="share-about">{t(store, W::PointsAbout)}</p>
        <form class="share-row" on:submit=mark>
            <input type="text" class="share-field" aria-label=t(store, W::PointName) placeholder=t(store, W::PointName) prop:value=name
                on:input=move |event| name.set(event_target_value(&event))/>
            <button type="submit" class="share-button">{t(store, W::KeepPoint)}</button>
        </form>
        <div class="share-points">
            <ul class="share-list" aria-label=t(store, W::Versions)>{rows}</ul>
            <div class="share-difference" role="region" aria-label=t(store, W::WhatDiffers)>{move || comparison_view(store, comparison)}</div>
        </div>
        <Show when=move || list.with(Vec::is_empty)><p class="share-note">{t(store, W::NoPoints)}</p></Show>
    }
}

fn point_row(
    store: Store,
    point: &RestorePoint,
    selected: RwSignal<String>,
    comparison: RwSignal<Comparison>,
) -> impl IntoView + use<> {
    let lang = store.lang.get_untracked();
    let id = point.id.clone();
    let check = move |_| {
        selected.set(id.clone());
        comparison.set(Comparison::Loading);
        compare(store, &id, selected, comparison);
    };
    let is_selected = {
        let id = point.id.clone();
        move || selected.get() == id
    };
    view! {
        <li>
            <button type="button" class="share-open" aria-pressed=move || if is_selected() { "true" } else { "false" } on:click=check>
                <span>{point_title(lang, point)}</span>
                <small>{format_time(lang, point.at_ms)}</small>
            </button>
        </li>
    }
}

fn point_title(lang: Lang, point: &RestorePoint) -> String {
    let word = match (point.kind, point.name.as_str()) {
        (PointKind::Before, "delete") => W::BeforeDelete,
        (PointKind::Before, "restore") => W::BeforeRestore,
        (PointKind::Before, _) => W::BeforeImport,
        (PointKind::Auto, _) => W::AutomaticPoint,
        (PointKind::Named, "unsaved") => W::Unsaved,
        (PointKind::Named, "") => W::Untitled,
        (PointKind::Named, name) => return name.to_owned(),
    };
    word.text(lang).to_owned()
}

fn compare(store: Store, id: &str, selected: RwSignal<String>, comparison: RwSignal<Comparison>) {
    let id = id.to_owned();
    request_or_notify(store, "point", &[&id.clone()], move |value| {
        let then = value.get("text").and_then(Json::as_str).unwrap_or_default().to_owned();
        let now = autosave::current_plan(store).text;
        request("compare", &[&then.clone(), &now], move |answer| match answer {
            Ok(found) if selected.get_untracked() == id => comparison.set(parse_comparison(then, &found)),
            Ok(_) => {}
            Err(error) => notify_error(store, &error),
        });
    });
}

fn parse_comparison(text: String, found: &Json) -> Comparison {
    let list = |key: &str| found.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    let field =
        |value: &Json, key: &str| value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let changes = list("changes").iter().map(|change| field(change, "message")).collect();
    let lines = list("lines").iter().map(|line| (field(line, "kind"), field(line, "text"))).collect();
    Comparison::Ready(text, changes, lines)
}

fn comparison_view(store: Store, comparison: RwSignal<Comparison>) -> AnyView {
    match comparison.get() {
        Comparison::Nothing => view! { <p class="share-note">{t(store, W::ChooseOne)}</p> }.into_any(),
        Comparison::Loading => view! { <p class="share-note">{t(store, W::Comparing)}</p> }.into_any(),
        Comparison::Ready(text, changes, lines) => {
            let is_alike = lines.is_empty();
            let back = move |_| restore(store, &text);
            view! {
                <div class="share-row end">
                    <button type="button" class="share-button main" disabled=is_alike on:click=back>{t(store, W::Restore)}</button>
                </div>
                <Show when=move || is_alike><p class="share-note">{t(store, W::NoDifferences)}</p></Show>
                <ul class="share-notes">{changes.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
                <div class="share-lines">{lines.into_iter().map(|line| diff_line(store, line)).collect_view()}</div>
            }
            .into_any()
        }
    }
}

/// A sign, because colour is not enough.
fn diff_line(store: Store, (kind, text): (String, String)) -> impl IntoView {
    let lang = store.lang.get_untracked();
    let (sign, unseen) = match kind.as_str() {
        "old" => ("−", W::LinesOld.text(lang)),
        "new" => ("+", W::LinesNew.text(lang)),
        _ => (" ", ""),
    };
    let text = match (kind.as_str(), text.as_str()) {
        ("gap", "1") => W::OneLineLeftOut.text(lang).to_owned(),
        ("gap", _) => format_message(W::LinesLeftOut.text(lang), &[&text]),
        _ => text,
    };
    view! { <div class=["share-line ", &kind].concat()><span aria-hidden="true">{sign}</span><span class="unseen">{unseen}</span><code>{text}</code></div> }
}

/// One undo step. The current text becomes a point.
fn restore(store: Store, text: &str) {
    let text = text.to_owned();
    request_or_notify(store, "mark", &["before", "restore"], move |_| {
        store.change(|editor, at_ms| {
            let edits = vec![TextEdit { span: Span::new(0, editor.text().len()), text: text.clone() }];
            editor.apply_text_edits(&edits, crate::history::ChangeSource::Command, "restore", at_ms);
            Ok(edits)
        });
        store.share.dialog.set(None);
        store.notify(W::Restored.text(store.lang.get_untracked()), false);
    });
}
