//! The page's commands and shortcuts, which one dispatcher executes with undo, autosave and announcements.
//!
//! Invariants: 1. a command has one row, a shortcut one command. 2. single-key shortcuts need the canvas and can be
//! turned off (WCAG 2.1.4).

use crate::i18n::{Lang, Shell};
use crate::keyboard::{Chord, Direction, FocusMove};

/// Places where shortcuts work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyScope {
    /// Even in text fields.
    Always,
    /// Outside text fields. Single keys need the canvas.
    Page,
    /// The canvas.
    Canvas,
}

/// A command's shortcuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Command.
    pub command: Command,
    /// For settings and tests.
    pub id: &'static str,
    /// Label.
    pub name: Shell,
    /// `Mod` is Ctrl, or ⌘ on a Mac.
    pub keys: &'static [&'static str],
    /// Their scope.
    pub scope: KeyScope,
}

macro_rules! commands {
    ($($command:ident $id:literal $place:ident [$($key:literal),*];)*) => {
        /// Commands of the page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $id] $command,)*
        }

        /// All commands.
        pub const COMMANDS: &[Row] = &[
            $(Row { command: Command::$command, id: $id, name: Shell::$command, keys: &[$($key),*], scope: KeyScope::$place },)*
        ];
    };
}

commands! {
    Palette "palette" Always ["Mod+K", "Mod+Shift+P"];
    Find "find" Page ["Mod+F"];
    Keys "keys" Page ["?"];
    Undo "undo" Page ["Mod+Z"];
    Redo "redo" Page ["Mod+Shift+Z", "Mod+Y"];
    Cut "cut" Canvas ["Mod+X"];
    Copy "copy" Canvas ["Mod+C"];
    Paste "paste" Canvas ["Mod+V"];
    Delete "delete" Canvas ["Delete", "Backspace"];
    Duplicate "duplicate" Canvas ["Mod+D"];
    SelectAll "select-all" Canvas ["Mod+A"];
    ClearSelection "select-nothing" Canvas ["Escape"];
    AddNode "add-node" Canvas ["N", "/", "Insert"];
    Connect "connect" Canvas ["C"];
    Move "move" Canvas ["M"];
    Rename "rename" Canvas ["F2"];
    EditForm "edit-form" Canvas ["Enter"];
    EditNote "edit-note" Canvas [];
    OpenGroup "open-group" Canvas ["O"];
    ToggleSelected "toggle-chosen" Canvas ["Space"];
    GoLeft "go-left" Canvas ["ArrowLeft"];
    GoRight "go-right" Canvas ["ArrowRight"];
    GoUp "go-up" Canvas ["ArrowUp"];
    GoDown "go-down" Canvas ["ArrowDown"];
    ExtendLeft "extend-left" Canvas ["Shift+ArrowLeft"];
    ExtendRight "extend-right" Canvas ["Shift+ArrowRight"];
    ExtendUp "extend-up" Canvas ["Shift+ArrowUp"];
    ExtendDown "extend-down" Canvas ["Shift+ArrowDown"];
    GoForwards "go-forwards" Canvas ["]", "Mod+ArrowRight", "Mod+ArrowDown"];
    GoBack "go-back" Canvas ["[", "Mod+ArrowLeft", "Mod+ArrowUp"];
    NextEdge "next-edge" Canvas [".", "Alt+ArrowRight", "Alt+ArrowDown"];
    PreviousEdge "previous-edge" Canvas [",", "Alt+ArrowLeft", "Alt+ArrowUp"];
    GoNext "go-next" Canvas ["PageDown"];
    GoPrevious "go-previous" Canvas ["PageUp"];
    GoFirst "go-first" Canvas ["Home"];
    GoLast "go-last" Canvas ["End"];
    AlignLeft "align-left" Canvas [];
    AlignCentre "align-centre" Canvas [];
    AlignRight "align-right" Canvas [];
    AlignTop "align-top" Canvas [];
    AlignMiddle "align-middle" Canvas [];
    AlignBottom "align-bottom" Canvas [];
    Tidy "tidy" Canvas ["Shift+T"];
    LeftToRight "left-to-right" Page [];
    GroupNodes "group" Canvas ["Mod+G"];
    Ungroup "ungroup" Canvas ["Mod+Shift+G"];
    SetStart "set-start" Canvas [];
    ZoomIn "zoom-in" Canvas ["+", "="];
    ZoomOut "zoom-out" Canvas ["-"];
    ZoomReset "zoom-reset" Canvas ["0"];
    ZoomFit "zoom-fit" Canvas ["1"];
    ZoomSelection "zoom-selection" Canvas ["2"];
    Run "run" Always ["F5"];
    RunStep "run-step" Always ["F10"];
    RunStepOver "run-step-over" Always ["Mod+Shift+F10"];
    RunPause "run-pause" Always ["F8"];
    RunStop "run-stop" Always ["Shift+F5"];
    RunToHere "run-to-here" Always ["Mod+F10"];
    Breakpoint "breakpoint" Always ["F9"];
    RunTests "run-tests" Page [];
    ShowRun "show-run" Page [];
    ShowText "show-text" Always ["Alt+1"];
    ShowOutline "show-outline" Always ["Alt+2"];
    ShowCanvas "show-drawing" Always ["Alt+3"];
    ShowInspector "show-form" Always ["Alt+4"];
    ShowPanel "show-panel" Always ["Alt+5"];
    ThemeLight "theme-light" Page [];
    ThemeDark "theme-dark" Page [];
    ThemeSystem "theme-system" Page [];
    LanguageSwitch "language" Page [];
    FindText "find-text" Page [];
    ReplaceText "replace-text" Page [];
    FormatText "format-text" Page [];
    WrapText "wrap-text" Always ["Alt+Z"];
    TabIndents "tab-indents" Always ["Alt+Shift+M"];
    Save "save" Always ["Mod+S"];
    NewPlan "new-plan" Page [];
    Plans "plans" Always ["Mod+O"];
    Points "points" Page [];
    Gallery "gallery" Page [];
    Connections "connections" Page [];
    Request "request" Page [];
    Export "share" Always ["Mod+Shift+S"];
    SingleKeys "single-keys" Page [];
    Docs "docs" Page [];
}

impl Command {
    /// The command's row.
    pub fn row(self) -> Option<&'static Row> {
        COMMANDS.iter().find(|row| row.command == self)
    }

    /// The first shortcut.
    pub fn key(self) -> Option<Chord> {
        self.row()?.keys.first().map(|keys| Chord::parse(keys))
    }

    /// A button's tooltip: its name, and the first shortcut in parentheses.
    pub fn tooltip(self, name: &str, is_mac: bool, lang: Lang) -> String {
        let key = self.key().map(|key| [" (", &key.label(is_mac, lang), ")"].concat());
        [name, &key.unwrap_or_default()].concat()
    }

    /// Changes the plan. Read-only tabs hide it.
    pub fn is_edit(self) -> bool {
        use Command as C;
        matches!(
            self,
            C::Undo
                | C::Redo
                | C::Cut
                | C::Paste
                | C::Delete
                | C::Duplicate
                | C::AddNode
                | C::Connect
                | C::Move
                | C::Rename
                | C::EditNote
                | C::AlignLeft
                | C::AlignCentre
                | C::AlignRight
                | C::AlignTop
                | C::AlignMiddle
                | C::AlignBottom
                | C::Tidy
                | C::GroupNodes
                | C::Ungroup
                | C::SetStart
                | C::ReplaceText
                | C::FormatText
                | C::Request
        )
    }

    /// Other words in both languages, for searches.
    pub fn keywords(self) -> &'static str {
        match self {
            Self::NewPlan => "create blank empty crear vacío",
            Self::Keys => "help ayuda shortcuts",
            Self::Docs => "help manual guide reference ayuda guía referencia",
            Self::WrapText => "word wrap soft lines ajuste líneas",
            Self::TabIndents => "tab key focus indentation tabulador foco",
            Self::Export => "png svg image mermaid link download imagen enlace descargar",
            Self::AddNode => "new insert create step nuevo insertar crear paso",
            Self::Run => "start execute play ejecutar iniciar",
            Self::Request => "describe ai generate describir generar",
            Self::Gallery => "examples samples ejemplos",
            Self::Connections => "servers models keys mcp servidores modelos claves",
            Self::Delete => "remove quitar borrar",
            Self::Tidy => "layout arrange clean disponer",
            Self::LeftToRight => "left to right direction rotate izquierda derecha dirección",
            Self::GroupNodes => "subgraph nest collapse subgrafo",
            Self::SetStart => "first begin primero",
            _ => "",
        }
    }

    /// The focus move of a navigation command.
    pub fn focus_move(self) -> Option<FocusMove> {
        Some(match self {
            Self::GoLeft => FocusMove::Toward(Direction::Left),
            Self::GoRight => FocusMove::Toward(Direction::Right),
            Self::GoUp => FocusMove::Toward(Direction::Up),
            Self::GoDown => FocusMove::Toward(Direction::Down),
            Self::GoForwards => FocusMove::Forwards,
            Self::GoBack => FocusMove::Back,
            Self::NextEdge => FocusMove::NextEdge,
            Self::PreviousEdge => FocusMove::PreviousEdge,
            Self::GoNext => FocusMove::Next,
            Self::GoPrevious => FocusMove::Previous,
            Self::GoFirst => FocusMove::First,
            Self::GoLast => FocusMove::Last,
            _ => return None,
        })
    }

    /// Direction that extends the selection.
    pub fn extend_direction(self) -> Option<Direction> {
        Some(match self {
            Self::ExtendLeft => Direction::Left,
            Self::ExtendRight => Direction::Right,
            Self::ExtendUp => Direction::Up,
            Self::ExtendDown => Direction::Down,
            _ => return None,
        })
    }
}

/// Focus state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FocusContext {
    /// In a text field.
    pub is_typing: bool,
    /// On the canvas.
    pub is_canvas: bool,
    /// Single-key shortcuts are on.
    pub has_single_keys: bool,
}

/// The command of a shortcut here.
pub fn command_of(chord: &Chord, context: FocusContext) -> Option<Command> {
    let counts = |row: &&Row| match row.scope {
        KeyScope::Always => true,
        KeyScope::Page => !context.is_typing && (context.is_canvas || !chord.is_single()),
        KeyScope::Canvas => context.is_canvas && !context.is_typing,
    };
    if chord.is_single() && !context.has_single_keys {
        return None;
    }
    let is_it = |row: &&Row| row.keys.iter().any(|keys| Chord::parse(keys) == *chord);
    COMMANDS.iter().filter(counts).find(is_it).map(|row| row.command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn commands_and_keys_are_unique() {
        let mut seen = HashSet::new();
        for row in COMMANDS {
            assert!(seen.insert(row.id.to_owned()), "{} stands twice", row.id);
            assert_eq!(row.command.row(), Some(row));
            for key in row.keys {
                let chord = Chord::parse(key);
                assert!(seen.insert(format!("{chord:?}")), "{key} has two meanings");
                assert!(!chord.is_single() || row.scope != KeyScope::Always, "{key} would be typed");
                assert_ne!(chord.key, "Tab", "Tab leads out, always");
            }
        }
    }

    #[test]
    fn keys_respect_their_scope() {
        let canvas = FocusContext { is_canvas: true, has_single_keys: true, ..FocusContext::default() };
        let text = FocusContext { is_typing: true, has_single_keys: true, ..FocusContext::default() };
        let page = FocusContext { has_single_keys: true, ..FocusContext::default() };
        let off = FocusContext { is_canvas: true, ..FocusContext::default() };
        for (keys, context, expected) in [
            ("Mod+K", text, Some(Command::Palette)),
            ("Mod+Z", text, None),
            ("Mod+Z", page, Some(Command::Undo)),
            ("Delete", page, None),
            ("Delete", canvas, Some(Command::Delete)),
            ("Delete", off, Some(Command::Delete)),
            ("N", canvas, Some(Command::AddNode)),
            ("N", page, None),
            ("N", off, None),
            ("?", page, None),
            ("?", canvas, Some(Command::Keys)),
            ("Shift+T", canvas, Some(Command::Tidy)),
            ("Shift+T", off, None),
            ("T", canvas, None),
        ] {
            assert_eq!(command_of(&Chord::parse(keys), context), expected, "{keys} {context:?}");
        }
    }
}
