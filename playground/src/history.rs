//! Undo history that typing and commands share. Consecutive typing is one step.
//!
//! Invariants: 1. undoing and redoing everything restores both ends. 2. a change drops only undone steps. 3. at most
//! [`MAX_STEPS`] steps.

use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::source::edit::{apply_edits, inverse};

/// Maximum steps.
pub const MAX_STEPS: usize = 1_000;

/// Pause in milliseconds that ends typing.
pub const PAUSE_MS: f64 = 600.0;

/// A change's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSource {
    /// Typed characters.
    Typing,
    /// Gesture, form, paste or code action.
    Command,
}

#[derive(Debug, Clone)]
struct UndoStep {
    name: String,
    at_ms: f64,
    change: Change,
}

#[derive(Debug, Clone)]
struct Change {
    done: Vec<TextEdit>,
    undone: Vec<TextEdit>,
}

/// Successive lists of edits.
pub type Edits = Vec<Vec<TextEdit>>;

/// Undo and redo stacks.
///
/// # Example
/// ```
/// use stepgraph_core::{diagnostic::{Span, TextEdit}, source::edit::apply_edits};
/// use stepgraph_playground::history::{ChangeSource, History};
/// let mut history = History::default();
/// let edits = [TextEdit { span: Span::new(0, 1), text: "b".into() }];
/// history.record("a", &edits, ChangeSource::Command, "rename a", 0.0);
/// let (name, back) = history.undo().unwrap();
/// assert_eq!((name.as_str(), apply_edits("b", &back[0]).as_str()), ("rename a", "a"));
/// assert!(history.undo().is_none() && history.redo().is_some());
/// ```
#[derive(Debug, Clone, Default)]
pub struct History {
    past: Vec<UndoStep>,
    future: Vec<UndoStep>,
    /// Typing continues the last step.
    is_open: bool,
    /// Changing the same field continues it.
    can_amend: bool,
}

impl History {
    /// Records ordered edits of `text` with a name for undo, at milliseconds of any clock.
    pub fn record(&mut self, text: &str, edits: &[TextEdit], by: ChangeSource, name: &str, at_ms: f64) {
        if edits.is_empty() {
            return;
        }
        self.future.clear();
        self.can_amend = false;
        let change = Change { done: edits.to_vec(), undone: inverse(text, edits) };
        let goes_on = self.is_open && by == ChangeSource::Typing;
        let last = self.past.last_mut().filter(|last| goes_on && at_ms - last.at_ms <= PAUSE_MS);
        match last.and_then(|last| Some((last.change.merge(&change)?, last))) {
            Some((whole, last)) => {
                last.at_ms = at_ms;
                last.change = whole;
            }
            None => {
                if self.past.len() == MAX_STEPS {
                    self.past.remove(0);
                }
                self.past.push(UndoStep { name: name.to_owned(), at_ms, change });
            }
        }
        self.is_open = by == ChangeSource::Typing;
    }

    /// Continues an open step of the same name.
    pub fn amend(&mut self, text: &str, edits: &[TextEdit], name: &str, at_ms: f64) {
        let last = self.past.last_mut().filter(|last| self.can_amend && last.name == name);
        match last {
            Some(last) if !edits.is_empty() => {
                let before = apply_edits(text, &last.change.undone);
                let done = diff(&before, &apply_edits(text, edits));
                last.change = Change { undone: inverse(&before, &done), done };
                last.at_ms = at_ms;
                self.future.clear();
            }
            Some(_) => {}
            None => self.record(text, edits, ChangeSource::Command, name, at_ms),
        }
        self.can_amend = !self.past.is_empty();
    }

    /// Ends the last step, for example on a cursor move.
    pub fn close(&mut self) {
        (self.is_open, self.can_amend) = (false, false);
    }

    /// Whether there is a step to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is a step to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Name and edits.
    pub fn undo(&mut self) -> Option<(String, Edits)> {
        self.close();
        let step = self.past.pop()?;
        let edits = vec![step.change.undone.clone()];
        let name = step.name.clone();
        self.future.push(step);
        Some((name, edits))
    }

    /// Redoes a step.
    pub fn redo(&mut self) -> Option<(String, Edits)> {
        self.close();
        let step = self.future.pop()?;
        let edits = vec![step.change.done.clone()];
        let name = step.name.clone();
        self.past.push(step);
        Some((name, edits))
    }
}

impl Change {
    fn merge(&self, next: &Self) -> Option<Self> {
        let breaks = next.done.iter().any(|edit| edit.text.contains('\n'));
        if breaks || self.done.len() != next.done.len() {
            return None;
        }
        let mut whole = Self { done: Vec::new(), undone: Vec::new() };
        // Growth before each position, after one change and both. Negative growth wraps.
        let (mut first, mut both) = (0_usize, 0_usize);
        for ((done, undone), (then, removed)) in
            self.done.iter().zip(&self.undone).zip(next.done.iter().zip(&next.undone))
        {
            let JoinedEdit { span, removed, text } =
                join_edits(done, &undone.text, then, &removed.text, first)?;
            first = first.wrapping_add(done.text.len()).wrapping_sub(undone.text.len());
            let start = span.start.wrapping_add(both);
            both = both.wrapping_add(text.len()).wrapping_sub(removed.len());
            whole.undone.push(TextEdit { span: Span::new(start, start + text.len()), text: removed });
            whole.done.push(TextEdit { span, text });
        }
        Some(whole)
    }
}

/// Replaces the text between common prefix and suffix.
fn diff(before: &str, after: &str) -> Vec<TextEdit> {
    let alike = |(a, b): &(char, char)| a == b;
    let length = |letters: (char, char)| letters.0.len_utf8();
    let start: usize = before.chars().zip(after.chars()).take_while(alike).map(length).sum();
    let (old, new) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    let end: usize = old.chars().rev().zip(new.chars().rev()).take_while(alike).map(length).sum();
    let span = Span::new(start, before.len() - end);
    let text = new.get(..new.len() - end).unwrap_or_default().to_owned();
    if span.start == span.end && text.is_empty() { Vec::new() } else { vec![TextEdit { span, text }] }
}

struct JoinedEdit {
    span: Span,
    removed: String,
    text: String,
}

fn join_edits(
    first: &TextEdit,
    removed: &str,
    then: &TextEdit,
    gone: &str,
    shift: usize,
) -> Option<JoinedEdit> {
    let begin = first.span.start.wrapping_add(shift);
    let end = begin + first.text.len();
    let writes = then.span.start == end && then.span.end == end && (!first.text.is_empty());
    if writes {
        let text = [first.text.as_str(), &then.text].concat();
        return Some(JoinedEdit { span: first.span, removed: removed.to_owned(), text });
    }
    let takes = then.text.is_empty() && first.text.is_empty() && !gone.is_empty();
    if takes && then.span.start == end {
        let span = Span::new(first.span.start, first.span.end + gone.len());
        return Some(JoinedEdit { span, removed: [removed, gone].concat(), text: String::new() });
    }
    if takes && then.span.end == end {
        let span = Span::new(first.span.start.checked_sub(gone.len())?, first.span.end);
        return Some(JoinedEdit { span, removed: [gone, removed].concat(), text: String::new() });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pad {
        text: String,
        history: History,
    }

    impl Pad {
        fn edit(&mut self, start: usize, end: usize, new: &str, by: ChangeSource, at_ms: f64) {
            let edits = [TextEdit { span: Span::new(start, end), text: new.to_owned() }];
            self.history.record(&self.text, &edits, by, "edit", at_ms);
            self.text = apply_edits(&self.text, &edits);
        }

        fn apply(&mut self, found: Option<(String, Edits)>) -> bool {
            let done = found.is_some();
            for edits in found.into_iter().flat_map(|(_, all)| all) {
                self.text = apply_edits(&self.text, &edits);
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
    fn undoes_typed_letters_together() {
        let mut pad = pad("id: ");
        for (at, letter, at_ms) in [(4, "a", 0.0), (5, "b", 100.0), (6, "c", 200.0)] {
            pad.edit(at, at, letter, ChangeSource::Typing, at_ms);
        }
        pad.edit(7, 7, "\n", ChangeSource::Typing, 300.0);
        pad.edit(8, 8, "x", ChangeSource::Typing, 5_000.0);
        assert!(pad.undo() && pad.text == "id: abc\n", "a pause begins a step: {}", pad.text);
        assert!(pad.undo() && pad.text == "id: abc", "so does a new line");
        assert!(pad.undo() && pad.text == "id: " && !pad.undo());
        while pad.redo() {}
        assert_eq!(pad.text, "id: abc\nx");
    }

    #[test]
    fn undoes_deletions_together() {
        let mut pad = pad("abcdef");
        pad.edit(3, 4, "", ChangeSource::Typing, 0.0);
        pad.edit(2, 3, "", ChangeSource::Typing, 1.0);
        pad.edit(2, 3, "", ChangeSource::Typing, 2.0);
        assert_eq!(pad.text, "abf");
        assert!(pad.undo() && pad.text == "abcdef");
    }

    #[test]
    fn undoes_typing_with_several_cursors_together() {
        let mut pad = pad("one\ntwo\n");
        let at = |node_paths: &[(usize, usize, &str)]| {
            let edit = |(start, end, text): &(usize, usize, &str)| TextEdit {
                span: Span::new(*start, *end),
                text: (*text).to_owned(),
            };
            node_paths.iter().map(edit).collect::<Vec<_>>()
        };
        let typed = [
            at(&[(0, 3, "é"), (4, 7, "é")]),
            at(&[(2, 2, "b"), (5, 5, "b")]),
            at(&[(3, 3, "c"), (7, 7, "c")]),
        ];
        for (edits, at_ms) in typed.iter().zip([0.0, 1.0, 2.0]) {
            pad.history.record(&pad.text, edits, ChangeSource::Typing, "typing", at_ms);
            pad.text = apply_edits(&pad.text, edits);
        }
        assert_eq!(pad.text, "ébc\nébc\n");
        assert!(pad.undo() && pad.text == "one\ntwo\n" && !pad.undo());
        assert!(pad.redo() && pad.text == "ébc\nébc\n");
        for edits in
            [at(&[(3, 4, ""), (8, 9, "")]), at(&[(2, 3, ""), (6, 7, "")]), at(&[(2, 3, ""), (5, 6, "")])]
        {
            pad.history.record(&pad.text, &edits, ChangeSource::Typing, "typing", 3.0);
            pad.text = apply_edits(&pad.text, &edits);
        }
        assert_eq!(pad.text, "éé");
        assert!(pad.undo() && pad.text == "ébc\nébc\n");
    }

    #[test]
    fn a_command_separates_typing_steps() {
        let mut pad = pad("");
        pad.edit(0, 0, "a", ChangeSource::Typing, 0.0);
        pad.edit(1, 1, "-b", ChangeSource::Command, 1.0);
        pad.edit(3, 3, "c", ChangeSource::Typing, 2.0);
        pad.history.close();
        pad.edit(4, 4, "d", ChangeSource::Typing, 3.0);
        let mut seen = vec![pad.text.clone()];
        while pad.undo() {
            seen.push(pad.text.clone());
        }
        assert_eq!(seen, ["a-bcd", "a-bc", "a-b", "a", ""]);
        pad.redo();
        pad.edit(1, 1, "!", ChangeSource::Command, 9.0);
        assert!(!pad.redo(), "what was undone is forgotten");
        assert_eq!(pad.history.undo().map(|(name, _)| name).as_deref(), Some("edit"));
    }

    #[test]
    fn one_focus_of_a_field_is_one_step() {
        let mut pad = pad("a: 1 # é\n");
        let mut fill = |from: &str, to: &str, name: &str| {
            let at = pad.text.find(from).unwrap();
            let edits = [TextEdit { span: Span::new(at, at + from.len()), text: to.to_owned() }];
            pad.history.amend(&pad.text, &edits, name, 0.0);
            pad.text = apply_edits(&pad.text, &edits);
        };
        fill("1", "12", "count");
        fill("12", "123", "count");
        fill("a:", "b:", "name");
        fill("123", "9", "count");
        fill("9", "12", "count");
        let mut seen = vec![pad.text.clone()];
        while pad.undo() {
            seen.push(pad.text.clone());
        }
        assert_eq!(seen, ["b: 12 # é\n", "b: 123 # é\n", "a: 123 # é\n", "a: 1 # é\n"]);
        while pad.redo() {}
        assert_eq!(pad.text, "b: 12 # é\n");
        pad.history.close();
        let edits = [TextEdit { span: Span::new(3, 5), text: "7".to_owned() }];
        pad.history.amend(&pad.text, &edits, "count", 0.0);
        pad.text = apply_edits(&pad.text, &edits);
        assert!(pad.undo() && pad.text == "b: 12 # é\n", "another visit is another step");
    }

    #[test]
    fn limits_the_number_of_steps() {
        let mut pad = pad("");
        for at in 0..MAX_STEPS + 5 {
            pad.edit(at, at, "x", ChangeSource::Command, 0.0);
        }
        while pad.undo() {}
        assert_eq!(pad.text, "xxxxx");
    }
}
