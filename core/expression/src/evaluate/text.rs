//! Functions of text. Positions count characters, which are code points of Unicode.

use super::operator::{position, whole};
use super::{Evaluator, fault};
use crate::base::{Path, brief};
use crate::data::Data;
use crate::error::{Error, OUT_OF_RANGE, TOO_COSTLY};
use crate::function::Function;
use crate::pattern::Pattern;
use crate::value::{Fallible, Text, Val};

/// How much work of an automaton is one step.
const PATTERN_WORK: usize = 8;

impl<'a, V: Data> Evaluator<'a, '_, V> {
    /// The text of an argument.
    fn argument(&mut self, function: Function, value: &Val<'a, V>) -> Fallible<&'a str> {
        match value {
            Val::Text(text) => self.read(*text),
            other => Err(Self::type_fault(function, other)),
        }
    }

    /// `contains`, `startsWith` and `endsWith`.
    pub(super) fn test_text(
        &mut self,
        function: Function,
        text: &Val<'a, V>,
        part: &Val<'a, V>,
    ) -> Fallible<Val<'a, V>> {
        if function == Function::Contains {
            match (text, part) {
                (Val::Text(Text::Far(node, path, _)), Val::Text(Text::Literal(part, number))) => {
                    let path: &Path = path;
                    return Ok(Val::Bool(V::contains_text(*node, path, part, *number)));
                }
                (Val::Text(_), _) => {}
                _ => return Ok(Val::Bool(self.contains_element(text, part, function)?)),
            }
        }
        let text = self.argument(function, text)?;
        let part = self.argument(function, part)?;
        Ok(Val::Bool(match function {
            Function::StartsWith => text.starts_with(part),
            Function::EndsWith => text.ends_with(part),
            _ => text.contains(part),
        }))
    }

    /// `matches` with a pattern that was computed.
    pub(super) fn matches(&mut self, text: &Val<'a, V>, pattern: &Val<'a, V>) -> Fallible<Val<'a, V>> {
        let pattern = self.argument(Function::Matches, pattern)?;
        let pattern =
            Pattern::parse(pattern).map_err(|message| Box::new(Pattern::error(message, super::NOWHERE)))?;
        self.spend(pattern.size())?;
        self.run_pattern(text, &pattern)
    }

    pub(super) fn matches_literal(&mut self, text: &Val<'a, V>, pattern: u32) -> Fallible<Val<'a, V>> {
        match self.place.program.patterns.get(pattern as usize) {
            Some(pattern) => self.run_pattern(text, pattern),
            None => Ok(Val::Missing),
        }
    }

    fn run_pattern(&mut self, text: &Val<'a, V>, pattern: &Pattern) -> Fallible<Val<'a, V>> {
        if text.is_missing() {
            return Ok(Val::Missing);
        }
        let text = self.argument(Function::Matches, text)?;
        let mut work = self.limits.steps.saturating_mul(PATTERN_WORK);
        let found = pattern.matches(text, &mut work);
        self.limits.steps = work / PATTERN_WORK;
        found.map(Val::Bool).ok_or_else(|| {
            let error = Error::new(TOO_COSTLY, super::NOWHERE, "the evaluation takes too many steps");
            Box::new(error.help("match a shorter text, or a simpler pattern"))
        })
    }

    /// `lowerAscii`, `upperAscii` and `trim`.
    pub(super) fn change_text(&mut self, function: Function, text: &Val<'a, V>) -> Fallible<Val<'a, V>> {
        let text = self.argument(function, text)?;
        self.make(text.len())?;
        Ok(match function {
            Function::LowerAscii => self.new_text(text.to_ascii_lowercase()),
            Function::UpperAscii => self.new_text(text.to_ascii_uppercase()),
            _ => self.new_text(text.trim()),
        })
    }

    pub(super) fn replace(&mut self, args: [&Val<'a, V>; 4]) -> Fallible<Val<'a, V>> {
        let [text, old, new, limit] = args;
        let text = self.argument(Function::Replace, text)?;
        let old = self.argument(Function::Replace, old)?;
        let new = self.argument(Function::Replace, new)?;
        let limit = limit_of(Function::Replace, limit)?;
        let count = text.matches(old).count().min(limit);
        self.make(text.len() + count.saturating_mul(new.len()))?;
        Ok(self.new_text(text.replacen(old, new, limit)))
    }

    pub(super) fn split(
        &mut self,
        text: &Val<'a, V>,
        separator: &Val<'a, V>,
        limit: &Val<'a, V>,
    ) -> Fallible<Val<'a, V>> {
        let text = self.argument(Function::Split, text)?;
        let separator = self.argument(Function::Split, separator)?;
        let limit = limit_of(Function::Split, limit)?;
        let mut parts = Vec::new();
        let mut rest = text;
        while parts.len() < limit {
            let is_last = parts.len() + 1 == limit;
            let found = if is_last { None } else { split_once(rest, separator) };
            let part = found.map_or(rest, |(part, _)| part);
            self.make(part.len() + size_of::<Val<'_, V>>())?;
            // An empty separator leaves nothing after the last character.
            if !(separator.is_empty()
                && part.is_empty()
                && !(parts.is_empty() && text.is_empty() && limit == 1))
            {
                parts.push(self.new_text(part));
            }
            match found {
                Some((_, after)) => rest = after,
                None => break,
            }
        }
        Ok(self.new_list(parts))
    }

    pub(super) fn join(&mut self, list: &Val<'a, V>, separator: &Val<'a, V>) -> Fallible<Val<'a, V>> {
        if !matches!(list, Val::List(_) | Val::NodeList(_)) {
            return Err(Self::type_fault(Function::Join, list));
        }
        let separator = match separator {
            Val::Missing => "",
            other => self.argument(Function::Join, other)?,
        };
        let (mut joined, mut first) = (String::new(), true);
        self.each(list, &mut |evaluator, item| {
            let item = evaluator.look(item);
            let Val::Text(text) = item else {
                let message = format!("`join` joins texts, not {}", item.describe());
                let error = Error::new(crate::error::TYPE, super::NOWHERE, message);
                return Err(Box::new(
                    error.help("convert the elements, as in `list.map(x, string(x)).join(\", \")`"),
                ));
            };
            let text = evaluator.read(text)?;
            evaluator.make(text.len() + separator.len())?;
            if !std::mem::take(&mut first) {
                joined.push_str(separator);
            }
            joined.push_str(text);
            Ok(true)
        })?;
        Ok(self.new_text(joined))
    }

    pub(super) fn substring(
        &mut self,
        text: &Val<'a, V>,
        start: &Val<'a, V>,
        end: &Val<'a, V>,
    ) -> Fallible<Val<'a, V>> {
        let text = self.argument(Function::Substring, text)?;
        let start = Self::place(text, Function::Substring, start)?;
        let end = match end {
            Val::Missing => text.len(),
            end => Self::place(text, Function::Substring, end)?,
        };
        let part =
            text.get(start..end).ok_or_else(|| fault(OUT_OF_RANGE, "`substring` ends before it starts"))?;
        self.make(part.len())?;
        Ok(self.new_text(part))
    }

    pub(super) fn char_at(&mut self, text: &Val<'a, V>, at: &Val<'a, V>) -> Fallible<Val<'a, V>> {
        let text = self.argument(Function::CharAt, text)?;
        let at = Self::place(text, Function::CharAt, at)?;
        let found = text.get(at..).and_then(|rest| rest.chars().next());
        Ok(self.new_text(found.map(String::from).unwrap_or_default()))
    }

    /// `indexOf` and `lastIndexOf`.
    pub(super) fn index_of(
        &mut self,
        function: Function,
        text: &Val<'a, V>,
        part: &Val<'a, V>,
        from: &Val<'a, V>,
    ) -> Fallible<Val<'a, V>> {
        let text = self.argument(function, text)?;
        let part = self.argument(function, part)?;
        let from = match from {
            Val::Missing => None,
            from => Some(Self::place(text, function, from)?),
        };
        let found = if function == Function::IndexOf {
            let from = from.unwrap_or(0);
            text.get(from..).and_then(|rest| rest.find(part)).map(|at| from + at)
        } else {
            // The part may begin at the position and end after it.
            let end = from.map_or(text.len(), |from| (from + part.len()).min(text.len()));
            let end = (0..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.get(..end).and_then(|before| before.rfind(part))
        };
        let before = found.and_then(|at| text.get(..at));
        Ok(before.map_or(Val::Int(-1), |before| Val::count(before.chars().count())))
    }

    /// The byte at which a character begins. The end of the text is a place, too.
    fn place(text: &str, function: Function, value: &Val<'a, V>) -> Fallible<usize> {
        let name = function.name();
        let wanted = position(value, &format!("the position for `{name}`"))?;
        let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        places.nth(wanted).ok_or_else(|| {
            let (count, short) = (text.chars().count(), brief(text));
            let message =
                format!("`{name}` asks for position {wanted} of \"{short}\", which has {count} characters");
            let error = Error::new(OUT_OF_RANGE, super::NOWHERE, message);
            Box::new(error.help("test `size(text)` first"))
        })
    }
}

/// The text before and after the first separator; an empty one splits off a character.
fn split_once<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    if separator.is_empty() {
        let first = text.chars().next()?;
        return text.split_at_checked(first.len_utf8());
    }
    text.split_once(separator)
}

/// How many parts or replacements are wanted; a negative number asks for all.
fn limit_of<V: Data>(function: Function, value: &Val<'_, V>) -> Fallible<usize> {
    match value {
        Val::Missing => Ok(usize::MAX),
        value => match whole(value) {
            Some(limit) => Ok(usize::try_from(limit).unwrap_or(usize::MAX)),
            None => Err(Evaluator::type_fault(function, value)),
        },
    }
}
