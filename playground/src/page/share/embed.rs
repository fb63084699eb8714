//! The compact page for another page's untrusted plan.
//!
//! Settings are in the address: `?embed`, with `theme`, `lang`, `readonly`, `run`, `view`. Pages from memory use
//! `data-settings` of `<html>`.
//!
//! Source: `playground/js/plan-element.ts`.

use super::super::store::Store;
use super::autosave::show_opened;
use crate::appearance::Theme;
use crate::page_layout::Pane;
use crate::share::{OpenedPlan, Origin, PlanRow, StoredPlan};
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    #[wasm_bindgen(js_name = startEmbedding)]
    fn embed_begin(read: &JsValue, take: &JsValue);
    #[wasm_bindgen(js_name = embeddedPlanChanged)]
    fn embed_changed();
}

/// Is embedded.
pub fn is_embedded() -> bool {
    setting("embed").is_some()
}

pub(super) fn is_framed() -> bool {
    let own = window();
    own.parent().ok().flatten().is_some_and(|parent| parent != own)
}

fn setting(name: &str) -> Option<String> {
    let attribute = document().document_element().and_then(|root| root.get_attribute("data-settings"));
    let search = attribute.or_else(|| window().location().search().ok())?;
    leptos::web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// The theme that the address asks for.
pub fn initial_theme() -> Option<Theme> {
    match setting("theme")?.as_str() {
        "light" => Some(Theme::Light),
        "dark" => Some(Theme::Dark),
        _ => None,
    }
}

/// Shows its parent's plans and reports changes.
pub(super) fn begin(store: Store) {
    if let Some(root) = document().document_element() {
        for name in ["embed", "readonly", "run", "view"] {
            if let Some(value) = setting(name) {
                drop(root.set_attribute(&["data-", name].concat(), &value));
            }
        }
    }
    store.share.is_readonly.set(setting("readonly").is_some());
    store.pane.set(if setting("view").as_deref() == Some("text") { Pane::Text } else { Pane::Canvas });
    Effect::new(move |before: Option<()>| {
        store.text_version.track();
        if before.is_some() {
            embed_changed();
        }
    });
    let read = Closure::<dyn Fn() -> String>::new(move || store.read(|editor| editor.text().to_owned()))
        .into_js_value();
    let pick = Closure::<dyn Fn(String, String)>::new(move |name: String, text: String| {
        let row = PlanRow { name, from: Origin::Embed, ..PlanRow::default() };
        show_opened(
            store,
            OpenedPlan { row, plan: StoredPlan { text, ..StoredPlan::default() }, is_owned: true },
        );
    });
    embed_begin(&read, &pick.into_js_value());
}
