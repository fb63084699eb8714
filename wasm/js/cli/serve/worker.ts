/**
 * Executes one task at a time with untrusted input. It has no keys, connections or plan files, and asks the server.
 *
 * Invariant: the engine's memory has a limit, like the rest of the process.
 */
import { readFileSync } from "node:fs";
import { startSync } from "../../package-internals.js";
import { tracedRunner } from "../telemetry.js";
import { explainTask } from "./worker-explain.js";
import { endedTask, runTask, type WorkerContext } from "./worker-run.js";
import { authorTask, checkTask } from "./worker-plans.js";
import { HostCalls } from "./worker-calls.js";
import { toFailure, type FromWorker, type WorkerSetup, type ToWorker } from "./worker-messages.js";
import { limitMemory } from "./memory-limit.js";
import { CallerError } from "./caller-error.js";

/** In pages of 64 KiB. */
const MAX_PAGES = 4096;

startSync(limitMemory(readFileSync(new URL("../../../pkg/stepgraph_wasm_bg.wasm", import.meta.url)), MAX_PAGES));

/** Messages of the platform, of the engine, which ends there, and of its glue after an interruption. */
const OUT_OF_MEMORY =
  /invalid (string|array) length|allocation failed|unreachable|out of bounds|while it was borrowed/i;

type Task = (context: WorkerContext, args: never) => Promise<unknown>;
const TASKS: Record<string, Task> = {
  check: checkTask,
  author: authorTask,
  run: runTask,
  ended: endedTask,
  explain: explainTask,
};

const send = (message: FromWorker) => void process.send?.(message, undefined, undefined, () => undefined);
const calls = new HostCalls(send);
let workerContext: Omit<WorkerContext, "signal"> | undefined;
let stop = new AbortController();

process.on("message", (message: ToWorker) => void receive(message).catch(fatal));
// The server has ended.
process.on("disconnect", () => process.exit());
// A terminal also signals workers. The server decides when they end.
process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);

async function receive(message: ToWorker): Promise<void> {
  switch (message.type) {
    case "setup":
      workerContext = await createContext(message.setup);
      return send({ type: "ready" });
    case "begin":
      return runNamedTask(message.task, message.args);
    case "abort":
      return stop.abort();
    case "beat":
      return send({ type: "beat" });
    case "end":
      await workerContext?.runner.end();
      return process.disconnect();
    default:
      return calls.receive(message);
  }
}

async function createContext(setup: WorkerSetup): Promise<Omit<WorkerContext, "signal">> {
  const traces = setup.traces === null ? null : { ...setup.traces, headers: {} };
  const onError = ({ code, message, spans }: { code: string; message: string; spans: number }) =>
    send({ type: "trouble", code, message: spans > 0 ? `${message}; ${spans} spans are lost` : message });
  return {
    setup,
    calls,
    runner: await tracedRunner(traces, { fetch: calls.fetch(), onError }),
    begun: (identity) => send({ type: "begun", ...identity }),
    news: (update) => send({ type: "news", ...update }),
  };
}

async function runNamedTask(name: string, args: unknown): Promise<void> {
  stop = new AbortController();
  try {
    const value = await TASKS[name]!({ ...workerContext!, signal: stop.signal }, args as never);
    send({ type: "done", value, held: process.memoryUsage.rss() });
  } catch (error) {
    if (toFailure(error).code !== null)
      return send({ type: "failed", ...toFailure(error), held: process.memoryUsage.rss() });
    // Our own errors have a code. Otherwise the engine crashed, and `held: Infinity` retires this worker.
    send({ type: "failed", ...toFailure(toCrashError(error)), held: Infinity });
  }
}

function toCrashError(error: unknown): CallerError {
  const { message } = toFailure(error);
  return OUT_OF_MEMORY.test(message)
    ? new CallerError("serve/out-of-memory", "values exceeded the memory of the engine")
    : new CallerError("serve/failed", `the engine crashed: ${message}`);
}

function fatal(error: unknown): void {
  process.stderr.write(`${String((error as Error)?.stack ?? error)}\n`, () => process.exit(1));
}
