/** Checks that tools of `--allow` exist: a misspelt name would approve nothing. */
import { check } from "../node.js";
import type { Connection } from "./connections.js";
import type { PlanGraph } from "../graph.js";
import type { Diagnostic, RunOptions } from "../types.js";

/** Skips servers that fail to list tools, which the run reports. */
export async function unknownAllowedTools(
  graph: PlanGraph,
  options: RunOptions,
  servers: readonly Connection[],
): Promise<Diagnostic[]> {
  const { allow, stubs } = options;
  // A replay makes no calls.
  if (!Array.isArray(allow) || options.replay !== undefined) return [];
  try {
    const lists = servers.map(async ({ client }) => {
      const tools = await client.list();
      return tools.map((tool) => ({ ...tool, server: client.name }));
    });
    const tools = (await Promise.all(lists)).flat();
    const found = check(graph, { tools, allow, ...(stubs && { stubs }) });
    return found.filter(({ code }) => code === "run/unknown-allowed").map((one) => ({ ...one, severity: "error" }));
  } catch {
    return [];
  }
}
