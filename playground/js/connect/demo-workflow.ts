/** Writes the workflows of the demo model: a node for each call, in the words of the request. */
import { asksApproval } from "../../../wasm/js/request-review/approval-words.js";
import { detectLanguage } from "../../../wasm/js/request-review/language.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";
import type { Branch, OrderChoice, PlannedCall } from "./demo-branches.js";
import type { Lang, LocalizedText } from "./demo-data.js";

export interface PlanNode {
  type: string;
  tool?: string;
  description?: string;
  input?: unknown;
  with?: unknown;
  metadata?: { step: string };
}

export interface PlanEdge {
  from: string;
  to: string;
  condition?: string;
}

/** The reads, then one of two calls, each after its approval if it needs one. */
export function choiceWorkflow(choice: OrderChoice, request: string): unknown {
  const nodes: Record<string, PlanNode> = {};
  const add = (name: string, node: PlanNode): string => {
    const id = uniqueNodeId(nodes, name);
    nodes[id] = node;
    return id;
  };
  const addCall = ({ name, arguments: input, step }: PlannedCall) =>
    add(name, { type: "tool", tool: name, input, metadata: { step } });
  const reads = choice.reads.map(addCall);
  const last = reads.at(-1)!;
  const edges: PlanEdge[] = reads.slice(1).map((to, at) => ({ from: reads[at]!, to }));
  const addBranch = ({ call, approval }: Branch, condition: string) => {
    if (approval) {
      const { question, step } = approval;
      const asks = add("approve", {
        type: "approve",
        description: asSentence(describePlaceholders(capitalized(question))),
        input: call.arguments,
        metadata: { step },
      });
      edges.push({ from: last, to: asks, condition }, { from: asks, to: addCall(call), condition: "last==approved" });
    } else edges.push({ from: last, to: addCall(call), condition });
  };
  addBranch(choice.then, choice.condition);
  if (choice.otherwise) addBranch(choice.otherwise, "default");
  return workflow(request, nodes, edges);
}

export function workflow(request: string, nodes: Record<string, PlanNode>, edges: PlanEdge[]): unknown {
  const placeholders = [...new Set([...request.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!))];
  const used = placeholders.filter((name) => JSON.stringify(nodes).includes(`input.${name}`));
  const kind = (name: string) => (name.startsWith("amount") ? "number" : "string");
  return {
    description: asSentence(describePlaceholders(request)),
    inputs: Object.fromEntries(
      used.map((name) => [name, { type: kind(name), description: name.replaceAll("_", " ") }]),
    ),
    start: Object.keys(nodes)[0],
    nodes,
    edges,
  };
}

export function uniqueNodeId(nodes: Record<string, PlanNode>, name: string): string {
  const base = name === "llm" ? "write" : (name.split(".").at(-1) ?? name);
  for (let at = 1; ; at++) {
    const id = at === 1 ? base : `${base}_${at}`;
    if (!Object.hasOwn(nodes, id)) return id;
  }
}

export function writerNode(nodes: Record<string, PlanNode>, request: string, lang: Lang): PlanNode {
  const question = request.replace(/\$\{(\w+)\}/g, "${input.$1}");
  const facts = Object.keys(nodes)
    .map((id) => `${id}: \${output.${id}}`)
    .join("\n");
  const [ask, what] =
    lang === "es" ? ["La petición", "Lo que se ha averiguado"] : ["The request", "What was found out"];
  return {
    type: "llm",
    input: `${ask}: ${question}\n${what}:\n${facts}`,
    with: {
      system:
        lang === "es"
          ? "Responde en dos frases con lo averiguado y nada más."
          : "Answer in two sentences with what was found out and nothing else.",
    },
  };
}

/** The node shows the user the value that the next node would use. */
export function approvalNode(nodes: Record<string, PlanNode>, request: string): PlanNode {
  const shown = Object.hasOwn(nodes, "write") ? "${output.write}" : request.replace(/\$\{(\w+)\}/g, "${input.$1}");
  const question = clauses(describePlaceholders(request)).find(asksApproval) ?? request;
  return { type: "approve", description: asSentence(question), input: shown };
}

export function toolNode(
  name: string,
  args: Record<string, unknown>,
  nodes: Record<string, PlanNode>,
  request: string,
): PlanNode {
  const input = { ...args };
  const text = Object.hasOwn(nodes, "write")
    ? "${output.write}"
    : asSentence(request.replace(/\$\{(\w+)\}/g, "${input.$1}"));
  if ("text" in input && input.text === "") input.text = text;
  if (name.endsWith("find_orders")) input.user_email = "${context.user_email}";
  return { type: "tool", tool: name, input };
}

export function describePlaceholders(text: string): string {
  const es = detectLanguage(text) === "es";
  const bare = text.replace(/(order|pedido)\s+\$\{order_id(?:_\d+)?\}/giu, "$1");
  return bare.replace(
    /\$\{(\w+)\}/g,
    (_, name: string) => VALUE_KIND_NAMES[name.replace(/_\d+$/, "")]?.[es ? 1 : 0] ?? name.replaceAll("_", " "),
  );
}

const VALUE_KIND_NAMES: Readonly<Record<string, LocalizedText>> = {
  city: ["a city", "una ciudad"],
  order_id: ["an order", "un pedido"],
  path: ["a file", "un archivo"],
  amount: ["an amount", "un importe"],
  quoted: ["a text", "un texto"],
};

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function asSentence(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return /[.!?]$/.test(flat) ? flat : `${flat}.`;
}
