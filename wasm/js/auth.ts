/** Carries out the OAuth decisions of the WebAssembly module. */
import type * as wasm from "../pkg/stepgraph_wire.js";
import { unlessAborted } from "./abort.js";
import { isUnusable } from "./engine.js";
import { CallError, PlanError } from "./errors.js";
import { send } from "./http.js";
import type { HttpRequest, SendOptions } from "./http.js";
import { assertOptions, type Kinds } from "./options.js";
import type { McpAuth, McpAuthSource } from "./mcp-types.js";
import type { Fetch } from "./types.js";
import { AUTH, loadWire, REST } from "./wire.js";

/** A `CryptoKey`, or any object without its type library. */
export type SigningKey = typeof globalThis extends { CryptoKey: { prototype: infer K } } ? K : object;

/** How to get a token. */
export interface OAuthOptions {
  /**
   * Sends the user to `url` for consent and returns the full redirect address. In a page, {@link redirectUri} posts
   * `location.href` back. If absent, {@link clientSecret} or {@link privateKey} authenticates the client.
   */
  authorize?: (url: string, options: { signal: AbortSignal }) => string | Promise<string>;
  /** A function is called before the first request. */
  redirectUri?: string | (() => string | Promise<string>);
  /** If absent, the client describes or registers itself. */
  clientId?: string;
  clientSecret?: string;
  /** PKCS #8 in PEM, or a platform key, instead of the secret. */
  privateKey?: string | SigningKey;
  /** Signs with {@link privateKey}. Default: `ES256`. */
  algorithm?: SigningAlgorithm;
  /** Only this server receives credentials. Default: the first one used. */
  issuer?: string;
  /** Serves as client id at servers that read it. */
  clientMetadataUrl?: string;
  /** Default: `Stepgraph`. */
  clientName?: string;
  /** Added to the scopes that the server names. */
  scopes?: readonly string[];
  /** Returns a statement that the server trusts, such as a workload identity. */
  assertion?: (wanted: { audience: string; resource: string | null }) => string | Promise<string>;
  /** Exchanges identity tokens at an enterprise's provider. Needs {@link clientId}. */
  enterprise?: EnterpriseOptions;
  /** Keeps tokens and registrations, which are secrets. Default: in memory. */
  store?: OAuthStore;
}

/** Options of enterprise-managed authorization. */
export interface EnterpriseOptions {
  tokenEndpoint: string;
  clientId: string;
  clientSecret?: string;
  idToken: () => string | Promise<string>;
}

/** Stores one text per server address. */
export interface OAuthStore {
  load(server: string): string | null | undefined | Promise<string | null | undefined>;
  save(server: string, text: string): void | Promise<void>;
}

/** An algorithm of client assertions. */
export type SigningAlgorithm = keyof typeof ALGORITHMS;

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  EdDSA: { name: "Ed25519" },
} as const;

/**
 * Gets tokens by OAuth for any number of servers: `mcp(url, { auth: oauth({ ... }) })`.
 *
 * Fails with {@link CallError}: `mcp/auth-untrusted` (a response may be of another party), `mcp/auth-refused`,
 * `mcp/auth-unsupported` (something is missing), `tool/unauthorized` (the new token is refused, too). Throws {@link
 * PlanError} `api/missing-option` if `authorize` lacks `redirectUri`, `enterprise` lacks `clientId`, or options allow
 * no grant.
 */
export function oauth(options: OAuthOptions): McpAuthSource {
  assertOptions("oauth", options, OPTIONS);
  const { authorize, redirectUri, assertion, enterprise, clientId, clientSecret, privateKey } = options;
  if (authorize && !redirectUri)
    throw new PlanError("api/missing-option", "`authorize` needs `redirectUri`: the URL to which the browser returns");
  // This grant never requests the consent that registration needs.
  if (enterprise && !clientId)
    throw new PlanError(
      "api/missing-option",
      "`enterprise` needs `clientId`: the client as the server's authorization server knows it",
    );
  if (!(authorize || assertion || enterprise || (clientId && (clientSecret || privateKey)))) {
    throw new PlanError(
      "api/missing-option",
      "`oauth` needs a grant: `authorize`, `assertion`, `enterprise`, or a `clientId` with `clientSecret` or `privateKey`",
    );
  }
  return (server, how) => new OAuth(server, options, how);
}

const OPTIONS: Kinds<OAuthOptions> = {
  authorize: "function",
  redirectUri: "text|function",
  clientId: "text",
  clientSecret: "text",
  privateKey: "text|map",
  algorithm: "=ES256|=ES384|=RS256|=PS256|=EdDSA",
  issuer: "text",
  clientMetadataUrl: "text",
  clientName: "text",
  scopes: "[]text",
  assertion: "function",
  enterprise: { tokenEndpoint: "text", clientId: "text", clientSecret: "text", idToken: "function" },
  store: ".load.save",
};

type Step =
  | { type: "send"; request: HttpRequest }
  | { type: "visit"; url: string }
  | { type: "ask"; what: "id_token" | "assertion"; audience: string; resource: string | null }
  | { type: "sign"; text: string }
  | { type: "done"; value: boolean }
  | { type: "failed"; code: string; message: string };

interface TokenRequest {
  result: Promise<boolean>;
  callers: number;
  stop: AbortController;
}

class OAuth implements McpAuth {
  readonly #server: string;
  readonly #options: OAuthOptions;
  readonly #how: { fetch?: Fetch; timeoutMs?: number };
  #machine: wasm.McpAuthorization | undefined;
  #request: TokenRequest | undefined;

  constructor(server: string, options: OAuthOptions, how: { fetch?: Fetch; timeoutMs?: number }) {
    this.#server = URL.canParse(server) ? new URL(server).origin + new URL(server).pathname : server;
    this.#options = options;
    this.#how = how;
  }

  token(): string | undefined {
    return this.#machine?.token(Date.now());
  }

  /** Concurrent callers share one request, aborted with the last of them. */
  async challenged(
    status: number,
    wwwAuthenticate: string | null,
    signal?: AbortSignal,
    token?: string,
  ): Promise<boolean> {
    signal?.throwIfAborted();
    const request = (this.#request ??= this.#startRequest(status, wwwAuthenticate ?? "", token));
    request.callers++;
    try {
      return await unlessAborted(request.result, signal);
    } finally {
      if (--request.callers === 0) request.stop.abort(signal?.reason);
    }
  }

  #startRequest(status: number, header: string, token: string | undefined): TokenRequest {
    const stop = new AbortController();
    const request = { result: this.#run(status, header, token, stop.signal), callers: 0, stop };
    const end = () => {
      if (this.#request === request) this.#request = undefined;
    };
    stop.signal.addEventListener("abort", end, { once: true });
    request.result.then(end, end);
    return request;
  }

  async #run(status: number, header: string, token: string | undefined, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#options;
    const machine = (this.#machine ??= await this.#start());
    const inputs = await authInputs(token);
    // An aborted request must not interleave.
    signal.throwIfAborted();
    machine.begin(status, header, Date.now(), inputs);
    const kept = machine.kept();
    try {
      return await this.#drive(machine, signal);
    } catch (error) {
      if (isUnusable(error)) this.#machine = undefined;
      throw error;
    } finally {
      const text = this.#machine === machine ? machine.kept() : kept;
      if (text !== kept && !signal.aborted) await store?.save(this.#server, text);
    }
  }

  async #drive(machine: wasm.McpAuthorization, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const step = JSON.parse(machine.step()) as Step;
      if (step.type === "done") return step.value;
      if (step.type === "failed") throw new CallError(step.code, step.message);
      if (step.type === "send")
        await send(step.request, machineListener(machine, signal), {
          ...this.#how,
          signal,
          beforeRefusal: () => loadWire([REST]),
        } as SendOptions);
      else {
        const text = await unlessAborted(this.#provide(step, signal), signal);
        machine.provide(text);
      }
      signal.throwIfAborted();
    }
  }

  async #provide(step: Exclude<Step, { type: "send" | "done" | "failed" }>, signal: AbortSignal): Promise<string> {
    const { authorize, assertion, enterprise, privateKey = "", algorithm = "ES256" } = this.#options;
    try {
      if (step.type === "visit") return String(await authorize?.(step.url, { signal }));
      if (step.type === "sign") return await signText(step.text, privateKey, ALGORITHMS[algorithm]);
      const { audience, resource } = step;
      return String(await (step.what === "id_token" ? enterprise?.idToken() : assertion?.({ audience, resource })));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CallError) throw error;
      const what = { visit: "visiting the authorization server", sign: "signing", ask: "getting a statement" }[
        step.type
      ];
      throw new CallError(
        "mcp/auth-refused",
        `${what} failed: ${[error, (error as { cause?: unknown } | null)?.cause]
          .filter((one) => one !== undefined)
          .map(messageOf)
          .join(": ")}`,
        { cause: error },
      );
    }
  }

  async #start(): Promise<wasm.McpAuthorization> {
    const {
      authorize,
      assertion,
      enterprise,
      privateKey,
      algorithm = "ES256",
      store,
      redirectUri,
      ...options
    } = this.#options;
    const settings = JSON.stringify({
      server: this.#server,
      way: enterprise ? "enterprise" : assertion ? "assertion" : authorize ? "visit" : "client",
      redirect_uri: typeof redirectUri === "function" ? await redirectUri() : redirectUri,
      name: options.clientName ?? "Stepgraph",
      client_id: options.clientId,
      client_secret: options.clientSecret,
      algorithm: privateKey && algorithm,
      issuer: options.issuer,
      metadata_url: options.clientMetadataUrl,
      scopes: options.scopes,
      provider: enterprise && {
        url: enterprise.tokenEndpoint,
        client_id: enterprise.clientId,
        client_secret: enterprise.clientSecret,
      },
    });
    const { McpAuthorization } = await loadWire([AUTH]);
    return new McpAuthorization(settings, (await store?.load(this.#server)) ?? "");
  }
}

/** After an abort the machine may already run another request. */
function machineListener(machine: wasm.McpAuthorization, signal: AbortSignal) {
  const live = (act: () => void) => signal.aborted || act();
  return {
    head: (status: number, headers: string) => void live(() => machine.head(status, headers)),
    chunk: (bytes: Uint8Array) => signal.aborted || machine.chunk(bytes),
    end: () => void live(() => machine.end()),
    failed: (timeout: boolean, message: string) => void live(() => machine.failed(timeout, message)),
  };
}

/** Returns `[verifier, its hash, state, id, refused token]` as JSON. */
async function authInputs(token: string | undefined): Promise<string> {
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle)
    throw new CallError(
      "mcp/auth-unsupported",
      "this page can't sign in anywhere: browsers allow it to pages of `https:` and of this machine only",
    );
  const text = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
  const verifier = text();
  const hash = base64url(new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
  return JSON.stringify([verifier, hash, text(), text(), token]);
}

async function signText(
  text: string,
  key: string | CryptoKey,
  algorithm: (typeof ALGORITHMS)[SigningAlgorithm],
): Promise<string> {
  const imported =
    typeof key === "string" ? await crypto.subtle.importKey("pkcs8", pem(key), algorithm, false, ["sign"]) : key;
  return base64url(new Uint8Array(await crypto.subtle.sign(algorithm, imported, new TextEncoder().encode(text))));
}

function pem(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-----[^-]*-----|\s/g, "")), (char) => char.charCodeAt(0));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (char) => ({ "+": "-", "/": "_" })[char] ?? "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
