/**
 * The service behind all tools.
 *
 * Invariant: trusted values, approvals and who may decide come only from the command line.
 */
import { readdirSync, realpathSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { availableParallelism } from "node:os";
import { CallError, PlanGraph, stubTools } from "../../node.js";
import { type KnownFiles, Redactor } from "../../package-internals.js";
import type { Prices } from "../../prices.js";
import type { ChatRequest, Limits, Model, Stubs, ToolInfo } from "../../types.js";
import { connectionHelp, type Connection } from "../connections.js";
import type { HostModule } from "../handlers.js";
import { decode, readBytes, errorReason } from "../io.js";
import { closestName } from "../suggest.js";
import { UsageError } from "../options.js";
import { parsePlanFile } from "../plan-folder.js";
import { isStubs } from "../read-plan.js";
import { TraceErrors, type TraceSettings } from "../telemetry.js";
import { samplingModel } from "./caller.js";
import type { Chat, CallHooks, Task } from "./worker-process.js";
import type { CallerPrompt } from "./multi-round-trip.js";
import type { HostRequest, WorkerSetup } from "./worker-messages.js";
import { WorkerPool } from "./pool.js";
import { callHandler, describeThrown } from "./handler-calls.js";
import { CallerError } from "./caller-error.js";
import type { UnavailableServer } from "./unavailable-servers.js";
import type { RunStore } from "./store.js";

export interface ServiceSettings {
  servers: Connection[];
  model: Model | null;
  stubs: Stubs | null;
  /** The module's tools are among the servers. */
  module: HostModule;
  context: Record<string, unknown>;
  allow: boolean | readonly string[];
  /** They override a plan's. */
  limits: Limits;
  prices: Prices;
  countsCosts: boolean;
  plans: string | null;
  /** The caller's decisions count as the user's. */
  callerDecides: boolean;
  traces: TraceSettings | null;
  warm: number;
  store: RunStore;
  log(line: string): void;
}

/** `path` is null for inline text. */
export interface PlanSource {
  text: string;
  path: string | null;
  files: KnownFiles;
}

const MAX_PLAN_FILES = 2000;

export const MAX_CONCURRENT_RUNS = 64;

/** Models write the plans. */
export const DEFAULT_LIMITS: Limits = {
  steps: 10_000,
  calls: 2_000,
  timeout_ms: 60 * 60_000,
  output_bytes: 64 * 1024 * 1024,
};

export class PlanService {
  readonly #inProgress = new Set<{ done: Promise<unknown>; stop(): void }>();
  readonly pool: WorkerPool;
  readonly traceErrors = new TraceErrors();
  /** Workers store results, so keys are removed before. */
  readonly #redactor: Redactor;

  constructor(readonly settings: ServiceSettings) {
    const { model, servers } = settings;
    this.#redactor = new Redactor(undefined, { models: { model }, tools: servers.map(({ client }) => client) });
    const host = {
      answer: async (request: HostRequest, hooks: CallHooks, task: Task | null) => {
        try {
          return this.#redactor.value(await this.#answer(request, hooks, task));
        } catch (error) {
          // The client sees only the message: frames show the server's folders.
          for (const line of describeThrown(request, error)) settings.log(String(this.#redactor.value(line)));
          throw error;
        }
      },
      trouble: (code: string, message: string) => this.traceErrors.note({ code, message }),
    };
    this.pool = new WorkerPool(workerSetup(settings), host, settings.warm, availableParallelism());
  }

  /** `close` waits for tracked operations. */
  track(work: { done: Promise<unknown>; stop(): void }): void {
    this.#inProgress.add(work);
    void work.done.catch(() => undefined).then(() => this.#inProgress.delete(work));
  }

  /** Also lists servers that did not respond. */
  async listTools(signal?: AbortSignal): Promise<{ tools: ToolInfo[]; unavailable: UnavailableServer[] }> {
    const { servers, stubs } = this.settings;
    const lists = await Promise.all(
      servers.map(async (connection): Promise<ToolInfo[] | UnavailableServer> => {
        const { name, place, client } = connection;
        try {
          return (await client.list(signal)).map((tool) => ({ server: name, ...tool }));
        } catch (error) {
          return {
            server: name,
            place,
            problem: error instanceof Error ? error.message : String(error),
            help: connectionHelp(connection, error),
          };
        }
      }),
    );
    const tools = lists.flatMap((list) => (Array.isArray(list) ? list : []));
    return {
      tools: [...tools, ...(stubs ? stubTools(stubs) : [])],
      unavailable: lists.filter((list): list is UnavailableServer => !Array.isArray(list)),
    };
  }

  plan(args: { plan?: unknown; path?: unknown }): PlanSource {
    const { plan, path } = args;
    if (plan !== undefined && path !== undefined)
      throw new CallerError("serve/no-plan", "`plan` and `path` can't be combined");
    if (typeof plan === "string") return { text: plan, path: null, files: {} };
    // Models often pass the plan as an object.
    if (typeof plan === "object" && plan !== null)
      return { text: JSON.stringify(plan, null, 2), path: null, files: {} };
    if (typeof path !== "string") throw new CallerError("serve/no-plan", "there is no plan");
    const text = this.#read(path);
    return { text, path, files: this.#filesOf(path, text) };
  }

  /** The text, with its files inside. */
  bundle({ text, path, files }: PlanSource): string {
    if (Object.keys(files).length === 0) return text;
    const { graph } = PlanGraph.parseWith(text, path?.endsWith(".json") ? "json" : "auto", files);
    const bundle = graph === null ? text : PlanGraph.print(graph);
    graph?.free();
    return bundle;
  }

  #filesOf(path: string, text: string): KnownFiles {
    // Workers parse plans, here only one that may name a file.
    if (!/\.(ya?ml|json)\b/.test(text)) return {};
    const { graph, files } = parsePlanFile(join(this.settings.plans!, path), text);
    graph?.free();
    return files;
  }

  files(): string[] {
    const { plans } = this.settings;
    if (plans === null) return [];
    try {
      return plansIn(plans).sort();
    } catch (error) {
      throw new CallerError(
        "serve/unknown-plan",
        `can't read the folder of plans: ${errorReason(error)}`,
        "check the folder that `--plans` names",
      );
    }
  }

  /** The server's, else the client's if it supports sampling. */
  modelOf(caller: { samples: boolean }, prompt: CallerPrompt): Chat | undefined {
    const { model } = this.settings;
    const lent = model ?? (caller.samples ? samplingModel(prompt) : null);
    if (lent === null) return undefined;
    return async ({ request, call, trace }, { signal, onRequest }) => {
      const options = {
        signal,
        ...(call === undefined ? {} : { call }),
        ...(trace ? { trace: { ...trace, onRequest } } : {}),
      };
      const chatRequest = JSON.parse(request) as ChatRequest;
      const reply = await (typeof lent === "function" ? lent(chatRequest, options) : lent.chat(chatRequest, options));
      return typeof reply === "string" ? { text: reply, finish: "stop", usage: null } : reply;
    };
  }

  /** Waits until stopped runs are stored. */
  async close(): Promise<void> {
    for (const work of this.#inProgress) work.stop();
    await Promise.allSettled([...this.#inProgress].map(({ done }) => done));
    await this.pool.close();
    await Promise.allSettled(this.settings.servers.map(({ client }) => client.close()));
  }

  /** Workers have no network access. */
  async #answer(request: HostRequest, { signal, onRequest }: CallHooks, task: Task | null): Promise<unknown> {
    if (request.kind === "send") return sendTrace(request, this.settings.traces, signal);
    if (request.kind === "handler") return callHandler(this.settings.module, request, signal);
    if (request.kind === "model") {
      if (task?.chat === undefined) throw new CallError("model/unknown", "the run has no model");
      return task.chat(request, { signal, onRequest });
    }
    const { client } = this.settings.servers[request.server]!;
    if (request.kind === "list") return client.list(signal);
    const { name, args, call, run, trace } = request;
    return client.call(name, JSON.parse(args) as Record<string, unknown>, {
      signal,
      ...(call === undefined ? {} : { call }),
      ...(run === undefined ? {} : { run }),
      ...(trace ? { trace: { ...trace, onRequest } } : {}),
    });
  }

  #read(path: string): string {
    const { plans } = this.settings;
    if (plans === null)
      throw new CallerError(
        "serve/unknown-plan",
        "this server has no folder of plans",
        "give the plan's text as `plan`, or start the server with `--plans DIR`",
      );
    const files = this.files();
    const unknown = () => {
      const suggestion =
        closestName(path, files) ?? files.find((file) => file.slice(0, -extname(file).length) === path);
      const listed = files
        .slice(0, 20)
        .map((file) => `\`${file}\``)
        .join(", ");
      return new CallerError(
        "serve/unknown-plan",
        `there is no plan \`${path.slice(0, 200)}\` in the folder of plans`,
        suggestion
          ? `did you mean \`${suggestion}\`?`
          : listed === ""
            ? "the folder contains no plans: pass the plan's text as `plan`"
            : `use one of ${listed}`,
      );
    };
    if (!files.includes(path.split("/").join(sep))) throw unknown();
    try {
      const [folder, file] = [realpathSync(plans), realpathSync(join(plans, path))];
      // A link may lead out of the folder.
      if (relative(folder, file).startsWith("..")) throw unknown();
      return decode(readBytes(file));
    } catch (error) {
      if (error instanceof UsageError) throw new CallerError("serve/unknown-plan", error.message, error.help);
      throw error;
    }
  }
}

/** Skips hidden and installed files. */
function plansIn(folder: string, inside = "", depth = 0, found: string[] = []): string[] {
  for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
    const name = join(inside, entry.name);
    if (found.length >= MAX_PLAN_FILES || entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory() && depth < 8) plansIn(folder, name, depth + 1, found);
    else if (!entry.isDirectory() && /\.(ya?ml|json)$/.test(name) && !isStubs(name)) found.push(name);
  }
  return found;
}

/** Omits secrets. */
function workerSetup(settings: ServiceSettings): WorkerSetup {
  const { servers, model, stubs, module, context, allow, limits, prices, countsCosts, traces } = settings;
  const { headers: _secret, ...withoutHeaders } = traces ?? { headers: null };
  return {
    servers: servers.map(({ client }) => client.name),
    stubs,
    context,
    allow,
    limits,
    model: model === null ? null : pricedName(model),
    prices,
    countsCosts,
    traces: traces === null ? null : (withoutHeaders as WorkerSetup["traces"]),
    types: Object.keys(module.handlers ?? {}),
  };
}

function pricedName(model: Model): NonNullable<WorkerSetup["model"]> {
  if (typeof model === "function") return { name: "default" };
  const { name = "default", provider } = model;
  return { name, ...(provider !== undefined && { provider }) };
}

/** Rejects URLs other than the receiver's. */
async function sendTrace(
  { url, method, headers, body }: Extract<HostRequest, { kind: "send" }>,
  traces: TraceSettings | null,
  signal: AbortSignal,
): Promise<unknown> {
  if (traces === null || new URL(url).origin !== new URL(traces.url).origin)
    throw new Error("traces go only to their receiver");
  const init = { method, headers: { ...traces.headers, ...headers }, body: body as BodyInit, signal };
  const response = await fetch(url, init);
  return { status: response.status, headers: [...response.headers], text: await response.text() };
}
