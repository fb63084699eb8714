//! What a node, an edge or the plan is: its name, its type, its edges, its place.

use super::field::trouble_view;
use super::picker::keep_focus;
use super::{Ctx, said, sections};
use crate::form::change::{connect, disconnect, reorder, retype as as_type};
use crate::form::lost::{Lost, lost, types};
use crate::geometry::Point;
use crate::session::Session;
use crate::words::Inspector as W;
use leptos::prelude::*;
use leptos::web_sys;
use stepgraph_core::graph::scoped_name;

/// The form of the plan itself.
pub(super) fn plan(ctx: Ctx) -> AnyView {
    view! { <header class="form-head"><h2>{move || ctx.word(W::Plan)}</h2></header>{troubles(ctx)}{sections(ctx)} }.into_any()
}

/// The form of a node.
pub(super) fn node(ctx: Ctx, scope: String, key: String) -> AnyView {
    let place = StoredValue::new(scoped_name(&scope, &key));
    let own = StoredValue::new((scope, key));
    view! {
        <header class="form-head">
            <h2 class="unseen">{move || ctx.word(W::Node)}" "{own.with_value(|(_, key)| key.clone())}</h2>
            {name_view(ctx, own)}
            {type_view(ctx, own)}
        </header>
        {troubles(ctx)}
        {sections(ctx)}
        {edges(ctx, own)}
        {position(ctx, place)}
    }
    .into_any()
}

/// The form of an edge.
pub(super) fn edge(ctx: Ctx, scope: &str, at: usize) -> AnyView {
    let scope = scope.to_owned();
    let name = move || {
        ctx.store.with_drawing(|session| {
            let line = session.scene().edges.iter().find(|line| line.scope == scope && line.index == at)?;
            let key = |node: usize| session.scene().nodes.get(node).map(|node| node.key.clone());
            Some([key(line.from)?, key(line.to)?].join(" → "))
        })
    };
    view! {
        <header class="form-head"><h2>{move || ctx.word(W::Edge)}" "<span class="code">{name}</span></h2></header>
        {troubles(ctx)}
        {sections(ctx)}
    }
    .into_any()
}

/// What is wrong, and with no field of it.
fn troubles(ctx: Ctx) -> impl IntoView {
    move || {
        let all = ctx.form.with(|form| form.as_ref().map(|form| form.troubles.clone())).unwrap_or_default();
        all.into_iter().map(|trouble| trouble_view(ctx, trouble)).collect_view()
    }
}

type Own = StoredValue<(String, String)>;

/// The name, which is given anew everywhere once it is typed.
fn name_view(ctx: Ctx, own: Own) -> impl IntoView {
    let mistake = RwSignal::new(None::<String>);
    let key = move || own.with_value(|(_, key)| key.clone());
    let rename = move |event: web_sys::Event| {
        let to = event_target_value(&event).trim().to_owned();
        let (scope, from) = own.get_value();
        if to == from {
            return mistake.set(None);
        }
        ctx.store.pause();
        let place = scoped_name(&scope, &from);
        let done = ctx.store.attempt(|session, now| session.rename(&place, &to, now));
        ctx.store.pause();
        if done.is_ok() {
            // The form is that of another name now: what was gone to in the old one is gone to in this.
            let (old, new) = (["node:", &place].concat(), ["node:", &scoped_name(&scope, &to)].concat());
            request_animation_frame(move || {
                let at = document().active_element().map(|at| at.id()).unwrap_or_default();
                keep_focus(vec![at.replacen(&old, &new, 1), "node-name".to_owned()]);
            });
        }
        mistake.set(done.err().flatten().map(|problem| said(&problem)));
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            if let Some(input) = event_target_input(&event) {
                input.set_value(&key());
            }
            mistake.set(None);
        }
    };
    let wrong = move || mistake.get().map(|text| view! { <p class="trouble error">{text}</p> });
    let is_wrong = move || mistake.with(Option::is_some).to_string();
    view! {
        <div class="field">
            <label for="node-name">{move || ctx.word(W::Name)}</label>
            <input id="node-name" class="code" type="text" autocomplete="off" spellcheck="false" prop:value=key aria-invalid=is_wrong
                aria-describedby="node-name-wrong" on:change=rename on:keydown=on_key/>
            <div id="node-name-wrong" role="alert">{wrong}</div>
        </div>
    }
}

fn event_target_input(event: &web_sys::KeyboardEvent) -> Option<web_sys::HtmlInputElement> {
    use wasm_bindgen::JsCast;
    event.target()?.dyn_into().ok()
}

/// The type, and what another one would leave behind.
fn type_view(ctx: Ctx, own: Own) -> impl IntoView {
    let asked = RwSignal::new(None::<(String, Lost)>);
    let kind = Memo::new(move |_| {
        let (scope, key) = own.get_value();
        ctx.store.with_text(|session| {
            let owner = crate::form::Owner::Node(scope, key);
            let place = crate::form::Place::new(session.document(), &owner);
            place.and_then(|place| place.text("type").map(str::to_owned)).unwrap_or_default()
        })
    });
    let retype = move |kind: String| {
        let (scope, node) = own.get_value();
        asked.set(None);
        ctx.command(&as_type(&scope, &node, &kind), "type");
    };
    let choose = move |event| {
        let new = event_target_value(&event);
        let (scope, key) = own.get_value();
        let lost = ctx.store.read(|session| lost(session.document(), &scope, &key, &new));
        if lost.useless.is_empty() { retype(new) } else { asked.set(Some((new, lost))) }
    };
    let options = move || {
        let (scope, key) = own.get_value();
        let lang = ctx.store.lang.get();
        let mut all = ctx.store.with_text(|session| types(session.document(), &scope, &key, lang));
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
                asked.with(|asked| asked.as_ref().map_or_else(|| kind.get(), |(kind, _)| kind.clone())) == own
            };
            view! { <option value=choice.label title=choice.help selected=is_now>{label.clone()}</option> }
        };
        all.into_iter().map(option).collect_view()
    };
    let question = move || {
        let (new, lost) = asked.get()?;
        let useless = ctx.fill(W::Useless, &[&new, &lost.useless.join(", ")]);
        let needed = (!lost.needed.is_empty())
            .then(|| [" ", &ctx.fill(W::Needed, &[&new, &lost.needed.join(", ")])].concat());
        let go = move |_| retype(new.clone());
        Some(view! {
            <div class="trouble warning" role="alert">
                <p>{useless}{needed}</p>
                <button type="button" class="small" on:click=go>{ctx.word(W::Retype)}</button>
                <button type="button" class="small" on:click=move |_| asked.set(None)>{ctx.word(W::Keep)}</button>
            </div>
        })
    };
    view! {
        <div class="field">
            <label for="node-type">{move || ctx.word(W::Type)}</label>
            <select id="node-type" class="code" prop:value=move || kind.get() on:change=choose>{options}</select>
            {question}
        </div>
    }
}

/// An edge as the list shows it: position, the other end, condition.
type Leaving = (usize, String, String);

/// The edges that leave a node, in the order in which they are looked at.
fn edges(ctx: Ctx, own: Own) -> impl IntoView {
    let (scope, key) = own.get_value();
    let all = Memo::new(move |_| {
        ctx.store.with_drawing(|session| {
            let name = |node: usize| {
                session.scene().nodes.get(node).map(|node| node.key.clone()).unwrap_or_default()
            };
            let lines = session.scene().edges.iter().filter(|line| line.scope == scope);
            let (mut leaving, mut coming): (Vec<Leaving>, Vec<Leaving>) = (Vec::new(), Vec::new());
            for line in lines {
                if name(line.from) == key {
                    leaving.push((line.index, name(line.to), line.label.clone()));
                }
                if name(line.to) == key {
                    coming.push((line.index, name(line.from), line.label.clone()));
                }
            }
            (leaving, coming)
        })
    });
    let leaving = move || {
        let list = all.with(|(leaving, _)| leaving.clone());
        let order: Vec<usize> = list.iter().map(|(at, ..)| *at).collect();
        let entry = |(row, one): (usize, Leaving)| edge_row(ctx, own, &order, row, one);
        list.into_iter().enumerate().map(entry).collect_view()
    };
    let none = move || {
        all.with(|(leaving, _)| leaving.is_empty())
            .then(|| view! { <p class="empty">{ctx.word(W::NoEdges)}</p> })
    };
    let coming = move || {
        let list = all.with(|(_, coming)| coming.clone());
        (!list.is_empty()).then(|| {
            let button = |(at, from, _): Leaving| {
                let choose = move |_| ctx.store.choose(|session| session.choose_edge(&own.with_value(|own| own.0.clone()), at, false));
                view! { <button type="button" class="small code" on:click=choose>{from}</button> }
            };
            view! { <p class="coming"><span class="hint">{ctx.word(W::Incoming)}</span>" "{list.into_iter().map(button).collect_view()}</p> }
        })
    };
    view! {
        <section class="part">
            <h3>{move || ctx.word(W::Edges)}</h3>
            {none}
            <ol class="edges">{leaving}</ol>
            {new_edge(ctx, own)}
            {coming}
        </section>
    }
}

fn edge_row(ctx: Ctx, own: Own, order: &[usize], row: usize, (at, to, condition): Leaving) -> AnyView {
    let scope = move || own.with_value(|(scope, _)| scope.clone());
    let name =
        if condition.is_empty() { ctx.fill(W::To, &[&to]) } else { ctx.fill(W::ToWhen, &[&to, &condition]) };
    let step = |id: &'static str, other: Option<usize>, word: W, sign: &'static str| {
        let other_row = if id == "up" { row.wrapping_sub(1) } else { row + 1 };
        let name_of = move |id: &str, row: usize| ["edge-", id, &row.to_string()].concat();
        let title = ctx.fill(word, &[&name]);
        let go = move |_| {
            if let Some(position) = other {
                ctx.command(&reorder(&scope(), at, position), "order");
                keep_focus([id, "up", "down"].map(|id| name_of(id, other_row)).to_vec());
            }
        };
        view! { <button type="button" class="icon" id=name_of(id, row) disabled=other.is_none() title=title.clone() aria-label=title on:click=go>{sign}</button> }
    };
    let up = step("up", row.checked_sub(1).and_then(|row| order.get(row).copied()), W::MoveUp, "↑");
    let down = step("down", order.get(row + 1).copied(), W::MoveDown, "↓");
    let gone = ctx.fill(W::Remove, &[&name]);
    let remove = move |_| {
        ctx.command(&disconnect(&scope(), at), "remove");
        keep_focus(vec!["new-edge".to_owned()]);
    };
    let open = move |_| ctx.store.choose(|session: &mut Session| session.choose_edge(&scope(), at, false));
    let shown = if condition.is_empty() { ctx.word(W::Otherwise).to_owned() } else { condition };
    let edit = [&to, " ", &shown, ", ", &ctx.fill(W::EditEdge, &[&name])].concat();
    view! {
        <li>
            <button type="button" class="edge" aria-label=edit on:click=open>
                <span class="code">{to}</span>" "<span class="when">{shown}</span>
            </button>
            <span class="tools">{up}{down}<button type="button" class="icon" title=gone.clone() aria-label=gone on:click=remove>"×"</button></span>
        </li>
    }
    .into_any()
}

/// A way to another node, without dragging.
fn new_edge(ctx: Ctx, own: Own) -> impl IntoView {
    let choose = move |event: web_sys::Event| {
        let (scope, from) = own.get_value();
        let to = event_target_value(&event);
        if !to.is_empty() {
            ctx.command(&connect(&scope, &from, &to), "connect");
        }
    };
    // The list is made anew when nodes come, go or change their names, and not at each letter.
    let all = Memo::new(move |_| {
        let scope = own.with_value(|(scope, _)| scope.clone());
        ctx.store.with_drawing(|session| {
            let there = session.scene().nodes.iter().filter(|node| node.scope == scope);
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
        <select id="new-edge" aria-label=move || ctx.word(W::AddEdge) prop:value="" on:change=choose>
            <option value="">{move || ctx.word(W::AddEdge)}" …"</option>{nodes}
        </select>
    }
}

/// Where the node stands, as numbers: a way to move it without dragging.
fn position(ctx: Ctx, place: StoredValue<String>) -> impl IntoView {
    let at = Memo::new(move |_| ctx.store.with_drawing(|session| session.place_of(&place.get_value())));
    let shown = move |across: bool| {
        let point = at.get().map(|(point, _)| if across { point.x } else { point.y });
        point.map(|number| stepgraph_core::value::number_text(number.round())).unwrap_or_default()
    };
    let put = move |text: &str, across: bool| {
        let number = stepgraph_core::json::parse(text.trim()).and_then(|value| value.as_f64());
        let (Some(number), Some((point, _))) = (number, at.get_untracked()) else { return };
        let point = if across { Point::new(number, point.y) } else { Point::new(point.x, number) };
        ctx.store.change(|session, now| session.place_node(&place.get_value(), Some(point), now));
    };
    let input = move |across: bool, word: W| {
        view! {
            <label>{move || ctx.word(word)}<input class="number" type="text" inputmode="numeric" autocomplete="off" prop:value=move || shown(across)
                on:change=move |event| put(&event_target_value(&event), across)/></label>
        }
    };
    let free = move |_| {
        ctx.store.change(|session, now| session.place_node(&place.get_value(), None, now));
    };
    let is_placed = move || at.get().is_some_and(|(_, is_placed)| is_placed);
    view! {
        <details class="part">
            <summary><h3>{move || ctx.word(W::Position)}</h3></summary>
            <div class="position">{input(true, W::X)}{input(false, W::Y)}
                <button type="button" class="small" disabled=move || !is_placed() on:click=free>{move || ctx.word(W::LayoutDecides)}</button>
            </div>
        </details>
    }
}
