//! Compiles schemas: finds subschemas, registers names, and resolves references.
//!
//! [`super::keyword`] handles other keywords.
//!
//! Invariants:
//! 1. A work list avoids recursion, so no schema is too deep.
//! 2. Each location is compiled once, so compilation ends.
//!
//! Source: JSON Schema 2020-12 Core, sections 8 and 9.

use super::instance::{escape, steps};
use super::keyword::{self, SubschemaKind};
use super::rule::{Resource, Subschema};
use super::{MAX_VIOLATIONS, Patterns, Resources, Schema, SchemaError, uri};
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_text::diagnostic::shorten_name;

/// Subschemas, including those of other documents.
const MAX_NODES: usize = 50_000;

const VOCABULARY: &str = "https://json-schema.org/draft/2020-12/vocab/";

pub(super) struct PendingSubschema<'a> {
    pub(super) json: &'a Json,
    pub(super) node: Subschema,
}

pub(super) struct Compiler<'a> {
    resources: &'a dyn Resources,
    pub(super) patterns: Patterns,
    pub(super) pattern_work: usize,
    pub(super) pending: Vec<PendingSubschema<'a>>,
    pub(super) rooms: Vec<Resource>,
    documents: Vec<String>,
    /// Keyed by resource URI, URI with anchor, or document with pointer.
    names: HashMap<String, usize>,
    errors: Vec<SchemaError>,
    /// Whether some rule needs evaluated children.
    pub(super) tracks_evaluated: bool,
    /// Whether to skip invalid parts.
    pub(super) is_lenient: bool,
}

/// An erroneous schema is usable only if compiled leniently.
pub(super) fn compile(
    schema: &Json,
    resources: &dyn Resources,
    patterns: Patterns,
    tolerant: bool,
) -> (Schema, Vec<SchemaError>) {
    let mut compiler = Compiler {
        resources,
        patterns,
        pattern_work: 0,
        pending: Vec::new(),
        rooms: Vec::new(),
        documents: Vec::new(),
        names: HashMap::new(),
        errors: Vec::new(),
        tracks_evaluated: false,
        is_lenient: tolerant,
    };
    compiler.load(schema, String::new());
    // References add locations while the loop runs.
    let mut at = 0;
    while at < compiler.pending.len() && (tolerant || compiler.errors.len() < MAX_VIOLATIONS) {
        let rules = keyword::compile_rules(&mut compiler, at);
        if let Some(draft) = compiler.pending.get_mut(at) {
            draft.node.rules = rules;
        }
        at += 1;
    }
    let mut nodes = Vec::with_capacity(compiler.pending.len());
    for draft in compiler.pending {
        nodes.push(draft.node);
    }
    let Compiler { rooms, documents, errors, tracks_evaluated: tracks, .. } = compiler;
    (Schema { nodes, resources: rooms, documents, tracks_evaluated: tracks }, errors)
}

impl<'a> Compiler<'a> {
    /// Registers and scans a document.
    fn load(&mut self, json: &'a Json, uri: String) {
        self.rooms.push(Resource { uri: uri.clone(), asserts: true, older: false, ..Resource::default() });
        self.names.insert(uri.clone(), self.pending.len());
        self.documents.push(uri);
        let (document, resource) = (self.documents.len() - 1, self.rooms.len() - 1);
        self.scan(json, document, resource, String::new());
    }

    /// Registers all subschemas below.
    fn scan(&mut self, json: &'a Json, document: usize, resource: usize, pointer: String) {
        let mut work = vec![(json, resource, pointer)];
        while let Some((json, resource, pointer)) = work.pop() {
            let number = self.pending.len();
            let name = self.location_name(document, &pointer);
            if self.names.contains_key(&name) {
                continue;
            }
            if number >= MAX_NODES {
                self.error(pointer, format!("the schema has more than {MAX_NODES} parts"));
                return;
            }
            self.names.insert(name, number);
            let resource = self.register(json, number, resource);
            for (keyword, holds) in keyword::SUBSCHEMAS {
                let Some(value) = json.get(keyword) else { continue };
                let under = [&pointer, "/", keyword].concat();
                match (holds, value) {
                    (SubschemaKind::Map, Json::Object(map)) => {
                        for (key, value) in map {
                            work.push((value, resource, [&under, "/", &escape(key)].concat()));
                        }
                    }
                    (SubschemaKind::List | SubschemaKind::One, Json::Array(items)) => {
                        for (at, item) in items.iter().enumerate() {
                            work.push((item, resource, [&under, "/", &at.to_string()].concat()));
                        }
                    }
                    (SubschemaKind::One, _) => work.push((value, resource, under)),
                    _ => {}
                }
            }
            let node = Subschema { rules: Vec::new(), resource, document, pointer };
            self.pending.push(PendingSubschema { json, node });
        }
    }

    /// Returns the resource, a new one for an `$id`.
    fn register(&mut self, json: &'a Json, number: usize, mut resource: usize) -> usize {
        let text = |key: &str| json.get(key).and_then(Json::as_str);
        if let Some(id) = text("$id") {
            let base = self.rooms.get(resource).map_or("", |room| &room.uri);
            let (uri, _) = uri::resolve(base, id);
            let (asserts, older) = self.rooms.get(resource).map_or((true, false), |r| (r.asserts, r.older));
            if !self.names.contains_key(&uri) {
                self.names.insert(uri.clone(), number);
            }
            self.rooms.push(Resource { uri, dynamic: Vec::new(), asserts, older });
            resource = self.rooms.len() - 1;
        }
        let (asserts, older) = text("$schema").map_or((None, false), |dialect| self.dialect(dialect));
        let Some(room) = self.rooms.get_mut(resource) else { return resource };
        room.asserts = asserts.unwrap_or(room.asserts);
        room.older |= older;
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(key) {
                self.names.insert([&room.uri, "#", anchor].concat(), number);
            }
        }
        if let Some(anchor) = text("$dynamicAnchor") {
            room.dynamic.push((anchor.to_owned(), number));
        }
        resource
    }

    fn dialect(&mut self, uri: &str) -> (Option<bool>, bool) {
        let older = uri.starts_with("http://json-schema.org/draft-0")
            || uri.starts_with("https://json-schema.org/draft/2019-09/");
        let Some(meta) = self.resources.get(uri) else { return (None, older) };
        let Some(vocabularies) = meta.get("$vocabulary").and_then(Json::as_object) else {
            return (None, older);
        };
        let mut asserts = false;
        for (name, needed) in vocabularies {
            match name.strip_prefix(VOCABULARY) {
                Some(known) => asserts |= known == "validation",
                None if *needed == Json::Bool(true) => {
                    let message = format!("`{}` asks for a vocabulary that is not known", shorten_name(name));
                    self.error("/$schema".to_owned(), message);
                }
                None => {}
            }
        }
        (Some(asserts), older)
    }

    /// Returns the target and the anchor of the reference, or an empty text.
    pub(super) fn resolve(&mut self, from: usize, reference: &str) -> Option<(usize, String)> {
        let base = self.pending.get(from).and_then(|pending| self.rooms.get(pending.node.resource));
        let (uri, fragment) = uri::resolve(base.map_or("", |room| &room.uri), reference);
        if !self.names.contains_key(&uri) {
            let resources = self.resources;
            self.load(resources.get(&uri)?, uri.clone());
        }
        let root = *self.names.get(&uri)?;
        if fragment.is_empty() {
            return Some((root, String::new()));
        }
        if fragment.starts_with('/') {
            return Some((self.node_at(root, &fragment)?, String::new()));
        }
        let target = self.names.get(&[&uri, "#", fragment.as_str()].concat())?;
        Some((*target, fragment))
    }

    pub(super) fn is_dynamic(&self, node: usize, anchor: &str) -> bool {
        let room = self.pending.get(node).and_then(|pending| self.rooms.get(pending.node.resource));
        room.is_some_and(|room| room.dynamic.iter().any(|(name, at)| name == anchor && *at == node))
    }

    /// Also scans locations that no keyword marks as schemas.
    fn node_at(&mut self, root: usize, fragment: &str) -> Option<usize> {
        let start = &self.pending.get(root)?.node;
        let (document, mut pointer) = (start.document, start.pointer.clone());
        let mut resource = start.resource;
        let mut json = self.pending.get(root)?.json;
        for step in steps(fragment) {
            json = match json {
                Json::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                json => json.get(step.as_str())?,
            };
            pointer = [&pointer, "/", &escape(&step)].concat();
            if let Some(node) = self.names.get(&self.location_name(document, &pointer)) {
                resource = self.pending.get(*node).map_or(resource, |pending| pending.node.resource);
            }
        }
        let name = self.location_name(document, &pointer);
        if !self.names.contains_key(&name) {
            self.scan(json, document, resource, pointer);
        }
        self.names.get(&name).copied()
    }

    pub(super) fn child(&self, of: usize, pointer: &str) -> Option<usize> {
        let node = &self.pending.get(of)?.node;
        self.names.get(&self.location_name(node.document, &[&node.pointer, pointer].concat())).copied()
    }

    /// The `/` after `#` distinguishes locations from resource names.
    fn location_name(&self, document: usize, pointer: &str) -> String {
        [self.documents.get(document).map_or("", String::as_str), "#/", pointer].concat()
    }

    pub(super) fn keyword_error(&mut self, node: usize, keyword: &str, message: String) {
        let path = self.pending.get(node).map(|pending| {
            let document = self.documents.get(pending.node.document).filter(|name| !name.is_empty());
            let document = document.map(|name| [name, "#"].concat()).unwrap_or_default();
            let slash = if keyword.is_empty() { "" } else { "/" };
            [&document, &pending.node.pointer, slash, keyword].concat()
        });
        self.error(path.unwrap_or_default(), message);
    }

    fn error(&mut self, path: String, message: String) {
        if self.errors.len() < MAX_VIOLATIONS {
            self.errors.push(SchemaError { path, message });
        }
    }
}
