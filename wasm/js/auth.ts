/**
 * OAuth for servers of tools. What is asked of whom, and what is believed, is decided in WebAssembly; here is what
 * waits: for the network, for a person, and for the platform's keys and randomness.
 */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";
import { CallError, PlanError } from "./errors.js";
import { send } from "./http.js";
import type { HttpRequest, SendOptions } from "./http.js";
import { assertOptions, type Kinds } from "./options.js";
import type { McpAuth, McpAuthSource } from "./mcp-types.js";
import type { Fetch } from "./types.js";

/** A `CryptoKey`; where the types at hand know of none, as Node's alone do, any object will do. */
export type SigningKey = typeof globalThis extends { CryptoKey: { prototype: infer K } } ? K : object;

/** How a token is got. */
export interface OAuthOptions {
  /**
   * Takes a person to `url`, where they agree, and gives the address that the browser came back to, with all that
   * stands in it. In a page: open a window on `url` and have the page at {@link redirectUri} post its `location.href`
   * back. Without this the client speaks for itself, with {@link clientSecret} or {@link privateKey}.
   */
  authorize?: (url: string, options: { signal: AbortSignal }) => string | Promise<string>;
  /** Where the browser comes back to; a function is asked when the first token is wanted. */
  redirectUri?: string | (() => string | Promise<string>);
  /** A client that the authorization server knows. Without one, the client describes or registers itself. */
  clientId?: string;
  clientSecret?: string;
  /** Signs for the client instead of a secret: PKCS #8 in PEM, or a key of the platform. */
  privateKey?: string | SigningKey;
  /** How {@link privateKey} signs; `ES256` unless given. */
  algorithm?: SigningAlgorithm;
  /** The one authorization server that the credentials are for; the first that they are used at unless given. */
  issuer?: string;
  /**
   * An address of your own where the client describes itself: its id where authorization servers read such
   * descriptions.
   */
  clientMetadataUrl?: string;
  /** What the client is called where it registers itself; `Stepgraph` unless given. */
  clientName?: string;
  /** What to ask for in any case. The server says by itself what it needs. */
  scopes?: readonly string[];
  /** Gives a signed statement that the authorization server trusts, such as the identity of a workload. */
  assertion?: (wanted: { audience: string; resource: string | null }) => string | Promise<string>;
  /**
   * Where an enterprise exchanges a person's identity token for access to servers: no further consent is asked for.
   * Needs {@link clientId}.
   */
  enterprise?: EnterpriseOptions;
  /** Keeps tokens and registrations for the next time. They are secrets. Without it they last as long as the client. */
  store?: OAuthStore;
}

/** An enterprise's identity provider. */
export interface EnterpriseOptions {
  /** The identity provider's token endpoint. */
  tokenEndpoint: string;
  /** The client as the identity provider knows it. */
  clientId: string;
  clientSecret?: string;
  /** The person's identity token. */
  idToken: () => string | Promise<string>;
}

/** Keeps text by the address of a server. */
export interface OAuthStore {
  load(server: string): string | null | undefined | Promise<string | null | undefined>;
  save(server: string, text: string): void | Promise<void>;
}

/** How a private key signs. */
export type SigningAlgorithm = keyof typeof ALGORITHMS;

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  EdDSA: { name: "Ed25519" },
} as const;

/**
 * Gets tokens by OAuth, for `mcp(url, { auth: oauth({ ... }) })`: finds the authorization server, registers if need be,
 * asks, renews. One `oauth` may serve any number of servers; each has a token of its own.
 *
 * Fails with {@link CallError}: `mcp/auth-untrusted` when an answer may be somebody else's, `mcp/auth-refused` when no
 * access is given, `mcp/auth-unsupported` when something is missing, `tool/unauthorized` when the server refuses the
 * token all the same. Throws {@link PlanError} `api/missing-option` at once for options that lead to no token:
 * `authorize` without `redirectUri`, `enterprise` without `clientId`, or no way at all.
 */
export function oauth(options: OAuthOptions): McpAuthSource {
  assertOptions("oauth", options, OPTIONS);
  const { authorize, redirectUri, assertion, enterprise, clientId, clientSecret, privateKey } = options;
  if (authorize && !redirectUri)
    throw new PlanError("api/missing-option", "`authorize` needs `redirectUri`: where the browser comes back to");
  // Who registers on the way does so for a person's consent, which nobody is asked for here.
  if (enterprise && !clientId)
    throw new PlanError(
      "api/missing-option",
      "`enterprise` needs `clientId`: the client as the server's authorization server knows it",
    );
  if (!(authorize || assertion || enterprise || (clientId && (clientSecret || privateKey)))) {
    throw new PlanError(
      "api/missing-option",
      "`oauth` needs a way to a token: `authorize`, `assertion`, `enterprise`, or a `clientId` with `clientSecret` or `privateKey`",
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

/** One way to a token, and how many wait at its end. */
interface TokenRequest {
  result: Promise<boolean>;
  callers: number;
  stop: AbortController;
}

class OAuth implements McpAuth {
  readonly #server: string;
  readonly #options: OAuthOptions;
  readonly #how: { fetch?: Fetch; timeoutMs?: number };
  /** Made when what was kept is there. */
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

  /** Who comes while a token is on its way waits for the same. It is given up when nobody waits any more. */
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
    const round = { result: this.#run(status, header, token, stop.signal), callers: 0, stop };
    const end = () => {
      if (this.#request === round) this.#request = undefined;
    };
    stop.signal.addEventListener("abort", end, { once: true });
    round.result.then(end, end);
    return round;
  }

  async #run(status: number, header: string, token: string | undefined, signal: AbortSignal): Promise<boolean> {
    assertStarted();
    const { store } = this.#options;
    const machine = (this.#machine ??= await this.#start());
    const chance = await authInputs(token);
    // Nothing is awaited between here and the first step: a round that was given up can't get in between.
    signal.throwIfAborted();
    machine.begin(status, header, Date.now(), chance);
    const kept = machine.kept();
    try {
      return await this.#drive(machine, signal);
    } finally {
      const text = machine.kept();
      if (text !== kept && !signal.aborted) await store?.save(this.#server, text);
    }
  }

  async #drive(machine: wasm.McpAuthorization, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const step = JSON.parse(machine.step()) as Step;
      if (step.type === "done") return step.value;
      if (step.type === "failed") throw new CallError(step.code, step.message);
      if (step.type === "send")
        await send(step.request, machineListener(machine, signal), { ...this.#how, signal } as SendOptions);
      else {
        const text = await unlessAborted(this.#provide(step, signal), signal);
        machine.told(text);
      }
      signal.throwIfAborted();
    }
  }

  /** What only the user of the package can say. */
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
        `${what} failed: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }

  /** The machine, with what was kept for it. */
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
    return new wasm.McpAuthorization(settings, (await store?.load(this.#server)) ?? "");
  }
}

/** Hands an answer to the machine, unless nobody wants it any more: the machine may be on its next round by then. */
function machineListener(machine: wasm.McpAuthorization, signal: AbortSignal) {
  const live = (act: () => void) => signal.aborted || act();
  return {
    head: (status: number, headers: string) => void live(() => machine.head(status, headers)),
    chunk: (bytes: Uint8Array) => signal.aborted || machine.chunk(bytes),
    end: () => void live(() => machine.end()),
    failed: (timeout: boolean, message: string) => void live(() => machine.failed(timeout, message)),
  };
}

/** The result, or the reason of the signal if that comes first. */
function unlessAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Texts that nobody can guess, and the token that was refused: `[verifier, its hash, state, id, token]`. */
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
