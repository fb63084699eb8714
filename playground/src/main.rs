//! The page's entry point.

/// Opens the page in a browser. Does nothing on other targets.
fn main() {
    #[cfg(target_arch = "wasm32")]
    stepgraph_playground::page::open();
}
