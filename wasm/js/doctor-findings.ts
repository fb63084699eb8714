/** Messages and help of connection findings. `{name}` is a placeholder. */
import type { Finding, FindingCode } from "./doctor.js";

export type FindingName = FindingCode extends `connect/${infer Name}` ? Name : never;

export const FINDINGS: Readonly<Record<FindingName, readonly [message: string, help: string]>> = {
  ok: ["`{place}` answers as it should", "try again; if it still fails, the fault is not in the connection"],
  "bad-address": ["`{place}` is no address that can be asked", "write it like `https://host/mcp`"],
  down: ["no server answers at `{place}`", "start the server there, or correct host and port"],
  "unknown-host": [
    "there is no host of the name in `{place}`",
    "correct the name, or ask from a network that knows it",
  ],
  timeout: [
    "`{place}` accepts the request but does not answer",
    "look at the server's log; if it is only slow, allow it more time with `timeoutMs`",
  ],
  tls: [
    "the encrypted connection to `{place}` fails: {reason}",
    "use a certificate that this host trusts, or write `http:` if it has none",
  ],
  unreachable: ["`{place}` can't be reached: {reason}", "check host, port and network"],
  "unreachable-page": [
    "`{place}` can't be reached: no server listens there, or its certificate is not trusted",
    "open the address in a new tab: the browser shows the reason",
  ],
  "mixed-content": [
    "a page of `https:` may not talk to `{place}`, which is not encrypted",
    "serve the server over `https:`",
  ],
  "local-network": [
    "the browser keeps this page from the local network, where `{place}` is",
    "allow the page to access the local network in the browser's settings for this site, or open a copy of the page from this machine",
  ],
  "cors-origin": [
    "`{place}` answers, but lets no page of `{origin}` read its answers",
    "have the server send `access-control-allow-origin: {origin}` with every answer, also with refusals: without it a missing key looks the same",
  ],
  "cors-preflight": [
    "`{place}` does not answer the question that browsers ask before a request (`OPTIONS`)",
    "have the server answer `OPTIONS` with status 204 and `access-control-allow-origin: {origin}`, " +
      "`access-control-allow-methods: POST, GET, DELETE`, `access-control-allow-headers: {all}`",
  ],
  "cors-headers": [
    "`{place}` does not let pages send {missing}",
    "have the server answer `OPTIONS` with `access-control-allow-headers: {all}`",
  ],
  "cors-expose": [
    "`{place}` does not let pages read the header `mcp-session-id`, without which it knows no session",
    "have the server send `access-control-expose-headers: mcp-session-id` with every answer",
  ],
  unclear: [
    "the browser lets every part of a request to `{place}` through, but not the whole",
    "look for its reason in the browser's console",
  ],
  "cors-methods": [
    "`{place}` works, but does not let pages end their session (`DELETE`)",
    "have the server answer `OPTIONS` with `access-control-allow-methods: POST, GET, DELETE`",
  ],
  "origin-refused": [
    "`{place}` refuses this client: {reason}",
    "add `{origin}` to the origins, and the server's own name to the hosts, that the server allows",
  ],
  "key-missing": ["`{place}` requires a key (status {status})", "pass the server's key as `key`"],
  "key-wrong": [
    "`{place}` refuses the key (status {status})",
    "check that the key is the server's, still valid, and allowed to do this",
  ],
  "sign-in": [
    "`{place}` requires a token (status {status}), and names its authorization server",
    "get one with `auth: oauth({ ... })`",
  ],
  path: [
    "`{place}` has no server of tools at this path (status {status})",
    "correct the path; most servers are at `/mcp`",
  ],
  "path-near": [
    "`{place}` has no server of tools at this path (status {status}), but `{near}` answers like one",
    "use `{near}`",
  ],
  redirect: [
    "`{place}` redirects (status {status}){reason}",
    "use the address that it sends to: keys are not sent on to another one",
  ],
  "not-mcp": [
    "`{place}` answers, but not as a server of tools: {reason}",
    "check the address: this may be a web page or another API",
  ],
  "server-error": ["`{place}` fails (status {status}): {reason}", "look at the server's log"],
  version: [
    "`{place}` supports no revision of the protocol that this client supports: {reason}",
    "update the server, or this package",
  ],
  session: [
    "`{place}` opens a session and forgets it at once",
    "if several instances share the address, send each session to the one that opened it, or run the server without sessions",
  ],
};

export function finding(name: FindingName, known: Record<string, string>, evidence: readonly string[]): Finding {
  const [message, help] = FINDINGS[name].map((text) =>
    text.replace(/\{(\w+)\}/g, (_, key: string) => known[key] ?? ""),
  ) as [string, string];
  return { code: `connect/${name}`, message, help, evidence: [...evidence] };
}

/** Error texts of other runtimes: browsers hide the reason. */
export const REASONS: [FindingName, RegExp][] = [
  ["unknown-host", /ENOTFOUND|EAI_AGAIN|dns|resolve|no such host/i],
  ["tls", /cert|self.signed|\btls\b|\bssl\b|EPROTO|wrong version number/i],
  ["timeout", /ETIMEDOUT|timed? ?out/i],
  ["down", /ECONNREFUSED|refused/i],
];
