//! A form's head: name, type, edges and position.

use super::field::problem_view;
use super::form_context::FormContext;
use super::text_selection::keep_focus;
use super::{message_with_help, sections};
use crate::form::change::{connect, disconnect, reorder, retype as as_type};
use crate::form::retype_preview::{RetypePreview, retype_effects, type_choices};
use crate::geometry::Point;
use crate::i18n::Inspector as W;
use crate::plan_editor::PlanEditor;
use leptos::prelude::*;
use leptos::web_sys;
use stepgraph_core::graph::scoped_name;

pub(super) fn plan_form(ctx: FormContext) -> AnyView {
    view! { <header class="form-head"><h2>{move || ctx.text(W::Plan)}</h2></header>{form_problems(ctx)}{sections(ctx)} }.into_any()
}

pub(super) fn node_form(ctx: FormContext, scope: String, key: String) -> AnyView {
    let node_path = StoredValue::new(scoped_name(&scope, &key));
    let own = StoredValue::new((scope, key));
    view! {
        <header class="form-head">
            <h2 class="unseen">{move || ctx.text(W::Node)}" "{own.with_value(|(_, key)| key.clone())}</h2>
            {name_view(ctx, own)}
            {type_view(ctx, own)}
            {note_view(ctx, node_path)}
        </header>
        {form_problems(ctx)}
        {sections(ctx)}
        {outgoing_edges(ctx, own)}
        {position_fields(ctx, node_path)}
    }
    .into_any()
}

pub(super) fn edge_form(ctx: FormContext, scope: &str, at: usize) -> AnyView {
    let scope = scope.to_owned();
    let name = move || {
        ctx.store.with_scene(|editor| {
            let edge = editor.scene().edges.iter().find(|edge| edge.scope == scope && edge.index == at)?;
            let key = |node: usize| editor.scene().nodes.get(node).map(|node| node.key.clone());
            Some([key(edge.from)?, key(edge.to)?].join(" → "))
        })
    };
    view! {
        <header class="form-head"><h2>{move || ctx.text(W::Edge)}" "<span class="code">{name}</span></h2></header>
        {form_problems(ctx)}
        {sections(ctx)}
    }
    .into_any()
}

/// Shows problems without a field.
fn form_problems(ctx: FormContext) -> impl IntoView {
    move || {
        let all = ctx.form.with(|form| form.as_ref().map(|form| form.problems.clone())).unwrap_or_default();
        all.into_iter().map(|problem| problem_view(ctx, problem)).collect_view()
    }
}

type NodeId = StoredValue<(String, String)>;

fn name_view(ctx: FormContext, own: NodeId) -> impl IntoView {
    let error = RwSignal::new(None::<String>);
    let key = move || own.with_value(|(_, key)| key.clone());
    let rename = move |event: web_sys::Event| {
        let to = event_target_value(&event).trim().to_owned();
        let (scope, from) = own.get_value();
        if to == from {
            return error.set(None);
        }
        ctx.store.end_typing_step();
        let node_path = scoped_name(&scope, &from);
        let done = ctx.store.attempt(|editor, now| editor.rename(&node_path, &to, now));
        ctx.store.end_typing_step();
        if done.is_ok() {
            // The renamed node has a new form. Focus moves to the same field.
            let (old, new) = (["node:", &node_path].concat(), ["node:", &scoped_name(&scope, &to)].concat());
            request_animation_frame(move || {
                let at = document().active_element().map(|at| at.id()).unwrap_or_default();
                keep_focus(vec![at.replacen(&old, &new, 1), "node-name".to_owned()]);
            });
        }
        error.set(done.err().flatten().map(|problem| message_with_help(&problem)));
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            if let Some(input) = event_target_input(&event) {
                input.set_value(&key());
            }
            error.set(None);
        }
    };
    let wrong = move || error.get().map(|text| view! { <p class="trouble error">{text}</p> });
    let is_wrong = move || error.with(Option::is_some).to_string();
    view! {
        <div class="field">
            <label for="node-name">{move || ctx.text(W::Name)}</label>
            <input id="node-name" class="code" type="text" autocomplete="off" spellcheck="false" prop:value=key aria-invalid=is_wrong
                aria-describedby="node-name-wrong" on:change=rename on:keydown=on_key/>
            <div id="node-name-wrong" role="alert">{wrong}</div>
        </div>
    }
}

/// Absent where the text can have no comment.
fn note_view(ctx: FormContext, node_path: StoredValue<String>) -> impl IntoView {
    let note = Memo::new(move |_| {
        ctx.store.with_scene(|editor| editor.note(&node_path.get_value()).map(str::to_owned))
    });
    let write = move |event| {
        ctx.store.end_typing_step();
        let text = event_target_value(&event);
        ctx.store.change(|editor, now| editor.set_note(&node_path.get_value(), &text, now));
    };
    let shown = move || note.get().unwrap_or_default();
    let rows = move || shown().lines().count().max(1);
    view! {
        <Show when=move || note.with(Option::is_some)>
            <div class="field">
                <label for="node-note">{move || ctx.text(W::Note)}</label>
                <textarea id="node-note" rows=rows prop:value=shown placeholder=move || ctx.text(W::NoteHint) on:change=write></textarea>
            </div>
        </Show>
    }
}

fn event_target_input(event: &web_sys::KeyboardEvent) -> Option<web_sys::HtmlInputElement> {
    use wasm_bindgen::JsCast;
    event.target()?.dyn_into().ok()
}

/// Shows what another type drops.
fn type_view(ctx: FormContext, own: NodeId) -> impl IntoView {
    let pending = RwSignal::new(None::<(String, RetypePreview)>);
    let kind = Memo::new(move |_| {
        let (scope, key) = own.get_value();
        ctx.store.with_text(|editor| {
            let owner = crate::form::Owner::Node(scope, key);
            let target = crate::form::FormTarget::new(editor.document(), &owner);
            target.and_then(|target| target.text("type").map(str::to_owned)).unwrap_or_default()
        })
    });
    let retype = move |kind: String| {
        let (scope, node) = own.get_value();
        pending.set(None);
        ctx.apply_or_notify(&as_type(&scope, &node, &kind), "type");
    };
    let choose = move |event| {
        let new = event_target_value(&event);
        let (scope, key) = own.get_value();
        let preview = ctx.store.read(|editor| retype_effects(editor.document(), &scope, &key, &new));
        if preview.unused_keys.is_empty() { retype(new) } else { pending.set(Some((new, preview))) }
    };
    let options = move || {
        let (scope, key) = own.get_value();
        let lang = ctx.store.lang.get();
        let mut all = ctx.store.with_text(|editor| type_choices(editor.document(), &scope, &key, lang));
        let now = kind.get();
        if !all.iter().any(|choice| choice.label == now) {
            all.insert(
                0,
                crate::form::Choice { value: now.as_str().into(), label: now, help: String::new() },
            );
        }
        let option = |choice: crate::form::Choice| {
            let (label, own) = (choice.label.clone(), choice.label.clone());
            let is_now = move || {
                pending.with(|pending| pending.as_ref().map_or_else(|| kind.get(), |(kind, _)| kind.clone()))
                    == own
            };
            view! { <option value=choice.label title=choice.help selected=is_now>{label.clone()}</option> }
        };
        all.into_iter().map(option).collect_view()
    };
    let question = move || {
        let (new, preview) = pending.get()?;
        let unused = ctx.format(W::UnusedKeys, &[&new, &preview.unused_keys.join(", ")]);
        let required = (!preview.missing_keys.is_empty())
            .then(|| [" ", &ctx.format(W::MissingKeys, &[&new, &preview.missing_keys.join(", ")])].concat());
        let go = move |_| retype(new.clone());
        Some(view! {
            <div class="trouble warning" role="alert">
                <p>{unused}{required}</p>
                <button type="button" class="small" on:click=go>{ctx.text(W::Retype)}</button>
                <button type="button" class="small" on:click=move |_| pending.set(None)>{ctx.text(W::Keep)}</button>
            </div>
        })
    };
    view! {
        <div class="field">
            <label for="node-type">{move || ctx.text(W::Type)}</label>
            <select id="node-type" class="code" prop:value=move || kind.get() on:change=choose>{options}</select>
            {question}
        </div>
    }
}

type OutgoingEdge = (usize, String, String);

/// Lists edges in evaluation order.
fn outgoing_edges(ctx: FormContext, own: NodeId) -> impl IntoView {
    let (scope, key) = own.get_value();
    let all = Memo::new(move |_| {
        ctx.store.with_scene(|editor| {
            let name =
                |node: usize| editor.scene().nodes.get(node).map(|node| node.key.clone()).unwrap_or_default();
            let lines = editor.scene().edges.iter().filter(|edge| edge.scope == scope);
            let (mut outgoing, mut coming): (Vec<OutgoingEdge>, Vec<OutgoingEdge>) = (Vec::new(), Vec::new());
            for edge in lines {
                if name(edge.from) == key {
                    outgoing.push((edge.index, name(edge.to), edge.label.clone()));
                }
                if name(edge.to) == key {
                    coming.push((edge.index, name(edge.from), edge.label.clone()));
                }
            }
            (outgoing, coming)
        })
    });
    let leaving = move || {
        let list = all.with(|(outgoing, _)| outgoing.clone());
        // The edge without a condition is the last one, wherever it is written.
        let tried = list.iter().filter(|(.., condition)| !condition.is_empty());
        let order: Vec<usize> = tried.map(|(at, ..)| *at).collect();
        let entry = |(row, one): (usize, OutgoingEdge)| edge_row(ctx, own, &order, row, one);
        list.into_iter().enumerate().map(entry).collect_view()
    };
    let none = move || {
        all.with(|(outgoing, _)| outgoing.is_empty())
            .then(|| view! { <p class="empty">{ctx.text(W::NoEdges)}</p> })
    };
    let coming = move || {
        let list = all.with(|(_, coming)| coming.clone());
        (!list.is_empty()).then(|| {
            let button = |(at, from, _): OutgoingEdge| {
                let choose = move |_| ctx.store.update_selection(|editor| editor.select_edge(&own.with_value(|own| own.0.clone()), at, false));
                view! { <button type="button" class="small code" on:click=choose>{from}</button> }
            };
            view! { <p class="coming"><span class="hint">{ctx.text(W::Incoming)}</span>" "{list.into_iter().map(button).collect_view()}</p> }
        })
    };
    view! {
        <section class="part">
            <h3>{move || ctx.text(W::Edges)}</h3>
            {none}
            <ol class="edges">{leaving}</ol>
            {new_edge(ctx, own)}
            {coming}
        </section>
    }
}

fn edge_row(
    ctx: FormContext,
    own: NodeId,
    order: &[usize],
    row: usize,
    (at, to, condition): OutgoingEdge,
) -> AnyView {
    let scope = move || own.with_value(|(scope, _)| scope.clone());
    let name = if condition.is_empty() {
        ctx.format(W::To, &[&to])
    } else {
        ctx.format(W::ToWhen, &[&to, &condition])
    };
    let step = |id: &'static str, other: Option<usize>, word: W, sign: &'static str| {
        let other_row = if id == "up" { row.wrapping_sub(1) } else { row + 1 };
        let name_of = move |id: &str, row: usize| ["edge-", id, &row.to_string()].concat();
        let title = ctx.format(word, &[&name]);
        let go = move |_| {
            if let Some(position) = other {
                ctx.apply_or_notify(&reorder(&scope(), at, position), "order");
                keep_focus([id, "up", "down"].map(|id| name_of(id, other_row)).to_vec());
            }
        };
        view! { <button type="button" class="icon" id=name_of(id, row) disabled=other.is_none() title=title.clone() aria-label=title on:click=go>{sign}</button> }
    };
    let is_tried = order.get(row) == Some(&at);
    let above = row.checked_sub(1).filter(|_| is_tried).and_then(|row| order.get(row).copied());
    let up = step("up", above, W::MoveUp, "↑");
    let down = step("down", order.get(row + 1).copied(), W::MoveDown, "↓");
    let removed = ctx.format(W::Remove, &[&name]);
    let remove = move |_| {
        ctx.apply_or_notify(&disconnect(&scope(), at), "remove");
        keep_focus(vec!["new-edge".to_owned()]);
    };
    let open = move |_| {
        ctx.store.update_selection(|editor: &mut PlanEditor| editor.select_edge(&scope(), at, false));
    };
    let shown = if condition.is_empty() { ctx.text(W::Otherwise).to_owned() } else { condition };
    let edit = [&to, " ", &shown, ", ", &ctx.format(W::EditEdge, &[&name])].concat();
    view! {
        <li>
            <button type="button" class="edge" aria-label=edit on:click=open>
                <span class="code">{to}</span>" "<span class="when">{shown}</span>
            </button>
            <span class="tools">{up}{down}<button type="button" class="icon" title=removed.clone() aria-label=removed on:click=remove>"×"</button></span>
        </li>
    }
    .into_any()
}

fn new_edge(ctx: FormContext, own: NodeId) -> impl IntoView {
    let choose = move |event: web_sys::Event| {
        let (scope, from) = own.get_value();
        let to = event_target_value(&event);
        if !to.is_empty() {
            ctx.apply_or_notify(&connect(&scope, &from, &to), "connect");
        }
    };
    // Rebuilt only when nodes are added, removed or renamed.
    let all = Memo::new(move |_| {
        let scope = own.with_value(|(scope, _)| scope.clone());
        ctx.store.with_scene(|editor| {
            let there = editor.scene().nodes.iter().filter(|node| node.scope == scope);
            there.map(|node| node.key.clone()).collect::<Vec<_>>()
        })
    });
    let nodes = move || {
        let option = |key: String| {
            let name = key.clone();
            view! { <option value=key>{name}</option> }
        };
        all.get().into_iter().map(option).collect_view()
    };
    view! {
        <select id="new-edge" aria-label=move || ctx.text(W::AddEdge) prop:value="" on:change=choose>
            <option value="">{move || ctx.text(W::AddEdge)}" …"</option>{nodes}
        </select>
    }
}

fn position_fields(ctx: FormContext, node_path: StoredValue<String>) -> impl IntoView {
    let at = Memo::new(move |_| ctx.store.with_scene(|editor| editor.node_position(&node_path.get_value())));
    let shown = move |across: bool| {
        let point = at.get().map(|(point, _)| if across { point.x } else { point.y });
        point.map(|number| stepgraph_core::value::number_text(number.round())).unwrap_or_default()
    };
    let put = move |text: &str, across: bool| {
        let number = stepgraph_core::json::parse(text.trim()).and_then(|value| value.as_f64());
        let (Some(number), Some((point, _))) = (number, at.get_untracked()) else { return };
        let point = if across { Point::new(number, point.y) } else { Point::new(point.x, number) };
        ctx.store.change(|editor, now| editor.set_node_position(&node_path.get_value(), Some(point), now));
    };
    let input = move |across: bool, word: W| {
        view! {
            <label>{move || ctx.text(word)}<input class="number" type="text" inputmode="numeric" autocomplete="off" prop:value=move || shown(across)
                on:change=move |event| put(&event_target_value(&event), across)/></label>
        }
    };
    let free = move |_| {
        ctx.store.change(|editor, now| editor.set_node_position(&node_path.get_value(), None, now));
    };
    let is_placed = move || at.get().is_some_and(|(_, is_placed)| is_placed);
    view! {
        <details class="part">
            <summary><h3>{move || ctx.text(W::Position)}</h3></summary>
            <div class="position">{input(true, W::X)}{input(false, W::Y)}
                <button type="button" class="small" disabled=move || !is_placed() on:click=free>{move || ctx.text(W::LayoutDecides)}</button>
            </div>
        </details>
    }
}
