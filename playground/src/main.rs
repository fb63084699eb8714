//! The page's beginning.

/// Only a browser has a page.
fn main() {
    #[cfg(target_arch = "wasm32")]
    stepgraph_playground::page::open();
}
