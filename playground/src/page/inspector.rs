//! What is selected, as a form.
//!
//! Source: the playground's issue ("inspector").

use super::store::Store;
use leptos::prelude::*;

/// The form of what is selected.
#[component]
pub fn Inspector(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let names = move || {
        store.with_selection(|session| {
            session.selection().nodes().map(str::to_owned).collect::<Vec<_>>().join(", ")
        })
    };
    view! { <p>{names}</p> }
}
