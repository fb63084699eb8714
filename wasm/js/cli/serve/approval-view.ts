/**
 * How a client shows an approval.
 *
 * Invariant: an approval that does not fit can't be approved in the client.
 */
import { createHash } from "node:crypto";
import type { Approval } from "../../types.js";
import { revealHidden, revealHiddenLine } from "../../terminal/reveal-hidden.js";
import { jsonPrefix } from "./json-size.js";
import { jsonLength } from "./render.js";

/** Users do not read what they must scroll. */
const MAX_SHOWN = 8_000;
/** Used for longer messages. */
const MAX_EXCERPT = 2_000;
/** Larger inputs get no digest. */
const MAX_DIGESTED = 16 * 1024 * 1024;

export interface ApprovalView {
  call: string;
  message: string;
  /** The message shows everything. */
  whole: boolean;
}

/** Marks text from the plan and its tools, because it is untrusted. */
export function approvalView(plan: string | null, { node, scope, call, tool, input }: Approval): ApprovalView {
  const place = revealHiddenLine(scope === "" ? node : `${scope}/${node}`);
  const who = plan === null ? "The plan" : `The plan \`${revealHiddenLine(plan)}\``;
  const lead =
    tool === undefined
      ? `${who} asks for approval at \`${place}\`. To approve:`
      : `${who} requests the tool \`${revealHiddenLine(tool)}\` at \`${place}\`, which may be destructive. Its arguments:`;
  const length = jsonLength(input);
  const begins = length <= MAX_SHOWN ? JSON.stringify(input ?? null) : jsonPrefix(input, MAX_SHOWN + 1);
  const message = `${lead}\n${revealHidden(begins)}`;
  if (length <= MAX_SHOWN && message.length <= MAX_SHOWN) return { call, message, whole: true };
  const rest = length <= MAX_DIGESTED ? digestOf(JSON.stringify(input ?? null)) : `About ${length} characters in all.`;
  return {
    call,
    message: `${message.slice(0, MAX_EXCERPT).replace(/[\uD800-\uDBFF]$/, "")}…\n\n${rest} It is too long to show completely.`,
    whole: false,
  };
}

function digestOf(text: string): string {
  return `${text.length} characters in all, SHA-256 ${createHash("sha256").update(text).digest("hex")}.`;
}
