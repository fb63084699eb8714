//! Parses field text. Invalid text stays in the field and leaves the plan unchanged.

use super::{Control, Field};
use crate::i18n::Lang;
use serde_json::Value as Json;
use stepgraph_core::expression::{Condition, Error, Template};
use stepgraph_core::json;
use stepgraph_core::source::{Format, parse as read_source};
use stepgraph_core::value::{json_text, number_text};

/// Why text is invalid.
#[derive(Debug, Clone, PartialEq)]
pub enum InputError {
    /// Not a number.
    NotANumber,
    /// Not an integer.
    NotAnInteger,
    /// Below this minimum.
    TooSmall(f64),
    /// Above this maximum.
    TooLarge(f64),
    /// Message and help.
    Invalid(String, Option<String>),
}

/// `None` removes the field.
pub type ParsedInput = Result<Option<Json>, InputError>;

/// Text in the control.
pub fn control_text(field: &Field) -> String {
    if let Some(source) = &field.source {
        return source.clone();
    }
    match &field.value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.as_f64().map(number_text).unwrap_or_default(),
        Some(other) => json_text(other),
    }
}

/// Parses a field.
pub fn parse_field(field: &Field, text: &str) -> ParsedInput {
    let is_needed = field.is_required || field.is_removable;
    match &field.control {
        _ if field.is_template && text.contains("${") => parse_template(text).map(Some),
        Control::Number { min, max, is_integer } => parse_number(text, *min, *max, *is_integer),
        Control::Raw => parse_raw(text),
        Control::Condition => parse_condition(text),
        // Emptying keeps removable entries. A button removes them.
        _ if text.is_empty() && !is_needed => Ok(None),
        Control::Text { .. } if field.is_template => parse_template(text).map(Some),
        Control::Combobox(_) if text.trim().is_empty() => Ok(None),
        _ => Ok(Some(Json::from(text))),
    }
}

fn parse_number(text: &str, min: Option<f64>, max: Option<f64>, is_integer: bool) -> ParsedInput {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let value = json::parse(text).filter(Json::is_number).ok_or(InputError::NotANumber)?;
    let number = value.as_f64().ok_or(InputError::NotANumber)?;
    if is_integer && number.fract() != 0.0 {
        return Err(InputError::NotAnInteger);
    }
    if let Some(min) = min.filter(|min| number < *min) {
        return Err(InputError::TooSmall(min));
    }
    if let Some(max) = max.filter(|max| number > *max) {
        return Err(InputError::TooLarge(max));
    }
    Ok(Some(value))
}

fn parse_raw(text: &str) -> ParsedInput {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let read = read_source(text, Format::Auto);
    match (read.root, read.diagnostics.iter().find(|problem| problem.is_error())) {
        (Some(root), None) => Ok(Some(root.to_json())),
        (_, problem) => {
            let said = problem.map(|problem| (problem.message.clone(), problem.help.clone()));
            let (message, help) = said.unwrap_or_default();
            Err(InputError::Invalid(message, help))
        }
    }
}

fn parse_condition(text: &str) -> ParsedInput {
    Condition::parse(text).map_err(|error| to_input_error(&error))?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()).map(Json::from))
}

fn parse_template(text: &str) -> Result<Json, InputError> {
    Template::parse(text).map_err(|error| to_input_error(&error))?;
    Ok(Json::from(text))
}

fn to_input_error(error: &Error) -> InputError {
    InputError::Invalid(error.message.clone(), error.help.clone())
}

impl InputError {
    /// Message with help.
    pub fn message(&self, lang: Lang) -> String {
        let es = lang == Lang::Es;
        let with = |start: &str, number: f64| [start, &number_text(number)].concat();
        match self {
            Self::NotANumber if es => "no es un número: escribe uno como 12 o 0.5".to_owned(),
            Self::NotANumber => "this is no number: write one such as 12 or 0.5".to_owned(),
            Self::NotAnInteger if es => "no es un número entero: quita la fracción".to_owned(),
            Self::NotAnInteger => "this is no whole number: leave out the fraction".to_owned(),
            Self::TooSmall(min) if es => with("es demasiado pequeño: escribe al menos ", *min),
            Self::TooSmall(min) => with("this is too small: write at least ", *min),
            Self::TooLarge(max) if es => with("es demasiado grande: escribe como máximo ", *max),
            Self::TooLarge(max) => with("this is too large: write at most ", *max),
            Self::Invalid(message, help) => match help {
                Some(help) => [message, ": ", help].concat(),
                None => message.clone(),
            },
        }
    }
}
