/**
 * What servers ask a person while their tools work, and what the person answers: a form, or a page to be visited.
 *
 * Whoever connects servers hands {@link elicitation} to them. Invariant: each question is answered once, or given up
 * with its call.
 */
import type { ElicitationAnswer, FormQuestion, UrlQuestion } from "stepgraph/web";
import type { RunnerMessage } from "./protocol.js";

const open = new Map<string, (answer: ElicitationAnswer) => void>();
let tell: ((told: RunnerMessage) => void) | null = null;
let number = 0;

/** Shows questions to a person; the answers come by {@link answered}. */
export function showQuestions(show: (told: RunnerMessage) => void): void {
  tell = show;
}

/** The answer to a question. */
export function answered(call: string, answer: ElicitationAnswer): void {
  open.get(call)?.(answer);
}

/** What a host of servers has for their questions. */
export const elicitation = {
  form: ({ message, requestedSchema }: FormQuestion, signal: AbortSignal) =>
    ask({ title: message, input: null, schema: requestedSchema }, signal),
  url: ({ message, url }: UrlQuestion, signal: AbortSignal) =>
    ask({ title: message, input: { url }, schema: { type: "object", properties: {} } }, signal),
};

function ask(
  question: { title: string; input: unknown; schema: unknown },
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const show = tell;
  if (show === null || signal.aborted) return Promise.resolve({ action: "cancel" });
  const call = `question:${++number}`;
  return new Promise((resolve) => {
    const settle = (answer: ElicitationAnswer) => {
      if (!open.delete(call)) return;
      show({ type: "settled", call });
      resolve(answer);
    };
    open.set(call, settle);
    signal.addEventListener("abort", () => settle({ action: "cancel" }), { once: true });
    show({ type: "question", call, place: "", tool: null, ...question });
  });
}
