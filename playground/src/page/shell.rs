//! The page layout. Wide pages show panes side by side, narrow ones one at a time.

pub mod bottom_panel;
pub mod command_palette;
pub mod header;
pub mod keyboard_help;
pub mod menu;
pub mod modal;
pub mod notifications;
pub mod outline;
pub mod splitter;
pub mod welcome;

use super::canvas::Canvas;
use super::dispatch::{dispatch, show_pane};
use super::dom::{load_setting, on_media, pixels, save_setting};
use super::icon;
use super::inspector::Inspector;
use super::js_bridge::on_first_interaction;
use super::js_dialogs;
use super::key_events;
use super::language;
use super::run;
use super::share;
use super::store::{Dialog, Store, t};
use super::text::TextPane;
use crate::appearance::Theme;
use crate::command::Command;
use crate::i18n::{Lang, Shell as W, spanish};
use crate::page_layout::{PageLayout, Pane, PanelState, Scheme, Splitter};
use bottom_panel::BottomPanel;
use command_palette::{CommandPalette, PaletteKind};
use header::Header;
use keyboard_help::KeyboardHelp;
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::Closure;
use menu::ContextMenu;
use modal::Modal;
use notifications::Notifications;
use outline::Outline;
use splitter::SplitterHandle;
use stepgraph_lazy::lazy;
use welcome::Welcome;

const LAYOUT_KEY: &str = "stepgraph.frame";

const WELCOME_PLAN: &str = include_str!("../../../examples/triage.yaml");

/// The plan of a first visit.
fn welcome_plan(lang: Lang) -> &'static str {
    spanish::example().filter(|_| lang == Lang::Es).map_or(WELCOME_PLAN, |[plan, _]| plan)
}

/// How the page looks at first.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    layout: PageLayout,
    lang: Lang,
}

impl Settings {
    /// From the address and storage.
    pub fn read() -> Self {
        let mut layout = stored_layout().unwrap_or_else(first_layout);
        if let Some(theme) = share::initial_theme() {
            layout.scheme = if theme == Theme::Dark { Scheme::Dark } else { Scheme::Light };
        }
        Self { layout, lang: language::of_document() }
    }

    /// What the user wants.
    pub fn lang(&self) -> Lang {
        self.lang
    }
}

/// The page.
#[component]
pub fn Shell(
    /// First settings.
    settings: Settings,
    /// Its texts are loaded.
    lang: Lang,
) -> impl IntoView {
    let store = Store::new(welcome_plan(lang), Theme::Light, lang);
    store.layout.set(settings.layout);
    persist_layout(store);
    Effect::new(move |_| crate::run::set_number_language(store.lang.get()));
    run::control::listen(store);
    run::saved_settings::persist(store);
    share::open_initial_plan(store);
    js_dialogs::publish_api(store);
    key_events::listen(store);
    on_first_interaction(&Closure::once_into_js(move || store.has_interacted.set(true)));
    view! {
        <SkipLinks store/>
        <Header store/>
        <share::ShareBanner store/>
        <Panes store/>
        <Notifications store/>
        <Tabs store/>
        <OverlayLayer store/>
    }
}

lazy! {
    fn form_view(store: Store) -> AnyView = build_form_view;

    fn outline_view(store: Store) -> AnyView = build_outline_view;

    fn dialogs_view(store: Store) -> AnyView = build_dialogs_view;
}

fn build_form_view(store: Store) -> AnyView {
    view! { <Inspector store/> }.into_any()
}

fn build_outline_view(store: Store) -> AnyView {
    view! { <Outline store/> }.into_any()
}

fn build_dialogs_view(store: Store) -> AnyView {
    view! { <Dialogs store/> }.into_any()
}

/// Loaded at the first interaction, because of their size.
#[component]
fn OverlayLayer(store: Store) -> impl IntoView {
    let is_requested = move || store.dialog.with(Option::is_some) || store.share.dialog.with(Option::is_some);
    let is_needed =
        Memo::new(move |before| before == Some(&true) || store.has_interacted.get() || is_requested());
    view! { <Show when=move || is_needed.get()>{dialogs_view(store)}</Show> }
}

#[component]
fn Dialogs(store: Store) -> impl IntoView {
    view! {
        <Modal store name=W::Palette is=|dialog| matches!(dialog, Dialog::Palette)>
            <CommandPalette store kind=PaletteKind::Commands/>
        </Modal>
        <Modal store name=W::Find is=|dialog| matches!(dialog, Dialog::Find)>
            <CommandPalette store kind=PaletteKind::Nodes/>
        </Modal>
        <Modal store name=W::AddNode is=|dialog| matches!(dialog, Dialog::Add(_))>
            <CommandPalette store kind=PaletteKind::NodeTypes/>
        </Modal>
        <Modal store name=W::Keys is=|dialog| matches!(dialog, Dialog::Keys)>
            <KeyboardHelp store/>
        </Modal>
        <share::ShareDialogs store/>
        <run::QuestionsOverlay store/>
        <ContextMenu store/>
    }
}

#[component]
fn Panes(store: Store) -> impl IntoView {
    let size = move |splitter: Splitter| pixels(store.layout.with(|layout| layout.size(splitter)));
    let left = move || if store.shows_outline.get() { "outline" } else { "text" };
    view! {
        <main
            class="panes"
            class:awaiting=move || store.share.is_plan_awaited.get()
            data-pane=move || store.pane.get().id()
            data-left=left
            data-below=move || if store.layout.with(PageLayout::has_open_panel) { "open" } else { "closed" }
            style:--left=move || size(Splitter::Left)
            style:--right=move || size(Splitter::Right)
            style:--below=move || size(Splitter::Bottom)
        >
            <LeftPane store/>
            <SplitterHandle store splitter=Splitter::Left name=W::WidthOfText/>
            <section class="pane drawing" id="drawing" aria-label=t(store, W::Canvas)><Welcome store/> <Canvas store/></section>
            <SplitterHandle store splitter=Splitter::Right name=W::WidthOfForm/>
            <section class="pane inspector" id="form" tabindex="-1" aria-label=t(store, W::Inspector)>
                <Show
                    when=move || store.has_interacted.get()
                    fallback=move || view! { <p class="empty">{t(store, W::FormWaits)}</p> }
                >
                    {form_view(store)}
                </Show>
            </section>
            <SplitterHandle store splitter=Splitter::Bottom name=W::HeightOfPanel/>
            <BottomPanel store/>
        </main>
    }
}

#[component]
fn LeftPane(store: Store) -> impl IntoView {
    let tab = move |pane: Pane, name: W, is: bool| {
        view! {
            <button
                type="button"
                class="tab"
                aria-pressed=move || (store.shows_outline.get() == is).to_string()
                on:click=move |_| {
                    store.shows_outline.set(is);
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
                <Show when=move || store.has_interacted.get()>{outline_view(store)}</Show>
            </section>
        </div>
    }
}

#[component]
fn Tabs(store: Store) -> impl IntoView {
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
            {tab(Pane::Canvas, W::Canvas, icon::GRAPH)}
            {tab(Pane::Inspector, W::Form, icon::FORM)}
            {tab(Pane::Panel, W::Result, icon::UP)}
        </nav>
    }
}

#[component]
fn SkipLinks(store: Store) -> impl IntoView {
    let link = move |to: &'static str, name: W, command: Command| {
        let go = move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            dispatch(store, command);
        };
        view! { <a class="skip" href=to on:click=go>{t(store, name)}</a> }
    };
    view! {
        <nav class="skips" aria-label=t(store, W::SkipLinks)>
            {link("#drawing", W::SkipToCanvas, Command::ShowCanvas)}
            {link("#text", W::SkipToText, Command::ShowText)}
            {link("#form", W::SkipToForm, Command::ShowInspector)}
        </nav>
    }
}

fn stored_layout() -> Option<PageLayout> {
    load_setting(LAYOUT_KEY).map(|text| PageLayout::parse(&text))
}

/// The panel opens when the user runs something, or wants to see it.
fn first_layout() -> PageLayout {
    let mut layout = PageLayout::default();
    layout.panel = PanelState::Closed;
    layout
}

fn persist_layout(store: Store) {
    let dark = RwSignal::new(false);
    on_media("(prefers-color-scheme: dark)", move |is| dark.set(is));
    Effect::new(move |_| store.theme.set(store.layout.with(|layout| layout.scheme).theme(dark.get())));
    Effect::new(move |_| {
        let theme = if store.theme.get() == Theme::Dark { "dark" } else { "light" };
        if let Some(root) = document().document_element() {
            drop(root.set_attribute("data-theme", theme));
            drop(root.set_attribute("lang", store.lang.get().tag()));
        }
    });
    Effect::new(move |before: Option<()>| {
        let text = store.layout.with(PageLayout::to_text);
        if before.is_some() {
            save_setting(LAYOUT_KEY, &text);
        }
    });
}
