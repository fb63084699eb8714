//! The page.

use leptos::prelude::*;

/// Opens the page in the document that is there.
pub fn open() {
    mount_to_body(|| view! { <p>"Stepgraph"</p> });
}
