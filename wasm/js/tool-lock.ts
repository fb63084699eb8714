/**
 * Locks of tools.
 *
 * Invariants: a lock holds no URL and no key. Equal tools make equal texts.
 */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";
import { PlanError } from "./errors.js";
import { toolList } from "./function-tools.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { indexTools } from "./host.js";
import { normalizeTools } from "./normalize-tools.js";
import { assertKind, kindOfToolList } from "./options.js";
import type { FunctionTools, ToolInfo, ToolLike } from "./types.js";
import { sortedText } from "./value-hash.js";
import { canonicalTool, compareText } from "./lock/canonical.js";
import { isRecord } from "./records.js";
import { findDrift } from "./lock/drift.js";
import { parseLock } from "./lock/parse-lock.js";
import { sha256 } from "./lock/sha256.js";
import type { Drift } from "./lock-types.js";
import { usedNames } from "./lock/used-tools.js";

const HEAD = "Written by `stepgraph lock`: the tools that the plans use. Commit it, and look at its changes.";
/** Limits of a refusal's text. */
const MAX_TOOLS = 8;
const MAX_MESSAGES = 4;

/**
 * The tools that plans use, by server, as somebody has seen them.
 *
 * @example
 * const lock = ToolLock.create([graph], await client.list());
 * await writeFile("stepgraph.lock", lock.print());
 */
export class ToolLock {
  /** Sorted by server and name. */
  readonly tools: readonly ToolInfo[];

  private constructor(tools: readonly ToolInfo[]) {
    const key = ({ server = "", name }: ToolInfo) => [server, name] as const;
    const order = (a: ToolInfo, b: ToolInfo) => compareText(key(a)[0], key(b)[0]) || compareText(key(a)[1], key(b)[1]);
    this.tools = tools.map(canonicalTool).sort(order);
  }

  /**
   * Locks the tools that plans use, or all if an agent may call all.
   *
   * @throws PlanError `lock/unknown-tool` for a tool of a plan that is not in the list, and `lock/unusable-tool` for
   * one that no client can call.
   */
  static create(graphs: readonly PlanGraph[], tools: readonly ToolLike[] | FunctionTools): ToolLock {
    assertStarted();
    const [plans, list] = checked("ToolLock.create", graphs, tools);
    const places = indexTools(list);
    const used = new Set<ToolInfo>();
    for (const name of plans.flatMap((graph) => usedNames(graph, list))) {
      const isNamed = (tool: ToolInfo) => tool.name === name || `${tool.server}.${tool.name}` === name;
      const tool = list[places.get(name) ?? -1] ?? list.find((one) => one.unavailable !== undefined && isNamed(one));
      if (tool === undefined) throw new PlanError("lock/unknown-tool", `no server offers the tool \`${name}\``);
      const reason = unusableReason(tool);
      if (reason !== null) throw new PlanError("lock/unusable-tool", `the tool \`${name}\` can't be locked: ${reason}`);
      used.add(tool);
    }
    return new ToolLock([...used]);
  }

  /**
   * Reads a lock.
   *
   * @throws PlanError `lock/invalid`, `lock/unknown-format` for another version, `lock/unknown-key` and `lock/hash` for
   * changes by hand. The message names the line.
   */
  static parse(text: string): ToolLock {
    assertStarted();
    if (typeof text !== "string") throw new PlanError("api/bad-text", "a lock is text");
    return new ToolLock(parseLock(text, hashOf));
  }

  /** Returns the lock as YAML. */
  print(): string {
    assertStarted();
    const servers = new Map<string, [string, unknown][]>();
    for (const tool of this.tools) {
      const { server = "", name, ...parts } = tool;
      servers.set(server, [...(servers.get(server) ?? []), [name, { hash: hashOf(tool), ...parts }]]);
    }
    const entries = [...servers].map(([server, tools]) => [server, { tools: Object.fromEntries(tools) }]);
    const lock = { format: 1, servers: Object.fromEntries(entries) as unknown };
    return wasm.print_plan(JSON.stringify(lock), JSON.stringify({ "": HEAD })).trimStart();
  }

  /**
   * Compares the locked tools with today's.
   *
   * @example
   * const { breaks, plans } = lock.drift(await client.list(), [graph]);
   */
  drift(tools: readonly ToolLike[] | FunctionTools, graphs: readonly PlanGraph[]): Drift {
    assertStarted();
    const [plans, list] = checked("ToolLock.drift", graphs, tools);
    return findDrift(this.tools, list, plans);
  }

  /** @internal Returns why a run must not start. `stubbed` tools are never called. */
  refusal(graph: PlanGraph, tools: readonly ToolInfo[], stubbed: ReadonlySet<string>): string | null {
    const { changes, plans } = findDrift(this.tools, tools, [graph], stubbed);
    const parts = new Map<string, string[]>();
    for (const { server, tool, message } of changes.filter(({ severity }) => severity !== "info")) {
      const name = `\`${tool}\`${server === "" ? "" : ` of \`${server}\``}`;
      parts.set(name, [...(parts.get(name) ?? []), message]);
    }
    const differing = [...parts].map(([name, messages]) => `${name}: ${listSome(messages, MAX_MESSAGES, ", ")}`);
    const unlocked = plans.flat().filter(({ code }) => code === "drift/not-locked");
    const all = [...differing, ...unlocked.map(({ message }) => message)];
    return all.length === 0 ? null : `the tools differ from the lock: ${listSome(all, MAX_TOOLS, "; ")}`;
  }
}

function listSome(texts: readonly string[], most: number, between: string): string {
  const rest = texts.length > most ? [`and ${texts.length - most} more`] : [];
  return [...texts.slice(0, most), ...rest].join(between);
}

function checked(
  of: string,
  graphs: readonly PlanGraph[],
  tools: readonly ToolLike[] | FunctionTools,
): [readonly PlanGraph[], ToolInfo[]] {
  assertKind(of, "graphs", graphs, "list");
  for (const graph of graphs) assertPlan(of, graph);
  assertKind(of, "tools", tools, kindOfToolList(tools));
  return [graphs, normalizeTools(of, toolList(of, tools))];
}

/** An incomplete lock would hide tools. */
function unusableReason({ unavailable, description, ...parts }: ToolInfo): string | null {
  if (unavailable !== undefined) return unavailable;
  if (description !== undefined && typeof description !== "string") return "its `description` is no text";
  const names = ["input_schema", "output_schema", "annotations"] as const;
  const wrong = names.find((name) => parts[name] !== undefined && !isRecord(parts[name]));
  return wrong === undefined ? null : `its \`${wrong}\` is no map`;
}

/** Covers the whole entry, so it can't move to another server by hand. */
function hashOf({ server = "", name, description, input_schema, output_schema, annotations }: ToolInfo): string {
  return `sha256-${sha256(sortedText({ server, name, description, input_schema, output_schema, annotations }))}`;
}
