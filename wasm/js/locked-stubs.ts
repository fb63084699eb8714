/**
 * Stubs of tools with the declarations of a lock: a test then finds an answer that the tool could not give.
 *
 * A stub of a node stands in for the tool that the node calls, so its answers are compared with the same schema.
 */
import type { PlanGraph } from "./graph.js";
import { type StubError, stubError } from "./stubs.js";
import type { NodeInfo, Report, Stubs, ToolBehaviour, ToolInfo, TraceEvent } from "./types.js";

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

/** Leaves wrong shapes to the engine, which says what is wrong. */
function withDeclaration(stub: ToolBehaviour, tool: ToolInfo | undefined): ToolBehaviour {
  if (tool === undefined || stub === null || Array.isArray(stub)) return stub;
  // A word, such as `echo`, has no place for a declaration.
  const map = typeof stub === "string" ? { sequence: [stub] } : stub;
  if (typeof map !== "object") return stub;
  const { inputSchema: _input, outputSchema: _output, ...answers } = map as Record<string, unknown>;
  const { description, input_schema, output_schema, annotations } = tool;
  return { ...answers, description, input_schema, output_schema, annotations } as ToolBehaviour;
}

/** A node whose stub stands in for a locked tool. */
interface StubbedNode {
  /** In the stubs. */
  readonly group: "nodes" | "types";
  readonly key: string;
  readonly tool: ToolInfo;
}

/** @internal Why the locked tools could not answer like these stubs, or null. */
export function stubFlaw(graph: PlanGraph, stubs: Stubs, tools: readonly ToolInfo[]): StubError | null {
  const error = stubError(stubs);
  if (error !== null) return error;
  for (const { group, key, tool } of stubbedNodes(graph, stubs, tools).values()) {
    const found = asTool(tool, stubs[group]![key]!);
    if (found !== null) return { ...found, path: `${group}.${key}${found.path.slice(`tools.${tool.name}`.length)}` };
  }
  return null;
}

function asTool(tool: ToolInfo, stub: ToolBehaviour): StubError | null {
  return stubError({ tools: { [tool.name]: withDeclaration(stub, tool) } });
}

/** By node id. An id of several nodes is only there if all of them call one tool. */
function stubbedNodes(graph: PlanGraph, stubs: Stubs, tools: readonly ToolInfo[]): Map<string, StubbedNode> {
  const found = new Map<string, StubbedNode>();
  for (const node of graph.nodes) {
    const { id, type, tool: name } = node;
    const tool = type === "tool" && name !== null ? find(tools, name) : undefined;
    const key = stubs.nodes && keyOf(stubs.nodes, node);
    const isTyped = stubs.types && Object.hasOwn(stubs.types, type);
    if (tool === undefined || (key === undefined && !isTyped)) continue;
    const known = found.get(id);
    found.set(id, key === undefined ? { group: "types", key: type, tool } : { group: "nodes", key, tool });
    if (known !== undefined && known.tool !== tool) found.delete(id);
  }
  return found;
}

/** An id, or a path such as `fan/left/ask`. */
function keyOf(stubs: object, { id, scope }: NodeInfo): string | undefined {
  const path = scope === undefined ? id : `${scope}/${id}`;
  return Object.hasOwn(stubs, path) ? path : Object.hasOwn(stubs, id) ? id : undefined;
}

/** @internal What a stub answered in a run that its locked tool can't, or null. Words answer with the run's values. */
export function answerFlaw(
  graph: PlanGraph,
  stubs: Stubs,
  { tools, isOwn }: { tools: readonly ToolInfo[]; isOwn: (tool: string) => boolean },
  { trace }: Report,
): StubError | null {
  const nodes = stubbedNodes(graph, stubs, tools);
  const flawOf = (event: TraceEvent): StubError | null => {
    if (event.type === "node-completed") return outputFlaw(nodes.get(event.node), event.output);
    const { tool, error } = answeredTool(graph, event);
    const key = stubs.tools && Object.keys(stubs.tools).find((key) => key === tool || isSame(tools, key, tool));
    if (!tool || key === undefined) return null;
    const path = `tools.${key}`;
    if (find(tools, tool) === undefined)
      return isOwn(tool) ? null : newFlaw("graph/unknown-tool", path, `the lock has no tool \`${tool}\``);
    return error?.code === "tool/invalid-result" ? newFlaw(error.code, path, error.message) : null;
  };
  for (const event of trace) {
    const flaw = flawOf(event);
    if (flaw !== null) return flaw;
  }
  return null;
}

function outputFlaw(stubbed: StubbedNode | undefined, output: unknown): StubError | null {
  if (stubbed === undefined) return null;
  const found = asTool(stubbed.tool, { return: output });
  return found && { ...found, path: `${stubbed.group}.${stubbed.key}` };
}

interface AnsweredTool {
  readonly tool?: string | null | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

function answeredTool(graph: PlanGraph, event: TraceEvent): AnsweredTool {
  if (event.type === "tool-answered") return event;
  if (event.type !== "node-failed" && event.type !== "node-retried") return {};
  return { tool: graph.nodes.find(({ id }) => id === event.node)?.tool, error: event };
}

function isSame(tools: readonly ToolInfo[], one: string, other: string | null | undefined): boolean {
  const tool = other ? find(tools, other) : undefined;
  return tool !== undefined && find(tools, one) === tool;
}

function newFlaw(code: string, path: string, message: string): StubError {
  return { code, path, message, help: "", more: 0 };
}
