//! Values whose strings may be templates.

use serde_json::Value as Json;
use stepgraph_expression::error::UNCLOSED_QUOTE;
use stepgraph_expression::template::foreign_template;
use stepgraph_expression::{Error, Template, TemplatePart, is_key_char};
use stepgraph_schema::Partial;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{DiagnosticCollector, Span, Target};
use stepgraph_text::source::source_map::SourceMap;
use stepgraph_text::source::{Spanned, ValueKind};

/// A value, perhaps with templates in strings.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateValue {
    /// No placeholders.
    Constant(Json),
    /// String with span.
    Template(Template, Span),
    /// A list with placeholders.
    List(Vec<TemplateValue>),
    /// A map with placeholders.
    Map(Vec<(String, TemplateValue)>),
}

impl TemplateValue {
    pub(super) fn parse(
        value: &Spanned,
        source: &str,
        target: &Target,
        diagnostics: &mut DiagnosticCollector,
    ) -> Self {
        match &value.kind {
            ValueKind::Text(text) => {
                let mut tell = |error: Error| {
                    let breaks_quote = has_escaped_break(&error, text, source, value.span);
                    let mut diagnostic = error.into_diagnostic(&SourceMap::new(source, value.span, text));
                    if breaks_quote {
                        diagnostic.help = Some(BREAK_HELP.to_owned());
                        diagnostic.fix.clear();
                    }
                    diagnostics.push(diagnostic.on(target.clone()));
                };
                let template = Template::parse_with(text, |_, _| true, &mut tell);
                let is_text = |span: Span| template.as_ref().is_none_or(|template| template.is_text(span));
                if let Some(doubt) = foreign_template(text).filter(|doubt| is_text(doubt.span)) {
                    tell(doubt);
                }
                if let Some(template) = template {
                    return Self::Template(template, value.span);
                }
                Self::Constant(Json::from(text.as_str()))
            }
            ValueKind::List(items) => {
                list(items.iter().map(|item| Self::parse(item, source, target, diagnostics)).collect_vec())
            }
            ValueKind::Map(entries) => map(entries
                .iter()
                .map(|entry| (entry.key.clone(), Self::parse(&entry.value, source, target, diagnostics)))
                .collect_vec()),
            _ => Self::Constant(value.to_json()),
        }
    }

    /// `is_hole` decides where placeholders start. Invalid text stays constant, reported in `broken`.
    pub fn from_json(
        value: &Json,
        is_hole: fn(&str, usize) -> bool,
        broken: &mut dyn FnMut(&str, &Error),
    ) -> Self {
        match value {
            Json::String(text) => {
                let mut is_broken = false;
                let template = Template::parse_with(text, is_hole, &mut |error| {
                    is_broken = true;
                    broken(text, &error);
                });
                match template.filter(|_| !is_broken) {
                    Some(template) => Self::Template(template, Span::default()),
                    None => Self::Constant(value.clone()),
                }
            }
            Json::Array(items) => {
                let mut texts = Vec::with_capacity(items.len());
                for item in items {
                    texts.push(Self::from_json(item, is_hole, broken));
                }
                list(texts)
            }
            Json::Object(entries) => {
                let mut texts = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    texts.push((key.clone(), Self::from_json(value, is_hole, broken)));
                }
                map(texts)
            }
            other => Self::Constant(other.clone()),
        }
    }

    /// One step of a path such as `.values.due[0]`, in which every other step is `[position]`.
    pub fn path_step(key: &str) -> String {
        let plain = !key.is_empty() && key.chars().all(is_key_char);
        if plain { format!(".{key}") } else { format!("[{}]", Json::from(key)) }
    }

    /// The template at such a path.
    pub fn template_span(&self, path: &str) -> Option<Span> {
        let below = |step: &str, value: &Self| value.template_span(path.strip_prefix(step)?);
        match self {
            Self::Constant(_) => None,
            Self::Template(_, span) => path.is_empty().then_some(*span),
            Self::List(items) => {
                items.iter().enumerate().find_map(|(index, item)| below(&format!("[{index}]"), item))
            }
            Self::Map(entries) => entries.iter().find_map(|(key, value)| below(&Self::path_step(key), value)),
        }
    }

    /// Text around placeholders is always text.
    pub fn to_partial(&self) -> Partial<'_> {
        match self {
            Self::Constant(json) => Partial::Known(json),
            Self::Template(template, _)
                if matches!(
                    *template.parts,
                    [TemplatePart::Placeholder { .. } | TemplatePart::Computed { .. }]
                ) =>
            {
                Partial::Unknown
            }
            Self::Template(..) => Partial::Text,
            Self::List(items) => {
                let mut parts = Vec::with_capacity(items.len());
                for item in items {
                    parts.push(item.to_partial());
                }
                Partial::List(parts)
            }
            Self::Map(entries) => {
                let mut parts = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    parts.push((key.as_str(), value.to_partial()));
                }
                Partial::Map(parts)
            }
        }
    }

    /// Returns the value if it has no placeholders.
    pub fn as_constant(&self) -> Option<&Json> {
        match self {
            Self::Constant(json) => Some(json),
            _ => None,
        }
    }

    /// A key's value.
    pub fn get(&self, key: &str) -> Option<Self> {
        match self {
            Self::Constant(Json::Object(map)) => map.get(key).cloned().map(Self::Constant),
            Self::Map(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
            }
            _ => None,
        }
    }

    /// Pairs templates with source values; `value` is this one's.
    pub(super) fn collect_templates<'a>(
        &'a self,
        value: &'a Spanned,
        templates: &mut Vec<(&'a Template, &'a Spanned)>,
    ) {
        match (self, &value.kind) {
            (Self::Template(template, _), _) => templates.push((template, value)),
            (Self::List(items), ValueKind::List(values)) => {
                items.iter().zip(values).for_each(|(item, value)| item.collect_templates(value, templates));
            }
            (Self::Map(items), ValueKind::Map(entries)) => {
                items
                    .iter()
                    .zip(entries)
                    .for_each(|((_, item), entry)| item.collect_templates(&entry.value, templates));
            }
            _ => {}
        }
    }

    fn into_constant(self) -> Option<Json> {
        match self {
            Self::Constant(json) => Some(json),
            _ => None,
        }
    }
}

const BREAK_HELP: &str = "in double quotes, YAML reads `\\n` as a line break: write `\\\\n`";

/// Whether a quote of an expression is open because YAML read `\n` as a line break.
#[inline(never)]
fn has_escaped_break(error: &Error, text: &str, source: &str, span: Span) -> bool {
    let raw = source.get(span.start..span.end).unwrap_or_default();
    let rest = text.get(error.span.start..).unwrap_or_default();
    error.message == UNCLOSED_QUOTE && rest.contains('\n') && raw.starts_with('"') && raw.contains("\\n")
}

// Moves constants: copies would copy a deep tree once per level.

fn list(items: Vec<TemplateValue>) -> TemplateValue {
    if items.iter().all(|item| item.as_constant().is_some()) {
        TemplateValue::Constant(items.into_iter().filter_map(TemplateValue::into_constant).collect())
    } else {
        TemplateValue::List(items)
    }
}

fn map(entries: Vec<(String, TemplateValue)>) -> TemplateValue {
    if entries.iter().all(|(_, value)| value.as_constant().is_some()) {
        let constants = entries.into_iter().filter_map(|(key, value)| Some((key, value.into_constant()?)));
        TemplateValue::Constant(Json::Object(constants.collect()))
    } else {
        TemplateValue::Map(entries)
    }
}
