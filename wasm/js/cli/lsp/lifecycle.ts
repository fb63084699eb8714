/**
 * The protocol library breaks off on invalid parameters, so this guard answers with errors before it. `initialize`
 * comes first, and only `exit` after `shutdown`.
 */
import { ErrorCodes, type Message } from "vscode-languageserver/node";

/** Replaces a rejected request's method. */
export const REJECTED_REQUEST = "stepgraph/refused";

interface IncomingMessage {
  id?: unknown;
  method?: unknown;
  params?: unknown;
}
interface ErrorResponse {
  code: number;
  message: string;
}

/** Answers invalid requests with errors, drops invalid notifications. */
export class LifecycleGuard {
  #state: "new" | "running" | "over" = "new";

  readonly handleMessage = (
    message: Message,
    next: (message: Message) => void | Promise<void>,
  ): void | Promise<void> => {
    const request = message as IncomingMessage;
    if (typeof request.method !== "string") return next(message);
    const error =
      this.#errorFor(request.method, request.id !== undefined) ?? invalidParameters(request.method, request.params);
    if (error === null) {
      if (request.method === "initialize") this.#state = "running";
      if (request.method === "shutdown") this.#state = "over";
      return next(message);
    }
    return request.id === undefined
      ? undefined
      : next({ ...message, method: REJECTED_REQUEST, params: error } as Message);
  };

  #errorFor(method: string, answered: boolean): ErrorResponse | null {
    if (method === "exit" || (method.startsWith("$/") && !answered)) return null;
    if (this.#state === "new" && method !== "initialize")
      return { code: ErrorCodes.ServerNotInitialized, message: "the first request must be `initialize`" };
    if (this.#state === "running" && method === "initialize")
      return { code: ErrorCodes.InvalidRequest, message: "`initialize` was already sent" };
    if (this.#state === "over")
      return { code: ErrorCodes.InvalidRequest, message: "after `shutdown` there is only `exit`" };
    return null;
  }
}

function invalidParameters(method: string, params: unknown): ErrorResponse | null {
  const wrong = (what: string): ErrorResponse => ({
    code: ErrorCodes.InvalidParams,
    message: `\`${method}\` needs ${what}`,
  });
  if (method === "initialize") return isMap(params) ? null : wrong("parameters");
  if (!method.startsWith("textDocument/")) return null;
  const { textDocument, position, range, contentChanges, newName } = (params ?? {}) as Record<string, unknown>;
  if (!isMap(textDocument) || typeof textDocument.uri !== "string") return wrong("`textDocument.uri`");
  const about = method.slice("textDocument/".length);
  if (about === "didOpen" && typeof textDocument.text !== "string") return wrong("`textDocument.text`");
  if (about === "didChange" && !(Array.isArray(contentChanges) && contentChanges.every(isChange)))
    return wrong("`contentChanges`");
  if (POSITION_REQUESTS.has(about) && !isPosition(position)) return wrong("a `position`");
  if (RANGE_REQUESTS.has(about) && !isRange(range)) return wrong("a `range`");
  if (about === "rename" && typeof newName !== "string") return wrong("`newName`");
  return null;
}

const POSITION_REQUESTS = new Set([
  "completion",
  "hover",
  "definition",
  "references",
  "documentHighlight",
  "prepareRename",
  "rename",
]);
const RANGE_REQUESTS = new Set(["codeAction", "semanticTokens/range"]);

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPosition(value: unknown): boolean {
  const isCount = (number: unknown) => Number.isInteger(number) && (number as number) >= 0;
  return isMap(value) && isCount(value.line) && isCount(value.character);
}

function isRange(value: unknown): boolean {
  return isMap(value) && isPosition(value.start) && isPosition(value.end);
}

function isChange(value: unknown): boolean {
  return isMap(value) && typeof value.text === "string" && (value.range === undefined || isRange(value.range));
}
