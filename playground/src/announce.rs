//! What a person hears who does not see the drawing.
//!
//! Decides how nodes, edges and modes are said, in both languages, and how much is said at once: while a run streams, what is old is left
//! out, and said that it was. The plan's own words are said as they are.
//!
//! Invariants: 1. whatever is pushed last is said; 2. what is said at once is bounded.
//!
//! Source: WCAG 2.2, 4.1.2 and 4.1.3.

use crate::keyboard::{Focus, Item, walk};
use crate::marks::{Mark, Marks};
use crate::scene::{Line, NodeBox};
use crate::session::Session;
use crate::words::{Heard as W, Lang, Words, fill};
use stepgraph_core::graph::scoped_name;

/// The most that is said at once.
const MOST: usize = 4;

/// What waits to be said.
///
/// # Example
/// ```
/// use stepgraph_playground::{announce::Queue, words::Lang};
/// let mut queue = Queue::default();
/// assert!(queue.push("a done".into()) && !queue.push("b done".into()));
/// assert_eq!(queue.take(Lang::En), "a done. b done");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Queue {
    waiting: Vec<String>,
    left_out: usize,
}

impl Queue {
    /// Takes in what is to be said; gives whether nothing had waited, so that somebody has to come for it.
    pub fn push(&mut self, text: String) -> bool {
        let was_empty = self.waiting.is_empty();
        self.waiting.retain(|other| *other != text);
        self.waiting.push(text);
        if self.waiting.len() > MOST {
            self.waiting.remove(0);
            self.left_out += 1;
        }
        was_empty
    }

    /// Drops what waits: something else matters now.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What is said now.
    pub fn take(&mut self, lang: Lang) -> String {
        let Self { waiting, left_out } = std::mem::take(self);
        let text = waiting.join(". ");
        if left_out == 0 {
            return text;
        }
        [&fill(W::LeftOut.text(lang), &[&left_out.to_string()]), ". ", &text].concat()
    }
}

/// What has the focus, in one sentence.
pub fn focused(session: &Session, marks: &Marks, focus: &Focus, lang: Lang) -> String {
    let scene = session.scene();
    match walk::number(scene, focus) {
        Some(Item::Node(node)) => {
            scene.nodes.get(node).map_or_else(String::new, |found| of_node(session, marks, node, found, lang))
        }
        Some(Item::Edge(edge)) => {
            scene.edges.get(edge).map_or_else(String::new, |line| of_edge(session, marks, line, lang))
        }
        None => fill(W::Whole.text(lang), &[&scene.nodes.len().to_string(), &scene.edges.len().to_string()]),
    }
}

fn of_node(session: &Session, marks: &Marks, number: usize, node: &NodeBox, lang: Lang) -> String {
    let scene = session.scene();
    let place = node.place();
    let mut parts = vec![node.title.clone()];
    if node.title != node.key {
        parts.push(node.key.clone());
    }
    parts.push(node.kind.clone());
    let mut say = |is: bool, word: W| {
        if is {
            parts.push(word.text(lang).to_owned());
        }
    };
    say(node.is_start, W::Start);
    say(node.inside == Some(false), W::Closed);
    say(node.inside == Some(true), W::Open);
    let leaving = scene.edges.iter().filter(|line| line.from == number).count();
    let arriving = scene.edges.iter().filter(|line| line.to == number).count();
    parts.push(count(leaving, W::OneOut, W::Out, lang));
    parts.push(count(arriving, W::OneIn, W::In, lang));
    if let Some(mark) = marks.nodes.get(&place) {
        parts.extend(of_mark(mark.mark, lang).map(str::to_owned));
        if mark.mark == Mark::Failed && !mark.text.is_empty() {
            parts.push(mark.text.clone());
        }
        if mark.breakpoint {
            parts.push(W::Breakpoint.text(lang).to_owned());
        }
        if mark.pinned {
            parts.push(W::Pinned.text(lang).to_owned());
        }
    }
    finish(session, &place, session.selection().has_node(&place), parts, lang)
}

fn of_edge(session: &Session, marks: &Marks, line: &Line, lang: Lang) -> String {
    let mut parts = vec![edge(session, line, lang)];
    if marks.edges.get(&(line.scope.clone(), line.index)) == Some(&true) {
        parts.push(W::Taken.text(lang).to_owned());
    }
    let is_chosen = session.selection().has_edge(&line.scope, line.index);
    finish(
        session,
        &scoped_name(&line.scope, &["#", &line.index.to_string()].concat()),
        is_chosen,
        parts,
        lang,
    )
}

/// An edge by its ends and its condition.
pub fn edge(session: &Session, line: &Line, lang: Lang) -> String {
    let title =
        |node: usize| session.scene().nodes.get(node).map(|node| node.title.as_str()).unwrap_or_default();
    let ends = fill(W::Edge.text(lang), &[title(line.from), title(line.to)]);
    [&ends, ", ", &condition(line, lang)].concat()
}

/// When an edge is taken.
pub fn condition(line: &Line, lang: Lang) -> String {
    match line.label.trim() {
        "" | "default" | "always" => W::Otherwise.text(lang).to_owned(),
        label => fill(if line.is_failure { W::OnFailure } else { W::If }.text(lang), &[label]),
    }
}

/// How a node fares, in a word.
pub fn of_mark(mark: Mark, lang: Lang) -> Option<&'static str> {
    let word = match mark {
        Mark::None => return None,
        Mark::Running => W::Running,
        Mark::Waiting => W::Waiting,
        Mark::Done => W::Done,
        Mark::Failed => W::Failed,
        Mark::Skipped => W::Skipped,
        Mark::Stopped => W::Stopped,
    };
    Some(word.text(lang))
}

fn finish(session: &Session, place: &str, is_chosen: bool, mut parts: Vec<String>, lang: Lang) -> String {
    let several = session.selection().nodes().count() + session.selection().edges().count();
    if is_chosen && several > 1 {
        parts.push(fill(W::ChosenOf.text(lang), &[&several.to_string()]));
    }
    if !is_chosen && several > 0 {
        parts.push(W::NotChosen.text(lang).to_owned());
    }
    if let Some(problems) = session.problems().get(place) {
        parts.push(count(problems.len(), W::OneProblem, W::Problems, lang));
        parts.extend(problems.first().map(|problem| problem.message.clone()));
    }
    parts.join(", ")
}

/// One, or several of something.
pub fn count(number: usize, one: W, several: W, lang: Lang) -> String {
    if number == 1 { one.text(lang).to_owned() } else { fill(several.text(lang), &[&number.to_string()]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::NodeMark;

    const PLAN: &str = "\
nodes:
  a: {type: log, metadata: {title: Greet}}
  b: {type: parallel, branches: {x: {nodes: {c: {type: noop}}}}}
edges: [{from: a, to: b, condition: last==ok}, {from: a, to: b}]
";

    #[test]
    fn what_has_the_focus_is_said_whole() {
        let mut session = Session::new(PLAN);
        session.choose_node("a", false);
        let mut marks = Marks::default();
        marks.nodes.insert(
            "b".into(),
            NodeMark { mark: Mark::Failed, text: "no answer".into(), ..NodeMark::default() },
        );
        let node = |key: &str| Focus::Node(key.into());
        for (focus, lang, expected) in [
            (node("a"), Lang::En, "Greet, a, log, start, 2 edges out, 0 edges in"),
            (node("a"), Lang::Es, "Greet, a, log, inicio, 2 aristas salen, 0 aristas llegan"),
            (
                node("b"),
                Lang::En,
                "b, parallel, group, closed, 0 edges out, 2 edges in, failed, no answer, not selected",
            ),
            (Focus::Edge(String::new(), 0), Lang::En, "edge from Greet to b, if last==ok, not selected"),
            (Focus::Edge(String::new(), 1), Lang::Es, "arista de Greet a b, en otro caso, no seleccionado"),
            (Focus::Nothing, Lang::En, "Drawing, 2 nodes, 2 edges"),
        ] {
            assert_eq!(focused(&session, &marks, &focus, lang), expected);
        }
        session.choose_all();
        assert!(focused(&session, &marks, &node("a"), Lang::En).contains("one of 2 selected"));
    }

    #[test]
    fn a_stream_is_cut_to_what_can_be_heard() {
        let mut queue = Queue::default();
        for at in 0..50 {
            queue.push(format!("n{at} done"));
        }
        queue.push("n49 done".into());
        assert_eq!(queue.take(Lang::En), "46 more before. n46 done. n47 done. n48 done. n49 done");
        assert_eq!(queue.take(Lang::En), "");
    }
}
