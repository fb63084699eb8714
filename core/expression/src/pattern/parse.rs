//! Parses a pattern.

use super::class::Class;
use super::{Assertion, ValueId};
use std::rc::Rc;

const MAX_DEPTH: usize = 50;
/// In `{n}`.
const MAX_REPEAT: usize = 1000;

type Read<T> = Result<T, String>;

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    fold_case: bool,
    lines: bool,
    dot_all: bool,
}

pub(super) fn parse(text: &str) -> Read<ValueId> {
    let mut reader = Reader { rest: text, flags: Flags::default(), depth: 0 };
    let node = reader.either()?;
    if reader.rest.is_empty() { Ok(node) } else { Err("the pattern has a `)` without a `(`".to_owned()) }
}

struct Reader<'a> {
    rest: &'a str,
    flags: Flags,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or("");
        Some(next)
    }

    fn eat(&mut self, word: &str) -> bool {
        let after = self.rest.strip_prefix(word);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Consumes `end` too.
    fn take_until(&mut self, end: &str) -> Option<String> {
        let (before, after) = self.rest.split_once(end)?;
        let found = before.to_owned();
        self.rest = after;
        Some(found)
    }

    fn either(&mut self) -> Read<ValueId> {
        let mut parts = vec![self.concat()?];
        while self.eat("|") {
            parts.push(self.concat()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { ValueId::Either(parts) })
    }

    fn concat(&mut self) -> Read<ValueId> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let part = self.atom(&mut parts)?;
            if let Some(part) = part {
                let repeated = self.repeat(part)?;
                parts.push(repeated);
            }
        }
        Ok(ValueId::Concat(parts))
    }

    /// `None` for flags. A quoted text adds its characters to `parts`.
    fn atom(&mut self, parts: &mut Vec<ValueId>) -> Read<Option<ValueId>> {
        if self.rest.starts_with('{') && self.counts()?.is_some() {
            return Err("the pattern has nothing before `{` to repeat".to_owned());
        }
        let Some(next) = self.next() else { return Ok(None) };
        let node = match next {
            '(' => return self.group(),
            '[' => self.class()?,
            '.' if self.flags.dot_all => class(Class::of(&[], true)),
            '.' => class(Class::of(&[('\n', '\n')], true)),
            '^' if self.flags.lines => ValueId::Assert(Assertion::LineStart),
            '^' => ValueId::Assert(Assertion::TextStart),
            '$' if self.flags.lines => ValueId::Assert(Assertion::LineEnd),
            '$' => ValueId::Assert(Assertion::TextEnd),
            '*' | '+' | '?' => return Err(format!("the pattern has nothing before `{next}` to repeat")),
            '\\' if self.eat("Q") => {
                let text =
                    self.take_until("\\E").unwrap_or_else(|| std::mem::take(&mut self.rest).to_owned());
                parts.extend(text.chars().map(|c| self.character(c)));
                return Ok(None);
            }
            '\\' => self.escape()?,
            c => self.character(c),
        };
        Ok(Some(node))
    }

    fn character(&self, c: char) -> ValueId {
        self.folded(Class::one(c))
    }

    fn folded(&self, mut set: Class) -> ValueId {
        if self.flags.fold_case {
            set.fold_case();
        }
        class(set)
    }

    fn group(&mut self) -> Read<Option<ValueId>> {
        if self.depth >= MAX_DEPTH {
            return Err("the pattern is nested too deeply".to_owned());
        }
        let outer = self.flags;
        if self.rest.starts_with("?=")
            || self.rest.starts_with("?!")
            || self.rest.starts_with("?<=")
            || self.rest.starts_with("?<!")
        {
            return Err("the pattern looks ahead or behind, which takes more than linear time".to_owned());
        }
        if self.eat("?P<") || self.eat("?<") {
            self.take_until(">").ok_or("the name of a group in the pattern has no `>`")?;
        } else if self.eat("?") && !self.flags()? {
            return Ok(None);
        }
        self.depth += 1;
        let inner = self.either()?;
        self.depth -= 1;
        self.flags = outer;
        if self.eat(")") { Ok(Some(inner)) } else { Err("the pattern has a `(` without a `)`".to_owned()) }
    }

    /// Parses `i)` or `i-s:`. Returns whether a group follows.
    fn flags(&mut self) -> Read<bool> {
        let mut on = true;
        loop {
            match self.next() {
                Some('i') => self.flags.fold_case = on,
                Some('m') => self.flags.lines = on,
                Some('s') => self.flags.dot_all = on,
                Some('U') => {}
                Some('-') => on = false,
                Some(':') => return Ok(true),
                Some(')') => return Ok(false),
                _ => return Err("the pattern has an unknown group; write `(?:…)` or `(?i)`".to_owned()),
            }
        }
    }

    fn repeat(&mut self, node: ValueId) -> Read<ValueId> {
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.counts()? {
                Some(counts) => counts,
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        if self.eat("{") {
            self.take_until("}");
        } else {
            self.next();
        }
        // Laziness does not change whether a match exists.
        self.eat("?");
        if matches!(self.peek(), Some('*' | '+' | '?'))
            || matches!(self.peek(), Some('{') if self.counts()?.is_some())
        {
            return Err("the pattern repeats a repetition; put it into `(?:…)`".to_owned());
        }
        Ok(ValueId::Repeat { node: Box::new(node), least, most })
    }

    /// Parses `{2}`, `{2,}` or `{2,5}`. `None` if the brace is a literal.
    fn counts(&self) -> Read<Option<(usize, Option<usize>)>> {
        let Some((inner, _)) = self.rest.get(1..).and_then(|rest| rest.split_once('}')) else {
            return Ok(None);
        };
        let number = |text: &str| {
            let digits = !text.is_empty() && text.len() < 6 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<usize>().ok().filter(|_| digits)
        };
        let (least, most) = match inner.split_once(',') {
            Some((least, "")) => (number(least), None),
            Some((least, most)) => match number(most) {
                Some(most) => (number(least), Some(most)),
                None => return Ok(None),
            },
            None => (number(inner), number(inner)),
        };
        let Some(least) = least else { return Ok(None) };
        let ordered = most.is_none_or(|most| least <= most);
        if !ordered || least.max(most.unwrap_or(0)) > MAX_REPEAT {
            return Err(format!("`{{{inner}}}` in the pattern is no range up to {MAX_REPEAT}"));
        }
        Ok(Some((least, most)))
    }

    fn escape(&mut self) -> Read<ValueId> {
        let assertion = match self.peek() {
            Some('A') => Some(Assertion::TextStart),
            Some('z') => Some(Assertion::TextEnd),
            Some('b') => Some(Assertion::WordBoundary),
            Some('B') => Some(Assertion::NoWordBoundary),
            Some('1'..='9') => {
                return Err(
                    "the pattern refers back to a group, which takes more than linear time".to_owned()
                );
            }
            _ => None,
        };
        if let Some(assertion) = assertion {
            self.next();
            return Ok(ValueId::Assert(assertion));
        }
        Ok(match self.set_escape()? {
            Ok(set) => class(set),
            Err(c) => self.character(c),
        })
    }

    /// A class such as `\d`, or one character.
    fn set_escape(&mut self) -> Read<Result<Class, char>> {
        let Some(c) = self.next() else { return Err("the pattern ends with a backslash".to_owned()) };
        if let Some(set) = Class::of_escape(c) {
            return Ok(Ok(set));
        }
        let found = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            'x' => self.hexadecimal()?,
            'p' | 'P' => return Err("the pattern has a class of Unicode, which is not supported".to_owned()),
            c if c.is_ascii_punctuation() => c,
            c => return Err(format!("the pattern has the unknown escape `\\{c}`")),
        };
        Ok(Err(found))
    }

    fn hexadecimal(&mut self) -> Read<char> {
        let digits = if self.eat("{") {
            self.take_until("}").unwrap_or_default()
        } else {
            let digits = self.rest.get(..2).unwrap_or("").to_owned();
            self.rest = self.rest.get(digits.len()..).unwrap_or("");
            digits
        };
        let code = u32::from_str_radix(&digits, 16).ok().filter(|_| !digits.starts_with('+'));
        code.and_then(char::from_u32)
            .ok_or_else(|| "the pattern has a `\\x` without a character's number".to_owned())
    }

    /// Starts after the bracket.
    fn class(&mut self) -> Read<ValueId> {
        let negated = self.eat("^");
        let mut set = Class::default();
        let mut first = true;
        loop {
            if !first && self.eat("]") {
                break;
            }
            first = false;
            if self.eat("[:") {
                let name = self.take_until(":]").unwrap_or_default();
                set.join(&Class::of_name(&name).ok_or(format!("the pattern has no class `{name}`"))?);
                continue;
            }
            match self.class_item()? {
                Ok(other) => set.join(&other),
                Err(from) => {
                    let to = self.range_end(from)?;
                    set.add(from, to);
                }
            }
        }
        if self.flags.fold_case {
            set.fold_case();
        }
        if negated {
            set.negate();
        }
        Ok(class(set))
    }

    fn class_item(&mut self) -> Read<Result<Class, char>> {
        match self.next() {
            None => Err("the pattern has a `[` without a `]`".to_owned()),
            Some('\\') => self.set_escape(),
            Some(c) => Ok(Err(c)),
        }
    }

    /// Returns `from` if no range follows.
    fn range_end(&mut self, from: char) -> Read<char> {
        let mut ahead = self.rest.chars();
        if ahead.next() != Some('-') || matches!(ahead.next(), Some(']') | None) {
            return Ok(from);
        }
        self.next();
        match self.class_item()? {
            Err(to) if from <= to => Ok(to),
            Err(to) => Err(format!("the pattern has the range `{from}-{to}`, which runs backwards")),
            Ok(_) => Err(format!("the pattern has a range from `{from}` to a class; write `\\-` for a dash")),
        }
    }
}

fn class(set: Class) -> ValueId {
    ValueId::Class(Rc::new(set))
}
