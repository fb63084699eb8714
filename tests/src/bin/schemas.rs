//! Validates values natively, so that `tests/parity/schema.test.mjs` can compare the package.
//!
//! Reads JSON `{resources: {uri: schema}, cases: [{schema, values}]}`. Writes verdicts or schema errors for each case.

use serde_json::{Map, Value as Json};
use std::io::{self, Write};
use stepgraph_core::schema::Schema;
use stepgraph_tests::patterns;

fn main() -> io::Result<()> {
    let mut asked: Map<String, Json> = serde_json::from_reader(io::stdin().lock())?;
    let mut take = |key: &str| asked.remove(key).unwrap_or_default();
    let resources = take("resources");
    let cases = take("cases");
    let judged = cases.as_array().into_iter().flatten().map(|case| validate(case, &resources));
    writeln!(io::stdout().lock(), "{}", judged.collect::<Json>())
}

fn validate(case: &Json, resources: &Json) -> Json {
    let part = |key: &str| case.get(key).unwrap_or(&Json::Null);
    match Schema::compile(part("schema"), resources, patterns()) {
        Ok(schema) => {
            let values = part("values").as_array().into_iter().flatten();
            values.map(|value| schema.validate(value, patterns()).is_valid()).collect()
        }
        Err(errors) => errors.iter().map(|error| format!("{}: {}", error.path, error.message)).collect(),
    }
}
