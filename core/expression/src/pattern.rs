//! RE2 patterns, matched in linear time by a set of automaton states.
//!
//! This code adds 4 kB gzipped, `regex-lite` 0.1.9 would add 25.5 kB, and the language's budget is 25 kB.
//! There are no captures and replacements.
//!
//! Invariants: no backtracking, no recursion while matching. The length, nesting and size of patterns are
//! limited.
//!
//! Source: <https://github.com/google/re2/wiki/Syntax>; Cox, "Regular Expression Matching Can Be Simple And
//! Fast". Unicode classes (`\pL`) are not supported. `(?i)` folds ASCII letters only.

mod class;
mod parse;

use crate::base::Span;
use crate::error::{Error, INVALID_VALUE};
use class::Class;
use std::rc::Rc;

/// In bytes.
const MAX_LENGTH: usize = 1000;
const MAX_PROGRAM: usize = 2000;

#[derive(Debug, Clone)]
enum Step {
    /// Consumes a character.
    Class(usize),
    /// Continues at both.
    Split(usize, usize),
    /// Continues there.
    Jump(usize),
    /// Continues if it holds.
    Assert(Assertion),
    Match,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}

#[derive(Debug, Clone)]
enum ValueId {
    Class(Rc<Class>),
    Assert(Assertion),
    Concat(Vec<ValueId>),
    Either(Vec<ValueId>),
    Repeat { node: Box<ValueId>, least: usize, most: Option<usize> },
}

#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    steps: Vec<Step>,
    classes: Vec<Class>,
}

impl Pattern {
    /// The error says in one sentence why the pattern is invalid.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("the pattern is longer than {MAX_LENGTH} bytes"));
        }
        let node = parse::parse(text)?;
        let mut pattern = Self { steps: Vec::new(), classes: Vec::new() };
        pattern.emit(&node)?;
        pattern.steps.push(Step::Match);
        Ok(pattern)
    }

    pub(crate) fn error(message: &str, span: Span) -> Error {
        Error::new(INVALID_VALUE, span, message)
            .help("write a regular expression in RE2 syntax, as in `^[a-z]+$`")
    }

    /// The cost of parsing.
    pub(crate) fn size(&self) -> usize {
        self.steps.len()
    }

    fn emit(&mut self, node: &ValueId) -> Result<(), String> {
        if self.steps.len() > MAX_PROGRAM {
            return Err("the pattern is too large; repeat less often".to_owned());
        }
        match node {
            ValueId::Class(class) => {
                self.classes.push(Class::clone(class));
                self.steps.push(Step::Class(self.classes.len() - 1));
            }
            ValueId::Assert(assertion) => self.steps.push(Step::Assert(*assertion)),
            ValueId::Concat(parts) => parts.iter().try_for_each(|part| self.emit(part))?,
            ValueId::Either(parts) => self.emit_either(parts)?,
            ValueId::Repeat { node, least, most } => self.emit_repeat(node, *least, *most)?,
        }
        Ok(())
    }

    fn emit_either(&mut self, parts: &[ValueId]) -> Result<(), String> {
        let mut ends = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let split = self.steps.len();
            let is_last = at + 1 == parts.len();
            if !is_last {
                self.steps.push(Step::Split(split + 1, 0));
            }
            self.emit(part)?;
            if !is_last {
                ends.push(self.steps.len());
                self.steps.push(Step::Jump(0));
                self.set(split, Step::Split(split + 1, self.steps.len()));
            }
        }
        let end = self.steps.len();
        for at in ends {
            self.set(at, Step::Jump(end));
        }
        Ok(())
    }

    fn emit_repeat(&mut self, node: &ValueId, least: usize, most: Option<usize>) -> Result<(), String> {
        for _ in 0..least {
            self.emit(node)?;
        }
        let Some(most) = most else {
            let split = self.steps.len();
            self.steps.push(Step::Split(split + 1, 0));
            self.emit(node)?;
            self.steps.push(Step::Jump(split));
            self.set(split, Step::Split(split + 1, self.steps.len()));
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.steps.len());
            self.steps.push(Step::Split(0, 0));
            self.emit(node)?;
        }
        let end = self.steps.len();
        for at in splits {
            self.set(at, Step::Split(at + 1, end));
        }
        Ok(())
    }

    fn set(&mut self, at: usize, step: Step) {
        if let Some(place) = self.steps.get_mut(at) {
            *place = step;
        }
    }

    /// `None` if it takes more than `work` steps. Subtracts the used ones.
    pub(crate) fn matches(&self, text: &str, work: &mut usize) -> Option<bool> {
        let count = self.steps.len();
        let mut now = States::new(count);
        let mut next = States::new(count);
        let (mut before, mut rest) = (None, text.chars());
        loop {
            let after = rest.clone().next();
            // A match may begin anywhere.
            if self.follow(0, before, after, &mut now) {
                return Some(true);
            }
            *work = work.checked_sub(now.list.len() + 1)?;
            let Some(c) = rest.next() else { return Some(false) };
            let following = rest.clone().next();
            for state in &now.list {
                let Some(Step::Class(class)) = self.steps.get(*state) else { continue };
                let fits = self.classes.get(*class).is_some_and(|class| class.has(c));
                if fits && self.follow(state + 1, Some(c), following, &mut next) {
                    return Some(true);
                }
            }
            std::mem::swap(&mut now, &mut next);
            next.clear();
            before = Some(c);
        }
    }

    /// Adds all states reachable without a character. Returns whether the pattern has matched.
    fn follow(&self, state: usize, before: Option<char>, after: Option<char>, states: &mut States) -> bool {
        states.stack.push(state);
        while let Some(state) = states.stack.pop() {
            if !states.add(state) {
                continue;
            }
            match self.steps.get(state) {
                Some(Step::Split(first, second)) => states.stack.extend([*second, *first]),
                Some(Step::Jump(to)) => states.stack.push(*to),
                Some(Step::Assert(assertion)) if assertion.holds(before, after) => {
                    states.stack.push(state + 1);
                }
                Some(Step::Match) => return true,
                _ => {}
            }
        }
        false
    }
}

/// In insertion order.
struct States {
    list: Vec<usize>,
    has: Vec<bool>,
    /// Their successors are not added yet.
    stack: Vec<usize>,
}

impl States {
    fn new(count: usize) -> Self {
        Self { list: Vec::new(), has: vec![false; count], stack: Vec::new() }
    }

    fn add(&mut self, state: usize) -> bool {
        let new = self.has.get_mut(state).is_some_and(|has| !std::mem::replace(has, true));
        if new {
            self.list.push(state);
        }
        new
    }

    fn clear(&mut self) {
        for state in self.list.drain(..) {
            if let Some(has) = self.has.get_mut(state) {
                *has = false;
            }
        }
    }
}

impl Assertion {
    fn holds(self, before: Option<char>, after: Option<char>) -> bool {
        let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        match self {
            Self::TextStart => before.is_none(),
            Self::TextEnd => after.is_none(),
            Self::LineStart => before.is_none_or(|c| c == '\n'),
            Self::LineEnd => after.is_none_or(|c| c == '\n'),
            Self::WordBoundary => word(before) != word(after),
            Self::NoWordBoundary => word(before) == word(after),
        }
    }
}

#[cfg(test)]
mod tests;
