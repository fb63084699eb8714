/** Runs for the page: everything that is loaded when the first run begins. */
import type { ElicitationAnswer } from "stepgraph/web";
import { download } from "../share/files.js";
import { RunnerClient } from "./client.js";
import { offered, recalled } from "./host-provider.js";
import { answered, showQuestions } from "./elicitation.js";
import type { RunnerRequest, RunnerMessage } from "./protocol.js";

/** What only the page's own thread does. */
type PageRequest =
  | { type: "save-cassette" }
  /** Asks for a file, and replays it. */
  | { type: "load-cassette"; plan: string }
  | { type: "save-text"; name: string; kind: string; text: string }
  | ({ type: "answer"; call: string } & ElicitationAnswer);

export interface PageRuns {
  take(line: string): void;
  /** Another plan was opened: nothing of the one before is carried out or told any more. */
  leave(): void;
}

/** Opens the way to runs; `tell` is given messages as JSON text. */
export function open(tell: (line: string) => void): PageRuns {
  const say = (told: RunnerMessage) => tell(JSON.stringify(told));
  const parts = {
    worker: new URL("./run-worker.js", import.meta.url),
    wasm: new URL("./stepgraph_wasm_bg.wasm", import.meta.url),
  };
  const hear = (line: string) => {
    const told = JSON.parse(line) as RunnerMessage;
    if (told.type === "file") return download(told.name, told.text, told.kind);
    tell(line);
  };
  let client = new RunnerClient(parts, hear);
  showQuestions(say);
  return {
    take: (line) => void take(client, line),
    leave() {
      client.close();
      client = new RunnerClient(parts, hear);
    },
  };
}

/** What waits for something in here belongs to the client that it began with, so a plan that was left hears no more. */
async function take(client: RunnerClient, line: string): Promise<void> {
  const said = JSON.parse(line) as RunnerRequest | PageRequest;
  switch (said.type) {
    case "save-cassette":
      return download("run.cassette.ndjson", client.cassette, "application/x-ndjson");
    case "save-text":
      return download(said.name, said.text, said.kind);
    case "load-cassette":
      return load(
        (cassette) =>
          void take(client, JSON.stringify({ type: "replay", plan: said.plan, cassette } satisfies RunnerRequest)),
      );
    case "answer": {
      const { type: _type, call, ...answer } = said;
      return answered(call, answer);
    }
    case "replay":
      client.leave();
      return client.take(line, await recalled(said.plan));
    case "start":
    case "fork":
      try {
        return client.take(line, await offered(said.plan));
      } catch (error) {
        const message = String((error as Error).message ?? error);
        return client.refuse("run/not-connected", message);
      }
    default:
      return client.take(line, null);
  }
}

function load(then: (text: string) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".ndjson,.json,.jsonl,application/x-ndjson,application/json";
  input.addEventListener("change", () => void input.files?.[0]?.text().then(then), { once: true });
  input.click();
}
