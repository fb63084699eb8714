//! Introduces the page, with three ways to begin, while a first plan is untouched. A choice or closing ends it. It lies
//! above the canvas, so nothing moves when it leaves.

use super::super::dispatch::dispatch;
use super::super::dom::{load_setting, save_setting};
use super::super::icon::{self, icon};
use super::super::share::is_embedded;
use super::super::store::{Store, t};
use crate::command::Command;
use crate::i18n::{Lang, Shell as W};
use crate::run::RunState;
use leptos::prelude::*;

const STORAGE_KEY: &str = "stepgraph.welcome";

/// First minute.
#[component]
pub fn Welcome(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let is_new = RwSignal::new(!is_embedded() && load_setting(STORAGE_KEY).is_none());
    let is_idle = move || {
        store.runs.state.with(|state| *state == RunState::Idle) && store.runs.with(|run, _| run.is_empty())
    };
    // An undo does not bring it back.
    let is_untouched = Memo::new(move |before| {
        before != Some(&false)
            && store
                .with_text(|editor| Lang::ALL.iter().any(|lang| editor.text() == super::welcome_plan(*lang)))
    });
    let close = move || {
        save_setting(STORAGE_KEY, "seen");
        is_new.set(false);
    };
    let way = move |command: Command, name: W, class: &'static str| {
        let go = move |_| {
            close();
            dispatch(store, command);
        };
        view! { <button type="button" class=class on:click=go>{t(store, name)}</button> }
    };
    let strip = move || {
        view! {
            <section class="welcome" aria-label=t(store, W::Welcome)>
                <p>{t(store, W::About)}</p>
                <div class="ways">
                    {way(Command::Run, W::RunThis, "main")}
                    {way(Command::NewPlan, W::BuildOwn, "")}
                    {way(Command::Request, W::DescribeIt, "")}
                    <button type="button" class="only" aria-label=t(store, W::Close) title=t(store, W::Close) on:click=move |_| close()>
                        {icon(icon::CLOSE)}
                    </button>
                </div>
            </section>
        }
    };
    view! { <Show when=move || is_new.get() && is_untouched.get() && is_idle()>{strip()}</Show> }
}
