/** Runs handlers in the server, because the module has the user's rights. Workers know only names. */
import { CallError } from "../../package-internals.js";
import type { Node, State } from "../../types.js";
import type { HostModule } from "../handlers.js";
import { thrownLines } from "../thrown-lines.js";
import { type HostRequest, toFailure } from "./worker-messages.js";

export interface HandlerAnswer {
  output: unknown;
  writes: Record<string, unknown>;
}

interface HandlerArguments extends Pick<State, "last" | "input" | "context"> {
  node: Node;
}

export async function callHandler(
  { handlers = {} }: HostModule,
  { type, args }: Extract<HostRequest, { kind: "handler" }>,
  signal: AbortSignal,
): Promise<HandlerAnswer> {
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  if (handler === undefined) throw new CallError("handler/failed", `the server has no handler \`${type}\``);
  const { node, last, input, context } = JSON.parse(args) as HandlerArguments;
  const writes: Record<string, unknown> = {};
  const state: State = {
    last,
    input,
    context,
    signal,
    write: (key, value) => void (writes[key] = value),
    output: (wanted) => {
      throw new CallError(
        "handler/failed",
        `a handler of \`serve\` does not see the output \`${wanted}\`: give it as its node's input`,
      );
    },
  };
  // The module's handlers check their values.
  const output = (await handler(node, state)) ?? null;
  return { output, writes };
}

/** For the operator. Empty unless a frame is the user's. */
export function describeThrown(request: HostRequest, error: unknown): string[] {
  const lines = thrownLines(error);
  if (lines.length === 0) return [];
  const { code, message } = toFailure(error);
  return [`${describeRequest(request)} failed: ${code === null ? "" : `${code}: `}${message}`, ...lines];
}

function describeRequest(request: HostRequest): string {
  if (request.kind === "tool") return `the tool \`${request.name}\``;
  if (request.kind !== "handler") return `the ${request.kind}`;
  const { node } = JSON.parse(request.args) as HandlerArguments;
  return `the handler \`${request.type}\` of node \`${node.id}\``;
}
