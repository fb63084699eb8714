//! Decides which files a plan may run. The host reads them.

use super::{BRANCHES, PlanGraph};
use std::collections::HashMap;
use stepgraph_text::diagnostic::Span;
use stepgraph_text::source::{Entry, SourceFile, SourceIndex, Spanned, own_text};

/// A file counts as often as it is named.
pub const MAX_FILES: usize = 256;

/// A file known to the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// Its text.
    Text(String),
    /// The reason, for messages.
    Unreadable(String),
    /// A link leads outside the plan's folder.
    Outside,
}

/// The host's files.
#[derive(Debug, Clone, Default)]
pub struct PlanFiles {
    files: HashMap<String, FileText>,
    /// Whether unknown files are only hints. Such plans can't run.
    pub is_optional: bool,
}

impl PlanFiles {
    /// No files, for editors that may never know them.
    pub fn optional() -> Self {
        Self { is_optional: true, ..Self::default() }
    }

    /// The path starts at the plan's folder. Ignores paths that no plan can name.
    pub fn insert(&mut self, path: &str, file: FileText) {
        if let Ok(path) = resolve_path("", path) {
            self.files.insert(path, file);
        }
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn get(&self, path: &str) -> Option<&FileText> {
        self.files.get(path)
    }
}

/// Ranges and resolved paths of the files in a plan.
pub fn file_links(plan: &Spanned) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    let mut open = vec![plan];
    while let Some(graph) = open.pop() {
        match graph.as_text() {
            Some(path) => found.extend(resolve_path("", path).ok().map(|path| (graph.span, path))),
            None => open.extend(nodes_of(graph).iter().flat_map(nested_graphs)),
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

pub(super) fn nodes_of(graph: &Spanned) -> &[Entry] {
    graph.get("nodes").and_then(|nodes| nodes.value.as_map()).unwrap_or_default()
}

pub(super) fn nested_graphs(node: &Entry) -> impl Iterator<Item = &Spanned> {
    let own = ["graph", "do"].into_iter().filter_map(|key| node.value.get(key)).map(|entry| &entry.value);
    let branches = node.value.get(BRANCHES).and_then(|entry| entry.value.as_map()).unwrap_or_default();
    own.chain(branches.iter().map(|branch| &branch.value))
}

impl PlanGraph {
    /// The text of all spans: the plan, then its files.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The plan's own text.
    pub fn own_source(&self) -> &str {
        own_text(&self.source, &self.files)
    }

    /// The lines of [`PlanGraph::source`], by file.
    pub fn source_index(&self) -> SourceIndex<'_> {
        SourceIndex::joined(&self.source, &self.files)
    }

    /// The joined files, in the order of [`PlanGraph::source`].
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// `None` for the plan itself.
    pub(super) fn file_at(&self, offset: usize) -> Option<&SourceFile> {
        self.files.iter().rev().find(|file| file.span.start <= offset)
    }

    /// The range of the plan's own path that leads to the file, perhaps indirectly.
    pub fn path_span(&self, offset: usize) -> Option<Span> {
        let mut span = self.file_at(offset)?.named_at;
        while let Some(outer) = self.file_at(span.start) {
            span = outer.named_at;
        }
        Some(span)
    }

    /// The `inputs` that the file with a graph at this span declares.
    pub fn file_inputs(&self, graph: Span) -> &[Entry] {
        self.file_inputs.iter().find(|(span, _)| *span == graph).map_or(&[], |(_, inputs)| inputs)
    }

    /// Whether the file around this position declares the input.
    pub fn declares_input(&self, at: usize, name: &str) -> bool {
        let around = self.file_inputs.iter().find(|(span, _)| span.start <= at && at < span.end);
        around.is_some_and(|(_, inputs)| inputs.iter().any(|input| input.key == name))
    }

    /// Joined files without a known text. The plan then can't run.
    pub fn missing_files(&self) -> &[String] {
        &self.missing_files
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathError {
    Template,
    Url,
    Absolute,
    Separator,
    Outside,
    Ending,
}

pub(super) fn resolve_path(folder: &str, written: &str) -> Result<String, PathError> {
    if written.contains("${") {
        return Err(PathError::Template);
    }
    if written.contains("://") || has_scheme(written) {
        return Err(PathError::Url);
    }
    if written.starts_with(['/', '\\', '~']) || has_drive(written) {
        return Err(PathError::Absolute);
    }
    if written.contains(|c: char| c == '\\' || c.is_control()) {
        return Err(PathError::Separator);
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(PathError::Outside)?;
            }
            part => parts.push(part),
        }
    }
    if written.ends_with('/') || !has_ending(parts.last().copied().unwrap_or_default()) {
        return Err(PathError::Ending);
    }
    Ok(parts.join("/"))
}

pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn has_ending(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

fn has_drive(path: &str) -> bool {
    path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// One letter before `:` is a drive.
fn has_scheme(path: &str) -> bool {
    let scheme = path.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        use PathError::*;
        for (folder, written, expected) in [
            ("", "./a.yaml", Ok("a.yaml")),
            ("", "a.json", Ok("a.json")),
            ("sub", "./b/../c.yml", Ok("sub/c.yml")),
            ("sub/deep", "../../a.yaml", Ok("a.yaml")),
            ("", "a//b.yaml", Ok("a/b.yaml")),
            ("", "ü b.yaml", Ok("ü b.yaml")),
            ("sub", "../../a.yaml", Err(Outside)),
            ("", "sub/../../a.yaml", Err(Outside)),
            ("", "/etc/a.yaml", Err(Absolute)),
            ("", "~/a.yaml", Err(Absolute)),
            ("", "c:/a.yaml", Err(Absolute)),
            ("", "c:\\a.yaml", Err(Absolute)),
            ("", "\\\\host\\a.yaml", Err(Absolute)),
            ("", "sub\\a.yaml", Err(Separator)),
            ("", "a\n.yaml", Err(Separator)),
            ("", "https://a.example/b.yaml", Err(Url)),
            ("", "file:a.yaml", Err(Url)),
            ("", "data:text/yaml,a.yaml", Err(Url)),
            ("", "${input}.yaml", Err(Template)),
            ("", "", Err(Ending)),
            ("", "hello", Err(Ending)),
            ("", "a.yaml/", Err(Ending)),
            ("", ".yaml", Err(Ending)),
            ("", "a.yaml.txt", Err(Ending)),
        ] {
            assert_eq!(resolve_path(folder, written), expected.map(str::to_owned), "{folder} {written}");
        }
    }
}
