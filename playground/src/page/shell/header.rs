//! Names and common commands.

use super::super::dispatch::dispatch;
use super::super::dom::docs_address;
use super::super::icon::{self, icon};
use super::super::key_events::is_mac;
use super::super::run::{RunButtons, RunLink};
use super::super::share::ShareBar;
use super::super::store::{Store, t};
use super::menu::{MenuButton, is_unavailable};
use crate::appearance::Theme;
use crate::command::Command;
use crate::i18n::{Localized, Shell as W};
use crate::menu::{MENU, MORE};
use leptos::prelude::*;
use stepgraph_lazy::lazy;

lazy! {
    fn run_link(store: Store) -> AnyView = build_run_link;
}

fn build_run_link(store: Store) -> AnyView {
    view! { <RunLink store/> }.into_any()
}

/// Page header.
#[component]
pub fn Header(
    /// Page state.
    store: Store,
) -> impl IntoView {
    view! {
        <header class="bar">
            <MenuButton store id="main-menu" name=W::Menu path=icon::MENU groups=MENU/>
            <h1 class="mark">"Stepgraph"</h1>
            <ShareBar store/>
            <div class="tools" role="group" aria-label=t(store, W::Edit) on:mousedown=|event| event.prevent_default()>
                <ToolButton store command=Command::Undo path=icon::UNDO/>
                <ToolButton store command=Command::Redo path=icon::REDO/>
                <ToolButton store command=Command::AddNode path=icon::PLUS/>
            </div>
            <div class="rooms" role="group" aria-label=t(store, W::Begin)>
                <DialogButton store command=Command::Gallery/>
                <DialogButton store command=Command::Request/>
                <DialogButton store command=Command::Connections/>
            </div>
            <RunButtons store/>
            <Show when=move || store.has_interacted.get()>{run_link(store)}</Show>
            <div class="middle"></div>
            <PaletteButton store/>
            <div class="help">
                {docs_address().map(|address| view! {
                    <a class="docs" href=address target="_blank" rel="noopener">{t(store, W::Docs)}</a>
                })}
                <ToolButton store command=Command::Keys path=icon::HELP/>
            </div>
            <ThemeButton store/>
            <button
                type="button"
                class="quiet"
                lang=move || if store.lang.get().tag() == "en" { "es" } else { "en" }
                on:click=move |_| dispatch(store, Command::LanguageSwitch)
            >
                {t(store, W::LanguageSwitch)}
            </button>
            <MenuButton store id="more-menu" name=W::More path=icon::MORE groups=MORE/>
        </header>
    }
}

/// The tooltip has name and key.
#[component]
pub fn ToolButton(
    /// Page state.
    store: Store,
    /// Its command.
    command: Command,
    /// Icon path.
    path: &'static str,
) -> impl IntoView {
    let name = command.row().map_or(W::Commands, |row| row.name);
    let hint = move || {
        let lang = store.lang.get();
        command.tooltip(name.text(lang), is_mac(), lang)
    };
    view! {
        <button
            type="button"
            class="only"
            aria-label=t(store, name)
            aria-keyshortcuts=command.key().map(|key| key.aria(is_mac()))
            aria-disabled=move || is_unavailable(store, command).then_some("true")
            title=hint
            on:click=move |_| dispatch(store, command)
        >
            {icon(path)}
        </button>
    }
}

#[component]
fn DialogButton(store: Store, command: Command) -> impl IntoView {
    let name = command.row().map_or(W::Commands, |row| row.name);
    view! {
        <button type="button" class="quiet" aria-haspopup="dialog" on:click=move |_| dispatch(store, command)>
            {t(store, name)}
        </button>
    }
}

#[component]
fn PaletteButton(store: Store) -> impl IntoView {
    let key = move || Command::Palette.key().map(|key| key.label(is_mac(), store.lang.get()));
    view! {
        <button type="button" class="seek" aria-haspopup="dialog" on:click=move |_| dispatch(store, Command::Palette)>
            {icon(icon::FIND)}
            <span>{t(store, W::Palette)}</span>
            <kbd>{key}</kbd>
        </button>
    }
}

#[component]
fn ThemeButton(store: Store) -> impl IntoView {
    let other =
        move || if store.theme.get() == Theme::Dark { Command::ThemeLight } else { Command::ThemeDark };
    let name = move || other().row().map_or(W::Settings, |row| row.name).text(store.lang.get());
    let path = move || if store.theme.get() == Theme::Dark { icon(icon::SUN) } else { icon(icon::MOON) };
    view! {
        <button type="button" class="only theme" aria-label=name title=name on:click=move |_| dispatch(store, other())>
            {path}
        </button>
    }
}
