//! Loads the texts of a language.

use super::js_bridge;
use crate::i18n::{Lang, spanish};
use leptos::prelude::{document, window};
use leptos::wasm_bindgen::JsValue;
use leptos::wasm_bindgen::prelude::Closure;
use leptos::web_sys::Url;

/// Calls `then` with `lang`, or with English if the texts can't be loaded.
pub fn with_texts(lang: Lang, then: impl FnOnce(Lang) + 'static) {
    if lang == Lang::En || spanish::text(0).is_some() {
        return then(lang);
    }
    js_bridge::load_spanish(&Closure::once_into_js(move |texts: Option<String>| {
        let is_loaded = texts.is_some_and(spanish::load);
        then(if is_loaded { lang } else { Lang::En });
    }));
}

/// A message or help of the engine. Unknown ones stay English.
pub fn engine_text(lang: Lang, code: &str, text: &str) -> String {
    match lang {
        Lang::En => text.to_owned(),
        Lang::Es => js_bridge::engine_message(lang.tag(), code, text),
    }
}

/// The user's choice counts more than `?lang`.
pub fn forget_address() {
    let changed = window().location().href().and_then(|href| {
        let address = Url::new(&href)?;
        address.search_params().delete("lang");
        window().history()?.replace_state_with_url(&JsValue::NULL, "", Some(&address.href()))
    });
    // Frames without an address have nothing to forget.
    drop(changed);
}

/// What `js/page-language.ts` chose.
pub fn of_document() -> Lang {
    let tag = document().document_element().and_then(|root| root.get_attribute("lang"));
    tag.map_or(Lang::En, |tag| Lang::from_tag(&tag))
}
