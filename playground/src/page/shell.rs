//! The frame of the page: header, panes, a panel below, what is open above, and what is told.
//!
//! Decides where each part stands, on wide pages and on narrow ones, which show one part at a time with tabs to choose it. Knows nothing
//! of what the parts do.
//!
//! Files: `header` · `menu` · `splitter` what divides the panes · `bottom_panel` the panel and its tabs · `outline` the plan as lines · `modal` what is
//! open above the page · `command_palette` finding by a few letters · `rename_dialog` a new name · `keyboard_help` all keys · `notifications` messages.

pub mod bottom_panel;
pub mod command_palette;
pub mod header;
pub mod keyboard_help;
pub mod menu;
pub mod modal;
pub mod notifications;
pub mod outline;
pub mod rename_dialog;
pub mod splitter;

use super::canvas::Canvas;
use super::dispatch::{act, show_pane};
use super::dom::{on_media, pixels, remember, remembered};
use super::icon;
use super::inspector::Inspector;
use super::js_bridge::when_there;
use super::js_dialogs;
use super::key_events;
use super::run;
use super::share;
use super::store::{Dialog, Store, t};
use super::text::TextPane;
use crate::appearance::Theme;
use crate::command::Command;
use crate::i18n::{Lang, Shell as W};
use crate::page_layout::{PageLayout, Pane, Scheme, Splitter};
use bottom_panel::Below;
use command_palette::{PaletteKind, Picker};
use header::Header;
use keyboard_help::KeyList;
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::Closure;
use menu::ContextMenu;
use modal::Modal;
use notifications::Told;
use outline::Outline;
use rename_dialog::Rename;
use splitter::Divider;
use stepgraph_lazy::lazy;

/// What a first visitor finds.
const WELCOME: &str = include_str!("../../../examples/triage.yaml");
/// Under which name the frame is remembered.
const REMEMBERED: &str = "stepgraph.frame";

/// The whole page.
#[component]
pub fn Shell() -> impl IntoView {
    let mut frame = remembered(REMEMBERED).map(|text| PageLayout::parse(&text)).unwrap_or_default();
    let (theme, lang) = share::starts_with();
    if let Some(theme) = theme {
        frame.scheme = if theme == Theme::Dark { Scheme::Dark } else { Scheme::Light };
    }
    let lang = lang.or(frame.lang).unwrap_or_else(preferred_language);
    let store = Store::new(WELCOME, Theme::Light, lang);
    store.frame.set(frame);
    follow_choices(store);
    run::control::listen(store);
    run::saved_settings::keep(store);
    share::begin(store);
    js_dialogs::begin(store);
    key_events::listen(store);
    when_there(&Closure::once_into_js(move || store.is_there.set(true)));
    view! {
        <SkipLinks store/>
        <Header store/>
        <share::ShareBanner store/>
        <Panes store/>
        <Tabs store/>
        <Above store/>
        <Told store/>
    }
}

lazy! {
    /// The form of what is selected.
    fn form(store: Store) -> AnyView = the_form;

    /// The plan as lines.
    fn outline(store: Store) -> AnyView = the_outline;

    /// What may be open above the page.
    fn dialogs(store: Store) -> AnyView = the_dialogs;
}

fn the_form(store: Store) -> AnyView {
    view! { <Inspector store/> }.into_any()
}

fn the_outline(store: Store) -> AnyView {
    view! { <Outline store/> }.into_any()
}

fn the_dialogs(store: Store) -> AnyView {
    view! { <Dialogs store/> }.into_any()
}

/// What opens above the page. It serves who is there, as forms and the outline do: together they are a good part of what everybody would
/// wait for before the page is shown.
#[component]
fn Above(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let is_asked = move || store.dialog.with(Option::is_some) || store.share.dialog.with(Option::is_some);
    let is_needed = Memo::new(move |before| before == Some(&true) || store.is_there.get() || is_asked());
    view! { <Show when=move || is_needed.get()>{dialogs(store)}</Show> }
}

/// All that may be open above the page.
#[component]
fn Dialogs(
    /// What is open.
    store: Store,
) -> impl IntoView {
    view! {
        <Modal store name=W::Palette is=|dialog| matches!(dialog, Dialog::Palette)>
            <Picker store sought=PaletteKind::Commands/>
        </Modal>
        <Modal store name=W::Find is=|dialog| matches!(dialog, Dialog::Find)>
            <Picker store sought=PaletteKind::Nodes/>
        </Modal>
        <Modal store name=W::AddNode is=|dialog| matches!(dialog, Dialog::Add(_))>
            <Picker store sought=PaletteKind::NodeTypes/>
        </Modal>
        <Modal store name=W::Rename is=|dialog| matches!(dialog, Dialog::Rename(_))>
            <Rename store/>
        </Modal>
        <Modal store name=W::Keys is=|dialog| matches!(dialog, Dialog::Keys)>
            <KeyList store/>
        </Modal>
        <share::ShareDialogs store/>
        <run::AsksAbove store/>
        <ContextMenu store/>
    }
}

/// Text, drawing and form beside each other, and the panel below.
#[component]
fn Panes(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let size = move |border: Splitter| pixels(store.frame.with(|frame| frame.size(border)));
    let left = move || if store.outline.get() { "outline" } else { "text" };
    view! {
        <main
            class="panes"
            class:awaiting=move || store.share.is_awaited.get()
            data-pane=move || store.pane.get().id()
            data-left=left
            data-below=move || if store.frame.with(|frame| frame.is_open) { "open" } else { "closed" }
            style:--left=move || size(Splitter::Left)
            style:--right=move || size(Splitter::Right)
            style:--below=move || size(Splitter::Bottom)
        >
            <Left store/>
            <Divider store border=Splitter::Left name=W::WidthOfText/>
            <section class="pane drawing" id="drawing" aria-label=t(store, W::Drawing)><Canvas store/></section>
            <Divider store border=Splitter::Right name=W::WidthOfForm/>
            <section class="pane inspector" id="form" tabindex="-1" aria-label=t(store, W::Inspector)>
                <Show
                    when=move || store.is_there.get()
                    fallback=move || view! { <p class="empty">{t(store, W::FormWaits)}</p> }
                >
                    {form(store)}
                </Show>
            </section>
            <Divider store border=Splitter::Bottom name=W::HeightOfPanel/>
            <Below store/>
        </main>
    }
}

/// The text, or the outline in its place.
#[component]
fn Left(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let tab = move |pane: Pane, name: W, is: bool| {
        view! {
            <button
                type="button"
                class="tab"
                aria-pressed=move || (store.outline.get() == is).to_string()
                on:click=move |_| {
                    store.outline.set(is);
                    store.pane.set(pane);
                }
            >
                {t(store, name)}
            </button>
        }
    };
    view! {
        <div class="side">
            <div class="tabs" role="group" aria-label=t(store, W::PanesOf)>
                {tab(Pane::Text, W::Text, false)}
                {tab(Pane::Outline, W::Outline, true)}
            </div>
            <section class="pane text" id="text" aria-label=t(store, W::Text)><TextPane store/></section>
            <section class="pane outline" id="outline" aria-label=t(store, W::Outline)>
                <Show when=move || store.is_there.get()>{outline(store)}</Show>
            </section>
        </div>
    }
}

/// The parts of a narrow page.
#[component]
fn Tabs(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let tab = move |pane: Pane, name: W, path: &'static str| {
        let shown = move || (store.pane.get() == pane).then_some("true");
        view! {
            <button type="button" aria-current=shown on:click=move |_| show_pane(store, pane)>
                {icon::icon(path)}
                <span>{t(store, name)}</span>
            </button>
        }
    };
    view! {
        <nav class="switch" aria-label=t(store, W::PanesOf)>
            {tab(Pane::Text, W::Text, icon::TEXT)}
            {tab(Pane::Outline, W::Outline, icon::LIST)}
            {tab(Pane::Canvas, W::Drawing, icon::GRAPH)}
            {tab(Pane::Inspector, W::Form, icon::FORM)}
            {tab(Pane::Panel, W::Result, icon::UP)}
        </nav>
    }
}

/// Ways past what stands before the parts of the page.
#[component]
fn SkipLinks(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let link = move |to: &'static str, name: W, command: Command| {
        let go = move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            act(store, command);
        };
        view! { <a class="skip" href=to on:click=go>{t(store, name)}</a> }
    };
    view! {
        <nav class="skips" aria-label=t(store, W::SkipLinks)>
            {link("#drawing", W::SkipToDrawing, Command::ShowCanvas)}
            {link("#text", W::SkipToText, Command::ShowText)}
            {link("#form", W::SkipToForm, Command::ShowInspector)}
        </nav>
    }
}

/// What a person has chosen is shown, and remembered.
fn follow_choices(store: Store) {
    let dark = RwSignal::new(false);
    on_media("(prefers-color-scheme: dark)", move |is| dark.set(is));
    Effect::new(move |_| store.theme.set(store.frame.with(|frame| frame.scheme).theme(dark.get())));
    Effect::new(move |_| {
        let theme = if store.theme.get() == Theme::Dark { "dark" } else { "light" };
        if let Some(root) = document().document_element() {
            drop(root.set_attribute("data-theme", theme));
            drop(root.set_attribute("lang", store.lang.get().tag()));
        }
    });
    Effect::new(move |before: Option<()>| {
        let text = store.frame.with(PageLayout::to_text);
        if before.is_some() {
            remember(REMEMBERED, &text);
        }
    });
}

fn preferred_language() -> Lang {
    window().navigator().language().map_or(Lang::En, |tag| Lang::from_tag(&tag))
}
