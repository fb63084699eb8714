//! Requests of `playground/js/share/bridge.ts`.

use super::super::store::Store;
use crate::i18n::error_message;
use crate::share::{Answer, parse_answer};
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    #[wasm_bindgen(js_name = startStorage)]
    fn js_begin(read: &JsValue, tell: &JsValue, keep: bool, then: &JsValue);
    #[wasm_bindgen(js_name = runStorageCommand)]
    fn js_request(verb: &str, args: Vec<String>, then: &JsValue);
    /// Says that the plan changed.
    #[wasm_bindgen(js_name = storedPlanChanged)]
    pub(super) fn changed();
}

pub(super) fn request(verb: &str, args: &[&str], then: impl FnOnce(Answer) + 'static) {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let then = Closure::once_into_js(move |json: String| then(parse_answer(&json)));
    js_request(verb, args, &then);
}

pub(super) fn request_or_notify(
    store: Store,
    verb: &str,
    args: &[&str],
    then: impl FnOnce(serde_json::Value) + 'static,
) {
    request(verb, args, move |answer| match answer {
        Ok(value) => then(value),
        Err(error) => notify_error(store, &error),
    });
}

pub(super) fn notify_error(store: Store, (code, detail): &(String, String)) {
    store.notify(error_message(store.lang.get_untracked(), code, detail), true);
}

/// Storage keeps `read` and `tell`.
pub(super) fn begin(
    read: impl Fn() -> String + 'static,
    tell: impl Fn(String) + 'static,
    keep: bool,
    then: impl FnOnce(Answer) + 'static,
) {
    let read = Closure::<dyn Fn() -> String>::new(read).into_js_value();
    let tell = Closure::<dyn Fn(String)>::new(tell).into_js_value();
    let then = Closure::once_into_js(move |json: String| then(parse_answer(&json)));
    js_begin(&read, &tell, keep, &then);
}
