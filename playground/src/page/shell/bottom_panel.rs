//! Problems and run tabs. A new tab needs a row in [`TABS`] and an arm.
//!
//! Source: the tabs pattern of ARIA.

use super::super::icon::{self, icon};
use super::super::problems::Problems;
use super::super::run::{RunStatus, RunTab, TestsTab, TraceTab, ValuesTab};
use super::super::store::{Store, t};
use crate::i18n::Shell as W;
use crate::page_layout::{PageLayout, Panel, PanelState};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{self, HtmlElement};
use stepgraph_lazy::lazy;

const TABS: &[(Panel, &str, W)] = &[
    (Panel::Problems, "problems", W::Problems),
    (Panel::Run, "run", W::Runs),
    (Panel::Values, "values", W::Values),
    (Panel::Tests, "tests", W::Tests),
    (Panel::Trace, "trace", W::Trace),
];

/// Panel tabs.
#[component]
pub fn BottomPanel(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let count = move || store.with_text(|editor| editor.document().diagnostics().len());
    let badge = move || (count() > 0).then(|| view! { <span class="badge">{count()}</span> });
    let is_open = move || store.layout.with(PageLayout::has_open_panel);
    let turn = move |_| {
        store.layout.update(|layout| {
            layout.panel = if layout.has_open_panel() { PanelState::Closed } else { PanelState::Open };
        });
    };
    let turning = move || {
        let word = if is_open() { W::HideBelow } else { W::ShowBelow };
        crate::i18n::Localized::text(word, store.lang.get())
    };
    view! {
        <section class="panel" id="panel" aria-label=t(store, W::Panels)>
            <div class="tabs">
                <div role="tablist" aria-label=t(store, W::Panels) on:keydown=move |event| on_key(store, &event)>
                    {TABS
                        .iter()
                        .map(|(panel, id, name)| {
                            let badge = (*panel == Panel::Problems).then_some(badge);
                            view! { <Tab store panel=*panel id name=*name>{badge}</Tab> }
                        })
                        .collect_view()}
                </div>
                <button
                    type="button"
                    class="only turn"
                    aria-label=turning
                    title=turning
                    aria-expanded=move || is_open().to_string()
                    on:click=turn
                >
                    {move || icon(if is_open() { icon::DOWN } else { icon::UP })}
                </button>
            </div>
            <RunStatus store/>
            <TabContents store/>
        </section>
    }
}

lazy! {
    fn run_tab_view(store: Store, panel: Panel) -> AnyView = build_run_tab;

    fn on_key(store: Store, event: &web_sys::KeyboardEvent) = key_pressed;
}

fn build_run_tab(store: Store, panel: Panel) -> AnyView {
    match panel {
        Panel::Problems => ().into_any(),
        Panel::Run => view! { <RunTab store/> }.into_any(),
        Panel::Values => view! { <ValuesTab store/> }.into_any(),
        Panel::Tests => view! { <TestsTab store/> }.into_any(),
        Panel::Trace => view! { <TraceTab store/> }.into_any(),
    }
}

#[component]
fn TabContents(store: Store) -> impl IntoView {
    let id = move || {
        TABS.iter().find(|(panel, ..)| *panel == store.panel.get()).map(|(_, id, _)| ["tab-", id].concat())
    };
    let shown = move || match store.panel.get() {
        Panel::Problems => view! { <Problems store/> }.into_any(),
        other => run_tab_view(store, other),
    };
    view! {
        <div class="contents" role="tabpanel" id="panel-contents" tabindex="0" aria-labelledby=id>
            {shown}
        </div>
    }
}

#[component]
fn Tab(store: Store, panel: Panel, id: &'static str, name: W, children: Children) -> impl IntoView {
    let is = move || store.panel.get() == panel;
    let choose = move |_| {
        store.panel.set(panel);
        store.layout.update(|layout| layout.panel = PanelState::Open);
    };
    view! {
        <button
            type="button"
            class="tab"
            role="tab"
            id=["tab-", id].concat()
            aria-controls="panel-contents"
            aria-selected=move || is().to_string()
            tabindex=move || if is() { "0" } else { "-1" }
            on:click=choose
        >
            {t(store, name)}
            {children()}
        </button>
    }
}

fn key_pressed(store: Store, event: &web_sys::KeyboardEvent) {
    let now = TABS.iter().position(|(panel, ..)| *panel == store.panel.get_untracked()).unwrap_or_default();
    let last = TABS.len().saturating_sub(1);
    let next = match event.key().as_str() {
        "ArrowRight" => {
            if now == last {
                0
            } else {
                now + 1
            }
        }
        "ArrowLeft" => now.checked_sub(1).unwrap_or(last),
        "Home" => 0,
        "End" => last,
        _ => return,
    };
    event.prevent_default();
    if let Some((panel, id, _)) = TABS.get(next) {
        store.panel.set(*panel);
        let found = document().get_element_by_id(&["tab-", id].concat());
        if let Some(tab) = found.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
            drop(tab.focus());
        }
    }
}
