//! Keeps scenes by text. Otherwise undo and redo would use the moment's positions.

use crate::scene::{Scene, ViewOptions};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

const MAX_SCENES: usize = 32;
/// Larger scenes are not worth their memory.
const MAX_NODES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct RecentScenes(VecDeque<(u64, Scene)>);

impl RecentScenes {
    /// `text` is `None` if the scene is older.
    pub(super) fn get_or_build(
        &mut self,
        text: Option<&str>,
        choices: &ViewOptions,
        build: impl FnOnce() -> Scene,
    ) -> Scene {
        let Some(text) = text else { return build() };
        let key = key(text, choices);
        if let Some((_, scene)) = self.0.iter().find(|(known, _)| *known == key) {
            return scene.clone();
        }
        let scene = build();
        if scene.nodes.len() <= MAX_NODES {
            self.0.truncate(MAX_SCENES - 1);
            self.0.push_front((key, scene.clone()));
        }
        scene
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn key(text: &str, choices: &ViewOptions) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let mut expanded: Vec<&String> = choices.expanded.iter().collect();
    expanded.sort();
    expanded.hash(&mut hasher);
    choices.direction.hash(&mut hasher);
    hasher.finish()
}
