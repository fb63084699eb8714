/**
 * Registers tools, resources and the prompt. A caller's errors are tool results with a code. Each connection or
 * stateless request gets its own server. All share one {@link PlanService}.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Tools", "Resources", "Prompts".
 */
import { randomBytes } from "node:crypto";
import {
  createRequestStateCodec,
  inputRequired,
  McpServer,
  type CallToolResult,
  type McpServerFactory,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { callerFeatures, parentTrace, progressReporter, type Answer } from "./caller.js";
import { parseArguments, TOOL_DEFINITIONS, type ToolName } from "./tool-definitions.js";
import type { PlanService } from "./plan-service.js";
import { MultiRoundTrip, type CallerPrompt } from "./multi-round-trip.js";
import { checkPlan, describeTools, planRequest } from "./plans.js";
import { CallerError, toCallerError, errorResult, errorText } from "./caller-error.js";
import type { ToolOutput } from "./render.js";
import { passThroughSchema, registerResources } from "./resources.js";
import { decisionHelp, explainRun, resumeRun, runPlan, type ExecutedRun, type CallerFeatures } from "./runs.js";
import type { InvalidPlan } from "./worker-run.js";

const INSTRUCTIONS =
  "Plans are graphs of tool calls, model calls, decisions and approvals that are checked before they run. Call " +
  "`describe_tools` with `format: true` to learn how plans are written and which tools there are, write a " +
  "plan, fix it with `check_plan`, run it with `run_plan`, and see with `explain_run` what it did and why. The " +
  "user approves anything that may destroy data.";

type Args = Record<string, unknown>;
type ToolResultData = ToolOutput | InvalidPlan | ExecutedRun;

interface Shared {
  service: PlanService;
  /** For calls that return with answers. */
  operations: Map<string, MultiRoundTrip<ToolResultData>>;
  mint: (state: { job: string }, ctx: ServerContext) => Promise<string>;
  onError: (error: Error) => void;
}

export function serverFactory(
  service: PlanService,
  version: string,
  onError: (error: Error) => void,
): McpServerFactory {
  const codec = createRequestStateCodec<{ job: string }>({ key: randomBytes(32), ttlSeconds: 24 * 60 * 60 });
  const shared: Shared = { service, operations: new Map(), mint: codec.mint, onError };
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
    registerTools(server, shared);
    registerResources(server, service);
    return server;
  };
}

function registerTools(server: McpServer, shared: Shared): void {
  const { service } = shared;
  const tool = (name: ToolName, work: ToolWork) => registerTool(server, name, work, shared.onError);
  const long = (name: ToolName, work: LongWork) =>
    tool(name, (args, ctx) => answerLong((caller, prompt) => work(args, caller, prompt), server, ctx, shared));
  tool("describe_tools", async (args, ctx) =>
    toResult(await describeTools(service, args as { name?: string }, ctx.mcpReq.signal)),
  );
  tool("check_plan", async (args, ctx) => {
    const { samples } = callerFeatures(server, ctx);
    return toResult(await checkPlan(service, service.plan(args), { ...args, samples }, ctx.mcpReq.signal));
  });
  long("run_plan", (args, caller, prompt) => runPlan(service, service.plan(args), args.input ?? null, caller, prompt));
  long("resume_run", (args, caller, prompt) =>
    resumeRun(service, args.run as string, (args.decisions ?? {}) as never, caller, prompt),
  );
  tool("explain_run", async (args, ctx) => explain(service, args as { run?: string }, ctx.mcpReq.signal));
  long("plan_request", (args, caller, prompt) => planRequest(service, args as { request: string }, caller, prompt));
}

type ToolWork = (args: Args, ctx: ServerContext) => Promise<Answer>;
/** May send requests to its caller. */
type LongWork = (args: Args, caller: CallerFeatures, prompt: CallerPrompt) => Promise<ToolResultData>;

function registerTool(server: McpServer, name: ToolName, work: ToolWork, onError: Shared["onError"]): void {
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
}

/** Starts an operation, or continues the request state's. */
async function answerLong(
  work: (caller: CallerFeatures, prompt: CallerPrompt) => Promise<ToolResultData>,
  server: McpServer,
  ctx: ServerContext,
  shared: Shared,
): Promise<Answer> {
  const state = ctx.mcpReq.requestState<{ job: string }>();
  const known = state === undefined ? undefined : shared.operations.get(state.job);
  if (state !== undefined && known === undefined)
    throw new CallerError(
      "serve/run-over",
      "the operation was stopped in the meantime",
      "call `explain_run` without `run`: it lists the stored runs",
    );
  const features = callerFeatures(server, ctx);
  const progress = progressReporter(ctx);
  const operation =
    known ??
    new MultiRoundTrip<ToolResultData>(
      (prompt, tell) => work({ ...features, ...parentTrace(ctx), tell }, prompt),
      progress.tell,
    );
  operation.listener = progress.tell;
  if (known === undefined) shared.service.track(operation);
  const answer = await answerRound(operation, ctx, shared);
  await progress.sent();
  return answer;
}

/** Cancelling the call stops the operation. */
async function answerRound(
  operation: MultiRoundTrip<ToolResultData>,
  ctx: ServerContext,
  { service, operations, mint }: Shared,
): Promise<Answer> {
  const { signal, envelope, inputResponses } = ctx.mcpReq;
  const stop = () => operation.stop();
  signal.addEventListener("abort", stop);
  operation.answer(inputResponses);
  let isWaiting = false;
  try {
    const round = await operation.nextRound();
    if (round.type === "done") return toResult(round.value, service);
    isWaiting = true;
    operations.set(operation.id, operation);
    return inputRequired({ inputRequests: round.questions, requestState: await mint({ job: operation.id }, ctx) });
  } finally {
    // In 2026-07-28 the call ended here, so its signal means nothing. In older revisions it is open.
    if (!isWaiting || envelope !== undefined) signal.removeEventListener("abort", stop);
    if (!isWaiting) operations.delete(operation.id);
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
    const message = `not run: the plan has ${found.tally}`;
    const advice = "fix the plan, check it with `check_plan`, and run it again";
    const text = `${errorText("run/invalid-plan", message, advice)}\n\n${found.text}`;
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

function runText({ run, outcome, notes }: ExecutedRun, service: PlanService): string {
  const next = {
    paused: `it waits for the user${decisionHelp(service, run)}; \`resume_run\` resumes it. You can't decide for the user.`,
    cancelled: "`resume_run` resumes it; finished calls are not repeated",
    failed: `\`explain_run\` with run \`${run.id}\` shows more`,
    completed: `last output: ${outcome.last}`,
    running: "",
  }[outcome.status];
  return [outcome.text, "", next, ...notes].join("\n").trim();
}

async function explain(
  service: PlanService,
  args: { run?: string; node?: string; why?: boolean; value?: string; offset?: number },
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { run: id, node, why = false, value, offset = 0 } = args;
  if (id !== undefined) {
    const what = value === undefined ? { ...(node === undefined ? {} : { node }), why } : { value, offset };
    return toResult(await explainRun(service, id, what, signal));
  }
  const runs = service.settings.store.list();
  const lines = runs.map(
    ({ run, status, plan, started_at: at, asks }) =>
      `${run}  ${status}${asks > 0 ? ` (${asks} to approve)` : ""}  ${plan ?? ""}  ${at}`,
  );
  return toResult({ data: { runs }, text: lines.length === 0 ? "there are no runs yet" : lines.join("\n") });
}
