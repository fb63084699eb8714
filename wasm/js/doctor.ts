/**
 * Finds out why an MCP server is unreachable.
 *
 * Browsers hide why they block requests, so the doctor varies headers and preflights. Probes change nothing on the
 * server but a session that they end. Findings are deterministic, after at most twenty requests.
 */
import { finding, type FindingName, REASONS } from "./doctor-findings.js";
import { assertOptions, type Kinds } from "./options.js";
import type { Fetch } from "./types.js";
import { MAX_TIMER_MS } from "./http.js";
import {
  type ProbeResponse,
  briefText,
  type ProbeFailure,
  isFailure,
  stringList,
  readResponse,
  reasonOf,
  formatRequest,
  listNames,
} from "./doctor-responses.js";
import { isLocal, isLoopback, pageOf, displayUrl, secretsOf } from "./doctor-urls.js";

/** A result of {@link diagnose}. `evidence` lists requests and results, without keys. */
export interface Finding {
  code: FindingCode;
  message: string;
  help: string;
  evidence: string[];
}

/** Stable forever. docs/connection-diagnostics.md explains each. */
export type FindingCode =
  | "connect/ok"
  | "connect/bad-address"
  | "connect/down"
  | "connect/unknown-host"
  | "connect/timeout"
  | "connect/tls"
  | "connect/unreachable"
  | "connect/unreachable-page"
  | "connect/mixed-content"
  | "connect/local-network"
  | "connect/cors-origin"
  | "connect/cors-preflight"
  | "connect/cors-headers"
  | "connect/cors-expose"
  | "connect/unclear"
  | "connect/cors-methods"
  | "connect/origin-refused"
  | "connect/key-missing"
  | "connect/key-wrong"
  | "connect/sign-in"
  | "connect/path"
  | "connect/path-near"
  | "connect/redirect"
  | "connect/not-mcp"
  | "connect/server-error"
  | "connect/version"
  | "connect/session";

/** Settings as in `mcp(url, options)`. */
export interface DiagnoseOptions {
  key?: string;
  headers?: Record<string, string>;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** Error of the failed connection. */
  error?: unknown;
  /** Per request, in milliseconds. Default: 5000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Explains why the MCP server at `url` is unusable, and how to fix it.
 *
 * ```ts
 * const server = mcp(url);
 * const tools = await server.list().catch(async (error) => {
 * const { message, help } = await diagnose(url, { error });
 * throw new Error(`${message}; ${help}`, { cause: error });
 * });
 * ```
 */
export async function diagnose(url: string, options: DiagnoseOptions = {}): Promise<Finding> {
  assertOptions("diagnose", options, OPTIONS);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return finding("bad-address", { place: url.replace(/^[^?#]*@|[?#].*/g, "") }, []);
  return new Doctor(new URL(url), options).find();
}

const OPTIONS: Kinds<DiagnoseOptions> = {
  key: "text",
  headers: "{}text",
  fetch: "function",
  error: "any",
  timeoutMs: "ms",
  signal: "signal",
};

const MODERN = "2026-07-28";
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** Older protocol revisions do not need these headers. */
const MODERN_ONLY = ["mcp-method", "mcp-name"];
const NOT_OLDER = /\/(not-mcp|version|path|path-near|server-error)$/;
type Headers_ = Record<string, string>;

class Doctor {
  readonly #url: URL;
  readonly #options: DiagnoseOptions;
  readonly #own: Headers_;
  readonly #secrets: string[];
  readonly #evidence: string[] = [];
  readonly #page = pageOf();
  #isOnlyModernBlocked = false;

  constructor(url: URL, options: DiagnoseOptions) {
    this.#url = url;
    this.#options = options;
    this.#secrets = secretsOf(url, options);
    const own = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    this.#own = Object.fromEntries([
      ...own,
      ...(options.key === undefined ? [] : [["authorization", `Bearer ${options.key}`]]),
    ]) as Headers_;
  }

  async find(): Promise<Finding> {
    if (this.#page?.secure && this.#url.protocol === "http:" && !isLoopback(this.#url.hostname))
      return this.#finding("mixed-content");
    const response = await this.#discover();
    if (!isFailure(response)) return this.#checkModern(response);
    if (!this.#page || response.timeout) return this.#checkUnreachable(response);
    const blocked = await this.#checkBlocked();
    if (!this.#isOnlyModernBlocked) return blocked;
    const older = await this.#checkLegacy();
    return NOT_OLDER.test(older.code) ? { ...blocked, evidence: older.evidence } : older;
  }

  /** Falls back to revisions before 2026-07-28. */
  async #checkModern(response: ProbeResponse): Promise<Finding> {
    const refusal = this.#checkStatus(response);
    if (refusal) return refusal;
    const { result, error } = response.json;
    const versions = stringList(result?.supportedVersions ?? error?.data?.supported);
    if (error?.code === -32022 && !versions.some((version) => version === MODERN || LEGACY.includes(version)))
      return this.#finding("version", { reason: versions.join(", ") });
    const modern = versions.includes(MODERN) || error?.code === -32020 || error?.code === -32021;
    if (!modern) return this.#checkLegacy();
    if (!this.#page) return this.#reachable();
    // Calls send a header that no probe has needed yet.
    const called = await this.#discover({ "mcp-name": "doctor" });
    return isFailure(called) ? this.#checkBlocked() : this.#reachable();
  }

  async #checkLegacy(): Promise<Finding> {
    const params = {
      protocolVersion: LEGACY[0],
      capabilities: {},
      clientInfo: { name: "stepgraph-doctor", version: "1" },
    };
    const response = await this.#post("initialize", {}, params);
    if (isFailure(response))
      return this.#page && !response.timeout ? this.#checkBlocked() : this.#checkUnreachable(response);
    const refusal = this.#checkStatus(response);
    if (refusal) return refusal;
    const version = response.json.result?.protocolVersion;
    if (typeof version !== "string") return this.#checkOther(response);
    if (!LEGACY.includes(version)) return this.#finding("version", { reason: version });
    return this.#checkSession(version, response.headers.get("mcp-session-id"));
  }

  async #checkSession(version: string, id: string | null): Promise<Finding> {
    const headers = {
      ...(version >= "2025-06-18" && { "mcp-protocol-version": version }),
      ...(id !== null && { "mcp-session-id": id }),
    };
    const response = await this.#post("tools/list", headers);
    const ended =
      id === null
        ? undefined
        : await this.#probe("DELETE", "at the end of the session", {
            method: "DELETE",
            headers: { ...this.#own, ...headers },
          });
    if (isFailure(response))
      return this.#page && !response.timeout ? this.#checkBlocked() : this.#checkUnreachable(response);
    const refusal = this.#checkStatus(response);
    if (refusal) return refusal;
    const { status, text } = response;
    const forgotten = status === 404 || (status === 400 && /session|not initialized/i.test(text));
    if (forgotten) return this.#finding(id === null && this.#page ? "cors-expose" : "session");
    if (status >= 500) return this.#finding("server-error", { status: String(status), reason: briefText(text) });
    if (this.#page && ended && isFailure(ended) && !ended.timeout) return this.#finding("cors-methods");
    return this.#reachable();
  }

  /** The caller's error may name a past problem. */
  #reachable(): Finding {
    const { code } = (this.#options.error ?? {}) as { code?: unknown };
    return this.#finding(code === "mcp/session-lost" ? "session" : "ok");
  }

  #checkStatus(response: ProbeResponse): Finding | undefined {
    const { status, headers, text } = response;
    const known = { status: String(status || 302), reason: briefText(text) };
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
      const to = headers.get("location");
      return this.#finding("redirect", {
        ...known,
        reason: to === null ? "" : `: \`${displayUrl(new URL(to, this.#url))}\``,
      });
    }
    if (status === 421 || (status === 403 && /\b(origin|host)\b/i.test(text)))
      return this.#finding("origin-refused", known);
    if (status !== 401 && status !== 403) return undefined;
    if (this.#own.authorization === undefined && /resource_metadata/.test(headers.get("www-authenticate") ?? ""))
      return this.#finding("sign-in", known);
    return this.#finding(Object.keys(this.#own).length > 0 ? "key-wrong" : "key-missing", known);
  }

  async #checkOther(response: ProbeResponse): Promise<Finding> {
    const { status, text, json } = response;
    const known = { status: String(status), reason: briefText(text) };
    if (json.error?.code === -32022)
      return this.#finding("version", { reason: stringList(json.error.data?.supported).join(", ") });
    if (status >= 500) return this.#finding("server-error", known);
    if (![404, 405, 410, 501].includes(status))
      return this.#finding("not-mcp", {
        reason: json.error?.message ?? (briefText(text) || `status ${status} and nothing else`),
      });
    const near = new URL("/mcp", this.#url);
    if (near.pathname === this.#url.pathname) return this.#finding("path", known);
    const other = await this.#post("server/discover", {}, undefined, near);
    const speaks =
      !isFailure(other) &&
      (other.json.result !== undefined || other.json.error !== undefined || [400, 401, 406].includes(other.status));
    return speaks
      ? this.#finding("path-near", { ...known, near: displayUrl(near, true) })
      : this.#finding("path", known);
  }

  async #checkBlocked(): Promise<Finding> {
    const simple = {
      method: "POST",
      body: formatRequest("server/discover", {}),
      headers: { "content-type": "text/plain" },
    };
    const response = await this.#probe("POST", "without reading the answer", { ...simple, mode: "no-cors" });
    if (isFailure(response)) return this.#checkUnreachable(response);
    const plain = await this.#probe("POST", "without any header of its own", simple);
    if (isFailure(plain)) return plain.timeout ? this.#checkUnreachable(plain) : this.#finding("cors-origin");
    const needed = [
      "content-type",
      "mcp-protocol-version",
      ...MODERN_ONLY,
      "mcp-session-id",
      ...Object.keys(this.#own),
    ].slice(0, 12);
    const missing: string[] = [];
    for (const name of needed) {
      const headers = {
        "content-type": "text/plain",
        [name]: name === "content-type" ? "application/json" : (this.#own[name] ?? "2025-11-25"),
      };
      const response = await this.#probe("POST", `with the header \`${name}\``, { ...simple, headers });
      if (isFailure(response)) missing.push(name);
    }
    const all = needed.join(", ");
    if (missing.length === needed.length) return this.#finding("cors-preflight", { all });
    this.#isOnlyModernBlocked = missing.length > 0 && missing.every((name) => MODERN_ONLY.includes(name));
    if (missing.length === 0) return this.#finding("unclear");
    return this.#finding("cors-headers", { all, missing: listNames(missing) });
  }

  async #checkUnreachable({ timeout, reason }: ProbeFailure): Promise<Finding> {
    if (this.#page && (await this.#isKeptLocal())) return this.#finding("local-network");
    if (timeout) return this.#finding("timeout");
    if (this.#page) return this.#finding(this.#url.protocol === "https:" ? "unreachable-page" : "down");
    const [name] = REASONS.find(([, words]) => words.test(reason)) ?? ["unreachable"];
    return this.#finding(name as "unreachable", { reason });
  }

  /** Local network access of this page. */
  async #isKeptLocal(): Promise<boolean> {
    if (!isLocal(this.#url.hostname)) return false;
    const states: string[] = [];
    for (const name of ["loopback-network", "local-network", "local-network-access"]) {
      // Browsers without this permission restrict nothing.
      const state = await navigator.permissions?.query({ name } as unknown as PermissionDescriptor).then(
        (status) => status.state,
        () => undefined,
      );
      if (state) states.push(state);
    }
    if (states.length > 0)
      this.#evidence.push(`the browser's permission to access the local network: ${states.join(", ")}`);
    const guarded =
      states.includes("denied") || states.includes("prompt") || (states.length > 0 && !this.#page?.trusted);
    return guarded && (!isLocal(this.#page?.host ?? "") || states.includes("denied"));
  }

  #discover(more: Headers_ = {}): Promise<ProbeResponse | ProbeFailure> {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    return this.#post(
      "server/discover",
      { "mcp-protocol-version": MODERN, "mcp-method": "server/discover", ...more },
      { _meta: meta },
    );
  }

  #post(
    method: string,
    headers: Headers_,
    params: unknown = {},
    url = this.#url,
  ): Promise<ProbeResponse | ProbeFailure> {
    const fixed = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const what = [
      method,
      ...(url === this.#url ? [] : [`at ${displayUrl(url)}`]),
      ...("mcp-name" in headers ? ["with the header `mcp-name`"] : []),
    ].join(" ");
    return this.#probe(
      "POST",
      what,
      { method: "POST", headers: { ...this.#own, ...fixed, ...headers }, body: formatRequest(method, params) },
      url,
    );
  }

  async #probe(
    method: string,
    what: string,
    init: RequestInit,
    url = this.#url,
  ): Promise<ProbeResponse | ProbeFailure> {
    const { signal: outer, timeoutMs = 5000 } = this.#options;
    outer?.throwIfAborted();
    const stop = new AbortController();
    const follow = () => stop.abort(outer?.reason);
    outer?.addEventListener("abort", follow, { once: true });
    let timeout = false;
    const timer = setTimeout(() => ((timeout = true), stop.abort()), Math.min(timeoutMs, MAX_TIMER_MS));
    const note = (outcome: string) => void this.#evidence.push(`${method} ${what}: ${outcome}`);
    try {
      // `no-cors` can't stop redirects. Other runtimes reject browser-only options.
      const redirect = init.mode === "no-cors" ? "follow" : "manual";
      const common: RequestInit = {
        redirect,
        signal: stop.signal,
        ...(this.#page && { credentials: "omit", cache: "no-store" }),
      };
      const ask = this.#options.fetch ?? ((address: string, how: RequestInit) => globalThis.fetch(address, how));
      const response = await ask(url.href, { ...common, ...init });
      const answer = await readResponse(response, (text) => this.#safe(text));
      note(
        answer.type === "opaque"
          ? "answered"
          : answer.type === "opaqueredirect"
            ? "redirected"
            : `status ${answer.status}`,
      );
      return answer;
    } catch (error) {
      outer?.throwIfAborted();
      const reason = timeout ? `no answer in ${timeoutMs} ms` : reasonOf(error, (text) => this.#safe(text));
      note(this.#page && !timeout ? "blocked or not answered" : reason);
      return { timeout, reason };
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
    }
  }

  #safe(text: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), text);
  }

  #finding(name: FindingName, known: Record<string, string> = {}): Finding {
    const safe = (text: string) => this.#safe(text);
    const { message, help, ...rest } = finding(
      name,
      { place: displayUrl(this.#url), origin: this.#page?.origin ?? "the page's origin", ...known },
      this.#evidence,
    );
    return { ...rest, message: safe(message), help: safe(help), evidence: rest.evidence.map(safe) };
  }
}
