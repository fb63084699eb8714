/** The host's capabilities and handlers. Its clients are in `host-clients.ts`. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import type { Action, Program } from "./program.js";
import type { Handler, RunOptions, ToolClient, ToolInfo } from "./types.js";
import { assertStubs } from "./stubs.js";

export interface ToolRegistry {
  readonly list: ToolInfo[];
  /** Ordered as in `list`. */
  readonly clients: readonly ToolClient[];
  /** Also those without tools. */
  readonly servers: readonly string[];
  /** Keyed by each name that plans use. */
  readonly indexes: ReadonlyMap<string, number>;
}

export const EMPTY_REGISTRY: ToolRegistry = { list: [], clients: [], servers: [], indexes: new Map() };

/** As the engine resolves them. */
export function indexTools(tools: readonly ToolInfo[], servers: readonly string[] = []): ReadonlyMap<string, number> {
  // Otherwise a run without tools would load a part of the engine.
  if (tools.length === 0) return EMPTY_REGISTRY.indexes;
  const indexes = JSON.parse(wasm.tool_places(JSON.stringify(tools), JSON.stringify(servers))) as Record<
    string,
    number
  >;
  return new Map(Object.entries(indexes));
}

/** A key of a plan's bindings. `retries`: the host retries calls. */
export function hostCapabilities(options: RunOptions, tools: ToolRegistry, retries?: boolean): string {
  assertStubs(options.stubs);
  return JSON.stringify({
    types: Object.keys(options.handlers ?? {}),
    ids: Object.keys(options.byId ?? {}),
    tools: tools.list,
    servers: tools.servers.length > 0 ? tools.servers : undefined,
    models: Object.keys(options.models ?? {}),
    stubs: options.stubs ?? null,
    allowed: options.allow === true ? ["*"] : options.allow || undefined,
    // In a snapshot only the engine knows their names.
    outputs: options.snapshot === undefined ? Object.keys(options.outputs ?? {}) : undefined,
    retries: retries || undefined,
  });
}

export function handlersOf(program: Program, options: RunOptions): (Handler | undefined)[] {
  return program.actions.map((action) => handlerOf(action, options));
}

export function handlerOf([kind, name]: Action, options: Pick<RunOptions, "handlers" | "byId">): Handler | undefined {
  if (kind === "type") return options.handlers?.[name];
  return kind === "id" ? options.byId?.[name] : undefined;
}

const SLUG = /^[a-z][a-z0-9-]*\/[a-z0-9-]+$/;

export function toFailure(error: unknown, fallback: string): { code: string; message: string } {
  try {
    const code = (error as { code?: unknown } | null | undefined)?.code;
    const message = String(error instanceof Error ? error.message : error);
    return { code: typeof code === "string" && SLUG.test(code) ? code : fallback, message };
  } catch {
    return { code: fallback, message: "something was thrown that can't be shown as text" };
  }
}
