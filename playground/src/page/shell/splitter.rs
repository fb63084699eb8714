//! Splitters by pointer or keys.
//!
//! Source: the window splitter pattern of ARIA.

use super::super::store::{Store, t};
use crate::i18n::Shell as W;
use crate::page_layout::Splitter;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{self, HtmlElement};
use stepgraph_core::value::number_text;

/// A splitter.
#[component]
pub fn SplitterHandle(
    /// Page state.
    store: Store,
    /// Its kind.
    splitter: Splitter,
    /// Accessible name.
    name: W,
) -> impl IntoView {
    let begun = RwSignal::new(None::<(f64, f64)>);
    let size = move || store.layout.with(|layout| layout.size(splitter));
    let along = move |event: &web_sys::PointerEvent| {
        f64::from(if splitter == Splitter::Bottom { event.client_y() } else { event.client_x() })
    };
    let down = move |event: web_sys::PointerEvent| {
        if let Some(divider) = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok())
        {
            drop(divider.set_pointer_capture(event.pointer_id()));
        }
        begun.set(Some((along(&event), size())));
    };
    let positions = move |event: web_sys::PointerEvent| {
        if let Some((at, first)) = begun.get_untracked() {
            let by = along(&event) - at;
            let to = if splitter == Splitter::Left { first + by } else { first - by };
            store.layout.update(|layout| *layout = layout.with_size(splitter, to));
        }
    };
    let pressed = move |event: web_sys::KeyboardEvent| {
        let moved =
            store.layout.with_untracked(|layout| layout.after_key(splitter, &event.key(), event.shift_key()));
        if let Some(moved) = moved {
            event.prevent_default();
            event.stop_propagation();
            store.layout.set(moved);
        }
    };
    let (min, max) = splitter.size_limits();
    view! {
        <div
            class=if splitter == Splitter::Bottom { "divider level" } else { "divider" }
            data-border=match splitter { Splitter::Left => "left", Splitter::Right => "right", Splitter::Bottom => "below" }
            role="separator"
            tabindex="0"
            aria-label=t(store, name)
            aria-orientation=if splitter == Splitter::Bottom { "horizontal" } else { "vertical" }
            aria-valuenow=move || number_text(size())
            aria-valuemin=number_text(min)
            aria-valuemax=number_text(max)
            on:pointerdown=down
            on:pointermove=positions
            on:pointerup=move |_| begun.set(None)
            on:pointercancel=move |_| begun.set(None)
            on:dblclick=move |_| store.layout.update(|layout| *layout = layout.with_size(splitter, splitter.default_size()))
            on:keydown=pressed
        ></div>
    }
}
