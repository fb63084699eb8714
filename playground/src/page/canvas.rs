//! The drawing.
//!
//! Source: the playground's issue ("canvas").

use super::store::Store;
use leptos::prelude::*;

/// The plan as a drawing.
#[component]
pub fn Canvas(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let nodes = move || {
        store.with_drawing(|session| {
            let nodes = session.scene().nodes.iter();
            nodes
                .map(|node| {
                    let (place, title) = (node.place(), node.title.clone());
                    let at = node.area.min;
                    let choose = move |_| store.choose(|session| session.choose_node(&place, false));
                    view! {
                        <button type="button" class="node" style:left=pixels(at.x) style:top=pixels(at.y) on:click=choose>
                            {title}
                        </button>
                    }
                })
                .collect_view()
        })
    };
    view! { <div class="canvas" tabindex="0">{nodes}</div> }
}

/// A length as styles write it.
fn pixels(length: f64) -> String {
    [&stepgraph_core::value::number_text(length), "px"].concat()
}
