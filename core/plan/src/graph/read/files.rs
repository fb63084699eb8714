//! Replaces file paths in `graph`, `do` and branches by the files' graphs.
//!
//! Later code sees one plan. A file's other keys stay outside, but its servers and limits must hold.
//!
//! Invariants:
//! 1. A path that can't be replaced stays text, with a diagnostic.
//! 2. The tree stays within the limits of a text: depth, values and bytes.

use super::super::files::{
    FileText, MAX_FILES, PathError, PlanFiles, folder_of, nested_graphs, nodes_of, resolve_path,
};
use super::super::map_reader::MapReader;
use super::super::{BRANCHES, PlanGraph, scoped_name};
use super::file_settings::{FileSettings, GivenInput, missing_inputs};
use super::reader::Reader;
use std::borrow::Cow;
use std::sync::Arc;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Severity, Span, Target, shorten_name,
};
use stepgraph_text::source::{
    Entry, Format, MAX_BYTES, MAX_DEPTH, MAX_VALUES, SourceFile, Spanned, ValueKind, parse,
};

pub(in super::super) struct JoinedPlan<'t> {
    pub(in super::super) root: Arc<Spanned>,
    pub(in super::super) text: Cow<'t, str>,
    pub(in super::super) files: Vec<SourceFile>,
    pub(in super::super) missing: Vec<String>,
    /// By the span of the file's graph.
    pub(in super::super) inputs: Vec<(Span, Vec<Entry>)>,
    settings: Vec<FileSettings>,
}

impl JoinedPlan<'_> {
    pub(in super::super) fn check_settings(&self, plan: &PlanGraph, problems: &mut DiagnosticCollector) {
        for settings in &self.settings {
            settings.check(plan, problems);
        }
    }
}

pub(in super::super) fn join<'t>(
    root: Arc<Spanned>,
    text: &'t str,
    given: &PlanFiles,
    problems: &mut DiagnosticCollector,
) -> JoinedPlan<'t> {
    let mut joined = JoinedPlan {
        root,
        text: Cow::Borrowed(text),
        files: Vec::new(),
        missing: Vec::new(),
        inputs: Vec::new(),
        settings: Vec::new(),
    };
    if !names_file(&joined.root) {
        return joined;
    }
    let mut root = joined.root.as_ref().clone();
    let (values, bytes) = (root.size().0, text.len());
    let mut joiner = Joiner {
        given,
        problems,
        joined,
        read: Vec::new(),
        way: Vec::new(),
        uses: 0,
        values,
        bytes,
        not_given: Vec::new(),
    };
    joiner.graph(&mut root, &Place { folder: "", scope: "", depth: 1 });
    let Joiner { not_given, uses, .. } = joiner;
    joined = joiner.joined;
    // They would hide that there are too many.
    for diagnostic in not_given.into_iter().filter(|_| uses <= MAX_FILES) {
        problems.push(diagnostic);
    }
    joined.root = Arc::new(root);
    joined
}

fn names_file(graph: &Spanned) -> bool {
    let is_file = |value: &Spanned| value.as_text().is_some() || names_file(value);
    nodes_of(graph).iter().flat_map(nested_graphs).any(is_file)
}

struct Place<'a> {
    folder: &'a str,
    scope: &'a str,
    depth: usize,
}

struct ReadFile {
    path: String,
    /// `None` if unusable.
    tree: Option<Spanned>,
    size: (usize, usize),
    bytes: usize,
    inputs: Vec<Entry>,
}

struct Joiner<'a, 't> {
    given: &'a PlanFiles,
    problems: &'a mut DiagnosticCollector,
    joined: JoinedPlan<'t>,
    read: Vec<ReadFile>,
    /// The surrounding files.
    way: Vec<String>,
    uses: usize,
    values: usize,
    bytes: usize,
    not_given: Vec<Diagnostic>,
}

impl Joiner<'_, '_> {
    fn graph(&mut self, graph: &mut Spanned, place: &Place<'_>) {
        let nodes = entry_mut(graph, "nodes").and_then(|nodes| entries_mut(&mut nodes.value));
        for node in nodes.into_iter().flatten() {
            let scope = scoped_name(place.scope, &node.key);
            let input = node.value.get("input").map(|entry| entry.value.clone());
            let given = GivenInput::Node(input.as_ref());
            for entry in entries_mut(&mut node.value).into_iter().flatten() {
                // Depth of the graph's nodes, the node, and the branches.
                let inner = Place { folder: place.folder, scope: &scope, depth: place.depth + 3 };
                match entry.key.as_str() {
                    "graph" => self.nested(&mut entry.value, &inner, &scope, given),
                    "do" => self.nested(&mut entry.value, &inner, &scope, GivenInput::Element),
                    BRANCHES => {
                        for branch in entries_mut(&mut entry.value).into_iter().flatten() {
                            let name = scoped_name(&scope, &branch.key);
                            let inner = Place { scope: &name, depth: place.depth + 4, ..inner };
                            self.nested(&mut branch.value, &inner, &scope, given);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn nested(&mut self, value: &mut Spanned, place: &Place<'_>, node: &str, input: GivenInput<'_>) {
        let Some(written) = value.as_text() else { return self.graph(value, place) };
        match self.file(written, value.span, place) {
            Ok((index, path)) => {
                let Some(read) = self.read.get(index) else { return };
                let Some(tree) = &read.tree else { return };
                *value = tree.clone();
                for diagnostic in missing_inputs(&read.inputs, input, &path) {
                    self.problems.push(diagnostic.on(Target::Node(node.to_owned())));
                }
                self.way.push(path.clone());
                self.graph(value, &Place { folder: folder_of(&path), ..*place });
                self.way.pop();
            }
            Err(diagnostic) => {
                let diagnostic = diagnostic.at(value.span).on(Target::Node(node.to_owned()));
                if diagnostic.code == Code::FileNotGiven {
                    self.not_given.push(diagnostic);
                } else {
                    self.problems.push(diagnostic);
                }
            }
        }
    }

    fn file(&mut self, written: &str, span: Span, place: &Place<'_>) -> Result<(usize, String), Diagnostic> {
        let path = resolve_path(place.folder, written).map_err(|error| path_error(error, written))?;
        if let Some(first) = self.way.iter().position(|outer| *outer == path) {
            return Err(runs_itself(self.way.get(first..).unwrap_or_default(), &path));
        }
        self.uses += 1;
        if self.uses > MAX_FILES {
            // The host reads no more files for a plan that can't run.
            self.joined.missing.clear();
            let message = format!("the plan runs more than {MAX_FILES} files");
            return Err(Diagnostic::new(Code::FileTooMany, message)
                .help("run fewer files; a file counts as often as it is named"));
        }
        let index = match self.read.iter().position(|read| read.path == path) {
            Some(known) => {
                self.problems.skip_repeated();
                known
            }
            None => self.read_file(&path, span)?,
        };
        let (size, bytes) = self.read.get(index).map(|read| (read.size, read.bytes)).unwrap_or_default();
        self.values += size.0;
        self.bytes += bytes;
        if self.values > MAX_VALUES || self.bytes > MAX_BYTES {
            return Err(too_large());
        }
        if place.depth + size.1 > MAX_DEPTH {
            let message =
                format!("lists and maps are nested more than {MAX_DEPTH} deep, with the files inside");
            return Err(Diagnostic::new(Code::SourceTooDeep, message).help("nest fewer files"));
        }
        Ok((index, path))
    }

    /// Appends the text of a new file.
    fn read_file(&mut self, path: &str, named_at: Span) -> Result<usize, Diagnostic> {
        let shown = shorten_name(path);
        let text = match self.given.get(path) {
            Some(FileText::Text(text)) => text,
            Some(FileText::Outside) => return Err(outside_folder(&shown)),
            Some(FileText::Unreadable(reason)) => {
                let message = format!("can't read `{shown}`: {}", shorten_name(reason));
                return Err(Diagnostic::new(Code::FileUnreadable, message)
                    .help("check the path, which is relative to this file"));
            }
            None => {
                if !self.joined.missing.iter().any(|missing| missing == path) {
                    self.joined.missing.push(path.to_owned());
                }
                return Err(not_given(&shown, self.given.is_optional));
            }
        };
        if self.joined.text.len() + text.len() >= MAX_BYTES {
            return Err(too_large());
        }
        let format = if path.rsplit('.').next() == Some("json") { Format::Json } else { Format::Auto };
        let document = parse(text, format);
        let joined = self.joined.text.to_mut();
        joined.push('\n');
        let start = joined.len();
        joined.push_str(text);
        let span = Span::new(start, start + text.len());
        self.joined.files.push(SourceFile { path: path.to_owned(), span, named_at });
        let mut found = document.diagnostics;
        for span in found.iter_mut().flat_map(Diagnostic::spans_mut) {
            *span = span.shifted(start);
        }
        self.problems.add_reading(found, &self.joined.text);
        let root = document.root.map(|mut root| {
            root.shift(start);
            root
        });
        let bytes = text.len();
        let mut read =
            ReadFile { path: path.to_owned(), tree: None, size: (0, 0), bytes, inputs: Vec::new() };
        if let Some(mut root) = root.filter(|root| self.is_plan(root)) {
            self.read_settings(path, &root);
            read.inputs =
                root.get("inputs").and_then(|entry| entry.value.as_map()).unwrap_or_default().to_vec();
            drop_own_keys(&mut root);
            if !read.inputs.is_empty() {
                self.joined.inputs.push((root.span, read.inputs.clone()));
            }
            read.size = root.size();
            read.tree = Some(root);
        }
        self.read.push(read);
        Ok(self.read.len() - 1)
    }

    /// Accepts maps and empty files, reports the rest.
    fn is_plan(&mut self, root: &Spanned) -> bool {
        root.is_null() || MapReader::new(root, "a plan", Target::Document, self.problems).is_some()
    }

    /// Keys that nested graphs lack.
    fn read_settings(&mut self, path: &str, root: &Spanned) {
        let Some(map) = MapReader::new(root, "a plan", Target::Document, &mut DiagnosticCollector::default())
        else {
            return;
        };
        let mut reader = Reader {
            source: &self.joined.text,
            problems: self.problems,
            scope: String::new(),
            way: Vec::new(),
        };
        reader.format(&map);
        map.text("id", reader.problems);
        map.text("description", reader.problems);
        reader.limits(&map);
        reader.inputs(&map);
        let servers = reader.servers(&map);
        self.joined.settings.push(FileSettings::new(path, servers, root));
    }
}

/// Keys dropped from joined files.
const OWN_KEYS: [&str; 8] = ["id", "format", "description", "inputs", "servers", "limits", "layout", "tests"];

/// Unknown keys stay, to be reported.
fn drop_own_keys(root: &mut Spanned) {
    if root.is_null() {
        root.kind = ValueKind::Map(Vec::new());
    }
    if let ValueKind::Map(entries) = &mut root.kind {
        entries.retain(|entry| {
            !OWN_KEYS.contains(&entry.key.as_str()) && !crate::key::is_extension_key(&entry.key)
        });
    }
}

fn entries_mut(value: &mut Spanned) -> Option<&mut Vec<Entry>> {
    match &mut value.kind {
        ValueKind::Map(entries) => Some(entries),
        _ => None,
    }
}

fn entry_mut<'v>(value: &'v mut Spanned, key: &str) -> Option<&'v mut Entry> {
    entries_mut(value)?.iter_mut().find(|entry| entry.key == key)
}

fn path_error(error: PathError, written: &str) -> Diagnostic {
    let shown = shorten_name(written);
    let invalid = |what: &str, help: &str| Diagnostic::new(Code::FileInvalidPath, what).help(help);
    match error {
        PathError::Template => invalid(
            &format!("`{shown}` is a template, and a file has a constant path"),
            "write the path, as in `./other.yaml`; for a choice use edges with conditions",
        ),
        PathError::Url => invalid(
            &format!("`{shown}` is an address, and a plan runs files of its own folder"),
            "save the file beside the plan, and write its path, as in `./other.yaml`",
        ),
        PathError::Absolute => invalid(
            &format!("`{shown}` is an absolute path"),
            "write the path relative to this file, as in `./other.yaml`",
        ),
        PathError::Separator => invalid(
            &format!("`{shown}` has a sign that no path of a plan has"),
            "write `/` between folders, as in `sub/other.yaml`",
        ),
        PathError::Outside => outside_folder(&shown),
        PathError::Ending => {
            let message = format!("`{shown}` is neither a graph nor the path of a plan file");
            Diagnostic::new(Code::FileUnknownEnding, message)
                .help("name a file that ends in `.yaml`, `.yml` or `.json`, or write a map with `nodes`")
        }
    }
}

fn outside_folder(shown: &str) -> Diagnostic {
    Diagnostic::new(Code::FileOutside, format!("`{shown}` is outside the folder of the plan"))
        .help("move the file into the folder of the plan, or below it")
}

fn not_given(shown: &str, is_optional: bool) -> Diagnostic {
    if is_optional {
        let message = format!("`{shown}` is not known here, so its nodes are not checked");
        let diagnostic =
            Diagnostic::new(Code::FileNotGiven, message).help("check the plan by `stepgraph check`");
        return Diagnostic { severity: Severity::Hint, ..diagnostic };
    }
    Diagnostic::new(Code::FileNotGiven, format!("the text of `{shown}` was not given"))
        .help("give it by `files`, load the plan with `read`, or write the graph into the plan")
}

fn too_large() -> Diagnostic {
    let message =
        format!("the plan and its files are larger than {} MiB, or hold too many values", MAX_BYTES >> 20);
    Diagnostic::new(Code::FileTooLarge, message).help("move large data out of the files")
}

fn runs_itself(way: &[String], path: &str) -> Diagnostic {
    let names = way.iter().map(String::as_str).chain([path]);
    let shown = names.map(|name| format!("`{}`", shorten_name(name))).collect_vec().join(" → ");
    Diagnostic::new(Code::FileCircle, format!("`{}` runs itself: {shown}", shorten_name(path)))
        .help("end the circle: no file can contain itself")
}
