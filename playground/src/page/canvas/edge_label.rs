//! An edge's element: its condition or a space for one, and buttons to insert a node and delete. The renderer paints
//! the line.
//!
//! Source: WCAG 2.2, 4.1.2.

use super::element_pool::{
    PooledElement, child_element, element, move_to, set_attribute, set_or_remove, set_style,
};
use crate::geometry::{Rect, Size};
use crate::i18n::{Canvas as W, Lang, Localized, format_message};
use crate::page::dom::pixels;
use crate::paint::ElementState;
use crate::run_overlay::NodeStatus;
use crate::scene::SceneEdge;
use leptos::web_sys::HtmlElement;
use stepgraph_core::diagnostic::Severity;

const EMPTY_SIZE: Size = Size::new(24.0, 24.0);

#[derive(Debug)]
pub(super) struct EdgeLabel {
    root: HtmlElement,
    pub(super) face: HtmlElement,
    insert: HtmlElement,
    remove: HtmlElement,
    pub(super) stamp: Option<(u32, usize)>,
}

pub(super) struct LabelContent<'a> {
    pub(super) number: usize,
    pub(super) line: &'a SceneEdge,
    pub(super) ends: (&'a str, &'a str),
    pub(super) state: ElementState,
    pub(super) problems: &'a [String],
    pub(super) has_focus: bool,
    pub(super) is_near: bool,
    pub(super) lang: Lang,
}

impl PooledElement for EdgeLabel {
    fn create() -> Option<Self> {
        let root = element("div", "edge")?;
        let tag = child_element(&root, "div", "tag")?;
        set_attribute(&tag, "role", "button");
        let button = |class: &str, sign: &str| {
            let button = child_element(&root, "button", class)?;
            set_attribute(&button, "type", "button");
            set_attribute(&button, "tabindex", "-1");
            button.set_text_content(Some(sign));
            Some(button)
        };
        let (insert, remove) = (button("insert", "+")?, button("remove", "×")?);
        Some(Self { root, face: tag, insert, remove, stamp: None })
    }

    fn root(&self) -> &HtmlElement {
        &self.root
    }
}

impl EdgeLabel {
    pub(super) fn set_position(&self, edge: &SceneEdge) {
        let area = if edge.label.is_empty() {
            Rect::centred_at(edge.curve.middle(), EMPTY_SIZE)
        } else {
            edge.label_box
        };
        move_to(&self.root, area.min);
        set_style(&self.root, "width", &pixels(area.size.width));
        set_style(&self.root, "height", &pixels(area.size.height));
    }

    pub(super) fn show(&self, content: &LabelContent<'_>) {
        let LabelContent { line, state: fare, lang, .. } = content;
        self.set_position(line);
        set_attribute(&self.root, "data-edge", &content.number.to_string());
        let mut classes = String::from("edge");
        let is = [
            ("bare", line.label.is_empty()),
            ("chosen", fare.flags.is_selected),
            ("near", content.is_near),
            ("failure", line.is_failure),
            ("taken", fare.status == NodeStatus::Done),
            ("passed", fare.status == NodeStatus::Skipped),
            ("failed", fare.status == NodeStatus::Failed),
            ("outdated", fare.is_outdated),
            ("suspect", fare.problem == Some(Severity::Warning)),
            ("wrong", line.is_broken || fare.problem == Some(Severity::Error)),
        ];
        for (class, _) in is.iter().filter(|(_, is)| *is) {
            classes.push(' ');
            classes.push_str(class);
        }
        self.root.set_class_name(&classes);
        // A hint is no mistake.
        let is_marked = matches!(fare.problem, Some(Severity::Error | Severity::Warning));
        let sign = if is_marked || fare.status == NodeStatus::Failed {
            "! "
        } else if fare.status == NodeStatus::Done && !line.label.is_empty() {
            "✓ "
        } else {
            ""
        };
        self.face.set_text_content(Some(&[sign, &line.label].concat()));
        let mut hover = vec![accessible_name(line, content.ends, *lang)];
        hover.extend(content.problems.iter().cloned());
        self.face.set_title(&hover.join("\n"));
        let state = match fare.status {
            NodeStatus::Done => Some(W::Taken),
            NodeStatus::Skipped => Some(W::NotTaken),
            NodeStatus::Failed => Some(W::ConditionFailed),
            _ => None,
        };
        if let Some(state) = state {
            hover.insert(1, state.text(*lang).to_owned());
            if fare.is_outdated {
                hover.insert(2, W::EarlierPlan.text(*lang).to_owned());
            }
        }
        set_attribute(&self.face, "aria-label", &hover.join(", "));
        set_attribute(&self.face, "aria-roledescription", W::Edge.text(*lang));
        set_attribute(&self.face, "aria-pressed", if fare.flags.is_selected { "true" } else { "false" });
        set_attribute(&self.face, "tabindex", if content.has_focus { "0" } else { "-1" });
        let (from, to) = content.ends;
        set_attribute(&self.insert, "aria-label", &format_message(W::InsertBetween.text(*lang), &[from, to]));
        set_or_remove(&self.insert, "hidden", (!content.is_near && !fare.flags.is_selected).then_some(""));
        set_attribute(&self.remove, "aria-label", &format_message(W::RemoveBetween.text(*lang), &[from, to]));
        set_or_remove(&self.remove, "hidden", (!fare.flags.is_selected).then_some(""));
    }
}

pub(super) fn accessible_name(edge: &SceneEdge, (from, to): (&str, &str), lang: Lang) -> String {
    let word = match (edge.label.is_empty(), edge.is_failure) {
        (true, _) => W::EdgeName,
        (false, true) => W::EdgeOnFailure,
        (false, false) => W::EdgeIf,
    };
    format_message(word.text(lang), &[from, to, &edge.label])
}
