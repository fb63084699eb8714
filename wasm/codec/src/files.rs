//! The files that a plan may run, from JSON.

use crate::json;
use serde_json::Value as Json;
use stepgraph_core::graph::{FileText, PlanFiles};

/// Reads a map from path to text, or to `{unreadable: reason}` or `{outside: true}`.
#[inline]
pub fn plan_files(text: &str) -> PlanFiles {
    let mut files = PlanFiles::default();
    if text.is_empty() {
        return files;
    }
    for (path, file) in json::parse(text).as_object().into_iter().flatten() {
        let file = match file {
            Json::String(text) => FileText::Text(text.clone()),
            file => match json::text_at(file, "unreadable") {
                Some(reason) => FileText::Unreadable(reason),
                None => FileText::Outside,
            },
        };
        files.insert(path, file);
    }
    files
}
