/**
 * The tools that `--allow` names, held to those that the run has. A misspelt name would be leave for nothing.
 */
import { check } from "../node.js";
import type { PlanGraph } from "../graph.js";
import type { Diagnostic, RunOptions } from "../types.js";

/** What is wrong with leave for tools. A server that does not tell of its tools is told of by the run. */
export async function unknownAllowedTools(graph: PlanGraph, options: RunOptions): Promise<Diagnostic[]> {
  const { allow, tools: clients = [], stubs } = options;
  // A replay calls nobody.
  if (!Array.isArray(allow) || options.replay !== undefined) return [];
  try {
    const lists = clients.map(async (client) => {
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
