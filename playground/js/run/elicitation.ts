/** Elicitation by servers: a form, or a page to visit. Invariant: a request is answered once, or ends with its call. */
import type { ElicitationAnswer, FormQuestion, UrlQuestion } from "stepgraph/web";
import type { RunnerMessage } from "./protocol.js";

const pendingQuestions = new Map<string, (answer: ElicitationAnswer) => void>();
let sendMessage: ((message: RunnerMessage) => void) | null = null;
let questionCount = 0;

/** Answers arrive through {@link answerQuestion}. */
export function onQuestion(show: (message: RunnerMessage) => void): void {
  sendMessage = show;
}

export function answerQuestion(call: string, answer: ElicitationAnswer): void {
  pendingQuestions.get(call)?.(answer);
}

/** The user must know who asks. */
export const elicitationOf = (server: string) => ({
  form: ({ message, requestedSchema }: FormQuestion, signal: AbortSignal) =>
    askUser({ server, title: message, input: null, schema: requestedSchema }, signal),
  url: ({ message, url }: UrlQuestion, signal: AbortSignal) =>
    askUser({ server, title: message, input: { url }, schema: { type: "object", properties: {} } }, signal),
});

function askUser(
  question: { server: string; title: string; input: unknown; schema: unknown },
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const show = sendMessage;
  if (show === null || signal.aborted) return Promise.resolve({ action: "cancel" });
  const call = `question:${++questionCount}`;
  return new Promise((resolve) => {
    const settle = (answer: ElicitationAnswer) => {
      if (!pendingQuestions.delete(call)) return;
      show({ type: "settled", call });
      resolve(answer);
    };
    pendingQuestions.set(call, settle);
    signal.addEventListener("abort", () => settle({ action: "cancel" }), { once: true });
    show({ type: "question", call, nodePath: "", tool: null, ...question });
  });
}
