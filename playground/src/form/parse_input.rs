//! What is typed into a field, before it is a value.
//!
//! Decides whether it is one yet. What isn't stays in the field with its mistake beside it, and nothing is written.

use super::{Control, Field};
use crate::i18n::Lang;
use serde_json::Value as Json;
use stepgraph_core::expr::{Condition, ExprError, Template};
use stepgraph_core::json;
use stepgraph_core::source::{Format, parse as read_source};
use stepgraph_core::value::{json_text, number_text};

/// Why what is typed is no value yet.
#[derive(Debug, Clone, PartialEq)]
pub enum InputError {
    /// It is no number.
    NotANumber,
    /// It is no whole number.
    NotAnInteger,
    /// It is smaller than that.
    TooSmall(f64),
    /// It is larger than that.
    TooLarge(f64),
    /// It can't be read: what is wrong, and how to mend it.
    Invalid(String, Option<String>),
}

/// What is read of what is typed: a value, or nothing where the field is to be left out.
pub type ParsedInput = Result<Option<Json>, InputError>;

/// A field's value as its control shows it.
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

/// Reads what is typed into a field.
///
/// # Errors
/// Why it is no value yet.
pub fn parse_field(field: &Field, text: &str) -> ParsedInput {
    let is_needed = field.is_required || field.is_removable;
    match &field.control {
        _ if field.is_template && text.contains("${") => parse_template(text).map(Some),
        Control::Number { min, max, is_integer } => parse_number(text, *min, *max, *is_integer),
        Control::Raw => parse_raw(text),
        Control::Condition => parse_condition(text),
        // An entry that is emptied is still there: taking it away is another button.
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

fn to_input_error(error: &ExprError) -> InputError {
    InputError::Invalid(error.message.clone(), error.help.clone())
}

impl InputError {
    /// What is wrong, and how to mend it, in words.
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
