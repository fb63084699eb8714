//! The text pane.
//!
//! Source: the playground's issue ("the text is the truth").

use super::store::{Store, t};
use crate::words::Shell;
use leptos::prelude::*;
use stepgraph_core::diagnostic::{Span, TextEdit};

/// The plan's text, to be edited.
#[component]
pub fn TextPane(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let typed = move |event| {
        let text = event_target_value(&event);
        let length = store.read(|session| session.text().len());
        store.typed(&[TextEdit { span: Span::new(0, length), text }]);
    };
    let text = move || store.with_text(|session| session.text().to_owned());
    view! { <textarea aria-label=t(store, Shell::Text) spellcheck="false" prop:value=text on:input=typed></textarea> }
}
