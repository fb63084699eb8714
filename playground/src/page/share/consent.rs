//! Whether the plan that is open may run, and the list that a person agrees to.
//!
//! Decides nothing itself: `crate::share::Consent` does. What was agreed to is remembered for the session, by the plan's hash.
//!
//! Source: `docs/security.md`.

use super::super::store::{Store, t};
use super::{Dialog, show_dialog};
use crate::i18n::{Lang, Localized, Share as W};
use crate::plan_editor::PlanEditor;
use crate::share::{Consent, Effect, Origin, Requested, Review};
use leptos::prelude::*;
use stepgraph_core::graph::PlanGraph;

/// Where hashes are remembered for the session.
const STORAGE_KEY: &str = "stepgraph.agreed";

/// Whether the plan that is open may run, connect and send now.
pub fn may_run(store: Store) -> bool {
    if with_consent(store, |consent| consent.origin().is_trusted()) {
        return true;
    }
    store.read(|editor| {
        let Some(plan) = editor.document().plan() else { return false };
        with_consent(store, |consent| consent.may_run(|| plan.hash(), &review(editor, plan)))
    })
}

/// Does something as soon as the plan may run: at once, or when the person has agreed to what it asks for. Where the plan of the last
/// visit is still awaited, what stands in its place is not run: the run would be gone once the plan arrives.
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

/// The plan that was awaited is there: what waited for it is done.
pub(super) fn run_waiting(store: Store) {
    let mut waiting = None;
    store.share.after_plan_opens.update_value(|work| waiting = work.take());
    if let Some(work) = waiting {
        when_allowed(store, work);
    }
}

/// What was agreed to before the page was loaded again.
pub(super) fn restore_agreed(store: Store) {
    let kept = window()
        .session_storage()
        .ok()
        .flatten()
        .and_then(|storage| storage.get_item(STORAGE_KEY).ok().flatten());
    let hashes = kept.unwrap_or_default();
    store.share.consent.set_value(Consent::with_agreed(hashes.split_whitespace().map(str::to_owned)));
}

/// A plan was opened.
pub(super) fn plan_opened(store: Store, from: Origin) {
    store.share.consent.update_value(|consent| consent.open(from));
    store.share.next.set_value(None);
    store.share.is_foreign.set(!may_run(store));
}

pub(super) fn origin(store: Store) -> Origin {
    with_consent(store, |consent| consent.origin())
}

/// What the consent of this session says; where there is none any more, the strictest.
fn with_consent<T: Default>(store: Store, read: impl FnOnce(&mut Consent) -> T) -> T {
    store.share.consent.try_update_value(read).unwrap_or_default()
}

/// The plan's hash, and what it asks for.
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

/// What the plan asks for, to be agreed to.
#[component]
pub fn Agreement(
    /// What is open.
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

/// One part of the list for each kind of thing.
fn review_sections(lang: Lang, review: &Review) -> impl Iterator<Item = impl IntoView + use<>> {
    let named = |requested: &[Requested<String>], none: W| -> Vec<Line> {
        let name = |what: &str| if what.is_empty() { none.text(lang).to_owned() } else { what.to_owned() };
        requested.iter().map(|one| (name(&one.what), one.nodes.join(", "), None)).collect()
    };
    let tools = review.tools.iter().map(|tool| {
        let (name, effect) = &tool.what;
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

/// What, by whom, and what it may change.
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
