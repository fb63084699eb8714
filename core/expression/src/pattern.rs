//! Regular expressions in RE2 syntax, matched in linear time.
//!
//! Decides whether a part of a text matches a pattern. A set of states of an automaton moves through the text once, so the time is
//! at most the length of the text times the size of the pattern.
//!
//! Own code, because it adds 4 kB gzipped to the WebAssembly module; the crate `regex-lite` 0.1.9 adds 25.5 kB, and the whole
//! language may take 25 kB. Without captures and replacements there is little to it.
//!
//! Invariants: no backtracking, no recursion while matching; patterns are limited in length, nesting and size.
//!
//! Source: <https://github.com/google/re2/wiki/Syntax>; Cox, "Regular Expression Matching Can Be Simple And Fast". Not supported:
//! classes of Unicode (`\pL`); `(?i)` folds ASCII letters only.

mod class;
mod parse;

use crate::base::Span;
use crate::error::{Error, INVALID_VALUE};
use class::Class;
use std::rc::Rc;

/// How many bytes a pattern may have.
const MAX_LENGTH: usize = 1000;
/// How many instructions the program of a pattern may have.
const MAX_PROGRAM: usize = 2000;

/// An instruction of the automaton.
#[derive(Debug, Clone)]
enum Step {
    /// Moves over one character of the class of that position.
    Class(usize),
    /// Goes on at both places.
    Split(usize, usize),
    /// Goes on there.
    Jump(usize),
    /// Goes on if the place in the text is right.
    Assert(Assertion),
    /// The text matches.
    Match,
}

/// A test of a place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}

/// A part of a pattern.
#[derive(Debug, Clone)]
enum Node {
    Class(Rc<Class>),
    Assert(Assertion),
    Concat(Vec<Node>),
    Either(Vec<Node>),
    Repeat { node: Box<Node>, least: usize, most: Option<usize> },
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    steps: Vec<Step>,
    classes: Vec<Class>,
}

impl Pattern {
    /// Reads a pattern, or says in one sentence why it can't be read.
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

    /// The error for a pattern that can't be read.
    pub(crate) fn error(message: &str, span: Span) -> Error {
        Error::new(INVALID_VALUE, span, message)
            .help("write a regular expression in RE2 syntax, as in `^[a-z]+$`")
    }

    /// How much work it is to read it.
    pub(crate) fn size(&self) -> usize {
        self.steps.len()
    }

    fn emit(&mut self, node: &Node) -> Result<(), String> {
        if self.steps.len() > MAX_PROGRAM {
            return Err("the pattern is too large; repeat less often".to_owned());
        }
        match node {
            Node::Class(class) => {
                self.classes.push(Class::clone(class));
                self.steps.push(Step::Class(self.classes.len() - 1));
            }
            Node::Assert(assertion) => self.steps.push(Step::Assert(*assertion)),
            Node::Concat(parts) => parts.iter().try_for_each(|part| self.emit(part))?,
            Node::Either(parts) => self.emit_either(parts)?,
            Node::Repeat { node, least, most } => self.emit_repeat(node, *least, *most)?,
        }
        Ok(())
    }

    fn emit_either(&mut self, parts: &[Node]) -> Result<(), String> {
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

    fn emit_repeat(&mut self, node: &Node, least: usize, most: Option<usize>) -> Result<(), String> {
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

    /// Whether a part of the text matches; `None` if that takes more than `work` steps. What was used is subtracted.
    pub(crate) fn matches(&self, text: &str, work: &mut usize) -> Option<bool> {
        let count = self.steps.len();
        let mut now = States::new(count);
        let mut next = States::new(count);
        let (mut before, mut rest) = (None, text.chars());
        loop {
            let after = rest.clone().next();
            // The match may begin at any place.
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

    /// Adds a state and all that are reached from it without a character. Returns whether the pattern is matched.
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

/// A set of states, in the order in which they were added.
struct States {
    list: Vec<usize>,
    has: Vec<bool>,
    /// States whose successors are still to be added.
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
