//! Modes for moving and connecting. They swallow unknown single characters, which could trigger shortcuts.

use super::connect_targets::connect_targets;
use super::{Chord, Direction, Effect, Keyboard};
use crate::geometry::Point;
use crate::scene::Scene;
use crate::search::score;

/// Canvas pixels, and Shift's factor.
const STEP: f64 = 8.0;
const LARGE_STEPS: f64 = 8.0;

/// Keyboard mode.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Mode {
    /// Moves focus.
    #[default]
    Navigate,
    /// Distance so far.
    Move(Point),
    /// Chooses a target.
    Connect(Connecting),
}

/// An unfinished edge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connecting {
    /// Source node.
    pub from: usize,
    /// Matching nodes.
    pub targets: Vec<usize>,
    /// Proposed target.
    pub index: usize,
    /// Search text.
    pub typed: String,
}

impl Connecting {
    /// Proposed node.
    pub fn to(&self) -> Option<usize> {
        self.targets.get(self.index).copied()
    }
}

impl Keyboard {
    /// Starts moving.
    pub fn begin_move(&mut self) -> Vec<Effect> {
        let taken_back = self.exit_mode();
        self.mode = Mode::Move(Point::default());
        [taken_back, vec![Effect::Drag(Point::default())]].concat()
    }

    /// Needs a target.
    pub fn begin_connect(&mut self, scene: &Scene) -> Vec<Effect> {
        let Some(from) = self.node(scene) else { return Vec::new() };
        let offered = connect_targets(scene, from);
        let Some(first) = offered.first().copied() else { return Vec::new() };
        let taken_back = self.exit_mode();
        self.mode = Mode::Connect(Connecting { from, targets: offered, ..Connecting::default() });
        [taken_back, vec![Effect::PreviewEdge(from, first)]].concat()
    }

    /// `None` if unhandled.
    pub fn mode_key(&mut self, chord: &Chord, scene: &Scene) -> Option<Vec<Effect>> {
        if chord.key == "Escape" && self.mode != Mode::Navigate {
            return Some(self.escape());
        }
        match std::mem::take(&mut self.mode) {
            Mode::Navigate => None,
            Mode::Move(by) => self.press_moving(chord, by),
            Mode::Connect(connecting) => self.press_connecting(chord, connecting, scene),
        }
    }

    /// Cancels the mode.
    pub fn exit_mode(&mut self) -> Vec<Effect> {
        if self.mode == Mode::Navigate { Vec::new() } else { self.escape() }
    }

    fn press_moving(&mut self, chord: &Chord, by: Point) -> Option<Vec<Effect>> {
        if chord.key == "Enter" {
            return Some(vec![Effect::Drop(by)]);
        }
        let Some(direction) = arrow_direction(chord) else {
            self.mode = Mode::Move(by);
            return is_letter(chord).then(Vec::new);
        };
        let far = if chord.shift { STEP * LARGE_STEPS } else { STEP };
        let by = by.plus(direction.unit().x * far, direction.unit().y * far);
        self.mode = Mode::Move(by);
        Some(vec![Effect::Drag(by)])
    }

    fn press_connecting(
        &mut self,
        chord: &Chord,
        mut connecting: Connecting,
        scene: &Scene,
    ) -> Option<Vec<Effect>> {
        let from = connecting.from;
        if chord.key == "Enter" {
            let Some(to) = connecting.to() else {
                self.mode = Mode::Connect(connecting);
                return Some(vec![Effect::NoTarget]);
            };
            return Some(vec![Effect::Connect(from, to)]);
        }
        let last = connecting.targets.len().saturating_sub(1);
        let mut letters = chord.key.chars();
        match (chord.key.as_str(), arrow_direction(chord), letters.next().zip(Some(letters.next()))) {
            ("Home", ..) => connecting.index = 0,
            ("End", ..) => connecting.index = last,
            (_, Some(Direction::Down | Direction::Right), _) => {
                connecting.index = if connecting.index >= last { 0 } else { connecting.index + 1 };
            }
            (_, Some(Direction::Up | Direction::Left), _) => {
                connecting.index = connecting.index.checked_sub(1).unwrap_or(last);
            }
            ("Backspace", ..) => {
                connecting.typed.pop();
                connecting.update_targets(scene);
            }
            ("Space", ..) | (_, _, Some((_, None))) if !chord.main && !chord.alt => {
                connecting.typed.push_str(if chord.key == "Space" { " " } else { &chord.key });
                connecting.update_targets(scene);
            }
            _ => {
                self.mode = Mode::Connect(connecting);
                return None;
            }
        }
        let effect = connecting.to().map_or(Effect::NoTarget, |to| Effect::PreviewEdge(from, to));
        self.mode = Mode::Connect(connecting);
        Some(vec![effect])
    }
}

impl Connecting {
    /// Best match first. An empty search matches all.
    fn update_targets(&mut self, scene: &Scene) {
        let fits = |node: &usize| {
            let node = scene.nodes.get(*node)?;
            let found = score(&self.typed, &node.key).max(score(&self.typed, &node.title))?;
            Some(std::cmp::Reverse(found))
        };
        let mut found: Vec<_> = connect_targets(scene, self.from)
            .into_iter()
            .filter_map(|node| Some((fits(&node)?, node)))
            .collect();
        if !self.typed.trim().is_empty() {
            found.sort_by_key(|(score, _)| *score);
        }
        self.targets = found.into_iter().map(|(_, node)| node).collect();
        self.index = 0;
    }
}

pub(super) fn arrow_direction(chord: &Chord) -> Option<Direction> {
    match chord.key.as_str() {
        "ArrowLeft" => Some(Direction::Left),
        "ArrowRight" => Some(Direction::Right),
        "ArrowUp" => Some(Direction::Up),
        "ArrowDown" => Some(Direction::Down),
        _ => None,
    }
}

/// Has another meaning outside the mode.
fn is_letter(chord: &Chord) -> bool {
    !chord.main
        && !chord.alt
        && (chord.key.chars().count() == 1 || matches!(chord.key.as_str(), "Space" | "Delete"))
}
