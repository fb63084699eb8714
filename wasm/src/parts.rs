//! Loads the parts of the engine's module, which the build splits by when functions run. The splitter writes
//! the calls of `load_part`.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/parts.js")]
extern "C" {
    fn load_part(part: u32);
}

/// Loads a part early. Keeps the import in the module.
#[wasm_bindgen]
pub fn require_part(part: u32) {
    load_part(part);
}
