//! Exports standalone SVG. Untrusted names and conditions are escaped.
//!
//! Invariants: deterministic, without scripts or external references.

use crate::appearance::{NodeAppearance, Theme};
use crate::geometry::{Point, Rect};
use crate::scene::{Curve, MAX_LABEL_LETTERS, Scene, SceneEdge, SceneNode};
use std::fmt::Write;
use stepgraph_core::value::number_text;

const MARGIN: f64 = 24.0;

/// A scene's SVG.
///
/// # Example
/// ```
/// use stepgraph_core::{graph::PlanGraph, source::Format};
/// use stepgraph_playground::{appearance::Theme, scene::{ViewOptions, build_scene}, svg::svg};
/// let plan = PlanGraph::parse("nodes: {a: {type: log, input: hi}}", Format::Auto).graph.unwrap();
/// let text = svg(&build_scene(&plan, &ViewOptions::default()), Theme::Light, "a plan");
/// assert!(text.starts_with("<svg xmlns=") && text.contains("<title>a plan</title>"));
/// ```
pub fn svg(scene: &Scene, theme: Theme, title: &str) -> String {
    let colours = theme.colours();
    let area = scene.bounds.expanded(MARGIN);
    let mut out = String::new();
    let (x, y, width, height) =
        (number(area.min.x), number(area.min.y), number(area.size.width), number(area.size.height));
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x} {y} {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" role=\"img\"><title>{}</title><defs>",
        escape_xml(title)
    );
    for (name, colour) in [("arrow", colours.edge), ("failed", colours.failure)] {
        let _ = write!(
            out,
            "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" fill=\"{colour}\"/></marker>"
        );
    }
    let _ = write!(
        out,
        "</defs><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
        colours.paper
    );
    for node in &scene.nodes {
        write_node(&mut out, node, theme);
        for group in scene.groups.iter().filter(|group| group.owner.is_some() && !group.name.is_empty()) {
            if node.is_expanded == Some(true)
                && group
                    .scope
                    .strip_prefix(&node.node_path())
                    .is_some_and(|rest| rest == format!("/{}", group.name))
            {
                let style = TextStyle { size: 12.0, colour: colours.faint, weight: "600" };
                write_text(&mut out, group.area.min.plus(0.0, -8.0), &style, &group.name);
            }
        }
    }
    for edge in &scene.edges {
        write_line(&mut out, edge, theme);
    }
    for edge in scene.edges.iter().filter(|edge| !edge.label.is_empty()) {
        write_label(&mut out, edge, theme);
    }
    out.push_str("</svg>\n");
    out
}

fn write_node(out: &mut String, node: &SceneNode, theme: Theme) {
    let colours = theme.colours();
    let appearance = NodeAppearance::for_type(&node.kind);
    let Rect { min, size } = node.area;
    let open = node.is_expanded == Some(true);
    let fill = if open { colours.group } else { colours.card };
    let (width, border) = if node.is_start { (2.0, colours.strong) } else { (1.0, colours.border) };
    write_box(out, &node.area, &BoxStyle { radius: 10.0, fill, border, width });
    if node.is_expanded == Some(false) {
        let edge = Rect::new(min.plus(4.0, size.height), crate::geometry::Size::new(size.width - 8.0, 3.0));
        let style = BoxStyle { radius: 1.5, fill: colours.border, border: "none", width: 0.0 };
        write_box(out, &edge, &style);
    }
    let icon = Rect::new(min.plus(10.0, 10.0), crate::geometry::Size::new(32.0, 32.0));
    let fill = appearance.tint(theme);
    write_box(out, &icon, &BoxStyle { radius: 8.0, fill, border: "none", width: 0.0 });
    let _ = write!(
        out,
        "<path d=\"{}\" transform=\"translate({} {})\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.75\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
        appearance.icon(),
        number(icon.min.x + 6.0),
        number(icon.min.y + 6.0),
        appearance.ink(theme)
    );
    let letters = ((size.width - 60.0) / 7.5).max(4.0);
    let small = ((size.width - 60.0) / 6.2).max(4.0);
    let title = TextStyle { size: 13.5, colour: colours.ink, weight: "600" };
    write_text(out, min.plus(50.0, 24.0), &title, &truncate(&node.title, letters));
    let subtitle = TextStyle { size: 11.5, colour: colours.faint, weight: "400" };
    write_text(out, min.plus(50.0, 40.0), &subtitle, &truncate(&node.subtitle, small));
}

fn write_line(out: &mut String, edge: &SceneEdge, theme: Theme) {
    let colours = theme.colours();
    let (colour, marker) =
        if edge.is_failure { (colours.failure, "failed") } else { (colours.edge, "arrow") };
    let dashes = if edge.is_failure { " stroke-dasharray=\"5 4\"" } else { "" };
    let _ = write!(
        out,
        "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dashes} marker-end=\"url(#{marker})\"/>",
        path(&edge.curve)
    );
}

fn write_label(out: &mut String, edge: &SceneEdge, theme: Theme) {
    let colours = theme.colours();
    let text = truncate_monospace(&edge.label, MAX_LABEL_LETTERS);
    let at = edge.label_box.centre();
    let style = BoxStyle { radius: 6.0, fill: colours.paper, border: colours.border, width: 1.0 };
    write_box(out, &edge.label_box, &style);
    let colour = if edge.is_failure { colours.failure } else { colours.faint };
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"11\" font-family=\"ui-monospace, monospace\" fill=\"{colour}\" text-anchor=\"middle\">{}</text>",
        number(at.x),
        number(at.y + 4.0),
        escape_xml(&text)
    );
}

struct BoxStyle<'s> {
    radius: f64,
    fill: &'s str,
    border: &'s str,
    width: f64,
}

fn write_box(out: &mut String, area: &Rect, style: &BoxStyle<'_>) {
    let BoxStyle { radius, fill, border, width } = *style;
    let _ = write!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{fill}\" stroke=\"{border}\" stroke-width=\"{}\"/>",
        number(area.min.x),
        number(area.min.y),
        number(area.size.width),
        number(area.size.height),
        number(radius),
        number(width)
    );
}

struct TextStyle<'s> {
    size: f64,
    colour: &'s str,
    weight: &'s str,
}

fn write_text(out: &mut String, at: Point, style: &TextStyle<'_>, text: &str) {
    let TextStyle { size, colour, weight } = *style;
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"{weight}\" fill=\"{colour}\">{}</text>",
        number(at.x),
        number(at.y),
        number(size),
        escape_xml(text)
    );
}

fn path(curve: &Curve) -> String {
    let pair = |point: &Point| format!("{} {}", number(point.x), number(point.y));
    let mut out = format!("M{}", pair(&curve.start));
    for [a, b, end] in &curve.pieces {
        let _ = write!(out, "C{} {} {}", pair(a), pair(b), pair(end));
    }
    out
}

/// At most one decimal.
fn number(value: f64) -> String {
    number_text((value * 10.0).round() / 10.0)
}

pub(crate) fn truncate(text: &str, letters: f64) -> String {
    truncate_by(text, letters, crate::scene::letter_width)
}

pub(crate) fn truncate_monospace(text: &str, letters: f64) -> String {
    truncate_by(text, letters, |c| if crate::scene::letter_width(c) >= 2.0 { 2.0 } else { 1.0 })
}

fn truncate_by(text: &str, letters: f64, width_of: fn(char) -> f64) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut space = letters;
    for (at, c) in shown.char_indices() {
        space -= width_of(c);
        if space < 0.0 {
            let kept = shown.get(..at).unwrap_or_default();
            let mut kept: String = kept.to_owned();
            kept.pop();
            kept.push('…');
            return kept;
        }
    }
    shown
}

/// Invalid characters become spaces.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{ViewOptions, build_scene};
    use stepgraph_core::graph::PlanGraph;
    use stepgraph_core::source::Format;

    #[test]
    fn escapes_untrusted_text() {
        let text =
            "nodes: {a: {type: log, metadata: {title: \"<script>alert('1')</script> & \\u0007 \\\"x\\\"\"}}}";
        let plan = PlanGraph::parse(text, Format::Auto).graph.unwrap();
        let out = svg(&build_scene(&plan, &ViewOptions::default()), Theme::Dark, "]]>\" onload=\"x");
        assert!(!out.contains("<script") && !out.contains("\" onload") && !out.contains('\u{7}'));
        assert!(out.contains("&lt;script&gt;"));
    }

    #[test]
    fn truncates_texts_by_width() {
        assert_eq!(truncate("abcdef", 6.0), "abcdef");
        assert_eq!(truncate("abcdefg", 6.0), "abcde…");
        assert_eq!(truncate("漢字漢字", 6.0), "漢字…");
        assert_eq!(truncate("a\nb", 9.0), "a b");
    }
}
