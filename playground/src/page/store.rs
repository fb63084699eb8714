//! The state of the page, and the signals that announce its changes.
//!
//! Invariants:
//! 1. After a change all signals are set before anything draws.
//! 2. A failed change leaves the plan unchanged and says why.

mod types;

pub use types::{Adding, Dialog, Item, Notice, TextPaneEvent};

use super::js_bridge::{now, reserve_memory};
use super::run::state::RunStore;
use super::share::state::Share;
use crate::announce::AnnouncementQueue;
use crate::appearance::Theme;
use crate::geometry::Size;
use crate::i18n::{Lang, Localized};
use crate::keyboard::Keyboard;
use crate::layout::LayoutDirection;
use crate::page_layout::{PageLayout, Pane, Panel};
use crate::plan_editor::{EditOutcome, PlanEditor};
use crate::problems::message_with_help;
use crate::run_overlay::RunOverlay;
use crate::text::Group;
use crate::viewport::Viewport;
use leptos::prelude::*;
use stepgraph_core::diagnostic::{Diagnostic, Span, TextEdit};
use stepgraph_core::source::edit::apply_edits;

/// Collects announcements of the same moment.
const ANNOUNCE_DELAY: std::time::Duration = std::time::Duration::from_millis(120);

type TextPaneListener = Box<dyn Fn(TextPaneEvent<'_>)>;
type CommitTyping = Box<dyn Fn()>;

/// A handle to the page's state. Every closure holds one.
#[derive(Clone, Copy)]
pub struct Store(&'static StoreData);

/// The page's state.
pub struct StoreData {
    session: StoredValue<PlanEditor, LocalStorage>,
    listeners: StoredValue<Vec<TextPaneListener>, LocalStorage>,
    keyboard: StoredValue<Keyboard, LocalStorage>,
    queue: StoredValue<AnnouncementQueue, LocalStorage>,
    commit_typing: StoredValue<Option<CommitTyping>, LocalStorage>,
    /// Counts changes of the text.
    pub text_version: RwSignal<u32>,
    /// Counts changes of the scene.
    pub scene_version: RwSignal<u32>,
    /// Counts changes of the selection.
    pub selection_version: RwSignal<u32>,
    /// A range of the text to reveal.
    pub reveal_span: RwSignal<Option<Span>>,
    /// The service to run in the text pane, such as `format`.
    pub service: RwSignal<Option<&'static str>>,
    /// The viewport of the canvas.
    pub view: RwSignal<Viewport>,
    /// The size of the canvas pane.
    pub screen: RwSignal<Size>,
    /// The focused item.
    pub focus: RwSignal<Option<Item>>,
    /// The run's overlay on the canvas.
    pub overlay: RwSignal<RunOverlay>,
    /// The previewed edge, by the numbers of its ends.
    pub edge_preview: RwSignal<Option<(usize, usize)>>,
    /// The page layout.
    pub layout: RwSignal<PageLayout>,
    /// The pane that a narrow page shows.
    pub pane: RwSignal<Pane>,
    /// Whether the outline replaces the text.
    pub shows_outline: RwSignal<bool>,
    /// Whether the user has interacted with the page yet.
    pub has_interacted: RwSignal<bool>,
    /// The tab of the bottom panel.
    pub panel: RwSignal<Panel>,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// The theme.
    pub theme: RwSignal<Theme>,
    /// The language.
    pub lang: RwSignal<Lang>,
    /// Runs of the plan.
    pub runs: RunStore,
    /// The notification.
    pub notice: RwSignal<Option<Notice>>,
    /// The text of the live region.
    pub announcement: RwSignal<String>,
    /// Storage and consent of the plan.
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
    /// Creates the state with a plan text.
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

    /// Reads the plan editor without tracking.
    pub fn read<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.session.with_value(read)
    }

    /// Reads the plan editor and tracks the scene.
    pub fn with_scene<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.scene_version.track();
        self.read(read)
    }

    /// Reads the plan editor and tracks the scene and the selection.
    pub fn with_selection<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.selection_version.track();
        self.with_scene(read)
    }

    /// Reads the plan editor and tracks the text and its problems.
    pub fn with_text<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.text_version.track();
        self.read(read)
    }

    /// Opens another plan with its expanded nodes and its direction, and an empty undo history.
    pub fn open(self, text: &str, node_paths: Vec<String>, direction: LayoutDirection) {
        self.commit_typing();
        reserve_memory(text);
        self.session.update_value(|editor| editor.open(text, node_paths, direction));
        self.share.direction.set(direction);
        self.focus.set(None);
        self.notice.set(None);
        self.overlay.set(RunOverlay::default());
        self.read(|editor| {
            let event = TextPaneEvent::Opened(editor.text());
            self.listeners.with_value(|all| all.iter().for_each(|listener| listener(event)));
        });
        self.scene_changed();
    }

    /// Lays out the plan in a direction, which is saved with the plan.
    pub fn set_direction(self, direction: LayoutDirection) {
        self.commit_typing();
        self.session.update_value(|editor| editor.set_direction(direction));
        self.share.direction.set(direction);
        self.scene_version.update(|count| *count += 1);
        self.selection_version.update(|count| *count += 1);
    }

    /// Changes the plan, and notifies the user of a failure. Returns whether it succeeded.
    pub fn change(self, change: impl FnOnce(&mut PlanEditor, f64) -> EditOutcome) -> bool {
        let done = self.attempt(change);
        if let Err(Some(problem)) = &done {
            self.notify(message_with_help(problem), true);
        }
        done.is_ok()
    }

    /// Changes the plan like [`change`](Self::change), without a notification.
    ///
    /// # Errors
    /// The reason, or `None` if the plan is read-only. The plan is unchanged then.
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

    /// Makes the next change an undo step of its own.
    pub fn end_typing_step(self) {
        self.session.update_value(PlanEditor::end_typing_step);
    }

    /// Applies typing from the text pane. The canvas follows at the next refresh.
    pub fn apply_typing(self, groups: &[Group]) {
        self.session.update_value(|editor| {
            for group in groups {
                editor.apply_group(group, now());
            }
        });
        self.scene_changed();
    }

    /// Sets the host's tools as JSON, which the plan is checked against.
    pub fn set_host(self, offer: &str) {
        let before = self.text_version.get_untracked();
        self.session.update_value(|editor| editor.set_host(offer));
        self.scene_changed();
        self.share.text_unchanged(before, self.text_version.get_untracked());
    }

    /// Applies pending typing of the text pane to the plan.
    pub fn commit_typing(self) {
        self.commit_typing.with_value(|settle| settle.iter().for_each(|settle| settle()));
    }

    /// Updates the scene if it is stale.
    pub fn refresh(self) {
        if self.read(PlanEditor::is_stale) {
            self.session.update_value(PlanEditor::refresh);
            self.scene_version.update(|count| *count += 1);
            self.selection_version.update(|count| *count += 1);
        }
    }

    /// Changes the editor without signals, for callers that draw it themselves.
    pub fn update_untracked(self, change: impl FnOnce(&mut PlanEditor)) {
        self.session.update_value(change);
    }

    /// Changes the selection or the scene, but not the text.
    pub fn update_selection(self, choose: impl FnOnce(&mut PlanEditor)) {
        self.session.update_value(choose);
        self.selection_version.update(|count| *count += 1);
        self.scene_version.update(|count| *count += 1);
    }

    /// Undoes or redoes a step. Returns its name.
    pub fn undo_or_redo(self, back: bool) -> Option<String> {
        self.commit_typing();
        let before = self.read(|editor| editor.text().to_owned());
        let mut found = None;
        self.session.update_value(|editor| found = if back { editor.undo() } else { editor.redo() });
        let (name, edits) = found?;
        self.publish_edits(before, &edits);
        Some(name)
    }

    /// Adds the listener of the text pane, and the function that applies its pending typing.
    pub fn listen(self, listener: impl Fn(TextPaneEvent<'_>) + 'static, settle: impl Fn() + 'static) {
        self.listen_to_changes(listener);
        self.commit_typing.set_value(Some(Box::new(settle)));
    }

    /// Adds a listener for changes made outside the text pane, called after the earlier ones.
    pub fn listen_to_changes(self, listener: impl Fn(TextPaneEvent<'_>) + 'static) {
        self.listeners.update_value(|listeners| listeners.push(Box::new(listener)));
    }

    /// Announces a text to screen readers, after a short delay.
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
        // Screen readers repeat a message only if its text differs.
        if self.announcement.with_untracked(|message| *message == text) {
            text.push('\u{a0}');
        }
        self.announcement.set(text);
    }

    /// Runs the keyboard with the plan editor.
    pub fn keyboard<T>(self, work: impl FnOnce(&mut Keyboard, &PlanEditor) -> T) -> Option<T> {
        let mut done = None;
        self.keyboard.update_value(|keyboard| done = Some(self.read(|editor| work(keyboard, editor))));
        done
    }

    /// Shows a notification and announces it.
    pub fn notify(self, text: impl Into<String>, is_error: bool) {
        self.notify_with_details(text, is_error, Vec::new());
    }

    /// Shows a notification with a list below its message, and announces the message.
    pub fn notify_with_details(self, text: impl Into<String>, is_error: bool, details: Vec<String>) {
        let text = text.into();
        self.announce(text.clone());
        self.notice.set(Some(Notice { text, is_error, details }));
    }

    fn publish_edits(self, mut text: String, edits: &[Vec<TextEdit>]) {
        for edits in edits.iter().filter(|edits| !edits.is_empty()) {
            let event = TextPaneEvent::Edits(&text, edits);
            self.listeners.with_value(|listeners| listeners.iter().for_each(|listener| listener(event)));
            text = apply_edits(&text, edits);
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

/// Returns a text in the current language, and tracks the language.
pub fn t(store: Store, word: impl Localized) -> impl Fn() -> &'static str + Copy {
    in_current_language(store, Lang::ALL.map(|lang| word.text(lang)))
}

/// One closure type for all texts keeps the module small.
fn in_current_language(
    store: Store,
    [english, spanish]: [&'static str; 2],
) -> impl Fn() -> &'static str + Copy {
    move || match store.lang.get() {
        Lang::En => english,
        Lang::Es => spanish,
    }
}
