/** The planner's own messages in words. They are English in the engine, because models read them, too. */
import { type LocalizedText, localize } from "../connect/demo-data.js";
import { lang } from "../connect/page-connections.js";
import { engineMessage } from "../engine-messages.js";

type Translate = (...parts: string[]) => string;

/** How a plan in words begins, and what joins its nodes. */
const STATUS: readonly (readonly [RegExp, LocalizedText])[] = [
  [/^FEASIBLE\b/, ["Feasible", "Viable"]],
  [/^PARTIAL\b/, ["Feasible in part", "Viable en parte"]],
  [/^IMPOSSIBLE\b/, ["Not feasible", "No es viable"]],
  [/ >> /g, [" → ", " → "]],
];

/** Sentences in Spanish that the engine writes, and those of the demo model's plan. */
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
const STAGES: Readonly<Record<string, LocalizedText>> = {
  discovery: ["known plans", "planes conocidos"],
  parameter_discovery: ["values", "valores"],
  requirements_analysis: ["requirements", "requisitos"],
  component_browsing: ["components", "componentes"],
  planning: ["plan in words", "plan en prosa"],
  workflow_generator: ["generation", "generación"],
  parameter_mapping: ["inputs", "entradas"],
  validator: ["check", "comprobación"],
  result_preparation: ["result", "resultado"],
};
const DECISIONS: Readonly<Record<string, LocalizedText>> = {
  found: ["found", "encontrado"],
  not_found: ["not found", "no encontrado"],
  success: ["done", "hecho"],
  params_complete: ["inputs are complete", "entradas completas"],
  params_incomplete: ["inputs are missing", "faltan entradas"],
  generate: ["generate", "generar"],
  continue: ["continue", "continuar"],
  validate: ["check", "comprobar"],
  valid: ["valid", "válido"],
  retry: ["another try", "otro intento"],
  planned: ["planned", "planificado"],
  failed: ["failed", "ha fallado"],
  approved: ["approved", "aprobado"],
  rejected: ["rejected", "rechazado"],
  clarification_needed: ["a detail is missing", "falta una aclaración"],
  impossible_requirements: ["impossible requirements", "requisitos imposibles"],
  partial_solution: ["a part of the solution", "solución parcial"],
};

/** The name of a stage in the page's language. Nodes of other plans keep theirs. */
export function stageName(node: string): string {
  return wordOf(STAGES, node);
}

/** What a stage decides, or a text that is its output. */
export function decisionText(output: string): string {
  return wordOf(DECISIONS, output);
}

function wordOf(words: Readonly<Record<string, LocalizedText>>, name: string): string {
  return Object.hasOwn(words, name) ? localize(words[name]!, lang()) : name;
}

/** A failure in the page's language, with its code. */
export function failureText(code: string, message: string): string {
  return `${engineMessage(lang(), code, message)} (${code})`;
}

/** Unknown messages stay as they are. */
export function plannerText(text: string): string {
  const told = STATUS.reduce((rest, [pattern, words]) => rest.replace(pattern, localize(words, lang())), text);
  return lang() === "es" ? translated(told) : told;
}

function translated(text: string): string {
  return SENTENCES.reduce(
    (rest, [pattern, translate]) => rest.replace(pattern, (_, ...parts) => translate(...parts.map((one) => one ?? ""))),
    text,
  ).trim();
}
