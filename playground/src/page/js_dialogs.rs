//! The JavaScript dialogs, loaded when opened. `playground/js/dialogs/page-api.ts` is the other side.

use super::js_bridge::{self, set_page_api};
use super::run::control::show_run;
use super::share;
use super::store::Store;
use crate::geometry::Point;
use crate::paint::IndexedScene;
use crate::share::{Origin, StoredPlan};
use crate::thumbnail::thumbnail_json;
use leptos::prelude::*;
use stepgraph_lazy::lazy;
use wasm_bindgen::prelude::*;

lazy! {
    fn thumbnail(store: Store, text: &str) -> Option<String> = draw_thumbnail;

    fn open_found(store: Store, found: FoundPlan) = show_found_plan;

    fn add_tool(store: Store, tool: &str, x: f64, y: f64) -> bool = insert_tool_node;

    fn set_host(store: Store, host: &str) = Store::set_host;
}

struct FoundPlan {
    name: String,
    text: String,
    origin: String,
    /// Called after opening.
    then: js_sys::Function,
    cassette: Option<String>,
    shown: bool,
}

fn draw_thumbnail(store: Store, text: &str) -> Option<String> {
    thumbnail_json(text, store.theme.get_untracked())
}

fn show_found_plan(store: Store, FoundPlan { name, text, origin, then, cassette, shown }: FoundPlan) {
    let plan = StoredPlan { text, cassette: cassette.unwrap_or_default(), ..StoredPlan::default() };
    let recorded = shown.then(|| plan.cassette.clone());
    share::open_new(store, &name, plan, Origin::parse(&origin), move || {
        if let Some(cassette) = recorded {
            show_run(store, &cassette);
        }
        drop(then.call0(&JsValue::NULL));
    });
}

/// Runs before any dialog.
pub fn publish_api(store: Store) {
    let page = js_sys::Object::new();
    let text = Closure::<dyn Fn() -> String>::new(move || store.read(|editor| editor.text().to_owned()));
    let stubs = Closure::<dyn Fn() -> String>::new(move || store.share.stubs.get_untracked());
    let diagram =
        Closure::<dyn Fn(String) -> Option<String>>::new(move |text: String| thumbnail(store, &text));
    let open = Closure::<dyn Fn(String, String, String, js_sys::Function, Option<String>, bool)>::new(
        move |name: String,
              text: String,
              origin: String,
              then: js_sys::Function,
              cassette: Option<String>,
              shown: bool| {
            open_found(store, FoundPlan { name, text, origin, then, cassette, shown });
        },
    );
    let add_tool_node =
        Closure::<dyn Fn(String, f64, f64) -> bool>::new(move |tool: String, x: f64, y: f64| {
            add_tool(store, &tool, x, y)
        });
    let set_host_json = Closure::<dyn Fn(String)>::new(move |host: String| set_host(store, &host));
    let announce = Closure::<dyn Fn(String)>::new(move |text: String| store.announce(text));
    set_property(&page, "text", &text.into_js_value());
    set_property(&page, "stubs", &stubs.into_js_value());
    set_property(&page, "diagram", &diagram.into_js_value());
    set_property(&page, "open", &open.into_js_value());
    set_property(&page, "addTool", &add_tool_node.into_js_value());
    set_property(&page, "setHost", &set_host_json.into_js_value());
    set_property(&page, "announce", &announce.into_js_value());
    set_page_api(page);
}

/// Opens by name.
pub fn open_dialog(name: &str) {
    js_bridge::open_dialog(name);
}

fn set_property(page: &js_sys::Object, name: &str, what: &JsValue) {
    // New objects accept any property.
    drop(js_sys::Reflect::set(page, &name.into(), what));
}

/// At a screen point, or behind the selection if `x` is not finite.
fn insert_tool_node(store: Store, tool: &str, x: f64, y: f64) -> bool {
    let at = x.is_finite().then(|| store.view.get_untracked().to_drawing(Point::new(x, y)));
    let place = at.map(|at| {
        let (scope, origin) = store.read(|editor| IndexedScene::scope_at(editor.scene(), at));
        (scope, at.plus(-origin.x, -origin.y))
    });
    store.change(|editor, now| editor.add_tool(tool, place, now))
}
