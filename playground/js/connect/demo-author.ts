/**
 * The demo model as a planner.
 *
 * The start of the system prompt identifies the stage, and words of the request choose tools and inputs. Answers
 * follow docs/authoring.md.
 */
import type { ChatRequest } from "stepgraph/web";
import { normalize } from "../../../wasm/js/request-review/normalize.js";
import { canDo } from "../../../wasm/js/request-review/demand-actions.js";
import { readSigns } from "../../../wasm/js/request-review/demand-signs.js";
import { asksApproval } from "../../../wasm/js/request-review/approval-words.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";
import { findChoice, type Branch, type OrderChoice } from "./demo-branches.js";
import { isMutating, extractEntities, requestedCalls } from "./demo-intents.js";
import { detectLanguage } from "../../../wasm/js/request-review/language.js";
import type { OfferedTool, RequestedCall } from "./demo-intents.js";
import {
  approvalNode,
  choiceWorkflow,
  describePlaceholders,
  type PlanNode,
  toolNode,
  uniqueNodeId,
  workflow,
  writerNode,
} from "./demo-workflow.js";

/** Words of services that the demo tools lack. */
const FOREIGN_SERVICES =
  /\b(kubernetes|prometheus|deploy\w*|slack|github|twitter|tweet\w*|phone|print\w*|translat\w*|calendar|video|despleg\w*|desplieg\w*|telefon\w*|imprim\w*|traduc\w*|traduz\w*|calendario)\b/;
const VAGUE =
  /^(please |por favor )?(help( me)?|do (something|it|the thing)|make it better|fix it|the usual|ayuda(me)?|haz (algo|lo|eso)|lo de siempre|mejoralo|arreglalo)[.!?]*$/;

/** Null for requests that are no planner stage. */
export function stageAnswer(request: ChatRequest): string | null {
  const system = request.messages[0]?.role === "system" ? request.messages[0].content : "";
  const prompt = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
  if (system.startsWith("You look whether one of the workflows")) return json(findWorkflow(prompt));
  if (system.startsWith("You find the values in a request")) return json(extractValues(prompt));
  if (system.startsWith("You find the values that a workflow needs")) return json({ parameters: [] });
  if (system.startsWith("You say what a request asks for")) return json(requirements(prompt));
  if (system.startsWith("You choose the components")) return json(browseComponents(system, prompt));
  if (!system.startsWith("You plan workflows and write them")) return null;
  const opening = request.messages.find(({ role }) => role === "user")?.content ?? "";
  return /^(Now write the workflow|Mend it|This workflow)/m.test(prompt) && request.messages.length > 2
    ? json(generateWorkflow(opening))
    : planMarkdown(opening);
}

const json = (value: unknown) => JSON.stringify(value);

function findWorkflow(prompt: string): unknown {
  const workflows = prompt
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { name: string });
  const request = normalize(prompt.split("The request:").at(-1) ?? "");
  const same = workflows.find(
    ({ name }) => request.includes(normalize(name)) || request.includes(normalize(name).replace(/[-_]/g, " ")),
  );
  return {
    found: same !== undefined,
    name: same?.name ?? null,
    reasoning: same ? "the request names it" : "none of them does the whole of it",
  };
}

function extractValues(prompt: string): unknown {
  const { city, order_id, path, amount, quoted } = extractEntities(prompt);
  const name = (kind: string, all: readonly unknown[]) =>
    all
      .filter((value) => !String(value).startsWith("${"))
      .map((value, at) => ({ name: at === 0 ? kind : `${kind}_${at + 1}`, value: String(value) }));
  return {
    parameters: [
      ...name("city", city),
      ...name("order_id", order_id),
      ...name("path", path),
      ...name("amount", amount),
      ...name("quoted", quoted),
    ],
  };
}

function requestText(prompt: string): string {
  const [, after = prompt] = prompt.split(/The request:\n/);
  return (after.split(/\n\n(?=[A-Z])|\nThe values|\nConnected|\nServices/)[0] ?? after).trim();
}

function requirements(prompt: string): unknown {
  const request = requestText(prompt);
  const lang = detectLanguage(request);
  const low = normalize(request).replace(/\s+/g, " ");
  if (VAGUE.test(low) || low.split(" ").length < 2) {
    const question =
      lang === "es"
        ? "¿Qué debe hacer el plan? Por ejemplo: mirar el tiempo de una ciudad, buscar un pedido, abrir un ticket o escribir un archivo."
        : "What should the plan do? For example: look at the weather of a city, find an order, open a ticket, or write a file.";
    return {
      is_clear: false,
      clarification_needed: question,
      steps: [],
      estimated_nodes: 0,
      required_capabilities: [],
      complexity_indicators: {},
    };
  }
  const steps = clauses(describePlaceholders(request));
  return {
    is_clear: true,
    clarification_needed: null,
    steps,
    estimated_nodes: steps.length + 1,
    required_capabilities: steps,
    complexity_indicators: {},
  };
}

/** The listing has JSON lines with a name. */
function parseListing(text: string): OfferedTool[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith('{"'))
    .flatMap((line) => {
      try {
        const one = JSON.parse(line) as Partial<OfferedTool> & { parameters?: string[] };
        const properties = Object.fromEntries((one.parameters ?? []).map((name) => [name, {}]));
        return typeof one.name === "string" ? [{ input_schema: { properties }, ...one, name: one.name }] : [];
      } catch {
        return [];
      }
    });
}

const TYPES = new Set(["llm", "agent", "approve"]);
const APPROVE: OfferedTool = { name: "approve", input_schema: {} };

function browseComponents(system: string, prompt: string): unknown {
  const tools = parseListing(system).filter(({ name }) => !TYPES.has(name));
  // The browse stage shows no parameters, so any usual one fits.
  const loose = tools.map((tool) => ({
    ...tool,
    input_schema: { properties: { user_email: {}, text: {}, query: {} } },
  }));
  const request = requestText(prompt);
  const choice = findChoice(request, [...withOrders(loose), APPROVE]);
  if (choice !== null)
    return {
      node_ids: [...new Set(choiceCalls(choice).map(({ name }) => name))],
      workflow_names: [],
      reasoning: "one order is looked up, and its state decides",
    };
  const names = [...new Set(supportedCalls(request, loose).map(({ name }) => name))];
  const more = names.some((name) => !isMutating({ name })) ? ["llm"] : [];
  const asks = names.length > 0 && clauses(request).some(asksApproval) ? ["approve"] : [];
  return {
    node_ids: [...names, ...more, ...asks],
    workflow_names: [],
    reasoning: names.length > 0 ? "their descriptions speak of what is asked" : "none of them has to do with it",
  };
}

/** The browse stage shows no parameters, and an order is found by its number. */
function withOrders(tools: readonly OfferedTool[]): OfferedTool[] {
  return tools.map((tool) => ({
    ...tool,
    input_schema: { properties: { order_id: {}, to: {}, text: {}, reason: {}, amount: {} } },
  }));
}

function choiceCalls({ reads, then, otherwise }: OrderChoice): RequestedCall[] {
  const ofBranch = ({ call, approval }: Branch) => (approval ? [{ name: "approve", arguments: {} }, call] : [call]);
  const branches = otherwise ? [then, otherwise] : [then];
  // The plan in prose is one line, and what follows an approval there needs it.
  const [free, asking] = [branches.filter(({ approval }) => !approval), branches.filter(({ approval }) => approval)];
  return [...reads, ...[...free, ...asking].flatMap(ofBranch)];
}

/** This model writes sequences of calls, so it reports conditions, loops, waits and actions without a tool. */
function isSupported(clause: string, tools: readonly OfferedTool[]): boolean {
  const signs = readSigns(clause);
  if (signs === null) return false;
  const needsMore =
    signs.condition ||
    signs.each ||
    signs.loop ||
    signs.schedule ||
    signs.parallel ||
    signs.wait ||
    signs.actions.some((action) => !tools.some((tool) => canDo(tool, action)));
  return !needsMore && !FOREIGN_SERVICES.test(normalize(clause));
}

function missingCapabilities(request: string, tools: readonly OfferedTool[]): string[] {
  if (findChoice(request, [...tools, APPROVE]) !== null) return [];
  return clauses(request)
    .filter((clause) => !isSupported(clause, tools))
    .map(describePlaceholders);
}

/** The calls of the supported part. */
function supportedCalls(request: string, tools: readonly OfferedTool[]): RequestedCall[] {
  const all = clauses(request);
  const kept = all.filter((clause) => isSupported(clause, tools));
  if (kept.length === 0) return [];
  return requestedCalls(kept.length === all.length ? request : kept.join(". "), tools);
}

function planMarkdown(opening: string): string {
  const request = requestText(opening);
  const calls = orderCalls(request, opening);
  const tools = parseListing(opening).filter(({ name }) => !TYPES.has(name));
  const [missing, es] = [missingCapabilities(request, tools), detectLanguage(request) === "es"];
  const status = missing.length === 0 && calls.length > 0 ? "FEASIBLE" : calls.length > 0 ? "PARTIAL" : "IMPOSSIBLE";
  const chain = calls.length > 0 ? calls.map(({ name }) => name).join(" >> ") : "none";
  const lines = missing.length > 0 ? `\n**Missing Capabilities:**\n${missing.map((one) => `- ${one}\n`).join("")}` : "";
  const what = es
    ? "Primero lo que hay que saber, después lo que hay que hacer."
    : "First what has to be known, then what has to be done.";
  return `## Plan\n\n${what}\n\n**Status:** ${status}\n**Node Chain:** ${chain}${lines}`;
}

/** Calls in the order in which the request asks for them. */
function inOrder(calls: readonly RequestedCall[], request: string, tools: readonly OfferedTool[]): RequestedCall[] {
  const asked = clauses(request).map((clause) => readSigns(clause)?.actions ?? []);
  const at = ({ name }: RequestedCall) => {
    const tool = tools.find((one) => one.name === name) ?? { name };
    return asked.findIndex((actions) => actions.some((action) => canDo(tool, action)));
  };
  return [...calls].sort((one, other) => at(one) - at(other));
}

/** Puts reads before writes. */
function orderCalls(request: string, opening: string): RequestedCall[] {
  const tools = parseListing(opening);
  const choice = findChoice(request, tools);
  if (choice !== null) return choiceCalls(choice);
  const calls = supportedCalls(
    request,
    tools.filter(({ name }) => !TYPES.has(name)),
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const reads = calls.filter((call) => !isMutating(byName.get(call.name) ?? call));
  const rest = inOrder(
    calls.filter((call) => isMutating(byName.get(call.name) ?? call)),
    request,
    tools,
  );
  const writer: RequestedCall[] = byName.has("llm") && reads.length > 0 ? [{ name: "llm", arguments: {} }] : [];
  const asks = byName.has("approve") && calls.length > 0 && clauses(request).some(asksApproval);
  const approval: RequestedCall[] = asks ? [{ name: "approve", arguments: {} }] : [];
  return [...reads, ...writer, ...approval, ...rest];
}

function generateWorkflow(opening: string): unknown {
  const request = requestText(opening);
  const lang = detectLanguage(request);
  const choice = findChoice(request, parseListing(opening));
  if (choice !== null) return choiceWorkflow(choice, request);
  const nodes: Record<string, PlanNode> = {};
  for (const { name, arguments: args } of orderCalls(request, opening))
    nodes[uniqueNodeId(nodes, name)] =
      name === "llm"
        ? writerNode(nodes, request, lang)
        : name === "approve"
          ? approvalNode(nodes, request)
          : toolNode(name, args, nodes, request);
  assignSteps(nodes, request, opening);
  const ids = Object.keys(nodes);
  const edges = ids.slice(1).map((to, at) => {
    const from = ids[at]!;
    return { from, to, ...(nodes[from]!.type === "approve" && { condition: "last==approved" }) };
  });
  return workflow(request, nodes, edges);
}

/** `write` covers requirements without a tool. */
function assignSteps(nodes: Record<string, PlanNode>, request: string, opening: string): void {
  const tools = parseListing(opening).filter(({ name }) => !TYPES.has(name));
  const served = new Map<string, number[]>();
  clauses(request).forEach((clause, at) => {
    if (!isSupported(clause, tools)) return;
    const names = requestedCalls(clause, tools).map(({ name }) => name);
    const approves = asksApproval(clause);
    const own = Object.keys(nodes).filter(
      (id) => names.includes(nodes[id]!.tool ?? "") || (approves && nodes[id]!.type === "approve"),
    );
    const ids = own.length > 0 ? own : Object.keys(nodes).filter((id) => id === "write" || !("write" in nodes));
    for (const id of ids) served.set(id, [...(served.get(id) ?? []), at + 1]);
  });
  for (const [id, steps] of served) nodes[id]!.metadata = { step: steps.join(", ") };
}
