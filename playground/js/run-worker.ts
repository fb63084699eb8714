/** A runner in a worker. The first message is the engine's URL. */
import * as engine from "stepgraph/web";
import { pageFile } from "./page-file.js";
import type { RunnerInput, RunnerOutput } from "./run/protocol.js";
import { Runner } from "./run/runner.js";

interface WorkerScope {
  postMessage(message: RunnerOutput): void;
  onmessage: ((event: { data: string | RunnerInput }) => void) | null;
}

const thread = globalThis as unknown as WorkerScope;
/** Requests before the engine is ready. */
const early: RunnerInput[] = [];
let runner: Runner | null = null;

thread.onmessage = ({ data }) => {
  if (typeof data === "string") return void start(data);
  if (runner !== null) return runner.receive(data);
  early.push(data);
};

async function start(address: string): Promise<void> {
  await engine.init(address, { wire: pageFile("./stepgraph_wire_bg.wasm", address) });
  const ready = new Runner(engine, (message) => thread.postMessage(message));
  runner = ready;
  for (const request of early.splice(0)) ready.receive(request);
}
