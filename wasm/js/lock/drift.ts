/**
 * Compares a lock with today's tools, and finds which plan breaks where.
 *
 * Problems that the checker reports only with today's tools are new. Decided here: computed arguments, hints, and texts
 * for models.
 */
import { checkOn } from "../check-plan.js";
import type { PlanGraph } from "../graph.js";
import { indexTools } from "../host.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { canonicalTool, compareText } from "./canonical.js";
import { fixArguments, fixOutputs, fixTool } from "./drift-fixes.js";
import { effectOn, type Effects, newProblem } from "./effects.js";
import { shapeBudget } from "./schema-shape.js";
import { compareTools, type RawChange } from "./tool-changes.js";
import type { Drift, DriftProblem, DriftSeverity, ToolChange } from "../lock-types.js";
import { toolUses, type ToolUse } from "./used-tools.js";

const SEVERITIES: readonly DriftSeverity[] = ["info", "warning", "error"];

/** Both have the name that a plan uses. */
export interface ToolPair {
  use: ToolUse;
  locked: ToolInfo | undefined;
  today: ToolInfo | undefined;
}

export function findDrift(
  locked: readonly ToolInfo[],
  today: readonly ToolInfo[],
  graphs: readonly PlanGraph[],
  stubbed: ReadonlySet<string> = new Set(),
): Drift {
  const comparison = new Comparison(locked, today.map(canonicalTool), stubbed);
  const plans = graphs.map((graph) => comparison.problemsOf(graph));
  return {
    changes: comparison.changes(),
    plans,
    breaks: plans.some((problems) => problems.some(({ severity }) => severity === "error")),
  };
}

class Comparison {
  readonly #locked: readonly ToolInfo[];
  readonly #today: readonly ToolInfo[];
  readonly #stubbed: ReadonlySet<string>;
  readonly #places: [ReadonlyMap<string, number>, ReadonlyMap<string, number>];
  readonly #budget = shapeBudget();
  /** Changes by locked tool. */
  readonly #compared = new Map<ToolInfo, Map<ToolInfo, RawChange[]>>();
  readonly #changes = new Map<string, ToolChange>();

  constructor(locked: readonly ToolInfo[], today: readonly ToolInfo[], stubbed: ReadonlySet<string>) {
    this.#locked = locked;
    this.#today = today;
    this.#stubbed = stubbed;
    this.#places = [indexTools(locked), indexTools(today)];
  }

  changes(): ToolChange[] {
    const order = (a: ToolChange, b: ToolChange) => compareText(a.server, b.server) || compareText(a.tool, b.tool);
    return [...this.#changes.values()].sort(order);
  }

  problemsOf(graph: PlanGraph): DriftProblem[] {
    const pairs = this.#pairsOf(graph);
    const found = newDiagnostics(graph, this.#locked, this.#today).map(toProblem);
    const effects: Effects = { graph, found, problems: [] };
    for (const pair of pairs) this.#compare(pair, effects);
    const problems = [...found.filter((problem) => !effects.dropped?.has(problem)), ...effects.problems];
    return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }

  #pairsOf(graph: PlanGraph): ToolPair[] {
    const pairs = new Map<string, ToolPair>();
    for (const use of [...toolUses(graph, this.#locked), ...toolUses(graph, this.#today)]) {
      if (this.#stubbed.has(use.name)) continue;
      const byName = { use, locked: this.#named(0, use.name), today: this.#named(1, use.name) };
      const pair = use.ofAll ? this.#sameTool(byName) : byName;
      const { server, name } = pair.locked ?? pair.today ?? { server: "", name: use.name };
      const key = JSON.stringify([use.index, ...(use.ofAll ? [server, name] : [use.name])]);
      if (!pairs.has(key)) pairs.set(key, pair);
    }
    return [...pairs.values()];
  }

  #named(side: 0 | 1, name: string): ToolInfo | undefined {
    const place = this.#places[side].get(name);
    return place === undefined ? undefined : (side === 0 ? this.#locked : this.#today)[place];
  }

  /** A node that may call all tools needs no names, so ambiguous names are no change. */
  #sameTool({ use, locked, today }: ToolPair): ToolPair {
    const find = (list: readonly ToolInfo[], like: ToolInfo | undefined) =>
      list.find(({ server, name }) => server === like?.server && name === like?.name);
    return { use, locked: locked ?? find(this.#locked, today), today: today ?? find(this.#today, locked) };
  }

  #compare(pair: ToolPair, effects: Effects): void {
    const { use, locked, today } = pair;
    if (locked === undefined) return this.#added(pair, effects);
    if (today === undefined) {
      const message = goneMessage(locked, this.#today);
      this.#note(locked, { part: "tool", path: "", message }, use.ofAll ? "warning" : "error");
      fixTool(pair, this.#today, this.#locked, effects);
      return;
    }
    const changes = this.#changesOf(locked, today);
    for (const change of changes) this.#note(locked, change, effectOn(change, pair, effects));
    fixArguments(changes, use, effects);
    fixOutputs(changes, effects);
  }

  #added({ use, today }: ToolPair, { graph, problems }: Effects): void {
    const name = `\`${use.name}\``;
    if (use.ofAll && today !== undefined) {
      this.#note(today, { part: "tool", path: "", message: "the tool is new" }, "warning");
      const message = `a model may call the tool ${name}, which the lock does not have`;
      const help = "lock it by `stepgraph lock`, or give the node a list of `tools`";
      problems.push(newProblem(graph, use, { code: "drift/tool-added", severity: "warning", message, help }));
      return;
    }
    const message = `the lock has no tool ${name}`;
    const help = "lock it by `stepgraph lock`";
    const severity = today === undefined ? "error" : "warning";
    problems.push(newProblem(graph, use, { code: "drift/not-locked", severity, message, help }));
  }

  #changesOf(locked: ToolInfo, today: ToolInfo): RawChange[] {
    const known = this.#compared.get(locked) ?? new Map<ToolInfo, RawChange[]>();
    this.#compared.set(locked, known);
    const changes = known.get(today) ?? compareTools(locked, today, this.#budget);
    known.set(today, changes);
    return changes;
  }

  /** Keeps the worst effect. */
  #note({ server = "", name }: ToolInfo, { part, path, message }: RawChange, severity: DriftSeverity): void {
    const key = JSON.stringify([server, name, part, path, message]);
    const known = this.#changes.get(key);
    const worst = Math.max(SEVERITIES.indexOf(severity), SEVERITIES.indexOf(known?.severity ?? "info"));
    this.#changes.set(key, { server, tool: name, part, path, message, severity: SEVERITIES[worst]! });
  }
}

function goneMessage(locked: ToolInfo, today: readonly ToolInfo[]): string {
  const { server, name } = locked;
  const others = today.filter((tool) => tool.server === server);
  if (others.some((tool) => tool.name === name)) return "other servers offer a tool of that name, too";
  return others.length > 0 || server === undefined ? "the tool is gone" : `no tool is from server \`${server}\` now`;
}

function newDiagnostics(graph: PlanGraph, locked: readonly ToolInfo[], today: readonly ToolInfo[]): Diagnostic[] {
  const key = ({ code, file, span, line, column, message }: Diagnostic) =>
    JSON.stringify([code, file, span, line, column, message]);
  const known = new Set(checkOn(graph, { tools: locked }).map(key));
  return checkOn(graph, { tools: today }).filter((one) => one.severity !== "hint" && !known.has(key(one)));
}

/** A name that looks misspelt may now be another thing, so fixes are dropped. */
function toProblem({ fix: _fix, severity, ...diagnostic }: Diagnostic): DriftProblem {
  return { ...diagnostic, severity: severity === "error" ? "error" : "warning", fix: null };
}
