/**
 * What a person is shown of an approval that their client asks them for.
 *
 * Decides how much a client can be trusted to show. Invariant: what does not fit is no longer for that person to
 * approve there, however they answer.
 */
import { createHash } from "node:crypto";
import type { Approval } from "../../types.js";
import { revealHidden, revealHiddenLine } from "../reveal-hidden.js";
import { jsonPrefix } from "./json-size.js";
import { jsonLength } from "./render.js";

/** How many characters of a question are shown: a person who has to scroll has not read. */
const MAX_SHOWN = 8_000;
/** How many of one that is longer. */
const MAX_EXCERPT = 2_000;
/** The longest input whose digest is made. */
const MAX_DIGESTED = 16 * 1024 * 1024;

/** An approval as it is put to a person. */
export interface ApprovalView {
  call: string;
  message: string;
  /** Whether all of it is shown. */
  whole: boolean;
}

/** An approval as a text. What comes from the plan or its tools is told as such. */
export function approvalView(plan: string | null, { node, scope, call, tool, input }: Approval): ApprovalView {
  const place = revealHiddenLine(scope === "" ? node : `${scope}/${node}`);
  const who = plan === null ? "The plan" : `The plan \`${revealHiddenLine(plan)}\``;
  const lead =
    tool === undefined
      ? `${who} asks for approval at \`${place}\`. What is to be approved:`
      : `${who} wants to call the tool \`${revealHiddenLine(tool)}\` at \`${place}\`, which may destroy something. What it would be given:`;
  const length = jsonLength(input);
  const begins = length <= MAX_SHOWN ? JSON.stringify(input ?? null) : jsonPrefix(input, MAX_SHOWN + 1);
  const message = `${lead}\n${revealHidden(begins)}`;
  if (length <= MAX_SHOWN && message.length <= MAX_SHOWN) return { call, message, whole: true };
  const rest = length <= MAX_DIGESTED ? digestOf(JSON.stringify(input ?? null)) : `About ${length} characters in all.`;
  return {
    call,
    message: `${message.slice(0, MAX_EXCERPT).replace(/[\uD800-\uDBFF]$/, "")}…\n\n${rest} Not all of it can be shown here.`,
    whole: false,
  };
}

function digestOf(text: string): string {
  return `${text.length} characters in all, SHA-256 ${createHash("sha256").update(text).digest("hex")}.`;
}
