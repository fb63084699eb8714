//! Lists, creates, opens and imports plans.

use super::super::dispatch::show_pane;
use super::super::key_events;
use super::super::language::engine_text;
use super::super::store::{Store, t};
use super::autosave::{open_new, open_with, set_name};
use super::storage_client::request_or_notify;
use crate::i18n::{Lang, Localized, Share as W, format_message};
use crate::keyboard::Focus;
use crate::page_layout::Pane;
use crate::share::{Origin, PlanRow, StoredPlan, parse_plan_list};
use leptos::prelude::*;
use serde_json::Value as Json;

#[derive(Clone, Copy)]
struct PlanList {
    rows: RwSignal<Vec<PlanRow>>,
    open: RwSignal<String>,
    renamed: RwSignal<String>,
    /// Last deleted.
    deleted: RwSignal<Option<(String, String)>>,
}

/// Plan list.
#[component]
pub fn PlansDialog(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let list = PlanList {
        rows: RwSignal::new(Vec::new()),
        open: RwSignal::new(String::new()),
        renamed: RwSignal::new(String::new()),
        deleted: RwSignal::new(None),
    };
    Effect::new(move || {
        store.share.list_version.track();
        request_or_notify(store, "plans", &[], move |value| {
            let (open, rows) = parse_plan_list(&value);
            list.open.set(open);
            list.rows.set(rows);
        });
    });
    let part = move |removed: bool| {
        move || {
            let rows = list.rows.get().into_iter().filter(|row| row.is_removed == removed);
            rows.map(|row| {
                if removed {
                    removed_row(store, row).into_any()
                } else {
                    plan_row(store, list, row).into_any()
                }
            })
            .collect_view()
        }
    };
    let any = move |removed: bool| list.rows.with(|rows| rows.iter().any(|row| row.is_removed == removed));
    view! {
        <NewPlanButtons store/>
        <div role="status">{move || list.deleted.get().map(|gone| undo_line(store, list, gone))}</div>
        <Show when=move || !any(false)><p class="share-note">{t(store, W::NoPlans)}</p></Show>
        <ul class="share-list" aria-label=t(store, W::Plans)>{part(false)}</ul>
        <Show when=move || any(true)>
            <details class="share-removed">
                <summary>{t(store, W::DeletedLately)}</summary>
                <ul class="share-list">{part(true)}</ul>
            </details>
        </Show>
    }
}

#[component]
fn NewPlanButtons(store: Store) -> impl IntoView {
    let address = RwSignal::new(String::new());
    let typed = RwSignal::new(None::<String>);
    let named = move |value: &Json| {
        let text = |key| value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        (text("name"), text("text"))
    };
    let file = move |_| {
        request_or_notify(store, "pick", &[], move |value| {
            if value.is_object() {
                let (name, text) = named(&value);
                import(store, name, &text, Origin::File);
            }
        });
    };
    let paste = move |_| {
        super::storage_client::request("paste", &[], move |answer| match answer {
            Ok(value) => import(store, String::new(), &named(&value).1, Origin::File),
            Err(_) => typed.set(Some(String::new())),
        });
    };
    let fetch = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        request_or_notify(store, "fetch", &[&address.get_untracked()], move |value| {
            let (name, text) = named(&value);
            import(store, name, &text, Origin::Url);
        });
    };
    let fresh = move |_| open_fresh(store);
    view! {
        <div class="share-row">
            <button type="button" class="share-button" on:click=fresh>{t(store, W::NewPlan)}</button>
            <button type="button" class="share-button" on:click=file>{t(store, W::OpenFile)}</button>
            <button type="button" class="share-button" on:click=paste>{t(store, W::PastePlan)}</button>
        </div>
        <form class="share-row" on:submit=fetch>
            <input type="text" inputmode="url" class="share-field" placeholder="https://" aria-label=t(store, W::FromAddress)
                prop:value=address on:input=move |event| address.set(event_target_value(&event))/>
            <button type="submit" class="share-button">{t(store, W::Open)}</button>
        </form>
        {move || typed.get().is_some().then(|| paste_field(store, typed))}
    }
}

fn paste_field(store: Store, typed: RwSignal<Option<String>>) -> impl IntoView {
    let text = move || typed.get_untracked().unwrap_or_default();
    view! {
        <p class="share-note">{t(store, W::PasteDenied)}</p>
        <textarea class="share-field code" rows="6" autofocus aria-label=t(store, W::PasteField)
            on:change=move |event| typed.update_untracked(|typed| *typed = Some(event_target_value(&event)))></textarea>
        <div class="share-row end">
            <button type="button" class="share-button main" on:click=move |_| import(store, String::new(), &text(), Origin::File)>{t(store, W::Open)}</button>
        </div>
    }
}

const NEW_PLAN: &str = "nodes:\n  start:\n    type: log\n    input: hello\n";
const NEW_NODE: &str = "start";

/// The button that opens it may be gone, so the canvas gets the focus.
pub(super) fn open_fresh(store: Store) {
    open_new(store, "", text_only(NEW_PLAN), Origin::Own, move || {
        key_events::focus_on(store, &Focus::Node(NEW_NODE.to_owned()));
        show_pane(store, Pane::Canvas);
    });
}

/// Any supported format.
pub(super) fn import(store: Store, name: String, text: &str, from: Origin) {
    request_or_notify(store, "taken", &[text], move |value| {
        let lang = store.lang.get_untracked();
        let field = |key| value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        let source = field("from");
        let notes = import_notes(&value, lang);
        open_new(store, &name, text_only(&field("text")), from, move || {
            if !source.is_empty() {
                let other = if source == "mermaid" { "Mermaid" } else { "Serverless Workflow" };
                let text = match notes.len() {
                    0 => format_message(W::ImportedExactly.text(lang), &[other]),
                    1 => format_message(W::ImportedOneNote.text(lang), &[other]),
                    several => format_message(W::Imported.text(lang), &[other, &several.to_string()]),
                };
                store.notify_with_details(text, false, notes);
            }
        });
    });
}

fn import_notes(value: &Json, lang: Lang) -> Vec<String> {
    let notes = value.get("notes").and_then(Json::as_array).into_iter().flatten();
    notes.filter_map(|note| Some(engine_text(lang, "", note.get("message")?.as_str()?))).collect()
}

fn text_only(text: &str) -> StoredPlan {
    StoredPlan { text: text.to_owned(), ..StoredPlan::default() }
}

fn plan_row(store: Store, list: PlanList, row: PlanRow) -> impl IntoView {
    let PlanRow { id, name, from, changed_ms, .. } = row;
    let is_open = list.open.get_untracked() == id;
    let open = {
        let id = id.clone();
        move |_| {
            open_with(store, "open", &[&id]);
        }
    };
    let rename = {
        let id = id.clone();
        move |_| list.renamed.set(id.clone())
    };
    let double = {
        let id = id.clone();
        move |_| request_or_notify(store, "duplicate", &[&id], move |_| refresh_list(store))
    };
    let remove = {
        let (id, name) = (id.clone(), name.clone());
        move |_| remove(store, list, &id, &name)
    };
    let label = move |word: W| {
        let name = name.clone();
        move || [word.text(store.lang.get()), " ", &name].concat()
    };
    let shown = {
        let (id, label) = (id.clone(), label.clone());
        move || title(store, list, &id, label(W::Open)())
    };
    let lang = store.lang.get_untracked();
    let about = [origin_text(from).map(|word| word.text(lang)), is_open.then(|| W::OpenNow.text(lang))];
    let description = about.into_iter().flatten().map(|word| [" · ", word].concat()).collect::<String>();
    view! {
        <li class:open=is_open>
            <div class="share-title">
                <span on:click=open>{shown}</span>
                <small>{format_time(lang, changed_ms)}{description}</small>
            </div>
            <button type="button" class="share-button" aria-label=label(W::Rename) on:click=rename>{t(store, W::Rename)}</button>
            <button type="button" class="share-button" aria-label=label(W::Duplicate) on:click=double>{t(store, W::Duplicate)}</button>
            <button type="button" class="share-button" aria-label=label(W::Delete) on:click=remove>{t(store, W::Delete)}</button>
        </li>
    }
}

fn title(store: Store, list: PlanList, id: &str, label: String) -> AnyView {
    let name = list.rows.with_untracked(|rows| {
        rows.iter().find(|row| row.id == id).map(|row| row.name.clone()).unwrap_or_default()
    });
    if list.renamed.get() != id {
        return view! { <button type="button" class="share-open" aria-label=label>{name}</button> }
            .into_any();
    }
    rename_field(store, list, id.to_owned(), name).into_any()
}

/// Enter or leaving the field renames. Escape leaves the name and the dialog as they are.
fn rename_field(store: Store, list: PlanList, id: String, name: String) -> impl IntoView {
    let field = NodeRef::<leptos::html::Input>::new();
    let before = name.clone();
    Effect::new(move || {
        if let Some(field) = field.get() {
            field.set_value(&name);
            drop(field.focus());
            field.select();
        }
    });
    let done = move |typed: &str| {
        // A field that is removed loses the focus, too, perhaps with the whole list.
        if list.renamed.try_get_untracked().is_none_or(|renamed| renamed != id) {
            return;
        }
        list.renamed.set(String::new());
        if typed != before {
            rename(store, list, id.clone(), typed);
        }
    };
    let leave = done.clone();
    let on_key = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => done(&event_target_value(&event)),
        "Escape" => {
            event.prevent_default();
            list.renamed.set(String::new());
        }
        _ => {}
    };
    let stop = move |event: leptos::ev::MouseEvent| event.stop_propagation();
    view! {
        <input node_ref=field type="text" class="share-field" aria-label=t(store, W::Name)
            on:click=stop on:keydown=on_key on:blur=move |event| leave(&event_target_value(&event))/>
    }
}

fn rename(store: Store, list: PlanList, id: String, name: &str) {
    request_or_notify(store, "rename", &[&id.clone(), name], move |value| {
        // Storage knows the open plan, even after its first save.
        if list.open.get_untracked() == id {
            set_name(store, value.as_str().unwrap_or_default().to_owned(), Origin::Own);
        }
        refresh_list(store);
    });
}

fn removed_row(store: Store, row: PlanRow) -> impl IntoView {
    let PlanRow { id, name, changed_ms, .. } = row;
    let back = {
        let id = id.clone();
        move |_| request_or_notify(store, "unremove", &[&id], move |_| refresh_list(store))
    };
    let erase = move |_| request_or_notify(store, "erase", &[&id], move |_| refresh_list(store));
    let lang = store.lang.get_untracked();
    view! {
        <li>
            <div class="share-title"><span>{name}</span><small>{format_time(lang, changed_ms)}</small></div>
            <button type="button" class="share-button" on:click=back>{t(store, W::BringBack)}</button>
            <button type="button" class="share-button" on:click=erase>{t(store, W::DeleteForGood)}</button>
        </li>
    }
}

fn remove(store: Store, list: PlanList, id: &str, name: &str) {
    let removed = (id.to_owned(), name.to_owned());
    request_or_notify(store, "remove", &[id], move |_| {
        if store.share.id.get_untracked() == removed.0 {
            store.share.id.set(String::new());
        }
        list.deleted.set(Some(removed));
        refresh_list(store);
    });
}

fn undo_line(store: Store, list: PlanList, (id, name): (String, String)) -> impl IntoView {
    let back = move |_| {
        request_or_notify(store, "unremove", &[&id], move |_| {
            list.deleted.set(None);
            refresh_list(store);
        });
    };
    let text = move || format_message(W::Deleted.text(store.lang.get()), &[&name]);
    view! { <p class="share-undo"><span>{text}</span><button type="button" class="share-button" on:click=back>{t(store, W::Undo)}</button></p> }
}

fn refresh_list(store: Store) {
    store.share.list_version.update(|count| *count += 1);
}

fn origin_text(from: Origin) -> Option<W> {
    match from {
        Origin::Link => Some(W::ByLink),
        Origin::Url | Origin::Embed => Some(W::ByAddress),
        Origin::File => Some(W::ByFile),
        Origin::Own | Origin::Gallery => None,
    }
}

/// A date and time of the page's language, as written in the visitor's region.
pub fn format_time(lang: Lang, at_ms: f64) -> String {
    let languages = window().navigator().languages().into_iter().filter_map(|tag| tag.as_string());
    let date = js_sys::Date::new(&at_ms.into());
    date.to_locale_string(&lang.locale(languages), &js_sys::Object::new()).into()
}
