//! What is open, and signals that say what of it has changed.
//!
//! Decides who hears of a change: the text pane by the edits themselves, everything else by a signal. The plan lies in one place and is
//! lent, never copied.
//!
//! Invariants: 1. after each change all signals are right before anybody is asked to draw; 2. a change that can't be made says why and
//! changes nothing.
//!
//! Source: design section 15; facts of the playground, thread 15.

use super::bridge::now;
use crate::geometry::Size;
use crate::history::By;
use crate::look::Theme;
use crate::marks::Marks;
use crate::session::{Done, Session};
use crate::viewport::Viewport;
use crate::words::{Lang, Words};
use leptos::prelude::*;
use stepgraph_core::diagnostic::{Diagnostic, Span, TextEdit};

/// Who has to hear of edits of the text: the text pane.
type Listener = Box<dyn Fn(&[TextEdit])>;

/// What has the focus in the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A node, by place.
    Node(String),
    /// An edge, by scope and position.
    Edge(String, usize),
}

/// Something to tell the person, until it is closed or another takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What.
    pub text: String,
    /// Whether something went wrong.
    pub is_error: bool,
}

/// What is open.
#[derive(Clone, Copy)]
pub struct Store {
    session: StoredValue<Session, LocalStorage>,
    listeners: StoredValue<Vec<Listener>, LocalStorage>,
    /// Counts changes of the text.
    pub text: RwSignal<u32>,
    /// Counts changes of the drawing.
    pub drawing: RwSignal<u32>,
    /// Counts changes of what is selected.
    pub selection: RwSignal<u32>,
    /// What of the drawing is seen.
    pub view: RwSignal<Viewport>,
    /// How large the drawing's pane is.
    pub screen: RwSignal<Size>,
    /// What has the focus in the drawing.
    pub focus: RwSignal<Option<Item>>,
    /// What a run has left on the drawing.
    pub marks: RwSignal<Marks>,
    /// Light or dark.
    pub theme: RwSignal<Theme>,
    /// The language of the page.
    pub lang: RwSignal<Lang>,
    /// What is told.
    pub notice: RwSignal<Option<Notice>>,
    /// What screen readers say next.
    pub said: RwSignal<String>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

impl Store {
    /// Opens a text.
    pub fn new(text: &str, theme: Theme, lang: Lang) -> Self {
        Self {
            session: StoredValue::new_local(Session::new(text)),
            listeners: StoredValue::new_local(Vec::new()),
            text: RwSignal::new(0),
            drawing: RwSignal::new(0),
            selection: RwSignal::new(0),
            view: RwSignal::new(Viewport::default()),
            screen: RwSignal::new(Size::new(0.0, 0.0)),
            focus: RwSignal::new(None),
            marks: RwSignal::new(Marks::default()),
            theme: RwSignal::new(theme),
            lang: RwSignal::new(lang),
            notice: RwSignal::new(None),
            said: RwSignal::new(String::new()),
        }
    }

    /// Looks at the plan; heeds no signal.
    pub fn read<T>(self, look: impl FnOnce(&Session) -> T) -> T {
        self.session.with_value(look)
    }

    /// Looks at the drawing, again when it has changed.
    pub fn with_drawing<T>(self, look: impl FnOnce(&Session) -> T) -> T {
        self.drawing.track();
        self.read(look)
    }

    /// Looks at what is selected, again when it has changed.
    pub fn with_selection<T>(self, look: impl FnOnce(&Session) -> T) -> T {
        self.selection.track();
        self.with_drawing(look)
    }

    /// Looks at the text and its problems, again when they have changed.
    pub fn with_text<T>(self, look: impl FnOnce(&Session) -> T) -> T {
        self.text.track();
        self.read(look)
    }

    /// Changes the plan by a command, with the time for the history; gives whether that could be done.
    pub fn change(self, change: impl FnOnce(&mut Session, f64) -> Done) -> bool {
        let mut done = Ok(Vec::new());
        self.session.update_value(|session| done = change(session, now()));
        match done {
            Ok(edits) => {
                self.publish(&[edits]);
                true
            }
            Err(problem) => {
                self.refuse(&problem);
                false
            }
        }
    }

    /// Puts another text in the place of the plan, as one step that can be undone.
    pub fn replace(self, text: &str) {
        let edits = vec![TextEdit {
            span: Span { start: 0, end: self.read(|session| session.text().len()) },
            text: text.to_owned(),
        }];
        self.session.update_value(|session| session.write(&edits, By::Command, "open", now()));
        self.publish(&[edits]);
    }

    /// What is connected, as JSON, against which the plan is checked.
    pub fn offer(self, offer: &str) {
        self.session.update_value(|session| session.offer(offer));
        self.touch();
    }

    /// Somebody has typed in the text pane.
    pub fn typed(self, edits: &[TextEdit]) {
        self.session.update_value(|session| session.typed(edits, now()));
        self.touch();
    }

    /// Changes what is selected, or how it is drawn, but not the text.
    pub fn choose(self, choose: impl FnOnce(&mut Session)) {
        self.session.update_value(choose);
        self.selection.update(|count| *count += 1);
        self.drawing.update(|count| *count += 1);
    }

    /// Takes back the last step, or does it again; gives its name.
    pub fn step(self, back: bool) -> Option<String> {
        let mut found = None;
        self.session.update_value(|session| found = if back { session.undo() } else { session.redo() });
        let (name, edits) = found?;
        self.publish(&edits);
        Some(name)
    }

    /// Hears of edits that did not come from the text pane.
    pub fn listen(self, listener: impl Fn(&[TextEdit]) + 'static) {
        self.listeners.update_value(|listeners| listeners.push(Box::new(listener)));
    }

    /// Says something to those who listen.
    pub fn say(self, text: impl Into<String>) {
        self.said.set(text.into());
    }

    /// Tells the person what went well, or not.
    pub fn tell(self, text: impl Into<String>, is_error: bool) {
        let text = text.into();
        self.say(text.clone());
        self.notice.set(Some(Notice { text, is_error }));
    }

    fn refuse(self, problem: &Diagnostic) {
        let help = problem.help.as_deref().map(|help| [": ", help].concat()).unwrap_or_default();
        self.tell([problem.message.as_str(), &help].concat(), true);
    }

    fn publish(self, edits: &[Vec<TextEdit>]) {
        for edits in edits.iter().filter(|edits| !edits.is_empty()) {
            self.listeners.with_value(|listeners| listeners.iter().for_each(|listener| listener(edits)));
        }
        self.touch();
    }

    fn touch(self) {
        self.text.update(|count| *count += 1);
        self.drawing.update(|count| *count += 1);
        self.selection.update(|count| *count += 1);
    }
}

/// A text of the page in the language that is chosen now, and in another one when that is chosen.
pub fn t(store: Store, word: impl Words) -> impl Fn() -> &'static str + Copy {
    move || word.text(store.lang.get())
}
