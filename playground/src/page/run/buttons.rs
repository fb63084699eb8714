//! Run buttons of the header.

use super::super::dispatch::dispatch;
use super::super::icon::{self, icon};
use super::super::key_events::is_mac;
use super::super::store::{Store, t};
use crate::command::Command;
use crate::i18n::{Localized, Run as W};
use crate::run::RunState;
use leptos::prelude::*;

/// Run buttons.
#[component]
pub fn RunButtons(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let runs = store.runs;
    let is_running = move || runs.state.with(|state| *state == RunState::Running);
    let start = move || if runs.is_paused() { W::Resume } else { W::Start };
    let start_hint = move || match start() {
        W::Resume if store.overlay.with(|overlay| overlay.is_outdated) => W::ResumesEarlierPlan,
        word => word,
    };
    view! {
        <div class="tools runner" role="group" aria-label=t(store, W::Controls)>
            <button
                type="button"
                class="start"
                aria-keyshortcuts="F5"
                title=move || hint(store, Command::Run, start_hint())
                disabled=is_running
                on:click=move |_| dispatch(store, Command::Run)
            >
                {icon(icon::PLAY)}
                <span>{move || start().text(store.lang.get())}</span>
            </button>
            <Small store command=Command::RunStep name=W::Step path=icon::STEP off=is_running/>
            <Small store command=Command::RunStepOver name=W::StepOver path=icon::OVER off=move || !runs.is_paused()/>
            <Small store command=Command::RunPause name=W::Pause path=icon::PAUSE off=move || !is_running()/>
            <Small store command=Command::RunStop name=W::Stop path=icon::STOP off=move || !runs.is_active()/>
        </div>
    }
}

fn hint(store: Store, command: Command, name: W) -> String {
    let lang = store.lang.get();
    command.tooltip(name.text(lang), is_mac(), lang)
}

#[component]
fn Small(
    store: Store,
    command: Command,
    name: W,
    path: &'static str,
    off: impl Fn() -> bool + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="only"
            aria-label=t(store, name)
            aria-keyshortcuts=command.key().map(|key| key.aria(is_mac()))
            title=move || hint(store, command, name)
            disabled=off
            on:click=move |_| dispatch(store, command)
        >
            {icon(path)}
        </button>
    }
}
