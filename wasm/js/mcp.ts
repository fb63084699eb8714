/** MCP client over Streamable HTTP. WebAssembly implements the protocol, `mcp-operation` the waiting. */
import type * as wasm from "../pkg/stepgraph_wire.js";
import { unlessAborted } from "./abort.js";
import { engineError, isUnusable, release } from "./engine.js";
import { CallError, PlanError } from "./errors.js";
import { isInPage, pause } from "./http.js";
import { runOperation, type OperationResult } from "./mcp-operation.js";
import type { OperationDeadline } from "./mcp-deadline.js";
import { clientCapabilities } from "./mcp-host.js";
import { assertOptions, type Kinds } from "./options.js";
import { SECRETS, secretTexts } from "./secrets.js";
import { loadWire, REST, type Wire } from "./wire.js";
import type { CallOptions, CallTrace, ToolInfo, ToolProgress, ToolResult } from "./types.js";
import type {
  McpAuth,
  McpChange,
  McpClient,
  McpOptions,
  McpRequestOptions,
  McpServerInfo,
  McpVersion,
  McpWatchOptions,
} from "./mcp-types.js";

/**
 * Creates a client, which connects when used. Throws {@link CallError}. A tool's own error is a result with `isError`.
 *
 * @example
 * const shop = mcp("http://127.0.0.1:3001/mcp", { elicitation: { form: (question) => askPerson(question) } });
 * const { value } = await shop.call("price", { item: "tea" }, { onProgress: ({ progress }) => console.log(progress) });
 * const { resources } = await shop.request("resources/list", {}, { pages: true });
 */
export function mcp(url: string, options: McpOptions = {}): McpClient {
  assertOptions("mcp", options, OPTIONS);
  if (options.version !== undefined && !VERSIONS.includes(options.version)) {
    throw new PlanError(
      "api/unknown-version",
      `\`version\` is one of ${VERSIONS.join(", ")}, not ${String(options.version)}`,
    );
  }
  return new Client(url, options);
}

const OPTIONS: Kinds<McpOptions> = {
  name: "text",
  headers: "{}text",
  key: "text",
  fetch: "function",
  timeoutMs: "ms",
  maxTimeoutMs: "ms",
  auth: "function|.token.challenged",
  version: "any",
  elicitation: { form: "function", url: "function" },
  sampling: "function",
  roots: "function|[]map",
};
const CALL: Kinds<CallOptions> = { signal: "signal", call: "text", run: "text", onProgress: "function", trace: "map" };
const REQUEST: Kinds<McpRequestOptions> = { signal: "signal", pages: "flag", fresh: "flag", timeoutMs: "ms" };
const WATCH: Kinds<McpWatchOptions> = { signal: "signal", resources: "[]text" };

const MODERN = "2026-07-28";
const VERSIONS: readonly McpVersion[] = [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** Parts for anything but tools. */
const RARE = [REST];
const CLOSE_TIMEOUT_MS = 5000;
/** Calls wait no longer for a stream. */
const STREAM_TIMEOUT_MS = 1000;
const MAX_CACHED = 200;

/** Keyed by address, for later clients. Only the revision is shared: the rest may depend on the credentials in `to`. */
const knownServers = new Map<string, { to: string; info: McpServerInfo }>();

class Client implements McpClient {
  readonly name: string;
  readonly #url: string;
  readonly #options: McpOptions;
  /** Assigned by the constructor: bundlers keep classes with computed field names. */
  declare readonly [SECRETS]: () => string[];
  readonly #auth: McpAuth | undefined;
  /** Loads the module. */
  #session: wasm.McpSession | undefined;
  #waiting: (() => void)[] = [];
  #cache = new Map<string, { until: number; json: string }>();
  #changes = 0;
  #token: string | undefined;
  readonly #capabilities: Record<string, unknown>;
  readonly #listeners = new Set<(change: McpChange) => void>();
  readonly #deadlines = new Set<OperationDeadline>();
  #shared: Stream | undefined;
  #closing = new AbortController();

  constructor(url: string, options: McpOptions) {
    this.#url = url;
    this.#options = options;
    this.#auth = typeof options.auth === "function" ? options.auth(url, options) : options.auth;
    this.#capabilities = clientCapabilities(options);
    Object.assign(this, { [SECRETS]: () => secretTexts(this.#auth?.token() ?? options.key, options.headers) });
    this.name = options.name ?? hostOf(url);
  }

  get #canAnswer(): boolean {
    return Object.keys(this.#capabilities).length > 0;
  }

  about(): McpServerInfo {
    const info = this.#session ? (JSON.parse(this.#session.about()) as Partial<McpServerInfo>) : {};
    const earlier = info.version ? knownServers.get(displayUrl(this.#url)) : undefined;
    return {
      server: null,
      capabilities: null,
      instructions: null,
      ...(earlier?.to === this.#identity() && earlier.info),
      version: null,
      ...info,
    };
  }

  async list(signal?: AbortSignal): Promise<ToolInfo[]> {
    return (await this.#cached("tools/list", false, () =>
      this.#run((session) => session.list(), { signal }),
    )) as ToolInfo[];
  }

  async call(name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<ToolResult> {
    assertOptions("call", options, CALL);
    const { signal, onProgress, trace, call, run } = options;
    const text = JSON.stringify(args);
    // An idempotency key.
    const meta = JSON.stringify({ "stepgraph/run": run, "stepgraph/call": call });
    try {
      const { value } = await this.#run((session) => session.call(name, text, meta), { signal, onProgress, trace });
      return { value, isError: false };
    } catch (error) {
      if (!(error instanceof CallError && error.code === "tool/failed")) throw error;
      return { value: error.message, isError: true, message: error.message };
    }
  }

  async request(
    method: string,
    params: Record<string, unknown> = {},
    options: McpRequestOptions = {},
  ): Promise<unknown> {
    assertOptions("request", options, REQUEST);
    const { pages = false, fresh = false, signal, timeoutMs } = options;
    const text = JSON.stringify(params);
    const sendRequest = () =>
      this.#run((session) => session.request(method, text, pages), { signal, timeoutMs, parts: RARE });
    return this.#cached(`${method} ${pages} ${text}`, fresh, sendRequest);
  }

  async watch(listener: (change: McpChange) => void, options: McpWatchOptions = {}): Promise<void> {
    assertOptions("watch", options, WATCH);
    const { signal, resources } = options;
    const closing = this.#closing.signal;
    const either = signal ? AbortSignal.any([signal, closing]) : closing;
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const filter = JSON.stringify({ ...lists, ...(resources && { resourceSubscriptions: resources }) });
    try {
      await this.#operate((session) => session.open(), { signal: either });
      if (this.#isLegacy()) await this.#listen(listener, either);
      else
        await this.#operate((session) => session.watch(filter), {
          signal: either,
          onChange: listener,
          onBegin() {},
          parts: RARE,
        });
    } catch (error) {
      if (!either.aborted) throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#closing = new AbortController();
    this.#cache.clear();
    if (this.#session === undefined) return;
    await this.#operate((session) => session.close(), { timeoutMs: CLOSE_TIMEOUT_MS });
  }

  #isLegacy(): boolean {
    return (this.#session?.version() ?? MODERN) !== MODERN;
  }

  async #listen(listener: (change: McpChange) => void, signal: AbortSignal): Promise<void> {
    if (this.#shared?.over) this.#shared = undefined;
    this.#listeners.add(listener);
    try {
      await unlessAborted(this.#stream().ended, signal);
    } finally {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && !this.#canAnswer) {
        this.#shared?.stop.abort();
        this.#shared = undefined;
      }
    }
  }

  /** An older server has one stream per session. */
  #stream(): Stream {
    if (this.#shared !== undefined) return this.#shared;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closing.signal]);
    let hasStarted = false;
    let resolveStart = () => {};
    const started = new Promise<void>((resolve) => (resolveStart = resolve));
    const onBegin = () => {
      hasStarted = true;
      resolveStart();
    };
    const ended = this.#operate((session) => session.watch("{}"), { signal, onBegin, parts: RARE }).then(() => {});
    const shared: Stream = {
      stop,
      over: false,
      get hasStarted() {
        return hasStarted;
      },
      started: Promise.race([started, ended, pause(STREAM_TIMEOUT_MS, signal)]).catch(() => {}),
      ended,
    };
    // Otherwise calls would reopen a stream that the server lacks.
    const forget = () => {
      shared.over = true;
      if (this.#shared === shared && signal.aborted) this.#shared = undefined;
    };
    ended.then(forget, forget);
    return (this.#shared = shared);
  }

  /** Older servers may send requests outside calls. */
  async #ensureListening(signal?: AbortSignal): Promise<void> {
    if (!this.#canAnswer) return;
    await this.#operate((session) => session.open(), { signal });
    if (!this.#isLegacy()) return;
    // Idle connections end after a start.
    if (this.#shared?.over && this.#shared.hasStarted) this.#shared = undefined;
    await unlessAborted(this.#stream().started, signal);
  }

  async #cached(key: string, fresh: boolean, ask: () => Promise<OperationResult>): Promise<unknown> {
    this.#watchToken();
    const old = fresh ? undefined : this.#cache.get(key);
    if (old !== undefined && old.until > Date.now()) return JSON.parse(old.json);
    this.#cache.delete(key);
    const changes = this.#changes;
    const { value, ttl } = await ask();
    // A change meanwhile may make the result stale.
    if (ttl && changes === this.#changes) {
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
      this.#cache.set(key, { until: Date.now() + ttl, json: JSON.stringify(value) });
    }
    return value;
  }

  /** Cached results belong to one token. */
  #watchToken(): void {
    const token = this.#auth?.token();
    if (token !== this.#token) this.#cache.clear();
    this.#token = token;
  }

  #changed(change: McpChange): void {
    this.#changes++;
    const about = change.what === "resource" ? "resources/read" : `${change.what}/`;
    for (const key of this.#cache.keys()) if (key.startsWith(about)) this.#cache.delete(key);
  }

  async #run(start: StartOperation, settings: OperationSettings): Promise<OperationResult> {
    await this.#ensureListening(settings.signal);
    return this.#operate(start, settings);
  }

  async #operate(start: StartOperation, settings: OperationSettings): Promise<OperationResult> {
    settings.signal?.throwIfAborted();
    const parts = settings.parts ?? (this.#canAnswer ? RARE : undefined);
    const wire = await unlessAborted(loadWire(parts), settings.signal);
    settings.signal?.throwIfAborted();
    const session = (this.#session ??= this.#open(wire));
    let operation: wasm.McpOperation | undefined;
    try {
      operation = start(session);
      return await runOperation(operation, {
        ...settings,
        session,
        options: this.#options,
        auth: this.#auth,
        deadlines: this.#deadlines,
        onChange: (change) => {
          this.#changed(change);
          if (settings.onChange) settings.onChange(change);
          else for (const listener of this.#listeners) listener(change);
        },
        turn: () => new Promise((resolve) => this.#waiting.push(resolve)),
        wake: () => this.#wake(),
      });
    } catch (failure) {
      const error = engineError(failure);
      // The next operation opens another one.
      if (isUnusable(error) && this.#session === session) this.#session = undefined;
      throw error;
    } finally {
      // A waiting operation may have to finish its work.
      if (operation !== undefined) release(operation);
      this.#wake();
      this.#remember();
    }
  }

  #open(wire: Wire): wasm.McpSession {
    const { headers, key = null, version = null, timeoutMs } = this.#options;
    return new wire.McpSession(
      JSON.stringify({
        url: this.#url,
        name: this.name,
        key,
        headers: Object.entries(headers ?? {}),
        auth: this.#auth !== undefined,
        capabilities: this.#capabilities,
        version,
        known: knownServers.get(displayUrl(this.#url))?.info.version ?? null,
        pause: timeoutMs ?? null,
        page: isInPage(),
      }),
    );
  }

  #remember(): void {
    const place = displayUrl(this.#url);
    const version = this.#session?.version();
    const before = knownServers.get(place);
    const to = this.#identity();
    if (!version || this.#options.version !== undefined || (before?.info.version === version && before.to === to))
      return;
    if (knownServers.size >= MAX_CACHED) knownServers.clear();
    knownServers.set(place, { to, info: this.about() });
  }

  #identity(): string {
    const { headers, key } = this.#options;
    return JSON.stringify([this.#auth?.token() ?? key, headers, this.#url]);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

interface OperationSettings {
  /** Of the wire's module. */
  parts?: readonly number[];
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
  trace?: CallTrace | undefined;
  onChange?: (change: McpChange) => void;
  onBegin?: () => void;
}

type StartOperation = (session: wasm.McpSession) => wasm.McpOperation;

interface Stream {
  stop: AbortController;
  over: boolean;
  readonly hasStarted: boolean;
  /** Also settles if the stream cannot start. */
  started: Promise<void>;
  ended: Promise<void>;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "server";
}

function displayUrl(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
