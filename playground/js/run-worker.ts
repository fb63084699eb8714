/** A runner in a worker, which the page can end. The first message is the URL of the engine's module. */
import * as engine from "stepgraph/web";
import { Runner } from "./run/runner.js";

interface WorkerScope {
  postMessage(line: string): void;
  onmessage: ((event: { data: string }) => void) | null;
}

const thread = globalThis as unknown as WorkerScope;
const early: string[] = [];
let runner: Runner | null = null;

thread.onmessage = ({ data }) => {
  if (runner !== null) return runner.receive(data);
  if (early.push(data) > 1) return;
  void start(data);
};

async function start(address: string): Promise<void> {
  await engine.init(address);
  const ready = new Runner(engine, (line) => thread.postMessage(line));
  runner = ready;
  for (const line of early.splice(1)) ready.receive(line);
}
