//! A node's card, edge handle and expand button. Untrusted names and values become text nodes only.
//!
//! Source: WCAG 2.2, 1.4.1, 2.5.8, 4.1.2.

use super::element_pool::{
    PooledElement, child_element, element, move_to, set_attribute, set_or_remove, set_style,
};
use crate::appearance::{NodeAppearance, Theme};
use crate::geometry::Rect;
use crate::i18n::{Canvas as W, Lang, Localized, format_message};
use crate::page::dom::pixels;
use crate::paint::{ConnectError, ElementState, GROUP_HEADER_HEIGHT};
use crate::run_overlay::{NodeRunState, NodeStatus};
use crate::scene::SceneNode;
use leptos::web_sys::{Element, HtmlElement};
use stepgraph_core::diagnostic::Severity;

const SVG: &str = "http://www.w3.org/2000/svg";

#[derive(Debug)]
pub(super) struct NodeCard {
    root: HtmlElement,
    pub(super) face: HtmlElement,
    icon: HtmlElement,
    path: Element,
    title: HtmlElement,
    detail: HtmlElement,
    problem: HtmlElement,
    mark: HtmlElement,
    signs: HtmlElement,
    begin: HtmlElement,
    toggle: HtmlElement,
    port: HtmlElement,
    pub(super) stamp: Option<(u32, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DropState {
    Inactive,
    Allowed,
    Refused(ConnectError),
}

pub(super) struct CardContent<'a> {
    pub(super) number: usize,
    pub(super) node: &'a SceneNode,
    pub(super) state: ElementState,
    /// With the start and the width of its badge.
    pub(super) mark: Option<(&'a NodeRunState, (f64, f64))>,
    pub(super) problems: &'a [String],
    pub(super) drop_state: DropState,
    pub(super) has_focus: bool,
    pub(super) theme: Theme,
    pub(super) lang: Lang,
}

impl PooledElement for NodeCard {
    fn create() -> Option<Self> {
        let root = element("div", "node")?;
        let card = child_element(&root, "div", "card")?;
        set_attribute(&card, "role", "button");
        let icon = child_element(&card, "span", "icon")?;
        let document = leptos::prelude::document();
        let svg = document.create_element_ns(Some(SVG), "svg").ok()?;
        set_attribute(&svg, "viewBox", "0 0 20 20");
        set_attribute(&svg, "aria-hidden", "true");
        let path = document.create_element_ns(Some(SVG), "path").ok()?;
        svg.append_child(&path).ok()?;
        icon.append_child(&svg).ok()?;
        let title = child_element(&card, "span", "title")?;
        // Separates words for screen readers.
        card.append_child(&document.create_text_node(" ")).ok()?;
        let detail = child_element(&card, "span", "detail")?;
        let badges = child_element(&root, "span", "badges")?;
        let begin = child_element(&badges, "span", "begin")?;
        let signs = child_element(&badges, "span", "signs")?;
        let problem = child_element(&badges, "span", "problem")?;
        let mark = child_element(&root, "span", "mark")?;
        for sign in [&badges, &mark] {
            set_attribute(sign, "aria-hidden", "true");
        }
        let toggle = child_element(&root, "button", "toggle")?;
        let port = child_element(&root, "button", "port")?;
        for button in [&toggle, &port] {
            set_attribute(button, "type", "button");
            set_attribute(button, "tabindex", "-1");
        }
        Some(Self {
            root,
            face: card,
            icon,
            path,
            title,
            detail,
            problem,
            mark,
            signs,
            begin,
            toggle,
            port,
            stamp: None,
        })
    }

    fn root(&self) -> &HtmlElement {
        &self.root
    }
}

impl NodeCard {
    pub(super) fn set_area(&self, area: &Rect) {
        move_to(&self.root, area.min);
        set_style(&self.root, "width", &pixels(area.size.width));
        set_style(&self.root, "height", &pixels(area.size.height));
    }

    pub(super) fn show(&self, content: &CardContent<'_>) {
        let CardContent { node, state: fare, lang, .. } = content;
        self.set_area(&node.area);
        let number = content.number.to_string();
        set_attribute(&self.root, "data-node", &number);
        let is_open = node.is_expanded == Some(true);
        set_style(
            &self.face,
            "height",
            &pixels(if is_open { GROUP_HEADER_HEIGHT } else { node.area.size.height }),
        );
        self.root.set_class_name(&class_names(content));
        let appearance = NodeAppearance::for_type(&node.kind);
        set_attribute(&self.path, "d", appearance.icon());
        set_style(&self.icon, "background", appearance.tint(content.theme));
        set_style(&self.icon, "color", appearance.ink(content.theme));
        self.title.set_text_content(Some(&node.title));
        self.detail.set_text_content(Some(&node.detail_line()));
        self.face.set_title(&tooltip(content));
        set_attribute(&self.face, "aria-label", &accessible_name(content));
        set_attribute(&self.face, "aria-roledescription", W::Node.text(*lang));
        set_attribute(&self.face, "aria-pressed", if fare.flags.is_selected { "true" } else { "false" });
        set_attribute(&self.face, "tabindex", if content.has_focus { "0" } else { "-1" });
        self.show_badges(content);
        let toggle = if is_open { W::CloseGroup } else { W::OpenGroup };
        set_or_remove(&self.toggle, "hidden", node.is_expanded.is_none().then_some(""));
        set_or_remove(&self.toggle, "aria-expanded", Some(if is_open { "true" } else { "false" }));
        set_attribute(&self.toggle, "aria-label", &format_message(toggle.text(*lang), &[&node.title]));
        set_attribute(&self.port, "aria-label", &format_message(W::ConnectFrom.text(*lang), &[&node.title]));
    }

    fn show_badges(&self, content: &CardContent<'_>) {
        let count = content.problems.len();
        let problem = if count > 1 { ["! ", &count.to_string()].concat() } else { "!".to_owned() };
        set_or_remove(&self.problem, "hidden", content.state.problem.is_none().then_some(""));
        let is_error = content.state.problem == Some(Severity::Error);
        self.problem.set_class_name(if is_error { "problem error" } else { "problem" });
        self.problem.set_text_content(Some(&problem));
        self.problem.set_title(&content.problems.join("\n"));
        let sign = status_icon(content.state.status);
        set_or_remove(&self.mark, "hidden", sign.is_empty().then_some(""));
        let (text, visits) =
            content.mark.map(|(state, _)| (state.text.as_str(), state.visits)).unwrap_or_default();
        if let Some((_, (start, width))) = content.mark {
            set_style(&self.mark, "margin-left", &pixels(start));
            set_style(&self.mark, "max-width", &pixels(width));
        }
        let mut message = [sign, if text.is_empty() { "" } else { " " }, text].concat();
        if visits > 1 {
            message.push_str(" ×");
            message.push_str(&visits.to_string());
        }
        self.mark.set_text_content(Some(&message));
        let is_outdated = content.state.is_outdated;
        self.mark.set_title(if is_outdated { W::EarlierPlan.text(content.lang) } else { text });
        set_or_remove(&self.begin, "hidden", (!content.node.is_start).then_some(""));
        self.begin.set_text_content(Some(W::Start.text(content.lang)));
        let flags = content.state.flags;
        set_or_remove(&self.signs, "hidden", (!flags.has_breakpoint && !flags.is_pinned).then_some(""));
        let pinned = W::Pinned.text(content.lang);
        // A word: signs of pins and breakpoints look alike.
        self.signs.set_class_name(if flags.is_pinned { "signs pinned" } else { "signs" });
        self.signs.set_text_content(Some(&match (flags.has_breakpoint, flags.is_pinned) {
            (true, true) => ["● ", pinned].concat(),
            (true, false) => "●".to_owned(),
            (false, true) => pinned.to_owned(),
            (false, false) => String::new(),
        }));
    }
}

fn class_names(content: &CardContent<'_>) -> String {
    let is = [
        ("chosen", content.state.flags.is_selected),
        ("start", content.node.is_start),
        ("ghost", content.node.is_ghost),
        ("open", content.node.is_expanded == Some(true)),
        ("closed", content.node.is_expanded == Some(false)),
        ("offered", content.drop_state == DropState::Allowed),
        ("refused", matches!(content.drop_state, DropState::Refused(_))),
        ("wrong", content.state.problem == Some(Severity::Error)),
        ("outdated", content.state.is_outdated),
        ("badged", content.mark.is_some()),
        (status_class(content.state.status), true),
    ];
    let mut classes = String::from("node");
    for (class, _) in is.iter().filter(|(class, is)| *is && !class.is_empty()) {
        classes.push(' ');
        classes.push_str(class);
    }
    classes
}

fn tooltip(content: &CardContent<'_>) -> String {
    let mut lines = vec![content.node.title.clone(), content.node.subtitle.clone()];
    lines.extend(Some(&content.node.note).filter(|note| !note.is_empty()).cloned());
    lines.extend(content.problems.iter().cloned());
    if let DropState::Refused(error) = content.drop_state {
        lines = vec![error_text(error).text(content.lang).to_owned()];
    }
    lines.join("\n")
}

/// It must contain the visible text (WCAG 2.5.3).
fn accessible_name(content: &CardContent<'_>) -> String {
    let (node, lang) = (content.node, content.lang);
    let mut parts = vec![node.title.clone(), node.detail_line()];
    if node.is_ghost {
        parts.push(W::Missing.text(lang).to_owned());
    }
    if node.is_start {
        parts.push(W::Start.text(lang).to_owned());
    }
    if let Some(word) = status_text(content.state.status) {
        let text = content.mark.map(|(state, _)| state.text.as_str()).unwrap_or_default();
        parts.push([word.text(lang), if text.is_empty() { "" } else { ": " }, text].concat());
    }
    if content.state.is_outdated {
        parts.push(W::EarlierPlan.text(lang).to_owned());
    }
    if content.state.flags.has_breakpoint {
        parts.push(W::Breakpoint.text(lang).to_owned());
    }
    if content.state.flags.is_pinned {
        parts.push(W::Pinned.text(lang).to_owned());
    }
    match content.problems {
        [] => {}
        [one] => parts.push([W::OneProblem.text(lang), ": ", one].concat()),
        several => parts.push(format_message(W::Problems.text(lang), &[&several.len().to_string()])),
    }
    parts.join(", ")
}

pub(super) fn error_text(error: ConnectError) -> W {
    match error {
        ConnectError::OtherGraph => W::OtherGraph,
        ConnectError::SameNode => W::SameNode,
        ConnectError::Duplicate => W::Duplicate,
    }
}

fn status_class(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::None => "",
        NodeStatus::Running => "running",
        NodeStatus::Waiting => "waiting",
        NodeStatus::Done => "done",
        NodeStatus::Rejected => "rejected",
        NodeStatus::Failed => "failed",
        NodeStatus::Skipped => "skipped",
        NodeStatus::Stopped => "stopped",
    }
}

fn status_icon(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::None => "",
        NodeStatus::Running => "▸",
        NodeStatus::Waiting => "…",
        NodeStatus::Done => "✓",
        NodeStatus::Rejected | NodeStatus::Failed => "✕",
        NodeStatus::Skipped => "–",
        NodeStatus::Stopped => "‖",
    }
}

fn status_text(status: NodeStatus) -> Option<W> {
    Some(match status {
        NodeStatus::None => return None,
        NodeStatus::Running => W::Running,
        NodeStatus::Waiting => W::Waiting,
        NodeStatus::Done => W::Done,
        NodeStatus::Rejected => W::Rejected,
        NodeStatus::Failed => W::Failed,
        NodeStatus::Skipped => W::Skipped,
        NodeStatus::Stopped => W::Stopped,
    })
}
