/** Stubs of tools with the declarations of a lock: a test then finds a stub that the tool could not answer. */
import type { Stubs, ToolBehaviour, ToolInfo } from "./types.js";

/** @internal As for tools of servers, the locked declaration counts. */
export function lockedStubs(stubs: Stubs, tools: readonly ToolInfo[]): Stubs {
  if (!stubs.tools) return stubs;
  const entries = Object.entries(stubs.tools).map(([name, stub]) => [name, withDeclaration(stub, find(tools, name))]);
  return { ...stubs, tools: Object.fromEntries(entries) as Stubs["tools"] & object };
}

/** Without the server's name, a tool of two servers is ambiguous. */
function find(tools: readonly ToolInfo[], name: string): ToolInfo | undefined {
  const named = tools.filter((tool) => tool.name === name || `${tool.server}.${tool.name}` === name);
  return named.length === 1 ? named[0] : undefined;
}

/** Stubs of one word, such as `echo`, have no declaration. */
function withDeclaration(stub: ToolBehaviour, tool: ToolInfo | undefined): ToolBehaviour {
  if (tool === undefined || typeof stub !== "object" || stub === null) return stub;
  const { inputSchema: _input, outputSchema: _output, ...answers } = stub as Record<string, unknown>;
  const { description, input_schema, output_schema, annotations } = tool;
  return { ...answers, description, input_schema, output_schema, annotations } as ToolBehaviour;
}
