//! Prints the machine's trace and state for every case of the suite, as JSON for `tests/parity/suite.mjs`.

use serde_json::{Value as Json, json};
use std::io::{self, Write};
use stepgraph_core::value::canonical_text;
use stepgraph_tests::{Suite, by_machine};

fn main() -> io::Result<()> {
    let cases = Suite::all().into_iter().flat_map(|(file, cases)| {
        let suite = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.into_iter().map(move |case| {
            let ended = by_machine(&case);
            let state = ended.state.as_ref().map(canonical_text);
            json!({"suite": suite, "id": case.id, "trace": ended.canonical(), "state": state})
        })
    });
    let all: Vec<Json> = cases.collect();
    writeln!(io::stdout().lock(), "{}", Json::from(all))
}
