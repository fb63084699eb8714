/**
 * The process of an MCP server that speaks over its standard streams, seen as a web server.
 *
 * The client sends HTTP requests. Each becomes a line for the process, and the lines it answers with become an event
 * stream. So both transports share one client.
 *
 * Invariants: a process that ended fails the requests it had, and the next request starts another one. A session belongs
 * to one process.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "stdio".
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Fetch } from "stepgraph";

/** How to start the process. */
export interface StdioCommand {
  /** The program, looked up on the path. No shell reads it. */
  command: string;
  args?: readonly string[];
  /** Variables of the process, besides a few such as `PATH` and `HOME`. It gets no others, because they may be keys. */
  env?: Readonly<Record<string, string>>;
  /** The folder to start it in. Default: the current one. */
  cwd?: string;
}

interface Message {
  id?: unknown;
  method?: string;
  params?: { progressToken?: unknown; requestId?: unknown };
}

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** Variables that programs need and that are no keys. */
const INHERITED = [
  ...["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"],
  ...["APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT"],
  ...["TEMP", "USERNAME", "USERPROFILE"],
];
const MODERN = "2026-07-28";
/** The characters of stderr that an error shows. */
const MAX_TAIL = 2000;
/** A longer line can't be a message that the client accepts. */
const MAX_LINE = 32 * 1024 * 1024;
/** How long a process may take to end after its input was closed, and after each signal. */
const END_MS = 2000;

const encoder = new TextEncoder();
const running = new Set<ChildProcessWithoutNullStreams>();
let listensForExit = false;

/** A server that is still running when this process exits would wait for input forever. */
function endWithThisProcess(child: ChildProcessWithoutNullStreams): void {
  running.add(child);
  if (listensForExit) return;
  listensForExit = true;
  process.on("exit", () => running.forEach((one) => one.kill()));
}

export class StdioProcess {
  readonly #how: StdioCommand;
  #child: ChildProcessWithoutNullStreams | undefined;
  /** The number of processes so far, which is the id of the session. */
  #started = 0;
  #tail = "";
  #line = "";
  /** Answers by the id of their request, oldest first. */
  readonly #answers = new Map<unknown, Stream>();
  /** The stream for messages outside of answers. */
  #aside: Stream | undefined;

  constructor(how: StdioCommand) {
    this.#how = how;
  }

  /** Answers the client's requests. */
  readonly fetch: Fetch = (_url, init) => {
    const headers = new Headers(init?.headers);
    const session = headers.get("mcp-session-id");
    if (session !== null && (this.#child === undefined || session !== String(this.#started)))
      return Promise.resolve(new Response(null, { status: 404 }));
    const signal = init?.signal ?? undefined;
    if (init?.method === "GET") return Promise.resolve(this.#listen(signal));
    if (init?.method !== "POST") return Promise.resolve(new Response(null, { status: 200 }));
    const line = String(init.body);
    const message = JSON.parse(line) as Message;
    this.#start();
    if (message.method === undefined || message.id === undefined) {
      this.#send(line);
      return Promise.resolve(new Response(null, { status: 202 }));
    }
    return Promise.resolve(this.#request(message, line, headers.get("mcp-protocol-version") === MODERN, signal));
  };

  /** Ends the process: closes its input first, as the protocol says. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#hold(true);
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await Promise.race([ended, new Promise<void>((resolve) => setTimeout(resolve, END_MS).unref())]);
      if (this.#child !== child) return;
      child.kill(signal);
    }
    await ended;
  }

  #request(message: Message, line: string, isModern: boolean, signal: AbortSignal | undefined): Response {
    const { id, method } = message;
    const session: Record<string, string> = method === "initialize" ? { "mcp-session-id": String(this.#started) } : {};
    const forget = () => {
      this.#answers.delete(id);
      signal?.removeEventListener("abort", abandon);
      this.#hold(false);
    };
    const abandon = () => {
      if (!this.#answers.has(id)) return;
      forget();
      // In the older era the client sends this itself.
      if (isModern)
        this.#send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }));
    };
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => void this.#answers.set(id, stream),
      cancel: abandon,
    });
    signal?.addEventListener("abort", abandon, { once: true });
    this.#hold(true);
    this.#send(line);
    return new Response(body, { headers: { "content-type": "text/event-stream", ...session } });
  }

  #listen(signal: AbortSignal | undefined): Response {
    const stop = () => (this.#aside = undefined);
    const body = new ReadableStream<Uint8Array>({ start: (stream) => void (this.#aside = stream), cancel: stop });
    signal?.addEventListener("abort", stop, { once: true });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  #start(): void {
    if (this.#child !== undefined) return;
    const { command, args = [], env = {}, cwd } = this.#how;
    const inherited = INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    const child = spawn(command, args, { cwd, env: { ...Object.fromEntries(inherited), ...env }, windowsHide: true });
    this.#child = child;
    this.#started++;
    this.#tail = this.#line = "";
    endWithThisProcess(child);
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#tail = (this.#tail + text).slice(-MAX_TAIL)));
    // A write to a process that ended. Its end is reported.
    child.stdin.on("error", () => {});
    let reason: string | undefined;
    child.on("error", (error) => (reason = `can't be started: ${error.message}`));
    child.on("close", (code, by) => {
      running.delete(child);
      if (this.#child === child) this.#ended(reason ?? `ended with ${by === null ? `code ${code}` : `signal ${by}`}`);
    });
    this.#hold(false);
  }

  #ended(reason: string): void {
    const said = this.#tail.trim();
    const error = new Error(said === "" ? reason : `${reason} after writing: ${said}`);
    this.#child = undefined;
    for (const stream of this.#answers.values()) stream.error(error);
    this.#answers.clear();
    this.#aside?.error(error);
    this.#aside = undefined;
  }

  #send(line: string): void {
    this.#child?.stdin.write(`${line}\n`);
  }

  /** Only a request in progress keeps this process alive. */
  #hold(isBusy: boolean): void {
    const child = this.#child;
    if (child === undefined || (!isBusy && this.#answers.size > 0)) return;
    for (const part of [child, child.stdin, child.stdout, child.stderr] as { ref?(): void; unref?(): void }[])
      if (isBusy) part.ref?.();
      else part.unref?.();
  }

  #read(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop()!;
    if (this.#line.length > MAX_LINE) this.#child?.kill();
    for (const line of lines) this.#receive(line.trim());
  }

  /** Lines that are no messages are ignored: some servers log to their output. */
  #receive(line: string): void {
    if (!line.startsWith("{")) return;
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return;
    }
    const isAnswer = message.method === undefined;
    const stream = isAnswer ? this.#answers.get(message.id) : this.#streamFor(message);
    if (stream === undefined) {
      if (!isAnswer && message.id !== undefined) this.#refuse(message.id);
      return;
    }
    stream.enqueue(encoder.encode(`data: ${line}\n\n`));
    if (!isAnswer) return;
    this.#answers.delete(message.id);
    stream.close();
    this.#hold(false);
  }

  /** Progress belongs to its request, all else to the stream beside the answers, or to the latest request. */
  #streamFor({ params }: Message): Stream | undefined {
    return this.#answers.get(params?.progressToken) ?? this.#aside ?? [...this.#answers.values()].at(-1);
  }

  #refuse(id: unknown): void {
    const error = { code: -32601, message: "this client answers requests only during a call" };
    this.#send(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }
}
