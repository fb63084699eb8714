//! The plan that is open, and its saving.
//!
//! Decides what the page shows when a plan is opened, saved, taken by another tab or brought back. Invariant: the plan counts as changed
//! by what a person does, never by being opened.
//!
//! Source: `playground/js/share/storage-service.ts`.

use super::super::dom::{remember, remembered};
use super::super::store::Store;
use super::ask::{self, ask, complain, want};
use super::embed::{is_embedded, is_framed};
use super::leave::when_free;
use super::{Saving, Seat, Share, consent};
use crate::share::{Kept, Opened, Origin, Row, Told, begun, opened, told};
use crate::words::{Share as W, Words, sentence};
use leptos::prelude::*;
use serde_json::{Value as Json, json};
use std::time::Duration;
use stepgraph_core::value::json_text;
use stepgraph_lazy::lazy;

/// Under which name it is remembered that a plan is kept.
const KEPT: &str = "stepgraph.kept";
/// For how long one that is expected is waited for; past that it is as if there was none.
const PATIENCE: Duration = Duration::from_secs(10);

lazy! {
    /// What scripts tell of the plan that is kept.
    fn hear(store: Store, json: &str) = heard;

    /// The plan of the last visit, or of a link.
    fn opened_first(store: Store, opened: Opened) = adopt_or_show;

    /// The address has changed.
    fn on_link(store: Store) = open_link;
}

/// What is there may be the very plan that is kept.
fn adopt_or_show(store: Store, opened: Opened) {
    if is_shown(store, &opened.kept) { adopt(store, opened) } else { show_opened(store, opened) }
}

/// Begins with the plan of a link, of this tab, or of the last visit, and keeps what is edited from then on.
pub fn begin(store: Store) {
    consent::remember(store);
    if is_awaited() {
        store.share.is_awaited.set(true);
        set_timeout(move || arrived(store), PATIENCE);
    } else {
        store.share.name.set(first_name(store));
    }
    if is_embedded() {
        super::embed::begin(store);
        return;
    }
    Effect::new(move |before: Option<()>| follow_text(store, before.is_some()));
    let read = move || untrack(|| json_text(&held(store)));
    let hear = move |json: String| hear(store, &json);
    let first_text = store.read(|session| session.text().to_owned());
    ask::begin(read, hear, true, move |answer| match answer {
        Ok(value) => {
            let first = begun(&value);
            store.share.is_lasting.set(first.is_lasting);
            match first.opened {
                // It has arrived once it is shown: the code that shows it may still be on its way.
                Some(opened) => opened_first(store, opened),
                None => {
                    // Somebody was quicker than the database.
                    if store.read(|session| session.text() != first_text) {
                        ask::changed();
                    }
                    arrived(store);
                }
            }
            if first.recovered > 0.0 {
                store.tell(W::Recovered.text(store.lang.get_untracked()), false);
            }
            if let Some(trouble) = first.trouble {
                complain(store, &trouble);
            }
        }
        Err(trouble) => {
            arrived(store);
            complain(store, &trouble);
        }
    });
    window_event_listener(leptos::ev::hashchange, move |_| on_link(store));
}

/// Whether another plan will be opened than the one that a first visitor finds.
fn is_awaited() -> bool {
    let is_linked = window().location().hash().is_ok_and(|hash| hash.starts_with("#plan="));
    is_linked || if is_embedded() { is_framed() } else { remembered(KEPT).is_some() }
}

/// The plan that was awaited is there, or none will come.
fn arrived(store: Store) {
    if store.share.is_awaited.get_untracked() {
        store.share.is_awaited.set(false);
        if store.share.name.with_untracked(String::is_empty) {
            store.share.name.set(first_name(store));
        }
        consent::go_on(store);
    }
}

/// The next visit begins with a plan that is kept. Inside another page nothing is.
fn note_kept() {
    if !is_embedded() && remembered(KEPT).is_none() {
        remember(KEPT, "1");
    }
}

/// What scripts keep of the plan.
fn held(store: Store) -> Json {
    let kept = kept(store);
    json!({ "name": store.share.name.get_untracked(), "text": kept.text, "extras": kept.extras() })
}

/// The plan with what belongs to it.
pub(super) fn kept(store: Store) -> Kept {
    // What was typed last may still wait in the editor.
    store.settle();
    store.read(|session| Kept {
        text: session.text().to_owned(),
        open: session.opened().map(str::to_owned).collect(),
        stubs: store.share.stubs.get_untracked(),
        cassette: store.share.cassette.get_untracked(),
    })
}

/// A change of the text, of the stand-ins or of the recorded run is kept.
fn follow_text(store: Store, is_change: bool) {
    let share = store.share;
    let count = store.text.get();
    share.seen.set_value(count);
    share.stubs.track();
    share.cassette.track();
    if is_change && count != share.clean.get_value() {
        if share.seat.get_untracked() == Seat::Owner {
            share.saving.set(Saving::Soon);
        }
        ask::changed();
    }
    // It counts once: what comes after is a person's doing, also where the text stays.
    share.clean.set_value(u32::MAX);
}

/// Whether a plan that is kept looks as what is there.
fn is_shown(store: Store, kept: &Kept) -> bool {
    let is_same = store.share.stubs.with_untracked(|stubs| *stubs == kept.stubs);
    is_same && kept.open.is_empty() && store.read(|session| session.text() == kept.text)
}

/// What is there is the plan that is kept: whoever has begun to do something with it goes on.
fn adopt(store: Store, Opened { row, kept, is_owned }: Opened) {
    let Share { clean, cassette, .. } = store.share;
    cassette.set(kept.cassette);
    clean.set_value(store.text.get_untracked());
    sit(store, row, is_owned);
}

/// Shows a plan that was opened.
pub(super) fn show_opened(store: Store, Opened { row, kept, is_owned }: Opened) {
    show_text(store, kept);
    sit(store, row, is_owned);
}

/// The page is at that plan now.
fn sit(store: Store, row: Row, is_owned: bool) {
    let share = store.share;
    share.name.set(row.name);
    note_kept();
    share.id.set(row.id);
    share.saving.set(Saving::None);
    share.seat.set(if is_owned { Seat::Owner } else { Seat::Guest });
    consent::opened(store, row.from);
    arrived(store);
}

fn show_text(store: Store, kept: Kept) {
    let Share { clean, stubs, cassette, .. } = store.share;
    stubs.set(kept.stubs);
    cassette.set(kept.cassette);
    store.open(&kept.text, kept.open);
    clean.set_value(store.text.get_untracked());
}

fn heard(store: Store, json: &str) {
    let share = store.share;
    let Some(what) = told(json) else { return };
    match what {
        Told::Saved => {
            note_kept();
            share.saving.set(Saving::Done);
            share.listed.update(|count| *count += 1);
        }
        Told::Failed(code, detail) => {
            if code == "storage/denied" {
                share.is_lasting.set(false);
            } else if !code.starts_with("storage/") {
                complain(store, &(code, detail));
            } else {
                store.say(sentence(store.lang.get_untracked(), &code, &detail));
                share.saving.set(Saving::Failed(code, detail));
            }
        }
        Told::Lost => share.seat.set(Seat::Lost),
        Told::Yours(kept) => {
            show_text(store, kept);
            share.saving.set(Saving::None);
            share.seat.set(Seat::Owner);
            store.say(W::Yours.text(store.lang.get_untracked()));
        }
        Told::Newer => {
            share.saving.set(Saving::None);
            share.seat.set(Seat::Newer);
        }
        Told::Follow(kept) => show_text(store, kept),
        Told::Plans => share.listed.update(|count| *count += 1),
        Told::Over(hangs) => share.is_dropping.set(hangs),
        Told::Dropped(name, text) => super::plans::import(store, name, &text, Origin::File),
        Told::Version => share.is_outdated.set(true),
    }
}

/// A link was put into the address of a page that is open.
fn open_link(store: Store) {
    let hash = window().location().hash().unwrap_or_default();
    if hash.starts_with("#plan=") && open_by(store, "openLink", &[&hash]) {
        forget_link();
    }
}

/// Who stays can put the same link into the address once more: that has to be a change of it.
fn forget_link() {
    let (Ok(history), place) = (window().history(), window().location()) else { return };
    let address = [place.pathname(), place.search()].map(Result::unwrap_or_default).concat();
    drop(history.replace_state_with_url(&history.state().unwrap_or_default(), "", Some(&address)));
}

/// Opens a plan by a verb that gives one. Gives whether the person is asked before.
pub(super) fn open_by(store: Store, verb: &'static str, args: &[&str]) -> bool {
    open_and(store, verb, args, || ())
}

/// Every way by which a person opens a plan goes through here.
fn open_and(store: Store, verb: &'static str, args: &[&str], then: impl FnOnce() + 'static) -> bool {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    when_free(store, move || {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        want(store, verb, &args, move |value| {
            if let Some(opened) = opened(&value) {
                store.share.dialog.set(None);
                show_opened(store, opened);
                then();
            }
        });
    })
}

/// Opens a text as a plan of its own, which is kept from now on, with the recording of a run if it brings one along.
pub fn open_new(store: Store, name: &str, kept: Kept, from: Origin, then: impl FnOnce() + 'static) {
    let lang = store.lang.get_untracked();
    let name = if name.trim().is_empty() { W::Untitled.text(lang) } else { name };
    let (text, extras) = (kept.text.clone(), kept.extras());
    open_and(store, "new", &[name, &text, &extras, from.as_str()], move || {
        then();
        // The very same plan may have been kept before; the run that was made of it since is the person's own.
        let cassette = store.share.cassette;
        if cassette.with_untracked(String::is_empty) {
            cassette.set(kept.cassette);
        }
    });
}

/// Edits the plan here from now on.
pub(super) fn take(store: Store) {
    open_by(store, "take", &[]);
}

/// What is here becomes a plan of its own.
pub(super) fn copy(store: Store) {
    let kept = kept(store);
    let origin = consent::origin(store);
    let name = [store.share.name.get_untracked().as_str(), " 2"].concat();
    open_by(store, "new", &[&name, &kept.text, &kept.extras(), origin.as_str()]);
}

/// Keeps the plan at once, and says so.
pub(super) fn save_now(store: Store) {
    ask("saveNow", &[], move |answer| {
        if answer == Ok(Json::Bool(true)) {
            store.say(W::SavedSaid.text(store.lang.get_untracked()));
        }
    });
}

/// What a plan is called that nobody has named: as it calls itself.
fn first_name(store: Store) -> String {
    let own = store.read(|session| session.plan().and_then(|plan| plan.id.clone()));
    own.unwrap_or_else(|| W::Untitled.text(store.lang.get_untracked()).to_owned())
}
