//! What a person can tell the page to do: one table for keys, menus, toolbar and palette.
//!
//! Decides which commands there are, what they are called, which keys they have and where those count. Who carries them out is the one
//! dispatcher of the page, so that undo, autosave and announcements can't be bypassed.
//!
//! Invariants: 1. each command has one row; 2. no two rows that count at the same place have the same keys; 3. keys of one letter count
//! in the drawing only.
//!
//! Source: facts of the playground, section 4.1; WCAG 2.1.4.

use crate::words::Shell;

/// Where the keys of a command count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Wherever the focus is, but where it would be typed.
    Page,
    /// In the drawing.
    Canvas,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The command.
    pub command: Command,
    /// How settings and tests name it.
    pub id: &'static str,
    /// What it is called.
    pub name: Shell,
    /// Its keys: `Mod+Shift+Z`, where `Mod` is Ctrl, or ⌘ on a Mac.
    pub keys: &'static [&'static str],
    /// Where they count.
    pub place: Place,
}

macro_rules! commands {
    ($($command:ident $id:literal $place:ident [$($key:literal),*];)*) => {
        /// Something the page can be told to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $id] $command,)*
        }

        /// All commands.
        pub const COMMANDS: &[Row] = &[
            $(Row { command: Command::$command, id: $id, name: Shell::$command, keys: &[$($key),*], place: Place::$place },)*
        ];
    };
}

commands! {
    Undo "undo" Page ["Mod+Z"];
    Redo "redo" Page ["Mod+Shift+Z", "Mod+Y"];
    Delete "delete" Canvas ["Delete", "Backspace"];
    Duplicate "duplicate" Canvas ["Mod+D"];
    SelectAll "select-all" Canvas ["Mod+A"];
    SelectNothing "select-nothing" Canvas ["Escape"];
    ZoomIn "zoom-in" Canvas ["+", "="];
    ZoomOut "zoom-out" Canvas ["-"];
    ZoomReset "zoom-reset" Canvas ["0"];
    ZoomFit "zoom-fit" Canvas ["1"];
    ZoomSelection "zoom-selection" Canvas ["2"];
    Tidy "tidy" Canvas ["Shift+T"];
    ThemeSwitch "theme" Page [];
    LanguageSwitch "language" Page [];
    Gallery "gallery" Page [];
    Connections "connections" Page [];
    Request "request" Page [];
}

impl Command {
    /// Its row.
    pub fn row(self) -> Option<&'static Row> {
        COMMANDS.iter().find(|row| row.command == self)
    }
}

/// The command of a key, where the focus is.
///
/// # Shape
/// `chord` as in the table, with `Mod` for Ctrl or ⌘.
pub fn command_of(chord: &str, in_canvas: bool) -> Option<Command> {
    let counts = |row: &&Row| row.place == Place::Page || in_canvas;
    COMMANDS.iter().filter(counts).find(|row| row.keys.contains(&chord)).map(|row| row.command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_command_has_one_row_and_each_key_one_command() {
        let mut seen = HashSet::new();
        for row in COMMANDS {
            assert!(seen.insert(row.id), "{} stands twice", row.id);
            assert_eq!(row.command.row(), Some(row));
            for key in row.keys {
                assert!(seen.insert(key), "{key} has two meanings");
                assert!(key.chars().count() > 1 || row.place == Place::Canvas, "{key} would be typed");
            }
        }
        assert_eq!(command_of("Mod+Z", false), Some(Command::Undo));
        assert_eq!(command_of("Delete", false), None);
    }
}
