//! What is wrong with the plan, as a list.
//!
//! Source: design section 14.

use super::store::Store;
use leptos::prelude::*;

/// All problems of the text.
#[component]
pub fn Problems(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let messages = move || {
        store.with_text(|session| {
            let problems = session.document().diagnostics().iter();
            problems.map(|problem| view! { <li>{problem.message.clone()}</li> }).collect_view()
        })
    };
    view! { <ul>{messages}</ul> }
}
