/**
 * The MCP server: its tools, resources and prompt, put before a client.
 *
 * Decides how what the tools find becomes results of the protocol: every mistake of a caller is a result with `isError`
 * and a code; only mistakes of the protocol are errors of the protocol. One server is made for each connection, or each
 * request where there are none; all share the desk.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Tools", "Resources", "Prompts".
 */
import { randomBytes } from "node:crypto";
import {
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type CallToolResult,
  type McpServerFactory,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import { callerFeatures, parentTrace, progressReporter, type Answer } from "./caller.js";
import { parseArguments, TOOL_DEFINITIONS, type ToolName } from "./tool-definitions.js";
import type { PlanService } from "./plan-service.js";
import { FORMAT, writePlan } from "./format-guide.js";
import { MultiRoundTrip, type CallerPrompt } from "./multi-round-trip.js";
import { checkPlan, describeTools, planRequest } from "./plans.js";
import { CallerError, toCallerError, errorResult, errorText } from "./caller-error.js";
import { jsonOf, type ToolOutput } from "./render.js";
import { decisionHelp, resumeRun, runPlan, type ExecutedRun, type CallerFeatures } from "./runs.js";
import { headOf } from "./stored-run.js";
import type { ExplainArgs } from "./worker-explain.js";
import type { InvalidPlan } from "./worker-run.js";

const INSTRUCTIONS =
  "Plans are graphs of tool calls, model calls, decisions and approvals that are checked before they run. Call " +
  "`describe_tools` with `format: true` to learn how plans are written and which tools there are, write a " +
  "plan, mend it by `check_plan`, run it by `run_plan`, and see by `explain_run` why it went as it did. A " +
  "person is asked before anything is destroyed.";

type Args = Record<string, unknown>;
/** What a tool's work gives: data and text, or the run that there is to tell of. */
type ToolResultData = ToolOutput | InvalidPlan | ExecutedRun;

/** Servers for clients, all at one desk. */
export function serverFactory(
  service: PlanService,
  version: string,
  onError: (error: Error) => void,
): McpServerFactory {
  const codec = createRequestStateCodec<{ job: string }>({ key: randomBytes(32), ttlSeconds: 24 * 60 * 60 });
  const operations = new Map<string, MultiRoundTrip<ToolResultData>>();
  return () => {
    const server = new McpServer(
      { name: "stepgraph", title: "Stepgraph", version },
      {
        instructions: INSTRUCTIONS,
        capabilities: {},
        requestState: { verify: codec.verify },
        inputRequired: { maxRounds: 200 },
        cacheHints: {
          "tools/list": { ttlMs: 600_000, cacheScope: "public" },
          "resources/list": { ttlMs: 60_000, cacheScope: "private" },
          "prompts/list": { ttlMs: 600_000, cacheScope: "public" },
        },
      },
    );
    const tool = (name: ToolName, work: (args: Args, ctx: ServerContext) => Promise<Answer>) => {
      const { title, description, input, output, annotations } = TOOL_DEFINITIONS[name];
      server.registerTool(
        name,
        {
          title,
          description,
          inputSchema: passThroughSchema(input),
          outputSchema: passThroughSchema(output),
          annotations: { title, ...annotations },
        },
        async (given: unknown, ctx: ServerContext) => {
          try {
            return await work(parseArguments(name, given), ctx);
          } catch (error) {
            if (!(error instanceof CallerError)) onError(error as Error);
            return errorResult(toCallerError(error));
          }
        },
      );
    };
    const long = (
      name: ToolName,
      work: (args: Args, caller: CallerFeatures, prompt: CallerPrompt) => Promise<ToolResultData>,
    ) =>
      tool(name, async (args, ctx) => {
        const state = ctx.mcpReq.requestState<{ job: string }>();
        const known = state === undefined ? undefined : operations.get(state.job);
        if (state !== undefined && known === undefined)
          throw new CallerError(
            "serve/run-over",
            "what was asked was given up meanwhile",
            "call `explain_run` without `run`: what was done is kept",
          );
        const able = callerFeatures(server, ctx);
        const progress = progressReporter(ctx);
        const operation =
          known ??
          new MultiRoundTrip<ToolResultData>(
            (prompt, tell) => work(args, { ...able, ...parentTrace(ctx), tell }, prompt),
            progress.tell,
          );
        operation.listener = progress.tell;
        if (known === undefined) service.track(operation);
        const answer = await answerRound(operation, service, ctx, operations, codec.mint);
        await progress.sent();
        return answer;
      });
    tool("describe_tools", async (args, ctx) =>
      toResult(await describeTools(service, args as { name?: string }, ctx.mcpReq.signal)),
    );
    tool("check_plan", async (args, ctx) =>
      toResult(
        await checkPlan(
          service,
          service.plan(args),
          { ...args, samples: callerFeatures(server, ctx).samples },
          ctx.mcpReq.signal,
        ),
      ),
    );
    long("run_plan", (args, caller, prompt) =>
      runPlan(service, service.plan(args), args.input ?? null, caller, prompt),
    );
    long("resume_run", (args, caller, prompt) =>
      resumeRun(service, args.run as string, (args.decisions ?? {}) as never, caller, prompt),
    );
    tool("explain_run", async (args, ctx) => explain(service, args as { run?: string }, ctx.mcpReq.signal));
    long("plan_request", (args, caller, prompt) => planRequest(service, args as { request: string }, caller, prompt));
    registerResources(server, service);
    return server;
  };
}

/** Goes on with a job until it is done or asks; a call that is cancelled takes its job along. */
async function answerRound(
  operation: MultiRoundTrip<ToolResultData>,
  service: PlanService,
  ctx: ServerContext,
  operations: Map<string, MultiRoundTrip<ToolResultData>>,
  mint: (state: { job: string }, ctx: ServerContext) => Promise<string>,
): Promise<Answer> {
  const { signal, envelope, inputResponses } = ctx.mcpReq;
  const stop = () => operation.stop();
  signal.addEventListener("abort", stop);
  operation.answer(inputResponses);
  let asked = false;
  try {
    const round = await operation.nextRound();
    if (round.type === "done") return toResult(round.value, service);
    asked = true;
    operations.set(operation.id, operation);
    return inputRequired({ inputRequests: round.questions, requestState: await mint({ job: operation.id }, ctx) });
  } finally {
    // Of the older revisions the call goes on while its questions are asked; of the newer one it is over, and its end
    // says nothing.
    if (!asked || envelope !== undefined) signal.removeEventListener("abort", stop);
    if (!asked) operations.delete(operation.id);
    else void operation.done.catch(() => undefined).then(() => operations.delete(operation.id));
  }
}

function toResult(found: ToolResultData, service?: PlanService): CallToolResult {
  if ("data" in found)
    return {
      content: [{ type: "text", text: found.text }],
      structuredContent: found.data,
      ...(found.isError ? { isError: true } : {}),
    };
  if (found.type === "not-run") {
    const said = `not run: the plan has ${found.tally}`;
    const advice = "mend the plan, have it checked by `check_plan`, and run it again";
    const text = `${errorText("run/invalid-plan", said, advice)}\n\n${found.text}`;
    return {
      isError: true,
      content: [{ type: "text", text }],
      _meta: { "stepgraph/error": { code: "run/invalid-plan", diagnostics: found.rendered } },
    };
  }
  const { run, outcome, notes } = found;
  return {
    content: [{ type: "text", text: runText(found, service!) }],
    structuredContent: { ...outcome.data, notes },
    ...(run.status === "failed" ? { isError: true } : {}),
  };
}

/** What a run came to, as text. */
function runText({ run, outcome, notes }: ExecutedRun, service: PlanService): string {
  const next = {
    paused: `it waits for a person${decisionHelp(service, run)}; \`resume_run\` goes on with it. You can't decide for them.`,
    cancelled: "`resume_run` goes on with it where it was; no finished call is made again",
    failed: `\`explain_run\` with run \`${run.id}\` tells more`,
    completed: `last output: ${outcome.last}`,
    running: "",
  }[outcome.status];
  return [outcome.text, "", next, ...notes].join("\n").trim();
}

async function explain(
  service: PlanService,
  asked: { run?: string; node?: string; why?: boolean; value?: string; offset?: number },
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { run: id, node, why = false, value, offset = 0 } = asked;
  if (id !== undefined) {
    const what = value === undefined ? { ...(node === undefined ? {} : { node }), why } : { value, offset };
    return toResult(await explainInWorker(service, id, what, signal));
  }
  const runs = service.settings.store.list();
  const lines = runs.map(
    ({ run, status, plan, started_at: at, asks }) =>
      `${run}  ${status}${asks > 0 ? ` (asks ${asks})` : ""}  ${plan ?? ""}  ${at}`,
  );
  return toResult({ data: { runs }, text: lines.length === 0 ? "there are no runs yet" : lines.join("\n") });
}

/** Has a worker tell of a run: what it saw may be large. */
function explainInWorker(
  service: PlanService,
  id: string,
  what: ExplainArgs["what"],
  signal?: AbortSignal,
): Promise<ToolOutput> {
  const run = service.settings.store.get(id);
  const args: ExplainArgs = { head: headOf(run), plan: run.plan, rest: run.rest, updates: run.updates, what };
  return service.pool.run<ToolOutput>("explain", args, { signal });
}

/** What can be read, and the prompt. */
function registerResources(server: McpServer, service: PlanService): void {
  const markdown = { mimeType: "text/markdown" };
  server.registerResource(
    "format",
    "stepgraph://format",
    {
      title: "How plans are written",
      description: "Node types, templates, conditions and an example: read it before you write a plan.",
      ...markdown,
      cacheHint: { ttlMs: 3_600_000, cacheScope: "public" },
    },
    (uri) => ({ contents: [{ uri: uri.href, ...markdown, text: FORMAT }] }),
  );
  server.registerResource(
    "schema",
    "stepgraph://schema",
    {
      title: "JSON Schema of plans",
      description: "The schema of plan files, draft 2020-12.",
      mimeType: "application/schema+json",
      cacheHint: { ttlMs: 3_600_000, cacheScope: "public" },
    },
    async (uri) => ({
      contents: [{ uri: uri.href, mimeType: "application/schema+json", text: JSON.stringify(await planSchema()) }],
    }),
  );
  const list = () => ({
    resources: service
      .files()
      .slice(0, 500)
      .map((path) => ({
        uri: `stepgraph://plans/${encodeURIComponent(path)}`,
        name: path,
        mimeType: "application/yaml",
      })),
  });
  server.registerResource(
    "plan",
    new ResourceTemplate("stepgraph://plans/{path}", { list }),
    { title: "A plan", description: "A file of the folder of plans." },
    async (uri, { path }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/yaml",
          text: await readResource(uri, async () => service.plan({ path: decodeURIComponent(String(path)) }).text),
        },
      ],
    }),
  );
  server.registerResource(
    "run",
    new ResourceTemplate("stepgraph://runs/{run}", { list: undefined }),
    { title: "A run", description: "What a run came to, as JSON.", mimeType: "application/json" },
    async (uri, { run }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: await readResource(uri, async () =>
            jsonOf((await explainInWorker(service, String(run), "summary")).data),
          ),
        },
      ],
    }),
  );
  const request = {
    type: "object",
    properties: { request: { type: "string", description: "What is to be done." } },
    required: ["request"],
  };
  server.registerPrompt(
    "write_plan",
    {
      title: "Write a plan",
      description: "Everything a model needs to write a plan for a request.",
      argsSchema: passThroughSchema(request),
    },
    async (given: unknown, ctx: ServerContext) => {
      const { text } = await describeTools(service, {}, ctx.mcpReq.signal);
      return {
        messages: [
          {
            role: "user" as const,
            content: {
              type: "text" as const,
              text: writePlan(String((given as { request?: unknown }).request ?? ""), text),
            },
          },
        ],
      };
    },
  );
}

/** The schema is the editor's, whose module is loaded by who asks for it. */
async function planSchema(): Promise<unknown> {
  return (await import("../../editor/node.js")).planSchema();
}

/** What a resource has; one that is not there is the protocol's own mistake. */
async function readResource(uri: URL, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CallerError) throw new ResourceNotFoundError(uri.href, `${error.message}; ${error.help}`);
    throw error;
  }
}

/**
 * A JSON Schema as the library takes schemas. What it refuses would be told without our codes, so that it refuses
 * nothing.
 */
function passThroughSchema(json: Record<string, unknown>): StandardSchemaWithJSON {
  const give = () => json;
  return {
    "~standard": {
      version: 1,
      vendor: "stepgraph",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: give, output: give },
    },
  };
}
