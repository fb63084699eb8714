/**
 * Finds what a plan does besides the request.
 *
 * A planner may claim any node for a demand, so the request itself must ask for each change: by its action, by words of
 * the tool, and with its values if the request names values of that kind.
 */
import { isToolNode, plainName, type Demand, type PlannedWorkflow } from "./demands.js";
import { canDo, stems, type Action, type ToolText } from "./demand-actions.js";
import { readSigns, withoutProhibition, type Signs } from "./demand-signs.js";
import { withVerbs } from "./continued.js";
import { normalize } from "./normalize.js";
import { placedNodes, type PlacedNode } from "./plan-structure.js";
import { isReceivedBy, receiverFields } from "./recipients.js";
import { clauses } from "./sentences.js";

export interface ExtraNodes {
  /** Paths of nodes that change, or may change, something. */
  changing: string[];
  /** Paths of the others: those that read, think or format. */
  other: string[];
}

/** Their types only order a plan, or ask a person. */
const ORDERS = new Set(["approve", "decision", "noop", "log", "set", "wait", "parallel", "map", "graph", "gather"]);

export function extraNodes(
  request: string,
  plan: PlannedWorkflow,
  tools: readonly ToolText[],
  demands: readonly Demand[],
): ExtraNodes {
  const found = new Map(tools.map((tool) => [tool.name, tool]));
  const toolOf = (name: string): ToolText => found.get(name) ?? found.get(plainName(name)) ?? { name: plainName(name) };
  const wanted = withVerbs(request, clauses(request)).map(wantedBy);
  const named = new Set(demands.flatMap(({ nodes }) => nodes));
  const claimed = new Set(plan.coverage.flatMap(({ nodes }) => nodes));
  const nodes = placedNodes(plan.workflow).filter(({ type }) => !ORDERS.has(type));
  const changes = (one: PlacedNode) =>
    isToolNode(one) && one.tools.some((name) => name !== "*" && canDo(toolOf(name), "any"));
  const isWanted = (one: PlacedNode) => {
    const own = one.tools.map(toolOf).filter((tool) => canDo(tool, "any"));
    const asking = wanted.filter((sentence) => own.some((tool) => asksFor(sentence, tool)));
    return asking.length > 0 && hasAskedValues(one, asking, plan.params ?? {});
  };
  return {
    changing: nodes.filter((one) => changes(one) && !isWanted(one)).map(({ path }) => path),
    other: nodes
      .filter((one) => !changes(one) && !named.has(one.path) && !claimed.has(one.path))
      .map(({ path }) => path),
  };
}

interface Wanted {
  signs: Signs | null;
  words: string[];
}

function wantedBy(sentence: string): Wanted {
  const kept = withoutProhibition(sentence);
  return { signs: readSigns(kept), words: stems(kept) };
}

function asksFor({ signs, words }: Wanted, tool: ToolText): boolean {
  // An unread sentence may ask for anything, and is red.
  if (signs === null) return true;
  if (signs.question) return false;
  if (signs.actions.some((action: Action) => canDo(tool, action))) return true;
  const own = stems(tool.name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.-]/g, " "));
  return own.length > 0 && own.every((stem) => words.includes(stem));
}

/** A second message goes to someone else, a second deletion has another file. */
function hasAskedValues(
  { node }: PlacedNode,
  asking: readonly Wanted[],
  params: Readonly<Record<string, unknown>>,
): boolean {
  const { input } = node as { input?: unknown };
  const text = withParams(JSON.stringify(input ?? ""), params);
  const values = asking.flatMap(({ signs }) => (signs === null ? [] : [signs.values]));
  const ids = values.flatMap((one) => one.ids.map((id) => id.toLowerCase()));
  const own = text.match(/\b[a-z]+-\d+\b|[\w-]+(?:\/[\w-]+)*\.(?:md|txt|csv|json|ya?ml|html|pdf)\b/g) ?? [];
  for (const isFile of [true, false]) {
    const [written, asked] = [own, ids].map((all) => all.filter((id) => id.includes(".") === isFile)) as [
      string[],
      string[],
    ];
    if (written.length > 0 && asked.length > 0 && !written.some((id) => asked.includes(id))) return false;
  }
  const emails = values.flatMap((one) => one.emails.map((email) => email.toLowerCase()));
  const people = values.flatMap(({ recipients }) => recipients);
  const fields = receiverFields(input);
  if (fields === null || emails.length + people.length === 0) return true;
  const to = normalize(withParams(JSON.stringify(fields), params));
  return to.includes("${") || emails.some((email) => to.includes(email)) || people.some((who) => isReceivedBy(to, who));
}

function withParams(text: string, params: Readonly<Record<string, unknown>>): string {
  return text
    .replace(/\$\{input\.(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole))
    .toLowerCase();
}
