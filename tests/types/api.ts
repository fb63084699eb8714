/**
 * What a user of the package may write, and what the compiler must refuse.
 *
 * Only compiled, never run: against the types that are published, with no others at hand and the strictest settings.
 */
import { check, mcp, openai, PlanGraph, run } from "stepgraph";
import type { Diagnostic, Handler, Outcome, Report, RunOptions, ToolClient, TraceEvent } from "stepgraph";
import { init } from "stepgraph/web";

/** The library in ten lines, as the README has it. */
export async function tenLines(yaml: string, bytes: Uint8Array): Promise<Report | null> {
  const { graph, diagnostics } = PlanGraph.parse(yaml);
  const second: { graph: PlanGraph | null; diagnostics: Diagnostic[] } = PlanGraph.parse(bytes);
  if (!graph) return say(diagnostics[0]?.message, second);
  const further: Diagnostic[] = check(graph, { tools: await mcp("http://127.0.0.1:3001/mcp").list() });
  return run(graph, {
    input: "hola",
    handlers: { log: (node, state) => node.input ?? state.last, later: async () => 1 },
    tools: [mcp("http://127.0.0.1:3001/mcp", { headers: { Authorization: "Bearer x" } })],
    models: { default: openai({ baseUrl: "http://127.0.0.1:8080/v1", apiKey: "x", model: "m" }), mine: (request) => request.messages[0]?.content ?? "" },
    context: { user_email: "a@b.c", further },
    signal: new AbortController().signal,
    onEvent: (event) => say(event.type),
  });
}

/** Events come as they happen. */
export async function events(graph: PlanGraph, options: RunOptions): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of run.stream(graph, options)) if (event.type === "node-completed") seen.push(event.node);
  return seen;
}

/** The shapes are unions that a `switch` can take apart. */
export function words(outcome: Outcome, event: TraceEvent): string {
  switch (outcome.type) {
    case "completed": return outcome.reason;
    case "failed": return `${outcome.code}: ${outcome.message}`;
    case "paused": return outcome.approvals.map((approval) => approval.call).join();
    case "cancelled": return event.type === "edge-decided" ? event.verdicts.map((verdict) => verdict.condition).join() : "";
  }
}

/** Whatever lists and calls is a source of tools. */
export const own: ToolClient = {
  name: "own",
  list: async () => [{ name: "echo", input_schema: { type: "object" } }],
  call: async (_name, args) => ({ value: args, isError: false }),
  close: async () => {},
};

/** A handler may return what it likes. */
export const handler: Handler = (node) => ({ id: node.id });

/** The bundler-less browser entry says when it is ready. */
export const ready: Promise<unknown> = init("stepgraph_wasm_bg.wasm");

export async function refused(graph: PlanGraph): Promise<void> {
  // @ts-expect-error a plan that did not parse can't be run
  await run(PlanGraph.parse("").graph);
  // @ts-expect-error an option that is not there
  await run(graph, { promt: "hola" });
  // @ts-expect-error handlers are functions
  await run(graph, { handlers: { log: "hola" } });
  // @ts-expect-error a report is read, not written
  (await run(graph)).path = [];
}

function say(..._anything: unknown[]): null {
  return null;
}
