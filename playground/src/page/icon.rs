//! Button icons in a square of 20, always with a name.

use leptos::prelude::*;

/// Menu.
pub const MENU: &str = "M3 5.5h14M3 10h14M3 14.5h14";
/// Undo.
pub const UNDO: &str = "M7 4.5L3.5 8L7 11.5M4 8h8a4 4 0 0 1 0 8H8";
/// Redo.
pub const REDO: &str = "M13 4.5L16.5 8L13 11.5M16 8H8a4 4 0 0 0 0 8h4";
/// Add.
pub const PLUS: &str = "M10 4v12M4 10h12";
/// Find.
pub const FIND: &str = "M9 3.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11zM13 13l4 4";
/// Light theme.
pub const SUN: &str = "M10 6.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.400 1.400M14.600 14.600L16 16M16 4l-1.400 1.400M5.400 14.600L4 16";
/// Dark theme.
pub const MOON: &str = "M16.5 11.800A7 7 0 0 1 8.200 3.5a7 7 0 1 0 8.300 8.300z";
/// Further commands.
pub const MORE: &str = "M4.500 10h.01M10 10h.01M15.500 10h.01";
/// Close.
pub const CLOSE: &str = "M5 5l10 10M15 5L5 15";
/// Down.
pub const DOWN: &str = "M5 7.5l5 5l5-5";
/// Right.
pub const RIGHT: &str = "M7.5 5l5 5l-5 5";
/// Up.
pub const UP: &str = "M5 12.5l5-5l5 5";
/// Edge.
pub const EDGE: &str = "M4 4v6a3 3 0 0 0 3 3h9M12.5 9.5L16 13l-3.5 3.5";
/// Problem.
pub const WRONG: &str = "M10 3l7.5 13h-15zM10 8v4M10 14v.5";
/// Text pane.
pub const TEXT: &str = "M5 3h10v14H5zM7.5 7h5M7.5 10h5M7.5 13h3";
/// Form.
pub const FORM: &str = "M3.5 4.5h13v4h-13zM3.5 11.5h13v4h-13z";
/// Outline.
pub const LIST: &str = "M3.5 5h13M6.5 10h10M9.5 15h7";
/// Canvas.
pub const GRAPH: &str = "M3 3h6v5H3zM11 12h6v5h-6zM6 8v6.5h5";

/// Run.
pub const PLAY: &str = "M6 4l10 6l-10 6z";
/// Pause.
pub const PAUSE: &str = "M7 4.5v11M13 4.5v11";
/// Stop.
pub const STOP: &str = "M5 5h10v10H5z";
/// Step.
pub const STEP: &str = "M3.5 4.500v11M6.500 10h9M12 6.500l3.500 3.500l-3.500 3.500";
/// Step over.
pub const OVER: &str = "M3 11a7 6 0 0 1 13.5-2M16.800 4.5v5h-5M8.5 15h3";
/// Previous.
pub const BEFORE: &str = "M5 4v12M15 4.5L8 10l7 5.5z";
/// Next.
pub const AFTER: &str = "M15 4v12M5 4.5l7 5.5l-7 5.5z";
/// Help.
pub const HELP: &str = "M6.500 7.500a3.500 3.500 0 1 1 5 3.200c-1 .500-1.500 1.200-1.500 2.300M10 16v.5";
/// Zoom out.
pub const MINUS: &str = "M4 10h12";

/// Hidden from screen readers.
pub fn icon(path: &'static str) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d=path></path>
        </svg>
    }
}
