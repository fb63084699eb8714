// The lower bound: awaits the handlers in a row and does nothing else. No engine can be faster.
import { work } from "../workloads.mjs";

export async function prepare(workload) {
  const { seen, handler } = work(workload);
  return async () => {
    seen.calls = 0;
    for (let at = 0; at < workload.calls; at++) await handler();
    return seen.calls;
  };
}
