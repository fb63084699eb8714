/** The page's entry to runs, loaded with the first. */
import type { ElicitationAnswer } from "stepgraph/web";
import { allFiles, pageFile } from "../page-file.js";
import { download } from "../share/files.js";
import { RunnerClient } from "./client.js";
import { hostForRun, hostForReplay } from "./host-provider.js";
import { answerQuestion, onQuestion } from "./elicitation.js";
import type { FileMessage, RunnerMessage, RunnerRequest, TestRequest } from "./protocol.js";

/** Only the page's thread handles these. */
type PageRequest =
  | { type: "save-cassette" }
  | Omit<TestRequest, "cassette">
  | { type: "load-cassette" }
  | { type: "save-text"; name: string; kind: string; text: string }
  | ({ type: "answer"; call: string } & ElicitationAnswer);

const BEGINS: readonly string[] = ["start", "fork", "replay"];

export interface PageRuns {
  send(line: string): void;
  /** Drops the last plan's runs and messages. */
  planChanged(): void;
}

export async function openRuns(listener: (line: string) => void): Promise<PageRuns> {
  await allFiles();
  const send = (message: RunnerMessage) => listener(JSON.stringify(message));
  const parts = {
    worker: pageFile("./run-worker.js", import.meta.url),
    wasm: pageFile("./stepgraph_wasm_bg.wasm", import.meta.url),
    wire: pageFile("./stepgraph_wire_bg.wasm", import.meta.url),
  };
  const receive = (message: string | FileMessage) =>
    typeof message === "string" ? listener(message) : download(message.name, message.text, message.kind);
  let client = new RunnerClient(parts, receive);
  // Messages must not overtake a start, which waits for its host.
  let begun: Promise<void> = Promise.resolve();
  let start: AbortController | undefined;
  const begin = (request: RunnerRequest | PageRequest, current: RunnerClient) => {
    const own = (start = new AbortController());
    const begins = begun.then(() => dispatch(current, request, send, own.signal)).catch(() => undefined);
    begun = begins.finally(() => {
      if (start === own) start = undefined;
    });
  };
  /** A host may never answer. */
  const abandonStart = () => {
    start?.abort();
    [start, begun] = [undefined, Promise.resolve()];
  };
  onQuestion(send);
  return {
    send(line) {
      const [request, current] = [JSON.parse(line) as RunnerRequest | PageRequest, client];
      if (BEGINS.includes(request.type)) return begin(request, current);
      if (request.type !== "stop" || start === undefined)
        return void begun.then(() => dispatch(current, request, send));
      abandonStart();
      current.failBeforeStart("run/stopped", "the run was stopped before it began");
    },
    planChanged() {
      abandonStart();
      client.close();
      client = new RunnerClient(parts, receive);
    },
  };
}

/** `client` stays the same through waits, so a closed plan's runs receive nothing. */
async function dispatch(
  client: RunnerClient,
  request: RunnerRequest | PageRequest,
  send: (message: RunnerMessage) => void,
  signal?: AbortSignal,
): Promise<void> {
  switch (request.type) {
    case "save-cassette":
      return download("run.cassette.ndjson", client.cassette, "application/x-ndjson");
    case "to-test":
      return client.send({ ...request, cassette: client.cassette }, null);
    case "save-text":
      return download(request.name, request.text, request.kind);
    case "load-cassette":
      return pickCassette((text) => send({ type: "cassette", text }));
    case "answer": {
      const { type: _type, call, ...answer } = request;
      return answerQuestion(call, answer);
    }
    case "replay": {
      client.abandonRun();
      const host = await hostForReplay(request.plan);
      return signal?.aborted ? undefined : client.send(request, host);
    }
    case "cost":
      // Model prices need connections.
      return client.estimateCost(request, await hostForRun(request.plan).catch(() => null));
    case "start":
    case "fork":
      try {
        const host = await hostForRun(request.plan);
        return signal?.aborted ? undefined : client.send(request, host);
      } catch (error) {
        if (signal?.aborted) return;
        const message = String((error as Error).message ?? error);
        return client.failBeforeStart("run/not-connected", message);
      }
    default:
      return client.send(request, null);
  }
}

function pickCassette(then: (text: string) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".ndjson,.json,.jsonl,application/x-ndjson,application/json";
  input.addEventListener("change", () => void input.files?.[0]?.text().then(then), { once: true });
  input.click();
}
