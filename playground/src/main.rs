//! The page's entry point.

/// Needs a browser.
fn main() {
    #[cfg(target_arch = "wasm32")]
    stepgraph_playground::page::open();
}
