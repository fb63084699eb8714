/** Small changes that tests should notice. */
import { partKey } from "../dead-parts.js";
import { PlanError } from "../errors.js";
import { assertOptions } from "../options.js";
import { isFallback, type OutlineGraph, type OutlineNode, outlineOf, type RawGraph } from "../plan-outline.js";
import type { Diagnostic, Span } from "../types.js";
import { type UnreachableParts, unreachableParts } from "../unreachable-parts.js";
import { conditionMutants, isExclusive, isFailureOnly, nextNumber } from "./condition-mutants.js";
import { PlanDocument } from "./document.js";
import type { GraphEdit } from "./edits.js";
import { FORMAT } from "./host.js";
import { readYaml } from "./plan.js";
import type { DiagramDataEdge, DiagramDataNode } from "./types.js";

/** Kind of a mutant. */
export type MutantKind =
  | "negate-condition"
  | "always-true"
  | "swap-comparison"
  | "drop-operand"
  | "change-number"
  | "remove-edge"
  | "swap-targets"
  | "swap-order"
  | "remove-retry"
  | "skip-approval";

/** A changed plan: `editPlan(text, mutant.edits).text`. */
export interface Mutant {
  readonly kind: MutantKind;
  /** The change, names in backticks. */
  readonly message: string;
  /** Graph such as `fan/a`. Empty for the plan's own. */
  readonly scope: string;
  /** Key, or an edge's source. Absent for limits. */
  readonly node?: string;
  /** Index in its graph's `edges`. */
  readonly edge?: number;
  readonly span: Span;
  /** Line and column from 1, columns in UTF-16 units. */
  readonly line: number;
  readonly column: number;
  readonly edits: readonly GraphEdit[];
}

type Draft = Omit<Mutant, "line" | "column">;

/**
 * Returns the mutants of a plan in text order, without unreachable parts and graphs in other files.
 *
 * @throws {PlanError} `plan/invalid` for a plan with errors.
 *
 * @example
 * const texts = mutants(yaml).map(({ edits }) => editPlan(yaml, edits).text);
 * for await (const { status, index } of testMutants(PlanGraph.load(yaml), texts)) console.log(status, index);
 */
export function mutants(text: string, options: { format?: "auto" | "yaml" | "json" } = {}): Mutant[] {
  assertOptions("mutants", options, FORMAT);
  if (typeof text !== "string") throw new PlanError("api/bad-text", "`mutants` expects the text of a plan");
  const document = new PlanDocument(text, options);
  try {
    const [diagnostics, diagram] = [document.diagnostics(), document.diagram()];
    if (diagram === null || !diagram.current || diagnostics.some(({ severity }) => severity === "error"))
      throw new PlanError("plan/invalid", "a plan with errors has no mutants", diagnostics);
    const raw = readYaml(text).value as RawGraph;
    const outline = outlineOf(raw);
    const dead = unreachableParts(raw, checkText);
    const drafts = [
      ...edgeMutants(diagram.edges, dead),
      ...nodeMutants(diagram.nodes, outline, dead),
      ...limitMutants(raw.limits ?? {}, document),
    ];
    const starts = lineStarts(text);
    // Edits of text that aliases repeat may be refused.
    const canEdit = ({ edits }: Draft) => document.edit(edits).refused === null;
    return (ANCHOR.test(text) ? drafts.filter(canEdit) : drafts)
      .sort((a, b) => a.span.start - b.span.start)
      .map((draft) => ({ ...draft, ...positionOf(starts, draft.span.start) }));
  } finally {
    document.free();
  }
}

function checkText(text: string): Diagnostic[] {
  const document = new PlanDocument(text, { format: "json" });
  const diagnostics = document.diagnostics();
  document.free();
  return diagnostics;
}

const ANCHOR = /(^|[\s:,[{-])&[^\s&]/;

function edgeMutants(edges: readonly DiagramDataEdge[], dead: UnreachableParts): Draft[] {
  const live = edges.filter(({ scope, index, broken }) => !broken && !dead.edges.has(partKey(scope, index)));
  const bySource = new Map<string, DiagramDataEdge[]>();
  for (const edge of live) {
    const key = partKey(edge.scope, edge.from ?? "");
    const group = bySource.get(key);
    if (group) group.push(edge);
    else bySource.set(key, [edge]);
  }
  return [...live.flatMap((edge) => oneEdgeMutants(edge, dead)), ...[...bySource.values()].flatMap(pairMutants)];
}

function oneEdgeMutants(edge: DiagramDataEdge, { alwaysTrue }: UnreachableParts): Draft[] {
  const { index, scope, condition, conditionSpan, from, to } = edge;
  const removed: Draft = {
    ...edgePart(edge),
    kind: "remove-edge",
    message: `edge \`${from}\` → \`${to}\` removed`,
    edits: [{ op: "disconnect", edge: index, ...inScope(scope) }],
  };
  if (isFallback(condition)) return [removed];
  const changed = conditionMutants(condition).map(({ kind, message, condition }): Draft => {
    const edits: GraphEdit[] = [{ op: "set_condition", edge: index, condition, ...inScope(scope) }];
    return { ...edgePart(edge), span: conditionSpan ?? edge.fromSpan, kind, message, edits };
  });
  const isTrue = alwaysTrue.has(partKey(scope, index));
  return [removed, ...changed.filter(({ kind }) => kind !== "always-true" || !isTrue)];
}

function pairMutants(edges: readonly DiagramDataEdge[]): Draft[] {
  const found: Draft[] = [];
  for (const [at, second] of edges.entries()) {
    const first = edges[at - 1];
    if (first === undefined || first.to === second.to) continue;
    const [one, other] = [first.index, second.index];
    const scoped = inScope(first.scope);
    found.push({
      ...edgePart(first),
      kind: "swap-targets",
      message: `targets \`${first.to}\` and \`${second.to}\` swapped`,
      edits: [
        { op: "reconnect", edge: one, to: second.to, ...scoped },
        { op: "reconnect", edge: other, to: first.to, ...scoped },
      ],
    });
    // Fallbacks come last in any order.
    if (first.fallback || second.fallback || isExclusive(first.condition, second.condition)) continue;
    if (first.scope === "" && isFailureOnly(first.condition) !== isFailureOnly(second.condition)) continue;
    found.push({
      ...edgePart(first),
      kind: "swap-order",
      message: `edges to \`${first.to}\` and \`${second.to}\` in the other order`,
      edits: [{ op: "reorder_edge", edge: other, position: one, ...scoped }],
    });
  }
  return found;
}

function nodeMutants(
  nodes: readonly DiagramDataNode[],
  outline: readonly OutlineGraph[],
  dead: UnreachableParts,
): Draft[] {
  const known = new Map<string, OutlineNode>();
  for (const graph of outline) for (const node of graph.nodes.values()) known.set(partKey(graph.path, node.key), node);
  return nodes.flatMap((node) => {
    const place = partKey(node.scope, node.key);
    const outlined = known.get(place);
    return outlined === undefined || dead.nodes.has(place) ? [] : oneNodeMutants(node, outlined);
  });
}

function oneNodeMutants({ key, scope, type, keySpan }: DiagramDataNode, { attempts, visits }: OutlineNode): Draft[] {
  const part = { scope, node: key, span: keySpan };
  const [scoped, found] = [inScope(scope), [] as Draft[]];
  const setting = (path: string[], value: number): GraphEdit[] => [
    { op: "set_setting", node: key, path, value, ...scoped },
  ];
  if (type === "approve") {
    const edits: GraphEdit[] = [
      { op: "retype_node", node: key, type: "log", ...scoped },
      { op: "set_input", node: key, input: "approved", ...scoped },
    ];
    found.push({ ...part, kind: "skip-approval", message: `\`${key}\` approves without asking`, edits });
  }
  if (attempts !== null && attempts > 1) {
    const edits: GraphEdit[] = [{ op: "set_setting", node: key, path: ["retry"], ...scoped }];
    found.push({ ...part, kind: "remove-retry", message: `\`retry\` of \`${key}\` removed`, edits });
    found.push({ ...part, ...counted("attempts", attempts), edits: setting(["retry", "attempts"], attempts + 1) });
  }
  if (visits !== null) found.push({ ...part, ...counted("visits", visits), edits: setting(["visits"], visits + 1) });
  return found;
}

/** Limits that a test with stubs can notice. */
const LIMITS = ["visits", "steps", "calls"];

function limitMutants(limits: Readonly<Record<string, unknown>>, document: PlanDocument): Draft[] {
  return LIMITS.flatMap((name): Draft[] => {
    const value = limits[name];
    if (typeof value !== "number" || nextNumber(String(value)) === null) return [];
    const edits: GraphEdit[] = [{ op: "set_plan", path: ["limits", name], value: value + 1 }];
    const [change] = document.edit(edits).changes;
    return change ? [{ scope: "", span: change.span, ...counted(name, value), edits }] : [];
  });
}

function counted(name: string, value: number): Pick<Mutant, "kind" | "message"> {
  return { kind: "change-number", message: `\`${name}: ${value}\` replaced by \`${name}: ${value + 1}\`` };
}

function edgePart({ scope, from, index, fromSpan }: DiagramDataEdge): Pick<Mutant, "scope" | "node" | "edge" | "span"> {
  return { scope, node: from ?? "", edge: index, span: fromSpan };
}

function inScope(scope: string): { scope?: string } {
  return scope === "" ? {} : { scope };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function positionOf(starts: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}
