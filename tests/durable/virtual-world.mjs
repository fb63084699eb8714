/**
 * Virtual time that advances only when the process is idle, and a host that counts its calls.
 *
 * A known call name gets the same answer, as with idempotency keys.
 */
import { setImmediate as idle } from "node:timers/promises";
import { CallError } from "../../dist/node.js";

export function createVirtualTime() {
  let [at, order, running] = [1_000_000, 0, true];
  const waits = new Set();
  const clock = {
    now: () => at,
    epochMs: 0,
    after(ms, then) {
      const wait = { due: at + ms, order: order++, then };
      waits.add(wait);
      return () => waits.delete(wait);
    },
  };
  const advance = async () => {
    while (running) {
      await idle();
      const [next] = [...waits].sort((a, b) => a.due - b.due || a.order - b.order);
      if (next === undefined) continue;
      waits.delete(next);
      at = Math.max(at, next.due);
      next.then();
    }
  };
  void advance();
  return { clock, stop: () => (running = false) };
}

/** `(value, delay, failure) → promise`. */
export function timing(clock) {
  return (value, delay, failure) =>
    new Promise((resolve, reject) => {
      clock.after(delay, () => (failure ? reject(failure) : resolve(value)));
    });
}

export function countingHost({ handlers, byId, models, tools }) {
  const made = new Map();
  const known = new Map();
  const performCall = (call, make) => {
    made.set(call, (made.get(call) ?? 0) + 1);
    if (!known.has(call)) known.set(call, make());
    return known.get(call);
  };
  // A repeated call replays the handler's writes.
  const handler = (given) => (node, state) => {
    const writes = [];
    const seen = new Proxy(state, {
      get: (target, key) => (key === "write" ? (...args) => void writes.push(args) : Reflect.get(target, key, target)),
    });
    const answer = performCall(node.call, () => {
      const output = (async () => given(node, seen))();
      return { output, writes };
    });
    for (const [name, value] of answer.writes) state.write(name, value);
    return answer.output;
  };
  const model = (given) => async (request, options) => performCall(options.call, async () => given(request, options));
  const client = (given) => ({
    ...given,
    call: async (name, args, options) => performCall(options.call, async () => given.call(name, args, options)),
  });
  const mapped = (map, make) =>
    Object.fromEntries(Object.entries(map ?? {}).map(([name, given]) => [name, make(given)]));
  return {
    made,
    host: {
      handlers: mapped(handlers, handler),
      byId: mapped(byId, handler),
      models: mapped(models, model),
      ...(tools && { tools: tools.map(client) }),
    },
  };
}

export const failure = (code, message) => new CallError(code, message);
