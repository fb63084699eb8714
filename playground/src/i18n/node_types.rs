//! What the types of nodes do, in a line each.

use stepgraph_core::kind::BUILT_IN;

crate::i18n::messages! {
    /// What types of nodes do.
    NodeTypes {
        Tool: "Calls a tool of a server", "Llama a una herramienta de un servidor";
        Llm: "Asks a language model", "Pregunta a un modelo de lenguaje";
        Agent: "Lets a model call tools until it has an answer", "Deja que un modelo use herramientas hasta tener respuesta";
        Plan: "Lets a model plan which tools to call", "Deja que un modelo planifique qué herramientas usar";
        Gather: "Carries out planned tool calls and gathers the results", "Ejecuta las llamadas planificadas y reúne los resultados";
        React: "Lets a model reason for a turn", "Deja que un modelo razone un turno";
        ExecuteTools: "Carries out the tool calls of a reasoning model", "Ejecuta las llamadas de un modelo que razona";
        Decision: "Chooses the way by conditions on its edges", "Elige el camino por las condiciones de sus aristas";
        Noop: "Passes on what came before", "Pasa adelante lo que llegó";
        Log: "Passes its input on and notes it in the trace", "Pasa su entrada y la anota en la traza";
        Approve: "Waits until a person agrees", "Espera a que una persona apruebe";
        Parallel: "Runs several graphs at the same time", "Ejecuta varios grafos a la vez";
        Map: "Runs a graph for each item of a list", "Ejecuta un grafo por cada elemento de una lista";
        Graph: "Runs the graph inside it", "Ejecuta el grafo que contiene";
    }
}

/// The types that can be added, the most usual first, with what they do.
pub const NODE_TYPES: [(&str, NodeTypes); 14] = [
    ("tool", NodeTypes::Tool),
    ("llm", NodeTypes::Llm),
    ("decision", NodeTypes::Decision),
    ("agent", NodeTypes::Agent),
    ("log", NodeTypes::Log),
    ("noop", NodeTypes::Noop),
    ("approve", NodeTypes::Approve),
    ("parallel", NodeTypes::Parallel),
    ("map", NodeTypes::Map),
    ("graph", NodeTypes::Graph),
    ("plan", NodeTypes::Plan),
    ("gather", NodeTypes::Gather),
    ("react", NodeTypes::React),
    ("execute_tools", NodeTypes::ExecuteTools),
];

// A type that the core learns has to be said here, too.
const _: () = assert!(BUILT_IN.len() == NODE_TYPES.len());
