/** `stepgraph serve`. Trusted values, approvals and access come only from these options. */
import { statSync } from "node:fs";
import type { Limits } from "../../types.js";
import { defaultServerName } from "../plan-request.js";
import { connections, serverWords } from "../connections.js";
import { errorReason, type Io } from "../io.js";
import { UsageError, type Arguments } from "../options.js";
import { type HostModule, moduleConnections, readHostOption } from "../handlers.js";
import { readStubs } from "../read-plan.js";
import { openStorePlace } from "../kept-run.js";
import { readModel } from "../models.js";
import { tracedRunner, traceSettings } from "../telemetry.js";
import { visible } from "../../terminal/text.js";
import { readPairs } from "../parse-values.js";
import { readPrices } from "../prices.js";
import { readRunLimits } from "../run-options.js";
import { version } from "../version.js";
import { DEFAULT_LIMITS, PlanService } from "./plan-service.js";
import { isLoopback } from "./access.js";
import { listen, type HttpOptions } from "./http.js";
import { INBOX, type Inbox, openInbox } from "./inbox-routes.js";
import { serverFactory } from "./server.js";
import { overStdio } from "./stdio.js";
import { RunStore } from "./store.js";
import { onStrayError } from "../stray-errors.js";

const DEFAULT_KEPT_RUNS = 1000;
const DEFAULT_RUN_FILES = 10_000;
const MIB = 1024 * 1024;
const DEFAULT_QUOTA_BYTES = 1024 * MIB;
/** Over HTTP. A single client needs one. */
const WARM_WORKERS = 2;
const HTTP_ONLY = ["store", "port", "host", "allow-host", "allow-origin"];

/** Ends when the client disconnects or a signal arrives. */
export async function serveCommand(args: Arguments, io: Io): Promise<number> {
  const writeLog = (text: string) => void io.err.write(`${visible(text)}\n`);
  // A stray error of the module belongs to no run.
  onStrayError(() => {});
  const settings = readSettings(args, io, writeLog, await readHostOption(args));
  const misplaced = HTTP_ONLY.find((name) => args.has(name));
  if (misplaced !== undefined && !args.has("http"))
    throw new UsageError("cli/missing-argument", `\`--${misplaced}\` is for a server over HTTP`, "add `--http`");
  const kept = await openKeptInbox(args);
  const traces = traceSettings(args, io);
  // Rejects an invalid URL before serving.
  await (await tracedRunner(traces, { onError: () => undefined })).end();
  const service = new PlanService({ ...settings, traces, warm: args.has("http") ? WARM_WORKERS : 1 });
  service.pool.open();
  const stop = new AbortController();
  const end = () => stop.abort();
  process.on("SIGINT", end).on("SIGTERM", end);
  const onError = (error: Error) => void (io.env.STEPGRAPH_DEBUG && writeLog(`serve: ${error.stack ?? error.message}`));
  try {
    const factory = serverFactory(service, version(), onError);
    if (args.has("http"))
      await overHttp({ factory, onError, inbox: kept?.inbox, ...readHttp(args, io) }, stop.signal, writeLog);
    else await overStdio(factory, stop.signal, onError);
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    await service.close();
    await kept?.close();
    service.traceErrors.write(io);
  }
  return 0;
}

async function overHttp(options: HttpOptions, signal: AbortSignal, tell: (text: string) => void): Promise<void> {
  const server = await listen(options).catch((error: Error) => {
    throw new UsageError(
      "cli/not-possible",
      `can't listen on ${options.host}, port ${options.port}: ${errorReason(error)}`,
      "name another `--port`, or leave it out for one that is free",
    );
  });
  tell(
    `serving MCP at ${server.url}${options.token === undefined ? "" : ", for clients with the token of STEPGRAPH_SERVE_TOKEN"}`,
  );
  if (options.inbox !== undefined) tell(`approvals at ${new URL(INBOX, server.url).href}#key=${options.inbox.key}`);
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await server.close();
}

async function openKeptInbox(args: Arguments): Promise<{ inbox: Inbox; close(): Promise<void> } | null> {
  const place = args.single("store");
  if (place === undefined) return null;
  const { store, close } = await openStorePlace(place);
  return { inbox: openInbox(store), close };
}

function readHttp(args: Arguments, io: Io): Omit<HttpOptions, "factory"> {
  const host = args.single("host") ?? "127.0.0.1";
  const token = io.env.STEPGRAPH_SERVE_TOKEN || undefined;
  if (!isLoopback(host) && token === undefined)
    throw new UsageError(
      "cli/missing-setup",
      `on \`${host}\` other machines can reach the server and run plans on it`,
      "set STEPGRAPH_SERVE_TOKEN to a secret of at least 16 characters that clients send as a bearer token",
    );
  if (token !== undefined && !/^[\x21-\x7e]{16,}$/.test(token))
    throw new UsageError(
      "cli/missing-setup",
      "STEPGRAPH_SERVE_TOKEN is too short, or has characters that headers can't contain",
      "create one, for example with `openssl rand -hex 32`",
    );
  const origins = args.all("allow-origin").map((text) => {
    if (!URL.canParse(text) || new URL(text).origin !== text)
      throw new UsageError(
        "cli/bad-value",
        `\`--allow-origin ${text}\` is not an origin`,
        "write it like `https://app.example.com`, without a path",
      );
    return text;
  });
  return { host, port: readNumber(args, "port", 0, 0, 65_535), token, hosts: args.all("allow-host"), origins };
}

function readSettings(
  args: Arguments,
  io: Io,
  tell: (text: string) => void,
  module: HostModule,
): Omit<PlanService["settings"], "traces" | "warm"> {
  const plans = args.single("plans") ?? null;
  if (plans !== null) checkFolder(plans);
  const context = readPairs("context", args.all("context"));
  const limits: Limits = { ...DEFAULT_LIMITS, ...readRunLimits(args) };
  return {
    servers: [
      ...connections(serverWords(args, io, defaultServerName), args, io, null, tell),
      ...moduleConnections(module, args.single("handlers")),
    ],
    module,
    model: readModel(args, io.env) ?? module.models?.default ?? null,
    stubs: args.single("stubs") === undefined ? null : readStubs(args.single("stubs")!),
    context,
    allow: args.has("allow") ? args.all("allow").includes("*") || args.all("allow") : false,
    limits,
    prices: readPrices(args),
    countsCosts: args.has("prices") || limits.usd !== undefined,
    plans,
    callerDecides: args.has("caller-decides"),
    store: storeOf(args),
    log: tell,
  };
}

function storeOf(args: Arguments): RunStore {
  const folder = args.single("runs") ?? null;
  if (args.has("quota") && folder === null)
    throw new UsageError(
      "cli/missing-argument",
      "`--quota` limits the folder of runs, but there is none",
      "add `--runs DIR`",
    );
  const bytes = readNumber(args, "quota", DEFAULT_QUOTA_BYTES / MIB, 1, 1024 * 1024) * MIB;
  return new RunStore(readNumber(args, "keep", DEFAULT_KEPT_RUNS, 1, 100_000), folder, {
    runs: DEFAULT_RUN_FILES,
    bytes,
  });
}

function checkFolder(folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw new Error("it is not a folder");
  } catch (error) {
    throw new UsageError(
      "cli/unreadable-file",
      `can't use the folder \`${folder}\`: ${errorReason(error)}`,
      "name a folder of plans",
    );
  }
}

function readNumber(args: Arguments, name: string, otherwise: number, least: number, max: number): number {
  const text = args.single(name);
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (text === "" || !Number.isInteger(number) || number < least || number > max)
    throw new UsageError(
      "cli/bad-value",
      `\`--${name} ${text}\` is out of range`,
      `write a whole number from ${least} to ${max}`,
    );
  return number;
}
