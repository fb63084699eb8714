/** The language service's worker, with its own text. Edits and requests arrive in order. */
import { init, PlanDocument, tokenKinds } from "stepgraph/editor/web";
import { pageFile } from "../page-file.js";
import type { ServiceAnswer, ServiceMessage } from "./service.js";

let plan: PlanDocument | null = null;
const started = init(pageFile("../stepgraph_editor_bg.wasm", import.meta.url));
const post = (answer: ServiceAnswer, transfer: Transferable[] = []): void =>
  globalThis.postMessage(answer, { transfer });

function receive(message: ServiceMessage): void {
  if (message.type === "open") {
    plan?.free();
    plan = new PlanDocument(message.text);
  } else if (message.type === "change") {
    for (const edits of message.changes)
      plan?.change(edits.map(({ start, end, text }) => ({ span: { start, end }, text })));
  } else if (message.type === "set-host") {
    plan?.setHost(JSON.parse(message.host));
  } else {
    answer(message.id, message.question, message.values);
  }
}

function answer(id: number, question: string, values: readonly unknown[]): void {
  if (question === "tokens") {
    const tokens = plan?.tokens() ?? new Uint32Array();
    post({ id, answer: { tokens, kinds: tokenKinds } }, [tokens.buffer]);
    return;
  }
  try {
    const ask = plan && (Reflect.get(plan, question) as (...values: unknown[]) => unknown);
    const found = ask?.apply(plan, [...values]) as { changes?: unknown; refused?: unknown } | null;
    // The result's getter for the whole text is unused.
    post({
      id,
      answer:
        found && "refused" in Object(found) ? { changes: found.changes, refused: found.refused } : (found ?? null),
    });
  } catch (error) {
    post({ id, answer: null, failed: String(error) });
  }
}

globalThis.addEventListener(
  "message",
  ({ data }: MessageEvent<ServiceMessage>) => void started.then(() => receive(data)),
);
started.catch((error: unknown) => post({ id: 0, answer: null, failed: String(error) }));
