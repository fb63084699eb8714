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
const PATIENCE = 1000;
/** How much of a recording is kept; a run that says more can't be forked. */
const KEPT = 64_000_000;
/** How much of one the page keeps with the plan; a link could not hold more. */
const SHORT = 200_000;

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
  readonly #parts: RunnerUrls;
  readonly #tell: (line: string) => void;
  readonly #host = new PageHost((given: HostResponse) =>
    this.#thread?.then(
      (thread) => thread.post(JSON.stringify(given)),
      () => {},
    ),
  );
  #thread: Promise<RunnerThread> | null = null;
  #number = 0;
  #lines: string[] = [];
  #kept = 0;
  #running = false;
  #closed = false;
  #impatient: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: RunnerUrls, tell: (line: string) => void) {
    this.#parts = parts;
    this.#tell = tell;
  }

  /** What was recorded of the last run; empty when it was too much. */
  get cassette(): string {
    return this.#kept > KEPT ? "" : this.#lines.map((line) => `${line}\n`).join("");
  }

  /** Takes what the page asks, as JSON text; `offer` is what tools and models there are. */
  take(line: string, offer: RunHost | null): void {
    if (this.#closed) return;
    const ask = JSON.parse(line) as RunnerRequest;
    if (ask.type === "start" || ask.type === "fork" || ask.type === "replay") this.#begin(ask, offer);
    else if (ask.type === "stop") this.#stop();
    else void this.#post(ask);
  }

  /** Ends at once what still runs or is held: something else takes its place, and nothing of it is told any more. */
  leave(): void {
    if (this.#running) this.#giveUp("run/stopped", "the run was ended for another one");
  }

  /** Another plan is open now: ends at once whatever goes on, and from here on takes nothing and tells nothing. */
  close(): void {
    clearTimeout(this.#impatient);
    this.#closed = true;
    this.#running = false;
    this.#drop();
  }

  /** Tells that a run failed before it began. */
  refuse(code: string, message: string): void {
    if (!this.#closed) this.#end(code, message);
  }

  #begin(ask: Extract<RunnerRequest, { type: "start" | "fork" | "replay" }>, offer: RunHost | null): void {
    clearTimeout(this.#impatient);
    // A run that still goes on may be in a loop that hears nothing.
    if (this.#running) this.#drop();
    const cassette = ask.type === "fork" && ask.cassette.length === 0 ? this.#lines : undefined;
    this.#lines = [];
    this.#kept = 0;
    this.#running = true;
    this.#host.offer = offer;
    const host = { tools: (offer?.tools ?? []).map(({ name }) => name), models: Object.keys(offer?.models ?? {}) };
    void this.#post({ ...offer?.given, ...ask, ...(cassette && { cassette }), host } as RunnerRequest);
  }

  #stop(): void {
    if (!this.#running) return;
    void this.#post({ type: "stop" });
    clearTimeout(this.#impatient);
    this.#impatient = setTimeout(
      () => this.#giveUp("run/stopped", "the run did not stop by itself and was ended"),
      PATIENCE,
    );
  }

  /** The thread is gone, or as good as. */
  #giveUp(code: string, message: string): void {
    this.#drop();
    if (this.#running) this.#end(code, message);
  }

  #end(code: string, message: string): void {
    this.#hear(
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
    this.#hear(JSON.stringify({ type: "state", state: "ended" } satisfies RunnerMessage));
  }

  #drop(): void {
    this.#number++;
    this.#thread?.then(
      (thread) => thread.end(),
      () => {},
    );
    this.#thread = null;
    this.#host.close();
  }

  async #post(ask: RunnerRequest): Promise<void> {
    try {
      const thread = await (this.#thread ??= this.#open());
      thread.post(JSON.stringify(ask));
    } catch (error) {
      this.#giveUp("run/no-engine", `the engine can't be loaded: ${String((error as Error).message ?? error)}`);
    }
  }

  async #open(): Promise<RunnerThread> {
    const number = ++this.#number;
    const hear = (line: string) => {
      if (number === this.#number) this.#hear(line);
    };
    const fail = (why: string) => {
      if (number === this.#number) this.#giveUp("run/no-engine", why);
    };
    return worker(this.#parts, hear, fail) ?? inline(this.#parts, hear);
  }

  #hear(line: string): void {
    const said = JSON.parse(line) as RunnerMessage | HostRequest;
    if ("need" in said) return this.#host.take(said);
    if (said.type === "lines") return this.#keep(said.lines);
    if (said.type === "ended") {
      this.#running = false;
      clearTimeout(this.#impatient);
      this.#record();
    }
    this.#tell(line);
  }

  /** The page keeps a short recording with the plan, for links. One that is replayed was kept before. */
  #record(): void {
    if (this.#lines.length > 0 && this.#kept <= SHORT)
      this.#tell(JSON.stringify({ type: "recorded", cassette: this.cassette } satisfies RunnerMessage));
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) this.#kept += line.length;
    if (this.#kept <= KEPT) this.#lines.push(...lines);
    else this.#lines = [];
  }
}

function worker(
  { worker: script, wasm }: RunnerUrls,
  hear: (line: string) => void,
  fail: (why: string) => void,
): RunnerThread | null {
  try {
    const made = new Worker(script, { type: "module", name: "stepgraph" });
    made.onmessage = ({ data }: MessageEvent<string>) => hear(data);
    made.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "its thread could not be started");
    };
    made.postMessage(wasm.href);
    return { post: (line) => made.postMessage(line), end: () => made.terminate() };
  } catch {
    return null;
  }
}

async function inline({ wasm }: RunnerUrls, hear: (line: string) => void): Promise<RunnerThread> {
  const [engine, { Runner }] = await Promise.all([import("stepgraph/web"), import("./runner.js")]);
  await engine.init(wasm);
  const runner = new Runner(engine, (line) => queueMicrotask(() => hear(line)));
  return { post: (line) => runner.take(line), end: () => runner.take(JSON.stringify({ type: "stop" })) };
}
