/**
 * Approvals over HTTP.
 *
 * Invariant: data and decisions need the key, which only the person who started the server sees. MCP clients have no
 * access: a model must not approve its own calls.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RunStore, StoredApproval } from "../../integrations/store/node.js";
import { PlanError } from "../../package-internals.js";
import type { Decision } from "../../types.js";
import { revealHidden, revealHiddenLine } from "../../terminal/reveal-hidden.js";
import { inboxPage } from "./inbox-html.js";

export const INBOX = "/approvals";
const MAX_BODY_BYTES = 1024 * 1024;

export interface Inbox {
  readonly key: string;
  /** Host and origin were checked. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
}

export function openInbox(store: RunStore): Inbox {
  const key = randomBytes(24).toString("base64url");
  return { key, answer: (incoming, outgoing) => route(store, key, incoming, outgoing) };
}

async function route(store: RunStore, key: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const path = incoming.url!.split("?")[0]!;
  if (path === INBOX && incoming.method === "GET") return writePage(outgoing);
  if (!isKey(incoming.headers.authorization, key))
    return writeJson(outgoing, 401, { message: "The key is missing. Open the address that the server printed." });
  try {
    if (path === `${INBOX}/list` && incoming.method === "GET")
      return writeJson(outgoing, 200, { approvals: (await store.approvals()).map(withText) });
    if (path === `${INBOX}/decide` && incoming.method === "POST") return await decide(store, incoming, outgoing);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return writeJson(outgoing, error instanceof PlanError ? 409 : 500, { code, message });
  }
  return writeJson(outgoing, 404, { message: "not found" });
}

async function decide(store: RunStore, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // Other sites can't send this type without a preflight request.
  if (!/^application\/json\b/.test(incoming.headers["content-type"] ?? ""))
    return writeJson(outgoing, 415, { message: "the content type must be `application/json`" });
  const { run, call, askedMs, decision, by } = (await readJson(incoming)) as Record<string, unknown>;
  const isNamed = typeof run === "string" && typeof call === "string" && typeof askedMs === "number";
  if (!isNamed || (by !== undefined && typeof by !== "string"))
    return writeJson(outgoing, 400, { message: "a decision has `run`, `call`, `askedMs` and `decision`" });
  await store.decide(run, call, decision as Decision, by, askedMs);
  outgoing.writeHead(204).end();
}

/** Hidden characters are visible, as in the terminal. */
function withText(one: StoredApproval): object {
  const { tool, server, input } = one.approval;
  const calls = tool === undefined ? "" : ` · wants to call ${tool}${server === undefined ? "" : ` of ${server}`}`;
  return {
    ...one,
    title: revealHiddenLine(`${one.run} · ${one.call}`),
    calls: revealHiddenLine(calls),
    text: revealHidden(typeof input === "string" ? input : (JSON.stringify(input, null, 2) ?? "null")),
  };
}

async function readJson(incoming: IncomingMessage): Promise<object> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    // Reads on, so that the client receives the answer.
    if (length > 4 * MAX_BODY_BYTES) break;
    if (length <= MAX_BODY_BYTES) parts.push(part);
  }
  if (length > MAX_BODY_BYTES) throw new PlanError("api/bad-option", "the decision is too long");
  try {
    return Object(JSON.parse(Buffer.concat(parts).toString("utf8"))) as object;
  } catch {
    return {};
  }
}

function isKey(header: string | undefined, key: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${key}`));
}

const COMMON = { "x-content-type-options": "nosniff", "cache-control": "no-store", "referrer-policy": "no-referrer" };

function writePage(outgoing: ServerResponse): void {
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'`;
  outgoing
    .writeHead(200, { ...COMMON, "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
    .end(inboxPage(nonce));
}

function writeJson(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { ...COMMON, "content-type": "application/json" }).end(JSON.stringify(body));
}
