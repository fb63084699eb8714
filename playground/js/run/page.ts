/** Runs for the page: everything that is loaded when the first run begins. */
import type { ElicitationAnswer } from "stepgraph/web";
import { Client } from "./client.js";
import { offered } from "./offer.js";
import { answered, showQuestions } from "./questions.js";
import type { Ask, Told } from "./protocol.js";

/** What only the page's own thread does. */
type Own =
  | { type: "save-cassette" }
  /** Asks for a file, and replays it. */
  | { type: "load-cassette"; plan: string }
  | { type: "save-text"; name: string; kind: string; text: string }
  | ({ type: "answer"; call: string } & ElicitationAnswer);

export interface Runs { take(line: string): void }

/** Opens the way to runs; `tell` is given messages as JSON text. */
export function open(tell: (line: string) => void): Runs {
  const say = (told: Told) => tell(JSON.stringify(told));
  const parts = { worker: new URL("./run-worker.js", import.meta.url), wasm: new URL("./stepgraph_wasm_bg.wasm", import.meta.url) };
  const hear = (line: string) => {
    const told = JSON.parse(line) as Told;
    if (told.type === "file") return save(told.name, told.kind, told.text);
    tell(line);
  };
  const client = new Client(parts, hear);
  showQuestions(say);
  return { take: (line) => void take(client, line, tell) };
}

async function take(client: Client, line: string, tell: (line: string) => void): Promise<void> {
  const said = JSON.parse(line) as Ask | Own;
  switch (said.type) {
    case "save-cassette":
      return save("run.cassette.ndjson", "application/x-ndjson", client.cassette);
    case "save-text":
      return save(said.name, said.kind, said.text);
    case "load-cassette":
      return load((cassette) => client.take(JSON.stringify({ type: "replay", plan: said.plan, cassette } satisfies Ask), null));
    case "answer": {
      const { type: _type, call, ...answer } = said;
      return answered(call, answer);
    }
    case "start": case "fork":
      try {
        return client.take(line, await offered());
      } catch (error) {
        const message = String((error as Error).message ?? error);
        return tell(JSON.stringify({ type: "ended", outcome: "failed", code: "run/not-connected", message, last: { text: "null" }, ms: 0, steps: 0, calls: 0, retries: 0, tokens: null, problems: [] } satisfies Told));
      }
    default:
      return client.take(line, null);
  }
}

/** Hands a person a file. */
function save(name: string, kind: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function load(then: (text: string) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".ndjson,.json,.jsonl,application/x-ndjson,application/json";
  input.addEventListener("change", () => void input.files?.[0]?.text().then(then), { once: true });
  input.click();
}
