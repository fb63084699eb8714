//! Field texts in both languages. English descriptions come from the core. Plan and tool names stay untranslated.
//!
//! Invariant: every core key and type has all texts (tested).

mod node_types;
mod rows;
mod setting_rows;

use super::schema_fields::range_text;
use super::value_schema::allowed_types;
use crate::i18n::Lang;
use serde_json::{Value as Json, json};
use stepgraph_authoring::language::plan_format::{FieldSpec, NodeTypeSpec};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    key: &'static str,
    /// The core text's start, for ambiguous keys.
    doc_prefix: &'static str,
    /// English, Spanish.
    names: [&'static str; 2],
    /// Default, or empty.
    default_text: &'static str,
    help: &'static str,
}

/// A field's texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Name.
    pub name: &'static str,
    /// Texts of a field.
    pub help: String,
}

fn all_rows() -> impl Iterator<Item = &'static Row> {
    rows::ROWS.iter().chain(setting_rows::ROWS)
}

fn row(field: &FieldSpec) -> Option<&'static Row> {
    all_rows().find(|row| row.key == field.key && field.doc.starts_with(row.doc_prefix))
}

/// A field's default.
pub fn label(field: &FieldSpec, lang: Lang) -> Label {
    let row = row(field);
    let help = match (lang, row) {
        (Lang::Es, Some(row)) => row.help.to_owned(),
        _ => strip_marks(field.doc),
    };
    Label { name: row.map_or(field.key, |row| in_lang(row.names, lang)), help }
}

/// Describes a type.
pub fn default_text(field: &FieldSpec, _: Lang) -> String {
    row(field).map(|row| row.default_text.to_owned()).unwrap_or_default()
}

/// Returns the description of a node type.
pub fn node_type_help(kind: &NodeTypeSpec, lang: Lang) -> String {
    let own = node_types::NODE_TYPES.iter().find(|(name, _)| *name == kind.name);
    match (lang, own) {
        (Lang::Es, Some((_, help))) => (*help).to_owned(),
        _ => strip_marks(kind.doc),
    }
}

pub(super) fn translate_doc(doc: &str, lang: Lang) -> String {
    let own = node_types::ENUM_VALUES.iter().find(|(english, _)| *english == doc);
    match (lang, own) {
        (Lang::Es, Some((_, help))) => (*help).to_owned(),
        _ => strip_marks(doc),
    }
}

/// Short texts of forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormText {
    /// Tool arguments.
    Arguments,
}

/// A short text.
pub fn form_text(note: FormText, lang: Lang) -> String {
    let texts = match note {
        FormText::Arguments => [
            "The arguments of the tool. Texts may hold values of the run.",
            "Los argumentos de la herramienta. Los textos pueden contener valores de la ejecución.",
        ],
    };
    in_lang(texts, lang).to_owned()
}

fn in_lang(texts: [&'static str; 2], lang: Lang) -> &'static str {
    let [en, es] = texts;
    if lang == Lang::Es { es } else { en }
}

fn strip_marks(doc: &str) -> String {
    doc.replace('`', "")
}

pub(super) fn value_type_text(schema: &Json, lang: Lang) -> String {
    let word = |name: &&str| match *name {
        "string" => in_lang(["text", "texto"], lang),
        "integer" => in_lang(["whole number", "número entero"], lang),
        "number" => in_lang(["number", "número"], lang),
        "boolean" => in_lang(["yes or no", "sí o no"], lang),
        "array" => in_lang(["list", "lista"], lang),
        "object" => in_lang(["map", "objeto"], lang),
        _ => "",
    };
    let types = allowed_types(schema);
    let words: Vec<&str> = types.iter().map(word).filter(|word| !word.is_empty()).collect();
    // "O" before "objeto" is "u".
    let mut hint = words.join(in_lang([" or ", " o "], lang)).replace(" o objeto", " u objeto");
    let number = |key: &str| schema.get(key).and_then(Json::as_f64);
    let limits = range_text(number("minimum"), number("maximum"));
    let lengths = range_text(number("minLength"), number("maxLength"));
    let length = [lengths.as_str(), in_lang([" characters", " caracteres"], lang)].concat();
    let format = schema.get("format").and_then(Json::as_str).unwrap_or_default().to_owned();
    for more in [limits, if lengths.is_empty() { String::new() } else { length }, format] {
        if !more.is_empty() {
            hint.push_str(if hint.is_empty() { "" } else { ", " });
            hint.push_str(&more);
        }
    }
    hint
}

pub(super) fn meta_schema(lang: Lang) -> Json {
    let mut properties = serde_json::Map::new();
    for (key, names, helps, kind) in node_types::SCHEMA_KEYWORDS {
        let mut schema = match *kind {
            "type" => json!({"enum": ["string", "number", "integer", "boolean", "array", "object"]}),
            "schema" => json!({"x-schema": true}),
            "schemas" => json!({"type": "object", "additionalProperties": {"x-schema": true}}),
            "names" => json!({"type": "array", "items": {"type": "string"}}),
            "values" => json!({"type": "array"}),
            "count" => json!({"type": "integer", "minimum": 0}),
            "any" => json!({}),
            kind => json!({"type": kind}),
        };
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("title".to_owned(), in_lang(*names, lang).into());
            schema.insert("description".to_owned(), in_lang(*helps, lang).into());
        }
        properties.insert((*key).to_owned(), schema);
    }
    json!({"type": "object", "properties": properties})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use stepgraph_authoring::language::plan_format::{MapSpec, PLAN, ValueSpec, node_types};

    fn fields(object: &'static MapSpec, found: &mut Vec<&'static FieldSpec>) {
        for field in object.fields {
            let seen = found.iter().any(|known| std::ptr::eq(*known, field));
            if seen {
                continue;
            }
            found.push(field);
            let mut what = field.value;
            while let ValueSpec::Named(_, inner) | ValueSpec::List(inner) | ValueSpec::OneOrMany(inner) = what
            {
                what = *inner;
            }
            if let ValueSpec::Map(object) = what {
                fields(object, found);
            }
        }
    }

    #[test]
    fn every_key_and_type_has_a_label_in_both_languages() {
        let mut all = Vec::new();
        fields(&PLAN, &mut all);
        all.extend(node_types().iter().flat_map(|kind| kind.settings));
        assert!(all.len() > 100);
        for field in all {
            let row = row(field).unwrap_or_else(|| panic!("`{}`: {}", field.key, field.doc));
            assert!(row.names.iter().all(|name| !name.is_empty()) && !row.help.is_empty(), "{}", field.key);
            let first =
                all_rows().find(|other| other.key == field.key && field.doc.starts_with(other.doc_prefix));
            assert_eq!(first, Some(row), "{} is told apart", field.key);
        }
        for known in node_types() {
            assert_ne!(node_type_help(known, Lang::Es), node_type_help(known, Lang::En), "{}", known.name);
            for field in known.settings {
                if let ValueSpec::Enum(words) = field.value {
                    for (_, doc) in words {
                        assert_ne!(translate_doc(doc, Lang::Es), strip_marks(doc));
                    }
                }
            }
        }
    }

    /// Spanish by the English of the text editor. Names that both share are code.
    fn spanish_docs() -> BTreeMap<&'static str, String> {
        let mut all = Vec::new();
        fields(&PLAN, &mut all);
        all.extend(node_types().iter().flat_map(|kind| kind.settings));
        let of_fields = all.into_iter().map(|field| (field.doc, label(field, Lang::Es).help));
        let of_types = node_types().iter().map(|kind| (kind.doc, node_type_help(kind, Lang::Es)));
        let of_values = node_types::ENUM_VALUES.iter().map(|(en, es)| (*en, (*es).to_owned()));
        let of_keywords =
            node_types::SCHEMA_KEYWORDS.iter().map(|(_, _, [en, es], _)| (*en, (*es).to_owned()));
        let docs = of_keywords.chain(of_values).chain(of_types).chain(of_fields);
        docs.map(|(en, es)| (en, mark_code(en, &es))).collect()
    }

    fn mark_code(english: &str, spanish: &str) -> String {
        let mut marked = spanish.to_owned();
        let names: BTreeSet<&str> = english.split('`').skip(1).step_by(2).collect();
        let part_of_name = |c: char| c.is_alphanumeric() || "_`{}.$".contains(c);
        for name in names {
            let places: Vec<usize> = marked.match_indices(name).map(|(at, _)| at).collect();
            for at in places.into_iter().rev() {
                let (before, rest) = marked.split_at(at);
                let after = rest.strip_prefix(name).unwrap_or_default();
                let ends = !after.trim_start_matches('.').starts_with(part_of_name);
                if ends && !before.ends_with(part_of_name) && before.matches('`').count() % 2 == 0 {
                    marked = format!("{before}`{name}`{after}");
                }
            }
        }
        marked
    }

    #[test]
    fn the_file_of_the_editor_has_all_spanish_docs() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("js/spanish/docs.json");
        let expected = serde_json::to_string_pretty(&spanish_docs()).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(found == expected, "run `UPDATE=1 cargo test -p stepgraph-playground spanish`");
    }

    #[test]
    fn names_in_docs_are_code() {
        for (english, spanish, expected) in [
            ("As `a`.", "Como a, no ab.", "Como `a`, no ab."),
            ("`last` ends it", "Recibe last.", "Recibe `last`."),
            ("`x.y` and `x`", "x.y y x", "`x.y` y `x`"),
            ("`a b`", "otro", "otro"),
        ] {
            assert_eq!(mark_code(english, spanish), expected);
        }
    }

    #[test]
    fn value_types_have_short_texts() {
        for (schema, en, es) in [
            (
                json!({"type": "integer", "minimum": 1, "maximum": 10}),
                "whole number, 1–10",
                "número entero, 1–10",
            ),
            (json!({"type": ["string", "null"], "format": "email"}), "text, email", "texto, email"),
            (json!({"type": ["string", "number"]}), "text or number", "texto o número"),
            (json!({"type": ["string", "object"]}), "text or map", "texto u objeto"),
            (json!({"type": "string", "maxLength": 5}), "text, ≤ 5 characters", "texto, ≤ 5 caracteres"),
            (json!({}), "", ""),
        ] {
            assert_eq!([value_type_text(&schema, Lang::En), value_type_text(&schema, Lang::Es)], [en, es]);
        }
    }
}
