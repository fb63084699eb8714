//! The page's state and signals.
//!
//! Invariants: 1. all signals are set before anything draws. 2. a failed change keeps the plan and says why.

mod fit;
mod types;

pub use types::{Adding, Dialog, Item, Notice, TextPaneEvent};

use super::js_bridge::{now, reserve_memory};
use super::run::state::RunStore;
use super::share::state::Share;
use crate::announce::AnnouncementQueue;
use crate::appearance::Theme;
use crate::geometry::Size;
use crate::i18n::{Lang, Localized, spanish};
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

/// Groups announcements.
const ANNOUNCE_DELAY: std::time::Duration = std::time::Duration::from_millis(120);

type TextPaneListener = Box<dyn Fn(TextPaneEvent<'_>)>;
type CommitTyping = Box<dyn Fn()>;

/// Every closure holds one.
#[derive(Clone, Copy)]
pub struct Store(&'static StoreData);

/// Page state.
pub struct StoreData {
    session: StoredValue<PlanEditor, LocalStorage>,
    listeners: StoredValue<Vec<TextPaneListener>, LocalStorage>,
    keyboard: StoredValue<Keyboard, LocalStorage>,
    queue: StoredValue<AnnouncementQueue, LocalStorage>,
    commit_typing: StoredValue<Option<CommitTyping>, LocalStorage>,
    /// Text changes.
    pub text_version: RwSignal<u32>,
    /// Scene changes.
    pub scene_version: RwSignal<u32>,
    /// Selection changes.
    pub selection_version: RwSignal<u32>,
    /// To reveal.
    pub reveal_span: RwSignal<Option<Span>>,
    /// Such as `format`, for the text pane.
    pub service: RwSignal<Option<&'static str>>,
    /// Canvas viewport.
    pub view: RwSignal<Viewport>,
    /// Canvas size.
    pub screen: RwSignal<Size>,
    /// Focused item.
    pub focus: RwSignal<Option<Item>>,
    /// Run overlay.
    pub overlay: RwSignal<RunOverlay>,
    /// Ends by number.
    pub edge_preview: RwSignal<Option<(usize, usize)>>,
    /// Page layout.
    pub layout: RwSignal<PageLayout>,
    /// For narrow pages.
    pub pane: RwSignal<Pane>,
    /// Replaces the text.
    pub shows_outline: RwSignal<bool>,
    /// Has interacted.
    pub has_interacted: RwSignal<bool>,
    /// Panel tab.
    pub panel: RwSignal<Panel>,
    /// Open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// The theme.
    pub theme: RwSignal<Theme>,
    /// The language.
    pub lang: RwSignal<Lang>,
    /// Plan runs.
    pub runs: RunStore,
    /// The notification.
    pub notice: RwSignal<Option<Notice>>,
    /// Live region.
    pub announcement: RwSignal<String>,
    /// Storage and consent.
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
    /// Initial state.
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

    /// Reads without tracking.
    pub fn read<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.session.with_value(read)
    }

    /// Tracks the scene.
    pub fn with_scene<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.scene_version.track();
        self.read(read)
    }

    /// Tracks scene and selection.
    pub fn with_selection<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.selection_version.track();
        self.with_scene(read)
    }

    /// Tracks text and problems.
    pub fn with_text<T>(self, read: impl FnOnce(&PlanEditor) -> T) -> T {
        self.text_version.track();
        self.read(read)
    }

    /// Opens a plan without undo history.
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

    /// Saved with the plan.
    pub fn set_direction(self, direction: LayoutDirection) {
        self.commit_typing();
        self.session.update_value(|editor| editor.set_direction(direction));
        self.share.direction.set(direction);
        self.scene_version.update(|count| *count += 1);
        self.selection_version.update(|count| *count += 1);
    }

    /// Changes the plan, or notifies. Returns success.
    pub fn change(self, change: impl FnOnce(&mut PlanEditor, f64) -> EditOutcome) -> bool {
        let done = self.attempt(change);
        if let Err(Some(problem)) = &done {
            self.notify(message_with_help(problem), true);
        }
        done.is_ok()
    }

    /// Like [`change`](Self::change), without notifying.
    ///
    /// # Errors
    /// The reason, or `None` if read-only. The plan is unchanged.
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

    /// Separates the next step.
    pub fn end_typing_step(self) {
        self.session.update_value(PlanEditor::end_typing_step);
    }

    /// The canvas follows at the next refresh.
    pub fn apply_typing(self, groups: &[Group]) {
        self.session.update_value(|editor| {
            for group in groups {
                editor.apply_group(group, now());
            }
        });
        self.scene_changed();
    }

    /// Host tools (JSON), for checks.
    pub fn set_host(self, offer: &str) {
        let before = self.text_version.get_untracked();
        self.session.update_value(|editor| editor.set_host(offer));
        self.scene_changed();
        self.share.text_unchanged(before, self.text_version.get_untracked());
    }

    /// Applies pending typing.
    pub fn commit_typing(self) {
        self.commit_typing.with_value(|settle| settle.iter().for_each(|settle| settle()));
    }

    /// If stale.
    pub fn refresh(self) {
        if self.read(PlanEditor::is_stale) {
            self.session.update_value(PlanEditor::refresh);
            self.scene_version.update(|count| *count += 1);
            self.selection_version.update(|count| *count += 1);
        }
    }

    /// The caller draws.
    pub fn update_untracked(self, change: impl FnOnce(&mut PlanEditor)) {
        self.session.update_value(change);
    }

    /// Changes no text.
    pub fn update_selection(self, choose: impl FnOnce(&mut PlanEditor)) {
        self.session.update_value(choose);
        self.selection_version.update(|count| *count += 1);
        self.scene_version.update(|count| *count += 1);
    }

    /// Tracks the text. A tab that may not write has nothing to undo.
    pub fn can_undo_or_redo(self, back: bool) -> bool {
        !self.share.is_readonly.get()
            && self.with_text(|editor| if back { editor.can_undo() } else { editor.can_redo() })
    }

    /// Returns the step's name.
    pub fn undo_or_redo(self, back: bool) -> Option<String> {
        self.commit_typing();
        let before = self.read(|editor| editor.text().to_owned());
        let mut found = None;
        self.session.update_value(|editor| found = if back { editor.undo() } else { editor.redo() });
        let (name, edits) = found?;
        self.publish_edits(before, &edits);
        Some(name)
    }

    /// The text pane's listener, and what applies its typing.
    pub fn listen(self, listener: impl Fn(TextPaneEvent<'_>) + 'static, settle: impl Fn() + 'static) {
        self.listen_to_changes(listener);
        self.commit_typing.set_value(Some(Box::new(settle)));
    }

    /// Changes outside the text pane, after earlier listeners.
    pub fn listen_to_changes(self, listener: impl Fn(TextPaneEvent<'_>) + 'static) {
        self.listeners.update_value(|listeners| listeners.push(Box::new(listener)));
    }

    /// After a short delay.
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
        // Equal texts are not repeated.
        if self.announcement.with_untracked(|message| *message == text) {
            text.push('\u{a0}');
        }
        self.announcement.set(text);
    }

    /// Uses the editor.
    pub fn keyboard<T>(self, work: impl FnOnce(&mut Keyboard, &PlanEditor) -> T) -> Option<T> {
        let mut done = None;
        self.keyboard.update_value(|keyboard| done = Some(self.read(|editor| work(keyboard, editor))));
        done
    }

    /// Also announces it.
    pub fn notify(self, text: impl Into<String>, is_error: bool) {
        self.notify_with_details(text, is_error, Vec::new());
    }

    /// Announces only the message.
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

/// Text in the tracked language.
pub fn t(store: Store, word: impl Localized) -> impl Fn() -> &'static str + Copy {
    in_current_language(store, word.english(), word.index())
}

/// One closure type keeps the module small.
fn in_current_language(
    store: Store,
    english: &'static str,
    index: usize,
) -> impl Fn() -> &'static str + Copy {
    move || spanish::in_language(store.lang.get(), english, index)
}
