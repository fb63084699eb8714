//! What is known of values that the plan writes down, and of those that nodes write under names of their own.
//!
//! Decides what a template becomes, and who writes under a name that no node has.

use super::{At, Inference, anything, either, part};
use crate::check::known::{Known, Shared};
use crate::expr::{Part, Reference, Template};
use crate::graph::Texts;
use crate::kind;
use crate::list::List;
use crate::node::{self, Action};
use std::rc::Rc;

impl<'a> Inference<'_, 'a> {
    /// What nodes write under a name that no node has, as far as all that may write it are known.
    pub(super) fn written(&mut self, scope: usize, name: &str) -> Shared<'a> {
        // Many references may name what nobody writes: for these no node is looked at.
        if !kind::is_written(name) {
            return anything();
        }
        let key = (scope, name.to_owned());
        if let Some(known) = self.written.get(&key) {
            return Rc::clone(known);
        }
        let written = self.written_around(scope, name);
        self.written.insert(key, Rc::clone(&written));
        written
    }

    fn written_around(&mut self, scope: usize, name: &str) -> Shared<'a> {
        let mut found = Vec::new();
        for at in self.scopes.around(scope) {
            let Some(graph) = self.scopes.list.get(at).map(|scope| scope.graph) else { continue };
            for node in &graph.nodes {
                // A handler writes under any name.
                match node::action(node, &graph.place(node), self.capabilities) {
                    None | Some(Action::Handler(_)) => return anything(),
                    Some(action) if kind::may_write(&node.kind).any(|written| written == name) => {
                        found.push(self.described(node::written(&action, name).as_ref()));
                    }
                    Some(_) => {}
                }
            }
        }
        either(found)
    }

    /// What a written value is once its holes are filled.
    pub(super) fn value(&mut self, texts: &'a Texts, scope: usize, position: usize) -> Shared<'a> {
        Rc::new(match texts {
            Texts::Constant(json) => Known::Constant(json),
            Texts::Template(template, _) => return self.filled(template, scope, position),
            Texts::List(items) => {
                let items = items.iter().map(|item| self.value(item, scope, position)).list();
                Known::List(either(items))
            }
            Texts::Map(entries) => {
                let value =
                    |(key, value): &'a (String, Texts)| (key.as_str(), self.value(value, scope, position));
                Known::Map { entries: entries.iter().map(value).list(), is_closed: false }
            }
        })
    }

    /// What a template becomes: text, or what its only hole is filled with.
    fn filled(&mut self, template: &'a Template, scope: usize, position: usize) -> Shared<'a> {
        let [Part::Hole { choices, fallback, .. }] = &*template.parts else { return Rc::new(Known::Text) };
        let mut found = choices.iter().map(|choice| self.reference(choice, scope, At::Node(position))).list();
        found.extend(fallback.iter().map(|json| Rc::new(Known::Constant(json))));
        either(found)
    }

    /// What a whole reference leads to.
    pub(super) fn reference(&mut self, reference: &Reference, scope: usize, at: At<'_>) -> Shared<'a> {
        let root = self.root(&reference.root, scope, at);
        part(root, reference.path.clone())
    }
}
