//! Renames nodes, inputs, servers and macro variables. References keep their targets, and the text gets no new errors.

use super::Document;
use super::macro_variable::MacroVariable;
use super::navigation::{Entity, Occurrence, occurrence_at, occurrences};
use super::plan_format::PlanLocation;
use super::syntax_tree::SyntaxTree;
use crate::edit::{GraphEdit, edit};
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, TextEdit, shorten_name};
use stepgraph_core::expression::is_key_char;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::edit::apply_edits;

/// Returns the name inside its quotes, or `None` if it cannot be renamed.
pub fn prepare_rename(document: &Document, at: usize) -> Option<Span> {
    if let Some(variable) = MacroVariable::at(document, at) {
        return variable.spans.into_iter().find(|span| span.start <= at && at <= span.end);
    }
    let tree = SyntaxTree::new(document.text(), document.format());
    let occurrences = occurrences(&tree);
    let named = occurrence_at(&occurrences, at)?;
    let can = matches!(named.entity, Entity::Node(_) | Entity::Input(_) | Entity::Server(_));
    let given =
        occurrences.iter().any(|occurrence| occurrence.entity == named.entity && occurrence.is_definition);
    (can && given).then_some(named.span)
}

/// The edits of a rename.
///
/// # Errors
/// A diagnostic with a code of `edit/*` if the rename is impossible.
pub fn rename(document: &Document, at: usize, new: &str) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    if let Some(variable) = MacroVariable::at(document, at) {
        return rename_variable(document, &variable, new);
    }
    let tree = SyntaxTree::new(document.text(), document.format());
    let occurrences = occurrences(&tree);
    let Some(named) = occurrence_at(&occurrences, at) else { return Err(nothing_to_rename(at)) };
    match &named.entity {
        Entity::Node(node) => rename_node(document, &tree, *node, named, new),
        Entity::Input(name) | Entity::Server(name) => rename_name(document, &occurrences, named, name, new),
        _ => Err(nothing_to_rename(at)),
    }
}

fn nothing_to_rename(at: usize) -> Box<Diagnostic> {
    let diagnostic =
        Diagnostic::new(Code::EditNowhere, "nothing at this position can be renamed").at(Span::at(at));
    Box::new(diagnostic.help("choose the name of a node, an input, a server or a macro's variable"))
}

fn rename_variable(
    document: &Document,
    variable: &MacroVariable,
    new: &str,
) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let refused = |message: String, help: &str| {
        let diagnostic = Diagnostic::new(Code::EditNotInPlace, message).help(help);
        Err(Box::new(match variable.spans.first() {
            Some(span) => diagnostic.at(*span),
            None => diagnostic,
        }))
    };
    let plain = new.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(new, "null" | "true" | "false" | "in");
    if !plain {
        let message = format!("`{}` is no name of a variable", shorten_name(new));
        return refused(message, "use letters, digits and `_`, a letter first");
    }
    let edit = |span: &Span| TextEdit { span: *span, text: new.to_owned() };
    let edits: Vec<TextEdit> = variable.spans.iter().map(edit).collect();
    if !variable.survives(document.text(), &edits) {
        let message = format!("`{}` means something else in this expression", shorten_name(new));
        return refused(message, "choose another name");
    }
    Ok(edits)
}

fn rename_node(
    document: &Document,
    tree: &SyntaxTree<'_>,
    node: usize,
    named: &Occurrence<'_>,
    new: &str,
) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let scope = scope(tree, node);
    let node = tree.key(node).unwrap_or_default().into_owned();
    let edit_of = if named.by_id {
        GraphEdit::SetId { scope, node, id: Some(new.to_owned()) }
    } else {
        GraphEdit::RenameNode { scope, node, to: new.to_owned() }
    };
    Ok(edit(document.text(), document.format(), &[edit_of])?.edits)
}

pub(crate) fn scope(tree: &SyntaxTree<'_>, node: usize) -> String {
    let mut names = Vec::new();
    let mut graph = PlanLocation::of(tree, tree.item(node).parent).graph;
    while graph != 0 {
        let holder = PlanLocation::of(tree, tree.item(graph).parent);
        let Some(owner) = holder.node else { break };
        if tree.item(graph).parent != owner {
            names.push(tree.key(graph).unwrap_or_default());
        }
        names.push(tree.key(owner).unwrap_or_default());
        graph = holder.graph;
    }
    names.reverse();
    names.join("/")
}

fn rename_name(
    document: &Document,
    occurrences: &[Occurrence<'_>],
    named: &Occurrence<'_>,
    old: &str,
    new: &str,
) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let refused = |message: String, help: &str| {
        Err(Box::new(Diagnostic::new(Code::EditNotInPlace, message).at(named.span).help(help)))
    };
    let begins = new.chars().next().is_some_and(char::is_alphabetic);
    let plain = begins
        && new.chars().all(|c| is_key_char(c) && c != '/')
        && !matches!(new, "exists" | "contains" | "null" | "true" | "false");
    if !plain {
        return refused(
            format!("`{}` is no plain name", shorten_name(new)),
            "use letters, digits, `_` and `-`, a letter first",
        );
    }
    let is_own = |entity: &Entity<'_>| match (entity, &named.entity) {
        (Entity::Input(name), Entity::Input(_)) | (Entity::Server(name), Entity::Server(_)) => name == new,
        _ => false,
    };
    if new == old {
        return Ok(Vec::new());
    }
    if occurrences.iter().any(|occurrence| occurrence.is_definition && is_own(&occurrence.entity)) {
        return refused(format!("there is already `{}`", shorten_name(new)), "choose another name");
    }
    let text = document.text();
    let mut edits: Vec<TextEdit> = Vec::new();
    for occurrence in occurrences.iter().filter(|occurrence| occurrence.entity == named.entity) {
        let span = occurrence.span;
        if text.get(span.start..span.end) != Some(old) {
            return refused(
                format!("`{}` is written with escapes somewhere", shorten_name(old)),
                "rename it by hand",
            );
        }
        edits.push(TextEdit { span, text: new.to_owned() });
    }
    edits.extend(rename_in_tests(document, named, old, new));
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup();
    let after = Document::new(apply_edits(text, &edits), document.format());
    if is_valid(document) && !is_valid(&after) {
        return refused(
            format!("the plan would not be sound with the name `{}`", shorten_name(new)),
            "choose another name",
        );
    }
    Ok(edits)
}

fn is_valid(document: &Document) -> bool {
    document.plan().is_some_and(PlanGraph::is_sound)
}

fn rename_in_tests(document: &Document, named: &Occurrence<'_>, old: &str, new: &str) -> Vec<TextEdit> {
    if !matches!(named.entity, Entity::Input(_)) {
        return Vec::new();
    }
    let tree = SyntaxTree::new(document.text(), document.format());
    let Some(tests) = tree.get(0, "tests") else { return Vec::new() };
    let keys = tree.children(tests).filter_map(|test| tree.item(tree.find(test, &["input", old])?).key);
    keys.map(|key| TextEdit { span: super::navigation::unquoted(&tree, key), text: new.to_owned() }).collect()
}
