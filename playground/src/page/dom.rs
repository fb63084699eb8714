//! Focus, stored settings and media queries.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;
use leptos::web_sys::{self, HtmlElement};
use std::rc::Rc;

/// First visible match, after two frames: the canvas mounts elements in the first.
pub fn focus_soon(selectors: &'static [&'static str]) {
    request_animation_frame(move || request_animation_frame(move || focus_now(selectors)));
}

/// Like [`focus_soon`], if the focused element is gone by then.
pub fn focus_if_lost(selectors: &'static [&'static str]) {
    request_animation_frame(move || {
        request_animation_frame(move || {
            if document().active_element().is_none_or(|active| active.tag_name() == "BODY") {
                focus_now(selectors);
            }
        });
    });
}

fn focus_now(selectors: &[&str]) {
    for selector in selectors {
        if let Some(found) = find(selector)
            && found.offset_parent().is_some()
        {
            drop(found.focus());
            return;
        }
    }
}

/// Last match, after two frames.
pub fn focus_last_soon(selector: &'static str) {
    request_animation_frame(move || {
        request_animation_frame(move || {
            let found = document().query_selector_all(selector).ok();
            let last = found.and_then(|found| found.item(found.length().checked_sub(1)?));
            if let Some(last) = last.and_then(|last| last.dyn_into::<HtmlElement>().ok()) {
                drop(last.focus());
            }
        });
    });
}

/// Scrolls to the first match, no further than needed, after two frames.
pub fn reveal_soon(selector: String) {
    request_animation_frame(move || {
        request_animation_frame(move || {
            if let Some(found) = find(&selector) {
                reveal(&found);
            }
        });
    });
}

/// Scrolls to a `<details>` that opened, no further than needed.
pub fn reveal_opened(event: &web_sys::Event) {
    let details: HtmlElement = event_target(event);
    if details.has_attribute("open") {
        reveal(&details);
    }
}

fn reveal(element: &HtmlElement) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Runs `action` now and after each change, two frames later: a task after one would delay that frame.
pub fn after_next_frame(dependencies: impl Fn() + 'static, action: impl Fn() + 'static) {
    run_when_changed(Box::new(dependencies), Rc::new(action));
}

fn run_when_changed(dependencies: Box<dyn Fn()>, action: Rc<dyn Fn()>) {
    let is_requested = StoredValue::new_local(false);
    Effect::new(move || {
        dependencies();
        if is_requested.get_value() {
            return;
        }
        is_requested.set_value(true);
        let action = action.clone();
        let action = move || {
            // Skips disposed owners.
            if is_requested.try_set_value(false).is_none() {
                action();
            }
        };
        let action = move || set_timeout(action, std::time::Duration::ZERO);
        request_animation_frame(move || request_animation_frame(action));
    });
}

/// CSS length to 0.01 px.
pub fn pixels(length: f64) -> String {
    [&stepgraph_core::value::number_text((length * 100.0).round() / 100.0), "px"].concat()
}

/// Returns the first match.
pub fn find(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok().flatten().and_then(|found| found.dyn_into().ok())
}

/// The host's `<link rel="help">`.
pub fn docs_address() -> Option<String> {
    document().query_selector("link[rel=help]").ok().flatten()?.get_attribute("href")
}

/// `None` if denied.
pub fn load_setting(name: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(name).ok().flatten()
}

/// Does nothing if denied.
pub fn save_setting(name: &str, text: &str) {
    try_save_setting(name, text);
}

/// Fails if denied or full.
pub fn try_save_setting(name: &str, text: &str) -> bool {
    let storage = window().local_storage().ok().flatten();
    storage.is_some_and(|storage| storage.set_item(name, text).is_ok())
}

/// Calls `tell` now and on changes.
pub fn on_media(query: &str, tell: impl Fn(bool) + 'static) {
    let Ok(Some(found)) = window().match_media(query) else { return };
    tell(found.matches());
    let heard =
        Closure::<dyn Fn(web_sys::MediaQueryListEvent)>::new(move |event: web_sys::MediaQueryListEvent| {
            tell(event.matches());
        });
    found.set_onchange(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
}
