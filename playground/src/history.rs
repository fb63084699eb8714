//! What was done to a text, so that it can be undone: typing and gestures in one order.
//!
//! Decides what counts as one step: letters typed one after another belong together, everything else stands alone. Knows nothing of who
//! made a change or how it is shown.
//!
//! Invariants: 1. undoing all steps gives back the very text with which the history began, redoing all the last one; 2. a new change
//! after an undo forgets what was undone, and nothing else; 3. no more than [`MOST`] steps are kept, the latest.
//!
//! Source: design principle 4; the playground's "one undo history for text and canvas".

use stepgraph_core::diagnostic::TextEdit;
use stepgraph_core::source::edit::inverse;

/// How many steps are kept.
pub const MOST: usize = 1_000;

/// A pause after which typing is a step of its own.
///
/// # Units
/// Milliseconds.
pub const PAUSE_MS: f64 = 600.0;

/// Who made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Somebody types or deletes letters.
    Typing,
    /// A command: a gesture, a form, a paste, a code action.
    Command,
}

/// One step: changes one after another, each with what takes it back.
#[derive(Debug, Clone)]
struct Step {
    name: String,
    by: By,
    at_ms: f64,
    changes: Vec<Change>,
}

#[derive(Debug, Clone)]
struct Change {
    done: Vec<TextEdit>,
    undone: Vec<TextEdit>,
}

/// What is to be done to the text: lists of edits, each of the text that the one before it left.
pub type Edits = Vec<Vec<TextEdit>>;

/// The steps that led to a text, and those that were undone.
///
/// # Example
/// ```
/// use stepgraph_core::{diagnostic::{Span, TextEdit}, source::edit::spliced};
/// use stepgraph_playground::history::{By, History};
/// let mut history = History::default();
/// let edits = [TextEdit { span: Span::new(0, 1), text: "b".into() }];
/// history.record("a", &edits, By::Command, "rename a", 0.0);
/// let (name, back) = history.undo().unwrap();
/// assert_eq!((name.as_str(), spliced("b", &back[0]).as_str()), ("rename a", "a"));
/// assert!(history.undo().is_none() && history.redo().is_some());
/// ```
#[derive(Debug, Clone, Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
    /// Whether the next typing belongs to the last step.
    open: bool,
}

impl History {
    /// Writes down a change of `text`.
    ///
    /// # Shape
    /// Edits in the order of the text; a name for people, as "undo …" says it; when, in milliseconds of any clock.
    pub fn record(&mut self, text: &str, edits: &[TextEdit], by: By, name: &str, at_ms: f64) {
        if edits.is_empty() {
            return;
        }
        self.future.clear();
        let change = Change { done: edits.to_vec(), undone: inverse(text, edits) };
        let goes_on = self.open && by == By::Typing;
        match self.past.last_mut().filter(|last| goes_on && last.goes_on(edits, at_ms)) {
            Some(last) => {
                last.at_ms = at_ms;
                last.changes.push(change);
            }
            None => {
                if self.past.len() == MOST {
                    self.past.remove(0);
                }
                self.past.push(Step { name: name.to_owned(), by, at_ms, changes: vec![change] });
            }
        }
        self.open = by == By::Typing;
    }

    /// What is typed from here on is a step of its own: the cursor was moved, or another pane is used.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Takes back the last step: its name, and what to do to the text.
    pub fn undo(&mut self) -> Option<(String, Edits)> {
        self.close();
        let step = self.past.pop()?;
        let edits = step.changes.iter().rev().map(|change| change.undone.clone()).collect();
        let name = step.name.clone();
        self.future.push(step);
        Some((name, edits))
    }

    /// Does the step again that was taken back last.
    pub fn redo(&mut self) -> Option<(String, Edits)> {
        self.close();
        let step = self.future.pop()?;
        let edits = step.changes.iter().map(|change| change.done.clone()).collect();
        let name = step.name.clone();
        self.past.push(step);
        Some((name, edits))
    }

    /// What an undo would take back.
    pub fn undoable(&self) -> Option<&str> {
        self.past.last().map(|step| step.name.as_str())
    }

    /// What a redo would do again.
    pub fn redoable(&self) -> Option<&str> {
        self.future.last().map(|step| step.name.as_str())
    }
}

impl Step {
    /// Whether one more change is a part of it: typed soon after, where the last one ended, and not on a new line.
    fn goes_on(&self, edits: &[TextEdit], at_ms: f64) -> bool {
        let (Some(last), [next]) = (self.changes.last().map(|change| change.done.as_slice()), edits) else {
            return false;
        };
        let [last] = last else { return false };
        let end = last.span.start + last.text.len();
        let adds = next.span.start == end && next.span.end == end && last.span.start == last.span.end;
        let takes =
            next.text.is_empty() && last.text.is_empty() && (next.span.end == end || next.span.start == end);
        let pauses = at_ms - self.at_ms > PAUSE_MS;
        self.by == By::Typing && !pauses && (adds || takes) && !next.text.contains('\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::diagnostic::Span;
    use stepgraph_core::source::edit::spliced;

    struct Pad {
        text: String,
        history: History,
    }

    impl Pad {
        fn edit(&mut self, start: usize, end: usize, new: &str, by: By, at_ms: f64) {
            let edits = [TextEdit { span: Span::new(start, end), text: new.to_owned() }];
            self.history.record(&self.text, &edits, by, "edit", at_ms);
            self.text = spliced(&self.text, &edits);
        }

        fn apply(&mut self, found: Option<(String, Edits)>) -> bool {
            let done = found.is_some();
            for edits in found.into_iter().flat_map(|(_, all)| all) {
                self.text = spliced(&self.text, &edits);
            }
            done
        }

        fn undo(&mut self) -> bool {
            let found = self.history.undo();
            self.apply(found)
        }

        fn redo(&mut self) -> bool {
            let found = self.history.redo();
            self.apply(found)
        }
    }

    fn pad(text: &str) -> Pad {
        Pad { text: text.to_owned(), history: History::default() }
    }

    #[test]
    fn letters_typed_together_are_undone_together() {
        let mut pad = pad("id: ");
        for (at, letter, at_ms) in [(4, "a", 0.0), (5, "b", 100.0), (6, "c", 200.0)] {
            pad.edit(at, at, letter, By::Typing, at_ms);
        }
        pad.edit(7, 7, "\n", By::Typing, 300.0);
        pad.edit(8, 8, "x", By::Typing, 5_000.0);
        assert!(pad.undo() && pad.text == "id: abc\n", "a pause begins a step: {}", pad.text);
        assert!(pad.undo() && pad.text == "id: abc", "so does a new line");
        assert!(pad.undo() && pad.text == "id: " && !pad.undo());
        while pad.redo() {}
        assert_eq!(pad.text, "id: abc\nx");
    }

    #[test]
    fn deleting_backwards_and_forwards_goes_together_too() {
        let mut pad = pad("abcdef");
        pad.edit(3, 4, "", By::Typing, 0.0);
        pad.edit(2, 3, "", By::Typing, 1.0);
        pad.edit(2, 3, "", By::Typing, 2.0);
        assert_eq!(pad.text, "abf");
        assert!(pad.undo() && pad.text == "abcdef");
    }

    #[test]
    fn a_gesture_stands_between_what_is_typed_before_and_after() {
        let mut pad = pad("");
        pad.edit(0, 0, "a", By::Typing, 0.0);
        pad.edit(1, 1, "-b", By::Command, 1.0);
        pad.edit(3, 3, "c", By::Typing, 2.0);
        pad.history.close();
        pad.edit(4, 4, "d", By::Typing, 3.0);
        let mut seen = vec![pad.text.clone()];
        while pad.undo() {
            seen.push(pad.text.clone());
        }
        assert_eq!(seen, ["a-bcd", "a-bc", "a-b", "a", ""]);
        pad.redo();
        pad.edit(1, 1, "!", By::Command, 9.0);
        assert!(!pad.redo(), "what was undone is forgotten");
        assert_eq!(pad.history.undoable(), Some("edit"));
    }

    #[test]
    fn only_so_many_steps_are_kept() {
        let mut pad = pad("");
        for at in 0..MOST + 5 {
            pad.edit(at, at, "x", By::Command, 0.0);
        }
        while pad.undo() {}
        assert_eq!(pad.text, "xxxxx");
    }
}
