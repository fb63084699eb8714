//! Command groups of menus and keyboard help. The help lists ungrouped ones under "More".

use crate::command::{COMMANDS, Command as C, Row};
use crate::i18n::Shell;

/// Heading and commands.
pub type Group = (Shell, &'static [C]);

/// Main menu.
pub const MENU: &[Group] = &[
    (
        Shell::Plan,
        &[C::NewPlan, C::Gallery, C::Request, C::Connections, C::Plans, C::Export, C::Points, C::Save],
    ),
    (
        Shell::Edit,
        &[
            C::Undo,
            C::Redo,
            C::Cut,
            C::Copy,
            C::Paste,
            C::Duplicate,
            C::Delete,
            C::SelectAll,
            C::Find,
            C::FindText,
            C::ReplaceText,
            C::FormatText,
        ],
    ),
    (
        Shell::Arrange,
        &[
            C::AddNode,
            C::Connect,
            C::Move,
            C::GroupNodes,
            C::Ungroup,
            C::SetStart,
            C::Tidy,
            C::LeftToRight,
            C::AlignLeft,
            C::AlignCentre,
            C::AlignRight,
            C::AlignTop,
            C::AlignMiddle,
            C::AlignBottom,
        ],
    ),
    (
        Shell::Runs,
        &[
            C::Run,
            C::RunStep,
            C::RunStepOver,
            C::RunPause,
            C::RunStop,
            C::RunToHere,
            C::Breakpoint,
            C::RunTests,
        ],
    ),
    (
        Shell::View,
        &[
            C::ZoomIn,
            C::ZoomOut,
            C::ZoomReset,
            C::ZoomFit,
            C::ZoomSelection,
            C::ShowText,
            C::ShowOutline,
            C::ShowCanvas,
            C::ShowInspector,
            C::ShowPanel,
            C::ShowRun,
        ],
    ),
    (
        Shell::Settings,
        &[
            C::ThemeLight,
            C::ThemeDark,
            C::ThemeSystem,
            C::LanguageSwitch,
            C::SingleKeys,
            C::WrapText,
            C::TabIndents,
            C::Palette,
            C::Docs,
            C::Keys,
        ],
    ),
];

/// What the header hides on narrow pages.
pub const MORE: &[Group] = &[
    (Shell::Begin, &[C::Gallery, C::Request, C::Connections, C::Palette]),
    (Shell::Runs, &[C::RunStep, C::RunStepOver, C::RunPause]),
    (Shell::Settings, &[C::ThemeLight, C::ThemeDark, C::ThemeSystem, C::LanguageSwitch, C::Docs, C::Keys]),
];

/// Node or edge menu.
pub const CONTEXT: &[Group] = &[(
    Shell::Edit,
    &[
        C::EditForm,
        C::Rename,
        C::EditNote,
        C::AddNode,
        C::Connect,
        C::GoForwards,
        C::GoBack,
        C::OpenGroup,
        C::GroupNodes,
        C::Ungroup,
        C::SetStart,
        C::RunToHere,
        C::Breakpoint,
        C::Cut,
        C::Copy,
        C::Paste,
        C::Duplicate,
        C::Delete,
    ],
)];

/// Empty canvas menu.
pub const CANVAS_CONTEXT: &[Group] = &[(
    Shell::Canvas,
    &[
        C::AddNode,
        C::Paste,
        C::SelectAll,
        C::Find,
        C::Tidy,
        C::LeftToRight,
        C::ZoomFit,
        C::Undo,
        C::Redo,
        C::Run,
    ],
)];

/// For the keyboard help.
pub const NAVIGATION: &[Group] = &[(
    Shell::Go,
    &[
        C::GoLeft,
        C::GoRight,
        C::GoUp,
        C::GoDown,
        C::GoForwards,
        C::GoBack,
        C::NextEdge,
        C::PreviousEdge,
        C::GoNext,
        C::GoPrevious,
        C::GoFirst,
        C::GoLast,
        C::ExtendLeft,
        C::ExtendRight,
        C::ExtendUp,
        C::ExtendDown,
        C::ToggleSelected,
        C::ClearSelection,
        C::EditForm,
        C::Rename,
        C::OpenGroup,
    ],
)];

/// Commands with shortcuts.
pub fn key_groups() -> Vec<(Shell, Vec<&'static Row>)> {
    let mut seen: Vec<C> = Vec::new();
    let mut found: Vec<(Shell, Vec<&'static Row>)> = Vec::new();
    for (name, commands) in NAVIGATION.iter().chain(MENU) {
        let fresh =
            commands.iter().filter(|command| !seen.contains(command)).filter_map(|command| command.row());
        let rows: Vec<&Row> = fresh.filter(|row| !row.keys.is_empty()).collect();
        seen.extend(commands.iter());
        found.push((*name, rows));
    }
    let rest = COMMANDS.iter().filter(|row| !seen.contains(&row.command) && !row.keys.is_empty()).collect();
    found.push((Shell::More, rest));
    found.retain(|(_, rows)| !rows.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_key_once() {
        let shown: Vec<C> =
            key_groups().into_iter().flat_map(|(_, rows)| rows).map(|row| row.command).collect();
        for row in COMMANDS {
            let times = shown.iter().filter(|command| **command == row.command).count();
            assert_eq!(times, usize::from(!row.keys.is_empty()), "{}", row.id);
        }
    }
}
