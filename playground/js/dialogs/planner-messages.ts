/** The planner's own messages in Spanish. They are English in the engine, because models read them, too. */
import { lang } from "../connect/page-connections.js";
import { engineMessage } from "../engine-messages.js";

type Translate = (...parts: string[]) => string;

/** Sentences that the engine writes, and those of the demo model's plan. */
const SENTENCES: readonly (readonly [RegExp, Translate])[] = [
  [
    /Here is a plan with (\d+) nodes?; it was checked and can be run\./,
    (count) => `El plan tiene ${count} ${count === "1" ? "nodo" : "nodos"}. Se ha comprobado y se puede ejecutar.`,
  ],
  [/Review it before you run it: (.*?)\.(?=\s|$)/, (what) => `Revíselo antes de ejecutarlo: ${checked(what)}.`],
  [/It does only a part of the request\./, () => "Solo hace una parte de la petición."],
  [/`([^`]*)` does this already\./, (name) => `\`${name}\` ya lo hace.`],
  [/This can't be done with the components there are\./, () => "No se puede hacer con los componentes que hay."],
  [/Only a part of this can be done\./, () => "Solo se puede hacer una parte."],
  [/ ?Run it again with `partial: continue` to go on with that part\./, () => ""],
  [/Not possible: (.*?)\.(?=\s|$)/, (what) => `No es posible: ${what}.`],
  [/Instead: (.*?)\.(?=\s|$)/, (what) => `En su lugar: ${translated(what)}.`],
  [/It still needs (.*?)\.(?=\s|$)/, (what) => `Todavía necesita ${what}.`],
  [/No plan was made: (.*)$/, (why) => `No se ha hecho ningún plan: ${checked(why)}`],
  [
    /No valid plan after (\d+) generations\.(?: In the last one (.*))?/,
    (count, why) => `Ningún plan válido después de ${count} intentos.${why ? ` En el último, ${checked(why)}` : ""}`,
  ],
  [/connect a server whose tools can do it/, () => "conecte un servidor cuyas herramientas puedan hacerlo"],
  [/connect a server with a tool for this: /g, () => "conecte un servidor con una herramienta para esto: "],
  [/^FEASIBLE\b/, () => "Viable"],
  [/^PARTIAL\b/, () => "Viable en parte"],
  [/^IMPOSSIBLE\b/, () => "No es viable"],
  [/ >> /g, () => " → "],
  [/: none$/, () => ": ninguna herramienta"],
  [
    /What should the plan do\? For example: look at the weather of a city, find an order, open a ticket, or write a file\./,
    () =>
      "¿Qué debe hacer el plan? Por ejemplo: mirar el tiempo de una ciudad, buscar un pedido, abrir un ticket o escribir un archivo.",
  ],
  [/there is no price for the model/, () => "no hay precio para el modelo"],
  [/the plan has no limit of (\w+)/, (what) => `el plan no tiene límite de ${what}`],
];

/** What the check of a plan says, perhaps as a whole sentence. */
function checked(text: string): string {
  const [said, end] = text.endsWith(".") ? [text.slice(0, -1), "."] : [text, ""];
  return engineMessage(lang(), "author/checked", said) + end;
}

/** The planner's stages, and what they decide. */
const STAGES: Readonly<Record<string, string>> = {
  discovery: "planes conocidos",
  parameter_discovery: "valores",
  requirements_analysis: "requisitos",
  component_browsing: "componentes",
  planning: "plan en prosa",
  workflow_generator: "generación",
  parameter_mapping: "entradas",
  validator: "comprobación",
  result_preparation: "resultado",
};
const DECISIONS: Readonly<Record<string, string>> = {
  found: "encontrado",
  not_found: "no encontrado",
  success: "hecho",
  params_complete: "entradas completas",
  params_incomplete: "faltan entradas",
  generate: "generar",
  continue: "continuar",
  validate: "comprobar",
  valid: "válido",
  retry: "otro intento",
  planned: "planificado",
  failed: "ha fallado",
  approved: "aprobado",
  rejected: "rechazado",
  clarification_needed: "falta una aclaración",
  impossible_requirements: "requisitos imposibles",
  partial_solution: "solución parcial",
};

/** The name of a stage in the page's language. Nodes of other plans keep theirs. */
export function stageName(node: string): string {
  return lang() === "es" && Object.hasOwn(STAGES, node) ? STAGES[node]! : node;
}

/** What a stage decides, or a text that is its output. */
export function decisionText(output: string): string {
  return lang() === "es" && Object.hasOwn(DECISIONS, output) ? DECISIONS[output]! : output;
}

/** A failure in the page's language, with its code. */
export function failureText(code: string, message: string): string {
  return `${engineMessage(lang(), code, message)} (${code})`;
}

/** Unknown messages stay as they are. */
export function plannerText(text: string): string {
  return lang() === "es" ? translated(text) : text;
}

function translated(text: string): string {
  return SENTENCES.reduce(
    (rest, [pattern, translate]) => rest.replace(pattern, (_, ...parts) => translate(...parts.map((one) => one ?? ""))),
    text,
  ).trim();
}
