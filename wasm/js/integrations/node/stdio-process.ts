/**
 * The process of an MCP server on standard streams, seen as a web server: one client serves both transports.
 *
 * Invariants:
 * 1. A process that ended fails its requests. The next request starts another.
 * 2. A session belongs to one process.
 * 3. A process and its children end with this process, however that ends.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "stdio".
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Fetch } from "stepgraph";
import type { StdioCommand } from "./stdio-command.js";

interface Message {
  id?: unknown;
  method?: string;
  params?: { progressToken?: unknown; requestId?: unknown };
}

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** They are no keys. */
const INHERITED = [
  ...["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"],
  ...["APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT"],
  ...["TEMP", "USERNAME", "USERPROFILE"],
];
const MODERN = "2026-07-28";
const MAX_TAIL = 2000;
const MAX_NOISE = 200;
/** The client's limit. */
const MAX_LINE = 32 * 1024 * 1024;
/** After its input was closed. */
const END_MS = 2000;
/** A child that became a daemon may hold the streams for ever. */
const DRAIN_MS = 200;
/** Shorter values are words such as `true`. */
export const MIN_SECRET = 6;

const encoder = new TextEncoder();
/**
 * Ends a server's process group when the other end of descriptor 3 closes: the system closes it even if this process is
 * killed, and some servers ignore the end of their input.
 */
const GUARD = `exec 4<&0
"$@" <&4 4<&- 3<&- &
server=$!
exec 4<&- </dev/null >/dev/null 2>&1
trap "" TERM
(read -r _ <&3; kill -TERM -$$; sleep 2; kill -KILL -$$) &
guard=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL "$guard"
exit "$code"`;
const IS_WINDOWS = process.platform === "win32";
/** The shell can't start a program. */
const NOT_STARTED = [126, 127];

export class StdioProcess {
  readonly #how: StdioCommand;
  #child: ChildProcessWithoutNullStreams | undefined;
  #started = 0;
  #tail = "";
  #noise: string | null = null;
  #line: string[] = [];
  #length = 0;
  #reason: string | undefined;
  #end: Promise<void> = Promise.resolve();
  /** Keyed by request id, oldest first. */
  readonly #answers = new Map<unknown, Stream>();
  /** For messages outside of answers. */
  #aside: Stream | undefined;

  constructor(how: StdioCommand) {
    this.#how = how;
  }

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

  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#hold(true);
    child.stdin?.end();
    const timer = setTimeout(() => kill(child), END_MS);
    await this.#end;
    clearTimeout(timer);
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
      const stream = this.#answers.get(id);
      if (stream === undefined) return;
      forget();
      if (signal?.aborted) stream.error(signal.reason);
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
    let own: Stream | undefined;
    const stop = () => {
      if (this.#aside === own) this.#aside = undefined;
    };
    const abandon = () => {
      stop();
      own?.error(signal?.reason);
    };
    const body = new ReadableStream<Uint8Array>({ start: (stream) => void (own = this.#aside = stream), cancel: stop });
    signal?.addEventListener("abort", abandon, { once: true });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  #start(): void {
    if (this.#child !== undefined) return;
    const { command, args = [], env = {}, cwd } = this.#how;
    const inherited = INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    const own = { ...Object.fromEntries(inherited), ...env };
    const [program, words] = IS_WINDOWS ? [command, args] : ["/bin/sh", ["-c", GUARD, "sh", command, ...args]];
    const stdio = ["pipe", "pipe", "pipe", "pipe"] as const;
    const child = spawn(program, words, {
      cwd,
      env: own,
      windowsHide: true,
      detached: !IS_WINDOWS,
      stdio: [...stdio],
    }) as ChildProcessWithoutNullStreams;
    this.#child = child;
    this.#started++;
    this.#tail = "";
    this.#noise = null;
    this.#line = [];
    this.#length = 0;
    this.#reason = undefined;
    this.#end = new Promise((resolve) => this.#watch(child, resolve));
    this.#hold(false);
  }

  #watch(child: ChildProcessWithoutNullStreams, ended: () => void): void {
    const { cwd, env = {} } = this.#how;
    const place = cwd === undefined ? "" : ` in \`${cwd}\``;
    let timer: NodeJS.Timeout | undefined;
    const finish = (code: number | null, signal: string | null) => {
      clearTimeout(timer);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      if (NOT_STARTED.includes(code ?? 0)) this.#reason ??= this.#notStarted();
      if (this.#child === child) this.#ended(this.#reason ?? `ended with ${signal ?? `code ${code}`}`);
      ended();
    };
    child.on("error", (error) => {
      this.#reason = `can't be started${place}: ${error.message}`;
      // If there are no descriptors, none close.
      if (child.pid === undefined) finish(null, null);
    });
    child.on("exit", (code, signal) => {
      kill(child);
      killGroup(child.pid);
      timer = setTimeout(() => finish(code, signal), DRAIN_MS);
    });
    child.on("close", finish);
    const secrets = Object.values(env).filter((value) => value.length >= MIN_SECRET);
    const most = MAX_TAIL + Math.max(0, ...secrets.map((value) => value.length));
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#tail = (this.#tail + text).slice(-most)));
    // The process's end is reported.
    child.stdin?.on("error", () => {});
  }

  /** Redacts before it cuts. */
  #lastWords(): string {
    return this.#redact(this.#tail).slice(-MAX_TAIL).trim();
  }

  #redact(text: string): string {
    const secrets = Object.values(this.#how.env ?? {}).filter((value) => value.length >= MIN_SECRET);
    return secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), text);
  }

  /** The shell says why on stderr. */
  #notStarted(): string {
    const said = this.#lastWords().replace(/^\S*sh: (line )?\d+: /gm, "");
    const form = /\s/.test(this.#how.command) ? "; `command` is one program, its arguments belong under `args`" : "";
    this.#tail = "";
    return `can't be started${said === "" ? "" : `: ${said}`}${form}`;
  }

  get noise(): string | null {
    return this.#noise === null ? null : JSON.stringify(this.#redact(this.#noise).slice(0, MAX_NOISE));
  }

  #ended(reason: string): void {
    const said = this.#lastWords();
    const noise = this.noise === null ? "" : `; ${notMcp(this.noise)}`;
    const error = new Error(`${reason}${said === "" ? "" : ` after writing: ${said}`}${noise}`);
    this.#child = undefined;
    for (const stream of this.#answers.values()) stream.error(error);
    this.#answers.clear();
    this.#aside?.error(error);
    this.#aside = undefined;
  }

  #send(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  /** Only a request in progress keeps this process alive. */
  #hold(isBusy: boolean): void {
    const child = this.#child;
    if (child === undefined || (!isBusy && this.#answers.size > 0)) return;
    for (const part of [child, ...(child.stdio ?? [])] as { ref?(): void; unref?(): void }[])
      if (isBusy) part.ref?.();
      else part.unref?.();
  }

  #read(text: string): void {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      const line = this.#line.join("") + text.slice(at, end);
      this.#line = [];
      this.#length = 0;
      at = end + 1;
      this.#receive(line.trim());
    }
    // Joined at the end: otherwise long lines take quadratic time.
    this.#line.push(text.slice(at));
    this.#length += text.length - at;
    if (this.#length <= MAX_LINE || this.#child === undefined) return;
    this.#line = [];
    this.#length = 0;
    this.#reason = `was ended, because it wrote a line of more than ${MAX_LINE} characters`;
    kill(this.#child);
  }

  #receive(line: string): void {
    let message: Message | null = null;
    try {
      if (line.startsWith("{")) message = JSON.parse(line) as Message;
    } catch {
      // It is no message.
    }
    if (message === null) {
      if (line !== "") this.#noise ??= line;
      return;
    }
    if (!["string", "undefined"].includes(typeof message.method)) return;
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

  /** Progress belongs to its request, other messages to the stream aside or to the latest request. */
  #streamFor({ params }: Message): Stream | undefined {
    return this.#answers.get(params?.progressToken) ?? this.#aside ?? [...this.#answers.values()].at(-1);
  }

  #refuse(id: unknown): void {
    const error = { code: -32601, message: "this client answers requests only during a call" };
    this.#send(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }
}

export function notMcp(noise: string): string {
  return `its output is not MCP, and begins with ${noise}`;
}

function kill(child: ChildProcessWithoutNullStreams): void {
  const guard = (child.stdio as readonly unknown[] | undefined)?.[3] as Socket | undefined;
  if (IS_WINDOWS) child.kill();
  else guard?.destroy();
}

function killGroup(leader: number | undefined): void {
  if (IS_WINDOWS || leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // There are none.
  }
}
