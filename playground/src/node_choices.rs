//! Choices to add a node: built-in types, host tools, and used types. Names, effects and synonyms in both languages
//! find them. A built-in type hides a tool with its name.

use crate::i18n::{Lang, Localized, NODE_TYPES, Shell};
use crate::plan_editor::PlanEditor;
use crate::search::{SearchTexts, ranked, recent_first};
use stepgraph_core::tool::ToolRegistry;

/// Shorter queries are synonyms or beginnings, such as `if`.
const MIN_OWN_TYPE_CHARS: usize = 3;

/// An addable node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeChoice {
    /// Type or tool.
    pub name: String,
    /// Its effect.
    pub about: String,
    /// Icon type.
    pub kind: String,
    /// The typed text, which no type, tool or node of the plan has.
    pub is_unknown: bool,
}

/// What Enter takes at first: nothing if only the typed text is left, which the user has to choose.
///
/// `is_unknown` is that of the first choice.
pub fn first_position(is_unknown: Option<bool>) -> usize {
    if is_unknown.unwrap_or(true) { usize::MAX } else { 0 }
}

/// Best match first, without a query the recently used ones. The typed text is last, because a host may handle it.
pub fn node_choices(
    query: &str,
    editor: &PlanEditor,
    recent: &[String],
    lang: Lang,
    max: usize,
) -> Vec<NodeChoice> {
    let choice = |name: &str, about: &str, kind: &str| NodeChoice {
        name: name.to_owned(),
        about: about.to_owned(),
        kind: kind.to_owned(),
        is_unknown: false,
    };
    let own_kind = Shell::OwnKind.text(lang);
    let mut all: Vec<NodeChoice> =
        NODE_TYPES.iter().map(|(kind, about)| choice(kind, about.text(lang), kind)).collect();
    let tools = editor.document().capabilities().tools.iter().flat_map(ToolRegistry::iter);
    let about = |text: &Option<String>| {
        text.iter().flat_map(|text| text.lines()).next().unwrap_or_default().to_owned()
    };
    all.extend(tools.map(|(name, tool)| choice(name, &about(&tool.description), "tool")));
    for node in editor.scene().nodes.iter().filter(|node| !node.is_ghost) {
        if all.iter().all(|known| known.name != node.kind) {
            all.push(choice(&node.kind, own_kind, &node.kind));
        }
    }
    let typed = query.trim();
    if typed.is_empty() {
        all = recent_first(all, recent, |choice| &choice.name);
    }
    let synonyms: Vec<String> = all.iter().map(synonyms).collect();
    let texts = all.iter().zip(&synonyms);
    let texts = texts.map(|(NodeChoice { name, about, .. }, synonyms)| SearchTexts { name, synonyms, about });
    let found = ranked(query, texts, max);
    let mut found: Vec<NodeChoice> = found.into_iter().filter_map(|at| all.get(at).cloned()).collect();
    // A tool of the host says more than the type of all tools.
    if !"tool".starts_with(typed)
        && let Some(at) = found.iter().position(|choice| choice.name == "tool")
        && let Some(last) = found.iter().rposition(|choice| choice.kind == "tool" && choice.name != "tool")
        && at < last
    {
        found.get_mut(at..=last).unwrap_or_default().rotate_left(1);
    }
    if typed.chars().count() >= MIN_OWN_TYPE_CHARS && all.iter().all(|known| known.name != typed) {
        let about = Shell::UnknownKind.text(lang);
        found.push(NodeChoice { is_unknown: true, ..choice(typed, about, typed) });
    }
    found
}

/// The words of a host's tool say what it does.
fn synonyms(choice: &NodeChoice) -> String {
    let NodeChoice { name, kind, .. } = choice;
    if kind != "tool" || name == kind {
        return keywords(name).to_owned();
    }
    let has_word = |group: &&&str| {
        name.split(|c: char| !c.is_alphanumeric()).any(|word| group.split(' ').any(|other| other == word))
    };
    SAME_MEANING.iter().filter(has_word).copied().collect::<Vec<_>>().join(" ")
}

/// Each group finds tools that have one of its words in their name.
const SAME_MEANING: [&str; 8] = [
    "message mail email sms chat notify mensaje correo avisar",
    "send post publish enviar publicar",
    "find search get list read query lookup fetch buscar obtener leer consultar",
    "create add new write insert crear añadir escribir",
    "delete remove cancel eliminar borrar cancelar",
    "update change edit set cambiar editar actualizar",
    "refund repay money payment reembolso devolver pago dinero",
    "ticket issue task incidencia tarea",
];

/// Synonyms.
fn keywords(kind: &str) -> &'static str {
    match kind {
        "tool" => {
            "function call api mcp http request rest webhook mail email service función petición correo servicio"
        }
        "llm" => "ai model prompt chat ask gpt ia modelo preguntar",
        "agent" => "ai assistant ia asistente",
        "decision" => "if else switch case branch route condition si bifurcar rama condición",
        "log" => "print debug output message imprimir mensaje",
        "noop" => "pass nothing end nada fin",
        "set" => "variable assign compute transform script code expression calcular código",
        "wait" => "sleep delay timer pause pausa esperar",
        "approve" => "human person review confirm ask persona revisar confirmar",
        "parallel" => "fork join merge branches concurrent simultáneo unir",
        "map" => "for each foreach loop list iterate repeat bucle lista repetir",
        "graph" => "group subgraph subflow subworkflow nested grupo subgrafo subflujo",
        "plan" => "planner ai planificador",
        "gather" => "collect merge results reunir",
        "react" => "reason act razonar",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = r#"{"tools": [{"name": "weather", "description": "Tells the weather.\nOf a city.", "input_schema": {"type": "object"}}, {"name": "send_message", "description": "Sends a message to a person.", "input_schema": {"type": "object"}}]}"#;

    #[test]
    fn finds_types_tools_and_own_types_by_any_word() {
        let mut editor = PlanEditor::new("nodes:\n  a: {type: fetch}\n");
        editor.set_host(HOST);
        for (query, lang, expected) in [
            ("if", Lang::En, "decision"),
            ("si", Lang::Es, "decision"),
            ("for each", Lang::En, "map"),
            ("human", Lang::En, "approve"),
            ("weath", Lang::En, "weather"),
            ("fetch", Lang::En, "fetch"),
            ("llm", Lang::En, "llm"),
            ("pla", Lang::En, "plan"),
            ("list", Lang::En, "map"),
            ("http", Lang::En, "tool"),
            ("zzqx", Lang::En, "zzqx"),
            ("foreach", Lang::En, "map"),
            ("loop", Lang::En, "map"),
            ("bucle", Lang::Es, "map"),
            ("subflow", Lang::En, "graph"),
            ("subgraph", Lang::En, "graph"),
            ("subflujo", Lang::Es, "graph"),
            ("script", Lang::En, "set"),
            ("code", Lang::En, "set"),
            ("código", Lang::Es, "set"),
            ("merge", Lang::En, "parallel"),
            ("join", Lang::En, "parallel"),
            ("unir", Lang::Es, "parallel"),
            ("mail", Lang::En, "send_message"),
            ("correo", Lang::Es, "send_message"),
        ] {
            let found = node_choices(query, &editor, &[], lang, 60);
            assert_eq!(
                found.first().map(|choice| choice.name.as_str()),
                Some(expected),
                "{query}: {found:?}"
            );
        }
        let names = |query: &str| {
            let found = node_choices(query, &editor, &[], Lang::En, 60);
            found.into_iter().map(|choice| choice.name).collect::<Vec<_>>()
        };
        assert_eq!(names("if"), ["decision"], "no letters that are scattered over a description");
        assert_eq!(names("wait"), ["wait", "approve"], "an approval waits, too");
        assert_eq!(names("http"), ["tool", "http"]);
        assert_eq!(names("mail"), ["send_message", "tool", "mail"]);
        let typed = node_choices("mail", &editor, &[], Lang::En, 60).pop().expect("the typed word");
        let used = node_choices("fetch", &editor, &[], Lang::En, 60).swap_remove(0);
        assert!(typed.about.starts_with("Unknown type"), "{}", typed.about);
        assert_ne!(typed.about, used.about, "the plan has a node of this type");
        let recent = ["weather".to_owned(), "map".to_owned()];
        let all = node_choices("", &editor, &recent, Lang::En, 60);
        assert_eq!([&*all[0].name, &*all[1].name], ["weather", "map"]);
        assert_eq!(all.len(), NODE_TYPES.len() + 3);
        assert_eq!(
            all.iter().find(|choice| choice.name == "weather").map(|choice| choice.about.as_str()),
            Some("Tells the weather.")
        );
    }

    #[test]
    fn the_typed_text_is_no_first_choice() {
        let editor = PlanEditor::new("nodes:\n  a: {type: fetch}\n");
        let first = |query: &str| {
            let found = node_choices(query, &editor, &[], Lang::En, 60);
            found
                .get(first_position(found.first().map(|choice| choice.is_unknown)))
                .map(|choice| choice.name.clone())
        };
        assert_eq!(first("zzqx"), None);
        assert_eq!(first("fetch").as_deref(), Some("fetch"), "the plan has this type");
        assert_eq!(first("map").as_deref(), Some("map"));
        assert_eq!(first_position(None), usize::MAX);
    }

    #[test]
    fn a_chosen_tool_becomes_a_node_that_calls_it() {
        let mut editor = PlanEditor::new("nodes:\n  a: {type: log}\n");
        editor.set_host(HOST);
        editor.add_node("", "weather", Some("a"), None, 0.0).expect("added");
        assert!(editor.text().contains("tool: weather"), "{}", editor.text());
        editor.insert_into("", 0, "log", 1.0).expect("inserted");
        assert_eq!(editor.scene().edges.len(), 2);
    }
}
