//! Asks for consent to a plan's access. The session remembers hashes.
//!
//! Source: `docs/security.md`.

use super::super::store::{Store, t};
use super::{Dialog, show_dialog};
use crate::i18n::{Lang, Localized, Share as W};
use crate::plan_editor::PlanEditor;
use crate::share::{Consent, Effect, Origin, Requested, Review};
use leptos::prelude::*;
use stepgraph_core::graph::PlanGraph;

const STORAGE_KEY: &str = "stepgraph.agreed";

/// May run, connect and send.
pub fn may_run(store: Store) -> bool {
    if with_consent(store, |consent| consent.origin().is_trusted()) {
        return true;
    }
    store.read(|editor| {
        let Some(plan) = editor.document().plan() else { return false };
        with_consent(store, |consent| consent.may_run(|| plan.hash(), &review(editor, plan)))
    })
}

/// Runs an action once allowed. Waits for an awaited plan, whose opening would end the run.
pub fn when_allowed(store: Store, then: impl FnOnce() + 'static) {
    if store.share.is_plan_awaited.get_untracked() {
        store.share.after_plan_opens.set_value(Some(Box::new(then)));
    } else if may_run(store) {
        then();
    } else {
        store.share.next.set_value(Some(Box::new(then)));
        show_dialog(store, Dialog::Consent);
    }
}

pub(super) fn run_waiting(store: Store) {
    let mut waiting = None;
    store.share.after_plan_opens.update_value(|work| waiting = work.take());
    if let Some(work) = waiting {
        when_allowed(store, work);
    }
}

pub(super) fn restore_agreed(store: Store) {
    let kept = window()
        .session_storage()
        .ok()
        .flatten()
        .and_then(|storage| storage.get_item(STORAGE_KEY).ok().flatten());
    let hashes = kept.unwrap_or_default();
    store.share.consent.set_value(Consent::with_agreed(hashes.split_whitespace().map(str::to_owned)));
}

pub(super) fn plan_opened(store: Store, from: Origin) {
    store.share.consent.update_value(|consent| consent.open(from));
    store.share.next.set_value(None);
    store.share.is_foreign.set(!may_run(store));
}

pub(super) fn origin(store: Store) -> Origin {
    with_consent(store, |consent| consent.origin())
}

/// The strictest default, if disposed.
fn with_consent<T: Default>(store: Store, read: impl FnOnce(&mut Consent) -> T) -> T {
    store.share.consent.try_update_value(read).unwrap_or_default()
}

fn current_review(store: Store) -> Option<(String, Review)> {
    store.read(|editor| {
        let plan = editor.document().plan()?;
        Some((plan.hash(), review(editor, plan)))
    })
}

fn review(editor: &PlanEditor, plan: &PlanGraph) -> Review {
    Review::of_plan(plan, editor.document().capabilities().tools.as_ref())
}

fn agree(store: Store) {
    let Some((hash, review)) = current_review(store) else { return };
    let hashes = with_consent(store, |consent| {
        consent.agree(&hash, &review);
        consent.hashes().collect::<Vec<_>>().join(" ")
    });
    if let Ok(Some(storage)) = window().session_storage() {
        drop(storage.set_item(STORAGE_KEY, &hashes));
    }
    let share = store.share;
    share.is_foreign.set(false);
    share.dialog.set(None);
    store.announce(W::Agreed.text(store.lang.get_untracked()));
    let mut next = None;
    share.next.update_value(|work| next = work.take());
    if let Some(next) = next {
        next();
    }
}

/// Requests, and the answers.
#[component]
pub fn Agreement(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let list = move || {
        store.text_version.track();
        let lang = store.lang.get();
        match current_review(store) {
            None => view! { <p class="share-note">{W::BrokenPlan.text(lang)}</p> }.into_any(),
            Some((_, review)) if review == Review::default() => {
                view! { <p class="share-note">{W::ConsentNothing.text(lang)}</p> }.into_any()
            }
            Some((_, review)) => review_sections(lang, &review).collect_view().into_any(),
        }
    };
    let not_now = move |_| {
        store.share.next.set_value(None);
        store.share.dialog.set(None);
    };
    view! {
        <p class="share-about">{t(store, W::ConsentAbout)}</p>
        <div class="share-asks">{list}</div>
        <div class="share-row end">
            <button type="button" class="share-button" on:click=not_now>{t(store, W::NotNow)}</button>
            <button type="button" class="share-button main" on:click=move |_| agree(store)>{t(store, W::Agree)}</button>
        </div>
    }
}

fn review_sections(lang: Lang, review: &Review) -> impl Iterator<Item = impl IntoView + use<>> {
    let named = |requested: &[Requested<String>], none: W| -> Vec<Line> {
        let name = |what: &str| if what.is_empty() { none.text(lang).to_owned() } else { what.to_owned() };
        requested.iter().map(|one| (name(&one.item), one.nodes.join(", "), None)).collect()
    };
    let tools = review.tools.iter().map(|tool| {
        let (name, effect) = &tool.item;
        let name = if name == "*" { W::AnyTool.text(lang).to_owned() } else { name.clone() };
        (name, tool.nodes.join(", "), Some(*effect))
    });
    let parts: [(W, Vec<Line>); 5] = [
        (W::Servers, review.servers.iter().map(|(name, url)| (url.clone(), name.clone(), None)).collect()),
        (W::Tools, tools.collect()),
        (W::Models, named(&review.models, W::DefaultModel)),
        (W::Handlers, named(&review.handlers, W::Untitled)),
        (W::People, review.people.iter().map(|node_path| (node_path.clone(), String::new(), None)).collect()),
    ];
    parts
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(move |(title, lines)| review_section(lang, title, lines))
}

/// Item, its nodes, effect.
type Line = (String, String, Option<Effect>);

fn review_section(lang: Lang, title: W, lines: Vec<Line>) -> impl IntoView + use<> {
    let line = move |(what, by, effect): Line| {
        let badge = effect.map(|effect| {
            let (word, class) = match effect {
                Effect::Reads => (W::Reads, "share-effect reads"),
                Effect::Writes => (W::Writes, "share-effect writes"),
                Effect::Destroys => (W::Destroys, "share-effect destroys"),
                Effect::Unknown => (W::UnknownEffect, "share-effect unknown"),
            };
            view! { <span class=class>{word.text(lang)}</span> }
        });
        view! { <li><code>{what}</code><span class="share-by">{by}</span>{badge}</li> }
    };
    view! {
        <h3>{title.text(lang)}</h3>
        <ul>{lines.into_iter().map(line).collect_view()}</ul>
    }
}
