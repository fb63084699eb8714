//! What is open, and signals that say what of it has changed.
//!
//! Decides who hears of a change: the text pane by the edits themselves, everything else by a signal. The plan lies in one place and is
//! lent, never copied.
//!
//! Invariants: 1. after each change all signals are right before anybody is asked to draw; 2. a change that can't be made says why and
//! changes nothing.

use super::js_bridge::{now, reserve_memory};
use super::run::state::RunStore;
use super::share::Share;
use crate::announce::AnnouncementQueue;
use crate::appearance::Theme;
use crate::geometry::Size;
use crate::i18n::{Lang, Localized};
use crate::keyboard::Keyboard;
use crate::page_layout::{PageLayout, Pane, Panel};
use crate::plan_editor::{EditOutcome, PlanEditor};
use crate::problems::message_with_help;
use crate::run_overlay::RunOverlay;
use crate::text::Group;
use crate::viewport::Viewport;
use leptos::prelude::*;
use stepgraph_core::diagnostic::{Diagnostic, Span, TextEdit};
use stepgraph_core::source::edit::spliced;

/// For how long what is to be said is gathered.
const ANNOUNCE_DELAY: std::time::Duration = std::time::Duration::from_millis(120);

/// What the text pane has to hear.
#[derive(Debug, Clone, Copy)]
pub enum TextPaneEvent<'t> {
    /// Edits that it did not make, and the text before them.
    Edits(&'t str, &'t [TextEdit]),
    /// Another text was opened.
    Opened(&'t str),
}

/// Who has to hear of what is done to the text: the text pane.
type TextPaneListener = Box<dyn Fn(TextPaneEvent<'_>)>;
/// Hands over what was typed and not told yet, before anything else is done to the plan.
type CommitTyping = Box<dyn Fn()>;

/// What has the focus in the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A node, by place.
    Node(String),
    /// An edge, by scope and position.
    Edge(String, usize),
}

/// What is open above the page.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// Commands, to be found by a few letters.
    Palette,
    /// Nodes, likewise.
    Find,
    /// Types of nodes, likewise: one is added.
    Add(Adding),
    /// A new name for a node.
    Rename(String),
    /// All keys.
    Keys,
}

/// Where a node is to be added.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Adding {
    /// In which graph.
    pub scope: String,
    /// After which node, by place.
    pub after: Option<String>,
    /// Into which edge of that graph.
    pub into: Option<usize>,
    /// At which place of the drawing.
    pub at: Option<crate::geometry::Point>,
}

/// Something to tell the person, until it is closed or another takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What.
    pub text: String,
    /// Whether something went wrong.
    pub is_error: bool,
}

/// What is open. As small as can be: every closure of the page holds one.
#[derive(Clone, Copy)]
pub struct Store(&'static StoreData);

/// What a store holds, as long as the page is open.
pub struct StoreData {
    session: StoredValue<PlanEditor, LocalStorage>,
    listeners: StoredValue<Vec<TextPaneListener>, LocalStorage>,
    keyboard: StoredValue<Keyboard, LocalStorage>,
    queue: StoredValue<AnnouncementQueue, LocalStorage>,
    commit_typing: StoredValue<Option<CommitTyping>, LocalStorage>,
    /// Counts changes of the text.
    pub text_version: RwSignal<u32>,
    /// Counts changes of the drawing.
    pub scene_version: RwSignal<u32>,
    /// Counts changes of what is selected.
    pub selection_version: RwSignal<u32>,
    /// A part of the text to go to.
    pub reveal_span: RwSignal<Option<Span>>,
    /// What the text pane is asked to do, by its name there: `format`, `find`.
    pub service: RwSignal<Option<&'static str>>,
    /// What of the drawing is seen.
    pub view: RwSignal<Viewport>,
    /// How large the drawing's pane is.
    pub screen: RwSignal<Size>,
    /// What has the focus in the drawing.
    pub focus: RwSignal<Option<Item>>,
    /// What a run has left on the drawing.
    pub overlay: RwSignal<RunOverlay>,
    /// The edge that is about to be made, by the numbers of its ends.
    pub edge_preview: RwSignal<Option<(usize, usize)>>,
    /// Sizes and choices of the frame.
    pub layout: RwSignal<PageLayout>,
    /// The part that a narrow page shows.
    pub pane: RwSignal<Pane>,
    /// Whether the outline stands where the text does.
    pub shows_outline: RwSignal<bool>,
    /// Whether somebody has moved, touched or typed yet.
    pub has_interacted: RwSignal<bool>,
    /// The tab of the panel below.
    pub panel: RwSignal<Panel>,
    /// What is open above the page.
    pub dialog: RwSignal<Option<Dialog>>,
    /// Light or dark.
    pub theme: RwSignal<Theme>,
    /// The language of the page.
    pub lang: RwSignal<Lang>,
    /// Runs of the plan.
    pub runs: RunStore,
    /// What is told.
    pub notice: RwSignal<Option<Notice>>,
    /// What screen readers say next.
    pub announcement: RwSignal<String>,
    /// How the plan is kept, and whether it may run.
    pub share: &'static Share,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

impl std::fmt::Debug for StoreData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoreData")
    }
}

impl std::ops::Deref for Store {
    type Target = StoreData;

    fn deref(&self) -> &StoreData {
        self.0
    }
}

impl Store {
    /// Opens a text.
    pub fn new(text: &str, theme: Theme, lang: Lang) -> Self {
        Self(Box::leak(Box::new(StoreData {
            session: StoredValue::new_local(PlanEditor::new(text)),
            listeners: StoredValue::new_local(Vec::new()),
            keyboard: StoredValue::new_local(Keyboard::default()),
            queue: StoredValue::new_local(AnnouncementQueue::default()),
            commit_typing: StoredValue::new_local(None),
            text_version: RwSignal::new(0),
            scene_version: RwSignal::new(0),
            selection_version: RwSignal::new(0),
            reveal_span: RwSignal::new(None),
            service: RwSignal::new(None),
            view: RwSignal::new(Viewport::default()),
            screen: RwSignal::new(Size::new(0.0, 0.0)),
            focus: RwSignal::new(None),
            overlay: RwSignal::new(RunOverlay::default()),
            edge_preview: RwSignal::new(None),
            layout: RwSignal::new(PageLayout::default()),
            pane: RwSignal::new(Pane::default()),
            shows_outline: RwSignal::new(false),
            has_interacted: RwSignal::new(false),
            panel: RwSignal::new(Panel::default()),
            dialog: RwSignal::new(None),
            theme: RwSignal::new(theme),
            lang: RwSignal::new(lang),
            runs: RunStore::default(),
            notice: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            share: Share::new(),
        })))
    }

    /// Looks at the plan; heeds no signal.
    pub fn read<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.session.with_value(read)
    }

    /// Looks at the drawing, again when it has changed.
    pub fn with_scene<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.scene_version.track();
        self.read(read)
    }

    /// Looks at what is selected, again when it has changed.
    pub fn with_selection<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.selection_version.track();
        self.with_scene(read)
    }

    /// Looks at the text and its problems, again when they have changed.
    pub fn with_text<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.text_version.track();
        self.read(read)
    }

    /// Shows another plan, with graphs that were open in its drawing: what was done to the one before can't be undone here.
    pub fn open(self, text: &str, node_paths: Vec<String>) {
        self.commit_typing();
        reserve_memory(text);
        self.session.update_value(|editor| editor.open(text, node_paths));
        self.focus.set(None);
        self.overlay.set(RunOverlay::default());
        super::run::saved_settings::plan_opened(self);
        self.read(|editor| {
            let event = TextPaneEvent::Opened(editor.text());
            self.listeners.with_value(|all| all.iter().for_each(|listener| listener(event)));
        });
        self.scene_changed();
    }

    /// Changes the plan by a command, with the time for the history; gives whether that could be done.
    pub fn change(self, change: impl FnOnce(&mut PlanEditor, f64) -> EditOutcome) -> bool {
        let done = self.attempt(change);
        if let Err(Some(problem)) = &done {
            self.notify(message_with_help(problem), true);
        }
        done.is_ok()
    }

    /// The same for those who say themselves why it can't be done.
    ///
    /// # Errors
    /// Why it can't be done, nothing where plans are only looked at; nothing has changed then.
    pub fn attempt(
        self,
        change: impl FnOnce(&mut PlanEditor, f64) -> EditOutcome,
    ) -> Result<(), Option<Box<Diagnostic>>> {
        if self.share.is_readonly.get_untracked() {
            return Err(None);
        }
        self.commit_typing();
        let before = self.read(|editor| editor.text().to_owned());
        let mut done = Ok(Vec::new());
        self.session.update_value(|editor| done = change(editor, now()));
        self.publish_edits(before, &[done?]);
        Ok(())
    }

    /// What is done next is a step of its own.
    pub fn end_typing_step(self) {
        self.session.update_value(PlanEditor::end_typing_step);
    }

    /// Somebody has typed in the text pane, which shows it already. The drawing follows when it is refreshed.
    pub fn apply_typing(self, groups: &[Group]) {
        self.session.update_value(|editor| {
            for group in groups {
                editor.apply_group(group, now());
            }
        });
        self.scene_changed();
    }

    /// What is connected, as JSON, against which the plan is checked.
    pub fn set_host(self, offer: &str) {
        let before = self.text_version.get_untracked();
        self.session.update_value(|editor| editor.set_host(offer));
        self.scene_changed();
        self.share.text_unchanged(before, self.text_version.get_untracked());
    }

    /// What was typed is a part of the plan from here on.
    pub fn commit_typing(self) {
        self.commit_typing.with_value(|settle| settle.iter().for_each(|settle| settle()));
    }

    /// Draws the present text, unless that is drawn already.
    pub fn refresh(self) {
        if self.read(PlanEditor::is_stale) {
            self.session.update_value(PlanEditor::refresh);
            self.scene_version.update(|count| *count += 1);
            self.selection_version.update(|count| *count += 1);
        }
    }

    /// Changes how something is drawn, for somebody who draws it and tells nobody else: what moves under a pointer.
    pub fn update_untracked(self, change: impl FnOnce(&mut PlanEditor)) {
        self.session.update_value(change);
    }

    /// Changes what is selected, or how it is drawn, but not the text.
    pub fn update_selection(self, choose: impl FnOnce(&mut PlanEditor)) {
        self.session.update_value(choose);
        self.selection_version.update(|count| *count += 1);
        self.scene_version.update(|count| *count += 1);
    }

    /// Takes back the last step, or does it again; gives its name.
    pub fn undo_or_redo(self, back: bool) -> Option<String> {
        self.commit_typing();
        let before = self.read(|editor| editor.text().to_owned());
        let mut found = None;
        self.session.update_value(|editor| found = if back { editor.undo() } else { editor.redo() });
        let (name, edits) = found?;
        self.publish_edits(before, &edits);
        Some(name)
    }

    /// Hears of what is done to the text, and did not come from the text pane; and is asked for what was typed before anything is done.
    pub fn listen(self, listener: impl Fn(TextPaneEvent<'_>) + 'static, settle: impl Fn() + 'static) {
        self.listeners.update_value(|listeners| listeners.push(Box::new(listener)));
        self.commit_typing.set_value(Some(Box::new(settle)));
    }

    /// Says something to those who listen, with what else is to be said in the same moment.
    pub fn announce(self, text: impl Into<String>) {
        let text = text.into();
        let mut is_first = false;
        self.queue.update_value(|queue| is_first = !text.is_empty() && queue.push(text));
        if is_first {
            set_timeout(move || self.flush_announcements(), ANNOUNCE_DELAY);
        }
    }

    fn flush_announcements(self) {
        let mut text = String::new();
        self.queue.update_value(|queue| text = queue.take(self.lang.get_untracked()));
        // The same words once more are heard only if the text differs.
        if self.announcement.with_untracked(|message| *message == text) {
            text.push('\u{a0}');
        }
        self.announcement.set(text);
    }

    /// Reads a key, or whatever else the keyboard decides; the drawing is at hand.
    pub fn keyboard<T>(self, work: impl FnOnce(&mut Keyboard, &PlanEditor) -> T) -> Option<T> {
        let mut done = None;
        self.keyboard.update_value(|keyboard| done = Some(self.read(|editor| work(keyboard, editor))));
        done
    }

    /// Tells the person what went well, or not.
    pub fn notify(self, text: impl Into<String>, is_error: bool) {
        let text = text.into();
        self.announce(text.clone());
        self.notice.set(Some(Notice { text, is_error }));
    }

    fn publish_edits(self, mut text: String, edits: &[Vec<TextEdit>]) {
        for edits in edits.iter().filter(|edits| !edits.is_empty()) {
            let event = TextPaneEvent::Edits(&text, edits);
            self.listeners.with_value(|listeners| listeners.iter().for_each(|listener| listener(event)));
            text = spliced(&text, edits);
        }
        self.scene_changed();
    }

    fn scene_changed(self) {
        self.text_version.update(|count| *count += 1);
        if !self.read(PlanEditor::is_stale) {
            self.scene_version.update(|count| *count += 1);
            self.selection_version.update(|count| *count += 1);
        }
    }
}

/// A text of the page in the language that is chosen now, and in another one when that is chosen.
pub fn t(store: Store, word: impl Localized) -> impl Fn() -> &'static str + Copy {
    in_current_language(store, Lang::ALL.map(|lang| word.text(lang)))
}

/// One kind of closure, whatever part of the page speaks: all that is compiled for it is compiled once.
fn in_current_language(
    store: Store,
    [english, spanish]: [&'static str; 2],
) -> impl Fn() -> &'static str + Copy {
    move || match store.lang.get() {
        Lang::En => english,
        Lang::Es => spanish,
    }
}
