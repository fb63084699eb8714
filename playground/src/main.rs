//! The page's entry: mounts the application.
#[cfg(target_arch = "wasm32")]
use leptos::prelude::*;

#[cfg(target_arch = "wasm32")]
fn main() {
    use stepgraph_core::{language::Document, source::Format};
    let (text, set_text) = signal(String::from("nodes: {a: {type: log}}"));
    let problems = move || {
        let document = Document::new(text.get(), Format::Auto);
        document.diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    mount_to_body(
        move || view! { <main><textarea prop:value=text on:input=move |e| set_text.set(event_target_value(&e))></textarea><p>{problems}</p></main> },
    );
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
