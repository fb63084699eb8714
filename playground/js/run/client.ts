/**
 * The page's side of a runner, one per opened plan. It executes calls for the page's thread, and ends a worker that
 * does not stop.
 *
 * The cassette is here, so it survives the worker. If workers are missing, only the step limit ends a loop.
 */
import type { Model } from "stepgraph/web";
import { workerType } from "../page-file.js";
import type {
  CostRequest,
  FileMessage,
  ModelName,
  RunnerInput,
  RunnerMessage,
  RunnerOutput,
  RunnerRequest,
  StartOptions,
} from "./protocol.js";
import { PageHost, type RunHost } from "./host.js";
import { rejectedRun } from "./outcome.js";

/** After it, the worker is ended. */
const STOP_TIMEOUT_MS = 1000;
/** Longer cassettes can't be forked. */
const MAX_RECORDING = 64_000_000;
/** Longer cassettes don't fit a link, so they are not saved. */
const MAX_SAVED_RECORDING = 200_000;

export interface RunnerUrls {
  worker: URL;
  wasm: URL;
  /** For a runner on the page's thread. Workers find it beside the engine. */
  wire: URL;
}

interface RunnerThread {
  post(message: RunnerInput): void;
  end(): void;
}

export class RunnerClient {
  readonly #urls: RunnerUrls;
  readonly #notify: (message: string | FileMessage) => void;
  readonly #host = new PageHost((response) =>
    this.#thread?.then(
      (thread) => thread.post(response),
      () => {},
    ),
  );
  #thread: Promise<RunnerThread> | null = null;
  #threadNumber = 0;
  #lines: string[] = [];
  #storedLength = 0;
  #running = false;
  #closed = false;
  #stopTimer: ReturnType<typeof setTimeout> | undefined;

  /** `notify` receives JSON messages, and files to save. */
  constructor(parts: RunnerUrls, notify: (message: string | FileMessage) => void) {
    this.#urls = parts;
    this.#notify = notify;
  }

  /** The last run's. Empty if too long. */
  get cassette(): string {
    return this.#storedLength > MAX_RECORDING ? "" : this.#lines.map((line) => `${line}\n`).join("");
  }

  send(request: RunnerRequest, host: RunHost | null): void {
    if (this.#closed) return;
    if (request.type === "start" || request.type === "fork" || request.type === "replay") this.#start(request, host);
    else if (request.type === "stop") this.#stop();
    else void this.#post(request);
  }

  estimateCost(request: CostRequest, host: RunHost | null): void {
    // A looping worker would answer late, and a run needs it.
    if (!this.#closed && !this.#running) void this.#post({ ...request, host: hostNames(host) });
  }

  /** Makes way for another run. */
  abandonRun(): void {
    if (this.#running) this.#abandon("run/stopped", "another run has replaced this one");
  }

  /** Afterwards the client is silent. */
  close(): void {
    clearTimeout(this.#stopTimer);
    this.#closed = true;
    this.#running = false;
    this.#dropThread();
  }

  failBeforeStart(code: string, message: string): void {
    if (!this.#closed) this.#reportEnd(code, message);
  }

  #start(request: Extract<RunnerRequest, { type: "start" | "fork" | "replay" }>, runHost: RunHost | null): void {
    clearTimeout(this.#stopTimer);
    // A looping run receives no messages.
    if (this.#running) this.#dropThread();
    const cassette = request.type === "fork" && request.cassette.length === 0 ? this.#lines : undefined;
    this.#lines = [];
    this.#storedLength = 0;
    this.#running = true;
    this.#host.available = runHost;
    const host = hostNames(runHost);
    void this.#post({ ...runHost?.initialValues, ...request, ...(cassette && { cassette }), host } as RunnerRequest);
  }

  #stop(): void {
    if (!this.#running) return;
    void this.#post({ type: "stop" });
    clearTimeout(this.#stopTimer);
    this.#stopTimer = setTimeout(
      () => this.#abandon("run/stopped", "the run did not stop in time, so it was ended"),
      STOP_TIMEOUT_MS,
    );
  }

  /** For a worker that does not respond. */
  #abandon(code: string, message: string): void {
    this.#dropThread();
    if (this.#running) this.#reportEnd(code, message);
  }

  #reportEnd(code: string, message: string): void {
    const outcome = code === "run/stopped" ? "cancelled" : "failed";
    this.#receive({ type: "ended", ...rejectedRun(code, message), outcome });
    this.#receive(JSON.stringify({ type: "state", state: "ended" } satisfies RunnerMessage));
  }

  #dropThread(): void {
    this.#threadNumber++;
    this.#thread?.then(
      (thread) => thread.end(),
      () => {},
    );
    this.#thread = null;
    this.#host.close();
  }

  async #post(request: RunnerRequest): Promise<void> {
    try {
      const thread = await (this.#thread ??= this.#openThread());
      thread.post(request);
    } catch (error) {
      this.#abandon("run/no-engine", `the engine can't be loaded: ${String((error as Error).message ?? error)}`);
    }
  }

  async #openThread(): Promise<RunnerThread> {
    const number = ++this.#threadNumber;
    const receive = (message: RunnerOutput) => {
      if (number === this.#threadNumber) this.#receive(message);
    };
    const fail = (why: string) => {
      if (number === this.#threadNumber) this.#abandon("run/no-engine", why);
    };
    return startWorker(this.#urls, receive, fail) ?? startInline(this.#urls, receive);
  }

  #receive(message: RunnerOutput): void {
    if (typeof message === "string") return this.#notify(message);
    if ("method" in message) return this.#host.receive(message);
    if (message.type === "lines") return this.#storeLines(message.lines);
    if (message.type === "file") return this.#notify(message);
    this.#running = false;
    clearTimeout(this.#stopTimer);
    this.#reportRecording();
    this.#notify(JSON.stringify(message));
  }

  /** Links contain short recordings. */
  #reportRecording(): void {
    if (this.#lines.length > 0 && this.#storedLength <= MAX_SAVED_RECORDING)
      this.#notify(JSON.stringify({ type: "recording", cassette: this.cassette } satisfies RunnerMessage));
  }

  #storeLines(lines: readonly string[]): void {
    for (const line of lines) this.#storedLength += line.length;
    if (this.#storedLength <= MAX_RECORDING) this.#lines.push(...lines);
    else this.#lines = [];
  }
}

function startWorker(
  { worker: script, wasm }: RunnerUrls,
  receive: (message: RunnerOutput) => void,
  fail: (why: string) => void,
): RunnerThread | null {
  try {
    const created = new Worker(script, { type: workerType(), name: "stepgraph" });
    created.onmessage = ({ data }: MessageEvent<RunnerOutput>) => receive(data);
    created.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "the worker could not be started");
    };
    created.postMessage(wasm.href);
    return { post: (message) => created.postMessage(message), end: () => created.terminate() };
  } catch {
    return null;
  }
}

async function startInline(
  { wasm, wire }: RunnerUrls,
  receive: (message: RunnerOutput) => void,
): Promise<RunnerThread> {
  const [engine, { Runner }] = await Promise.all([import("stepgraph/web"), import("./runner.js")]);
  await engine.init(wasm, { wire });
  const runner = new Runner(engine, (message) => queueMicrotask(() => receive(message)));
  return { post: (message) => runner.receive(message), end: () => runner.receive({ type: "stop" }) };
}

function hostNames(host: RunHost | null): NonNullable<StartOptions["host"]> {
  const { tools = [], models = {} } = host ?? {};
  const names = Object.fromEntries(Object.entries(models).map(([key, model]) => [key, nameOf(key, model)]));
  return { tools: tools.map(({ name }) => name), models: Object.keys(models), names };
}

function nameOf(key: string, model: Model): ModelName {
  if (typeof model === "function") return { name: key };
  const { name, provider } = model;
  return { name, ...(provider !== undefined && { provider }) };
}
