//! The cases of `suite/compare`, which rewrite themselves.

use serde_json::{Value as Json, json};
use std::path::PathBuf;
use stepgraph_core::source::edit::{Change, edit};
use stepgraph_core::source::{Format, Spanned, read};
use stepgraph_core::value::Segment;

/// One file of cases.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    text: String,
    /// Its cases.
    pub cases: Vec<Json>,
}

impl File {
    /// A file of the suite.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn named(name: &str) -> Result<Self, String> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("suite/compare").join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let document = read(&text, Format::Yaml);
        if let Some(problem) = document.diagnostics.first() {
            return Err(format!("{name}: {problem}"));
        }
        let json = document.root.as_ref().map(Spanned::to_json).unwrap_or_default();
        let cases = json["cases"].as_array().cloned().unwrap_or_default();
        Ok(Self { path, text, cases })
    }

    /// Says which cases come to something else than they expect; with `UPDATE` in the environment, writes what they come to.
    pub fn differences(&self, found: &mut dyn FnMut(&Json) -> Json) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut changes = Vec::new();
        for (at, case) in self.cases.iter().enumerate() {
            let is = found(case);
            if is != case["expect"] {
                wrong.push(format!("{}\n{is:#}\ninstead of\n{:#}", case["name"], case["expect"]));
                let key = |key: &str| Segment::Key(key.to_owned());
                let path = vec![key("cases"), Segment::Index(at), key("expect")];
                changes.push(Change::Set { path, value: is });
            }
        }
        if std::env::var_os("UPDATE").is_none() || changes.is_empty() {
            return wrong;
        }
        match edit(&self.text, Format::Yaml, &changes).map(|edited| std::fs::write(&self.path, edited.text)) {
            Ok(Ok(())) => Vec::new(),
            other => vec![format!("{other:?}")],
        }
    }
}

/// The host of a case, as JSON.
pub fn host(case: &Json) -> Json {
    case.get("host").cloned().unwrap_or_else(|| json!({}))
}
