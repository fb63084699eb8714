/**
 * Runs one operation on an MCP server.
 *
 * Invariants: aborts take effect at once and notify the server if the protocol allows it. Every request of the server
 * is answered or refused.
 */
import type * as wasm from "../pkg/stepgraph_wire.js";
import { unlessAborted } from "./abort.js";
import { CallError } from "./errors.js";
import { pause, send, sendForHead, TIMEOUT_MS } from "./http.js";
import type { HttpRequest, SendOptions } from "./http.js";
import { OperationDeadline } from "./mcp-deadline.js";
import { answerRequest, type ServerRequest } from "./mcp-host.js";
import { ServerRequests } from "./mcp-server-requests.js";
import type { McpAuth, McpChange, McpOptions } from "./mcp-types.js";
import type { CallTrace, ToolProgress } from "./types.js";
import { loadWire, REST } from "./wire.js";

const TOTAL_MS = 600_000;
const NOTIFICATION_TIMEOUT_MS = 5000;

type Step =
  | { type: "send"; request: HttpRequest }
  | { type: "wait" }
  | { type: "pause"; ms: number }
  | { type: "challenge"; status: number; header: string | null }
  | { type: "ask"; requests: Record<string, ServerRequest> }
  | { type: "failed"; code: string; message: string }
  | OperationResult;

type ServerMessage =
  | { type: "send"; request: HttpRequest }
  | ({ type: "ask"; id: unknown } & ServerRequest)
  | { type: "withdrawn"; id: unknown }
  | { type: "progress"; progress: ToolProgress }
  | { type: "changed"; change: McpChange };

/** `ttl`: milliseconds to cache the value. */
export interface OperationResult {
  type: "done";
  value: unknown;
  ttl: number | null;
}

export interface OperationOptions {
  session: wasm.McpSession;
  options: McpOptions;
  auth: McpAuth | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
  trace?: CallTrace | undefined;
  onChange(change: McpChange): void;
  /** Stop while the host answers. */
  deadlines: Set<OperationDeadline>;
  /** Called when an unlimited stream starts. */
  onBegin?: (() => void) | undefined;
  /** Settles after another operation's progress. */
  turn(): Promise<void>;
  wake(): void;
}

export async function runOperation(operation: wasm.McpOperation, job: OperationOptions): Promise<OperationResult> {
  const { signal, options, auth } = job;
  const limitMs = job.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS;
  const deadline = new OperationDeadline(
    limitMs,
    job.onBegin ? Infinity : (options.maxTimeoutMs ?? Math.max(TOTAL_MS, limitMs)),
    signal,
  );
  job.deadlines.add(deadline);
  if (job.trace) operation.set_trace(job.trace.traceparent, job.trace.tracestate || undefined);
  try {
    let token: string | undefined;
    for (;;) {
      const current = auth?.token();
      if (auth) job.session.set_key(current ?? options.key);
      const step = JSON.parse(operation.step()) as Step;
      if (step.type === "done") return step;
      if (step.type === "failed") throw new CallError(step.code, step.message);
      if (step.type === "send") token = current;
      await executeStep(step, operation, job, deadline, token);
      signal?.throwIfAborted();
    }
  } finally {
    job.deadlines.delete(deadline);
    deadline.end();
  }
}

async function executeStep(
  step: Exclude<Step, OperationResult | { type: "failed" }>,
  operation: wasm.McpOperation,
  options: OperationOptions,
  deadline: OperationDeadline,
  token: string | undefined,
): Promise<void> {
  const { auth, signal } = options;
  switch (step.type) {
    case "wait":
      return unlessAborted(options.turn(), signal);
    case "challenge":
      return operation.authorized(
        await unlessAborted(auth!.challenged(step.status, step.header, signal, token), signal),
      );
    case "ask":
      return operation.answer(await answerRequests(step.requests, options, deadline.signal));
    case "pause":
      return waitBeforeReconnect(step.ms, operation, options, deadline);
    case "send":
      return sendRequest({ ...step.request, body: operation.body() ?? null }, operation, options, deadline);
  }
}

/** The server keeps working, so this is its time. */
async function waitBeforeReconnect(
  ms: number,
  operation: wasm.McpOperation,
  { onBegin, options, signal }: OperationOptions,
  deadline: OperationDeadline,
): Promise<void> {
  if (onBegin === undefined) deadline.start();
  try {
    await pause(ms, deadline.signal);
  } catch {
    cancelOperation(
      operation,
      signal?.aborted ? "the operation was abandoned" : "the time is up",
      notificationOptions(options),
    );
    signal?.throwIfAborted();
    operation.failed(true, "");
  }
  deadline.stop();
}

/** The protocol may not allow it. */
function cancelOperation(operation: wasm.McpOperation, reason: string, aside: SendOptions): void {
  const request = operation.cancel(reason);
  if (request !== undefined) void sendForHead(JSON.parse(request) as HttpRequest, aside);
}

function notificationOptions(options: McpOptions): SendOptions {
  return { fetch: options.fetch, timeoutMs: NOTIFICATION_TIMEOUT_MS };
}

async function sendRequest(
  request: HttpRequest,
  operation: wasm.McpOperation,
  options: OperationOptions,
  deadline: OperationDeadline,
): Promise<void> {
  const aside = notificationOptions(options.options);
  const requests = new ServerRequests(options, aside);
  /** An error of a callback, or a bad message. Overrides any answer. */
  let thrown: { error: unknown } | undefined;
  const handleMessage = (message: ServerMessage) => {
    if (message.type === "send") requests.send(message.request);
    else if (message.type === "ask") requests.answerRequest(message);
    else if (message.type === "withdrawn") requests.withdraw(message.id);
    else if (message.type === "changed") options.onChange(message.change);
    else {
      deadline.start();
      options.onProgress?.(message.progress);
    }
  };
  const readMessages = () => {
    try {
      (JSON.parse(operation.server_messages() ?? "[]") as ServerMessage[]).forEach(handleMessage);
    } catch (error) {
      thrown ??= { error };
    }
  };
  const listener = {
    head(status: number, headers: string) {
      const needsNoBody = operation.head(status, headers);
      if (options.onBegin !== undefined && status === 200 && !needsNoBody) {
        deadline.lift();
        options.onBegin();
      }
      return needsNoBody;
    },
    chunk(bytes: Uint8Array) {
      const whole: boolean = operation.chunk(bytes);
      readMessages();
      if (thrown) cancelOperation(operation, "the listener was removed", aside);
      return whole || thrown !== undefined;
    },
    end: () => operation.end(),
    failed(timeout: boolean, message: string) {
      if (timeout) cancelOperation(operation, "the time is up", aside);
      operation.failed(timeout, message);
    },
  };
  deadline.start();
  try {
    await send(request, listener, {
      fetch: options.options.fetch,
      signal: options.signal,
      clock: deadline,
      trace: options.trace,
      beforeRefusal: () => loadWire([REST]),
    });
    readMessages();
    if (thrown) throw thrown.error;
  } catch (error) {
    cancelOperation(operation, "the operation was abandoned", aside);
    throw error;
  } finally {
    requests.end();
    options.wake();
  }
}

async function answerRequests(
  requests: Record<string, ServerRequest>,
  { options, signal }: OperationOptions,
  ended: AbortSignal,
): Promise<string> {
  try {
    const all = Object.entries(requests).map(
      async ([name, question]) => [name, await answerRequest(options, question, ended)] as const,
    );
    return JSON.stringify(Object.fromEntries(await unlessAborted(Promise.all(all), signal)));
  } catch (error) {
    signal?.throwIfAborted();
    throw new CallError("mcp/input-required", `the server's question was not answered: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
