//! DOM helpers: focus, stored settings and media queries.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;
use leptos::web_sys::{self, HtmlElement};
use std::rc::Rc;

/// Focuses the first visible match after two animation frames. The canvas mounts its elements in the first
/// one.
pub fn focus_soon(selectors: &'static [&'static str]) {
    request_animation_frame(move || request_animation_frame(move || focus_now(selectors)));
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

/// Focuses the last match after two animation frames.
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

/// Runs `action` after the next frame, now and after each change of the dependencies. A task after one frame
/// would delay that frame, so it waits for two.
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
            // Skips an owner that was disposed.
            if is_requested.try_set_value(false).is_none() {
                action();
            }
        };
        let action = move || set_timeout(action, std::time::Duration::ZERO);
        request_animation_frame(move || request_animation_frame(action));
    });
}

/// Formats a CSS length, rounded to 0.01 px.
pub fn pixels(length: f64) -> String {
    [&stepgraph_core::value::number_text((length * 100.0).round() / 100.0), "px"].concat()
}

/// Returns the first match.
pub fn find(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok().flatten().and_then(|found| found.dyn_into().ok())
}

/// Returns the address of the documentation that the host names with `<link rel="help">`.
pub fn docs_address() -> Option<String> {
    document().query_selector("link[rel=help]").ok().flatten()?.get_attribute("href")
}

/// Returns a stored setting, or `None` if the browser denies access.
pub fn load_setting(name: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(name).ok().flatten()
}

/// Stores a setting. Does nothing if the browser denies access.
pub fn save_setting(name: &str, text: &str) {
    try_save_setting(name, text);
}

/// Stores a setting. Returns whether it is stored: the browser may deny access, and its storage may be full.
pub fn try_save_setting(name: &str, text: &str) -> bool {
    let storage = window().local_storage().ok().flatten();
    storage.is_some_and(|storage| storage.set_item(name, text).is_ok())
}

/// Calls `tell` with the state of a media query, now and on every change.
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
