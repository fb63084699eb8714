/**
 * The page's side of a runner: starts its thread, brings it what only the page's own thread has, and ends it when it
 * does not end by itself. Each plan that is opened has one of its own.
 *
 * Decides that what is recorded is kept here: whatever becomes of the thread, the run can be forked and handed on.
 * Where there are no workers, as in a page that was opened from a file, the runner works on this thread; there only the
 * bound on steps ends a loop.
 */
import type { RunnerRequest, HostResponse, HostRequest, RunnerMessage } from "./protocol.js";
import { PageHost, type RunHost } from "./host.js";

/** How long a thread has to end a run by itself. */
const STOP_TIMEOUT_MS = 1000;
/** How much of a recording is kept; a run that says more can't be forked. */
const MAX_RECORDING = 64_000_000;
/** How much of one the page keeps with the plan; a link could not hold more. */
const MAX_SAVED_RECORDING = 200_000;

/** Where the parts are: the worker's script and the engine's module. */
export interface RunnerUrls {
  worker: URL;
  wasm: URL;
}

interface RunnerThread {
  post(line: string): void;
  end(): void;
}

export class RunnerClient {
  readonly #urls: RunnerUrls;
  readonly #notify: (line: string) => void;
  readonly #host = new PageHost((response: HostResponse) =>
    this.#thread?.then(
      (thread) => thread.post(JSON.stringify(response)),
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

  constructor(parts: RunnerUrls, notify: (line: string) => void) {
    this.#urls = parts;
    this.#notify = notify;
  }

  /** What was recorded of the last run; empty when it was too much. */
  get cassette(): string {
    return this.#storedLength > MAX_RECORDING ? "" : this.#lines.map((line) => `${line}\n`).join("");
  }

  /** Takes what the page asks, as JSON text; `host` is what tools and models there are. */
  send(line: string, host: RunHost | null): void {
    if (this.#closed) return;
    const request = JSON.parse(line) as RunnerRequest;
    if (request.type === "start" || request.type === "fork" || request.type === "replay") this.#start(request, host);
    else if (request.type === "stop") this.#stop();
    else void this.#post(request);
  }

  /** Ends at once what still runs or is held: something else takes its place, and nothing of it is told any more. */
  abandonRun(): void {
    if (this.#running) this.#abandon("run/stopped", "the run was ended for another one");
  }

  /** Another plan is open now: ends at once whatever goes on, and from here on takes nothing and tells nothing. */
  close(): void {
    clearTimeout(this.#stopTimer);
    this.#closed = true;
    this.#running = false;
    this.#dropThread();
  }

  /** Tells that a run failed before it began. */
  failBeforeStart(code: string, message: string): void {
    if (!this.#closed) this.#reportEnd(code, message);
  }

  #start(request: Extract<RunnerRequest, { type: "start" | "fork" | "replay" }>, runHost: RunHost | null): void {
    clearTimeout(this.#stopTimer);
    // A run that still goes on may be in a loop that hears nothing.
    if (this.#running) this.#dropThread();
    const cassette = request.type === "fork" && request.cassette.length === 0 ? this.#lines : undefined;
    this.#lines = [];
    this.#storedLength = 0;
    this.#running = true;
    this.#host.available = runHost;
    const host = { tools: (runHost?.tools ?? []).map(({ name }) => name), models: Object.keys(runHost?.models ?? {}) };
    void this.#post({ ...runHost?.initialValues, ...request, ...(cassette && { cassette }), host } as RunnerRequest);
  }

  #stop(): void {
    if (!this.#running) return;
    void this.#post({ type: "stop" });
    clearTimeout(this.#stopTimer);
    this.#stopTimer = setTimeout(
      () => this.#abandon("run/stopped", "the run did not stop by itself and was ended"),
      STOP_TIMEOUT_MS,
    );
  }

  /** The thread is gone, or as good as. */
  #abandon(code: string, message: string): void {
    this.#dropThread();
    if (this.#running) this.#reportEnd(code, message);
  }

  #reportEnd(code: string, message: string): void {
    this.#receive(
      JSON.stringify({
        type: "ended",
        outcome: code === "run/stopped" ? "cancelled" : "failed",
        code,
        message,
        last: { text: "null" },
        ms: 0,
        steps: 0,
        calls: 0,
        retries: 0,
        tokens: null,
        problems: [],
      } satisfies RunnerMessage),
    );
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
      thread.post(JSON.stringify(request));
    } catch (error) {
      this.#abandon("run/no-engine", `the engine can't be loaded: ${String((error as Error).message ?? error)}`);
    }
  }

  async #openThread(): Promise<RunnerThread> {
    const number = ++this.#threadNumber;
    const receive = (line: string) => {
      if (number === this.#threadNumber) this.#receive(line);
    };
    const fail = (why: string) => {
      if (number === this.#threadNumber) this.#abandon("run/no-engine", why);
    };
    return startWorker(this.#urls, receive, fail) ?? startInline(this.#urls, receive);
  }

  #receive(line: string): void {
    const message = JSON.parse(line) as RunnerMessage | HostRequest;
    if ("method" in message) return this.#host.receive(message);
    if (message.type === "lines") return this.#storeLines(message.lines);
    if (message.type === "ended") {
      this.#running = false;
      clearTimeout(this.#stopTimer);
      this.#reportRecording();
    }
    this.#notify(line);
  }

  /** The page keeps a short recording with the plan, for links. One that is replayed was kept before. */
  #reportRecording(): void {
    if (this.#lines.length > 0 && this.#storedLength <= MAX_SAVED_RECORDING)
      this.#notify(JSON.stringify({ type: "recorded", cassette: this.cassette } satisfies RunnerMessage));
  }

  #storeLines(lines: readonly string[]): void {
    for (const line of lines) this.#storedLength += line.length;
    if (this.#storedLength <= MAX_RECORDING) this.#lines.push(...lines);
    else this.#lines = [];
  }
}

function startWorker(
  { worker: script, wasm }: RunnerUrls,
  receive: (line: string) => void,
  fail: (why: string) => void,
): RunnerThread | null {
  try {
    const created = new Worker(script, { type: "module", name: "stepgraph" });
    created.onmessage = ({ data }: MessageEvent<string>) => receive(data);
    created.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "its thread could not be started");
    };
    created.postMessage(wasm.href);
    return { post: (line) => created.postMessage(line), end: () => created.terminate() };
  } catch {
    return null;
  }
}

async function startInline({ wasm }: RunnerUrls, receive: (line: string) => void): Promise<RunnerThread> {
  const [engine, { Runner }] = await Promise.all([import("stepgraph/web"), import("./runner.js")]);
  await engine.init(wasm);
  const runner = new Runner(engine, (line) => queueMicrotask(() => receive(line)));
  return { post: (line) => runner.receive(line), end: () => runner.receive(JSON.stringify({ type: "stop" })) };
}
