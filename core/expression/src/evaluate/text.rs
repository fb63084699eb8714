//! Evaluates text functions. Positions count Unicode code points.

use super::operator::whole;
use super::{Evaluator, fault};
use crate::base::shorten_name;
use crate::error::{Error, OUT_OF_RANGE, TOO_COSTLY, TYPE};
use crate::function::Function;
use crate::pattern::Pattern;
use crate::value::{Fallible, Text, Val};
use crate::value_source::TextTest;

pub(crate) const JOIN_HELP: &str = "convert the elements, as in `list.map(x, string(x)).join(\", \")`";

const NO_NULL_HELP: &str = "leave it out, as in `list.filter(x, x != null)`";

const PATTERN_WORK: usize = 8;

/// Characters on the way to a position that are a step.
const POSITION_WORK: usize = 8;

struct Arguments<'a> {
    function: Function,
    texts: [&'a str; 3],
    /// `None` if omitted.
    numbers: [Option<i64>; 2],
}

/// The value before the dot first: `s` is text, `i` a whole number.
fn parameter_kinds(function: Function) -> &'static str {
    match function {
        Function::Replace => "sssi",
        Function::Split | Function::IndexOf | Function::LastIndexOf => "ssi",
        Function::Substring | Function::CharAt => "sii",
        _ => "ss",
    }
}

impl<'a> Evaluator<'a> {
    fn arguments(&mut self, function: Function, values: &[Val<'a>]) -> Fallible<Arguments<'a>> {
        let mut found = Arguments { function, texts: [""; 3], numbers: [None; 2] };
        let (mut texts, mut numbers) = (found.texts.iter_mut(), found.numbers.iter_mut());
        for (value, kind) in values.iter().zip(parameter_kinds(function).bytes()) {
            match (kind, value) {
                (b's', Val::Text(text)) => {
                    if let Some(slot) = texts.next() {
                        *slot = self.read(*text)?;
                    }
                }
                (b'i', value) if whole(value).is_some() => {
                    if let Some(slot) = numbers.next() {
                        *slot = whole(value);
                    }
                }
                (_, value) => return Err(Self::type_fault(function, value)),
            }
        }
        Ok(found)
    }

    pub(super) fn test_text(&mut self, function: Function, values: &[Val<'a>]) -> Fallible<Val<'a>> {
        let test = match function {
            Function::StartsWith => TextTest::StartsWith,
            Function::EndsWith => TextTest::EndsWith,
            _ => TextTest::Contains,
        };
        match values {
            [Val::Text(Text::Remote(id, path, _)), Val::Text(Text::Literal(part, number))] => {
                let part = (*part, *number);
                let (holds, length) = self.context.host.test_text(*id, path, test, part);
                self.charge_steps(length / 64)?;
                Ok(Val::Bool(holds))
            }
            [Val::Text(text), Val::Text(part)] => {
                let (text, part) = (self.read(*text)?, self.read(*part)?);
                Ok(Val::Bool(test.holds(text, part)))
            }
            [Val::Text(_), other] => Err(Self::type_fault(function, other)),
            [whole, part] if test == TextTest::Contains => {
                Ok(Val::Bool(self.contains_element(whole, part, function)?))
            }
            [other, ..] => Err(Self::type_fault(function, other)),
            [] => Ok(Val::Missing),
        }
    }

    pub(super) fn text_function(&mut self, function: Function, values: &[Val<'a>]) -> Fallible<Val<'a>> {
        let arguments = self.arguments(function, values)?;
        let Arguments { texts: [text, part, new], numbers: [number, second], .. } = arguments;
        if !matches!(function, Function::Split | Function::Replace) {
            // The way to a position takes longer than a copy of the text before it.
            for position in [number, second].into_iter().flatten() {
                let walked = usize::try_from(position).unwrap_or(0).min(text.len());
                self.charge_steps(walked / POSITION_WORK)?;
            }
        }
        let made = match function {
            Function::Matches => {
                let pattern = Pattern::parse(part);
                let pattern =
                    pattern.map_err(|message| Box::new(Pattern::error(&message, super::UNPLACED)))?;
                self.charge_steps(pattern.size())?;
                return self.run_pattern(text, &pattern);
            }
            Function::IndexOf | Function::LastIndexOf => return arguments.index_of(text, part, number),
            Function::Split => return self.split(text, part, to_limit(number)),
            Function::LowerAscii => text.to_ascii_lowercase(),
            Function::UpperAscii => text.to_ascii_uppercase(),
            Function::Trim => text.trim().to_owned(),
            Function::Replace => {
                let limit = to_limit(number);
                let count = text.matches(part).count().min(limit);
                // The result can be far longer than the arguments.
                self.charge_bytes(count.saturating_mul(new.len()))?;
                text.replacen(part, new, limit)
            }
            Function::CharAt => {
                let rest = arguments.rest(text, number)?;
                rest.chars().next().map(String::from).unwrap_or_default()
            }
            _ => {
                let rest = arguments.rest(text, number)?;
                let after = second.map_or(Ok(""), |end| arguments.rest(text, Some(end)))?;
                let length = rest.len().checked_sub(after.len());
                let part = length.and_then(|length| rest.get(..length));
                part.ok_or_else(|| fault(OUT_OF_RANGE, "`substring` ends before it starts"))?.to_owned()
            }
        };
        self.charge_bytes(made.len())?;
        Ok(self.new_text(made))
    }

    pub(super) fn matches_literal(&mut self, text: &Val<'a>, pattern: u32) -> Fallible<Val<'a>> {
        match (text, self.context.program.patterns.get(pattern as usize)) {
            (Val::Text(text), Some(pattern)) => {
                let text = self.read(*text)?;
                self.run_pattern(text, pattern)
            }
            (Val::Missing, _) | (_, None) => Ok(Val::Missing),
            (other, _) => Err(Self::type_fault(Function::Matches, other)),
        }
    }

    fn run_pattern(&mut self, text: &str, pattern: &Pattern) -> Fallible<Val<'a>> {
        let mut work = self.limits.steps.saturating_mul(PATTERN_WORK);
        let found = pattern.matches(text, &mut work);
        self.limits.steps = work / PATTERN_WORK;
        found.map(Val::Bool).ok_or_else(|| {
            let error = Error::new(TOO_COSTLY, super::UNPLACED, "the evaluation takes too many steps");
            Box::new(error.help("match a shorter text, or a simpler pattern"))
        })
    }

    fn split(&mut self, text: &'a str, separator: &str, limit: usize) -> Fallible<Val<'a>> {
        let mut parts = Vec::new();
        let mut rest = Some(text).filter(|text| !(separator.is_empty() && text.is_empty()));
        while let Some(left) = rest.filter(|_| parts.len() < limit) {
            let is_last = parts.len() + 1 == limit;
            let found = if is_last { None } else { split_once(left, separator) };
            self.charge_bytes(size_of::<Val<'_>>())?;
            self.charge_steps(1)?;
            // Parts borrow the text.
            parts.push(Val::Text(Text::Inline(found.map_or(left, |(part, _)| part))));
            rest = found.map(|(_, after)| after);
        }
        Ok(self.new_list(parts))
    }

    pub(super) fn join(&mut self, list: &Val<'a>, separator: &Val<'a>) -> Fallible<Val<'a>> {
        let separator = match separator {
            Val::Missing => "",
            Val::Text(text) => self.read(*text)?,
            other => return Err(Self::type_fault(Function::Join, other)),
        };
        if !matches!(list, Val::List(_) | Val::RemoteList(_)) {
            return Err(Self::type_fault(Function::Join, list));
        }
        let (mut joined, mut first) = (String::new(), true);
        self.visit_elements(list, &mut |evaluator, item| {
            let item = evaluator.variable_value(item);
            let Val::Text(text) = item else {
                let message = format!("`join` joins texts, not {}", item.describe());
                let error = Error::new(TYPE, super::UNPLACED, &message);
                let is_null = matches!(item, Val::Null);
                return Err(Box::new(error.help(if is_null { NO_NULL_HELP } else { JOIN_HELP })));
            };
            let text = evaluator.read(text)?;
            evaluator.charge_bytes(text.len() + separator.len())?;
            if !std::mem::take(&mut first) {
                joined.push_str(separator);
            }
            joined.push_str(text);
            Ok(true)
        })?;
        Ok(self.new_text(joined))
    }
}

impl Arguments<'_> {
    fn index_of<'a>(&self, text: &str, part: &str, from: Option<i64>) -> Fallible<Val<'a>> {
        let found = if self.function == Function::IndexOf {
            let rest = self.rest(text, from.or(Some(0)))?;
            rest.find(part).map(|at| text.len() - rest.len() + at)
        } else {
            // The match may start at the position and end after it.
            let after = from.map_or(Ok(""), |from| self.rest(text, Some(from)))?;
            let end = text.len().min(text.len() - after.len() + part.len());
            let end = (0..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.get(..end).and_then(|before| before.rfind(part))
        };
        let before = found.and_then(|at| text.get(..at));
        Ok(before.map_or(Val::Int(-1), |before| Val::count(before.chars().count())))
    }

    /// The end of the text is a valid position.
    fn rest<'t>(&self, text: &'t str, position: Option<i64>) -> Fallible<&'t str> {
        let wanted = position.unwrap_or(0);
        let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let place = usize::try_from(wanted).ok().and_then(|wanted| places.nth(wanted));
        place.and_then(|at| text.get(at..)).ok_or_else(|| {
            let (count, short) = (text.chars().count(), shorten_name(text));
            let name = self.function.name();
            let message =
                format!("`{name}` asks for position {wanted} of \"{short}\", which has {count} characters");
            Box::new(Error::new(OUT_OF_RANGE, super::UNPLACED, &message).help("test `size(text)` first"))
        })
    }
}

/// An empty separator splits off one character, but not the last.
fn split_once<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    if separator.is_empty() {
        let first = text.chars().next()?;
        return text.split_at_checked(first.len_utf8()).filter(|(_, after)| !after.is_empty());
    }
    text.split_once(separator)
}

/// A negative number means all.
fn to_limit(number: Option<i64>) -> usize {
    number.map_or(usize::MAX, |number| usize::try_from(number).unwrap_or(usize::MAX))
}
