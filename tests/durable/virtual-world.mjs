/**
 * A time that passes when nothing else happens, and a host whose calls can be counted: what tests of durable runs stand
 * on.
 *
 * The host answers a call that it has answered before as it did then, by its name: what idempotency keys are for.
 */
import { setImmediate as idle } from "node:timers/promises";
import { CallError } from "../../dist/node.js";

/** A time of its own: when nothing is left to do, the wait that is due first is over. Gives `{ clock, stop }`. */
export function ownTime() {
  let [at, order, running] = [1_000_000, 0, true];
  const waits = new Set();
  const clock = {
    now: () => at,
    after(ms, then) {
      const wait = { due: at + ms, order: order++, then };
      waits.add(wait);
      return () => waits.delete(wait);
    },
  };
  const passing = async () => {
    while (running) {
      await idle();
      const [next] = [...waits].sort((a, b) => a.due - b.due || a.order - b.order);
      if (next === undefined) continue;
      waits.delete(next);
      at = Math.max(at, next.due);
      next.then();
    }
  };
  void passing();
  return { clock, stop: () => (running = false) };
}

/** Timing of a stand's answers by that time: `(value, delay, failure) → promise`. */
export function timing(clock) {
  return (value, delay, failure) =>
    new Promise((resolve, reject) => {
      clock.after(delay, () => (failure ? reject(failure) : resolve(value)));
    });
}

/** A host around another: how often each call was carried out, by name; the same call is answered the same. */
export function counted({ handlers, byId, models, tools }) {
  const made = new Map();
  const known = new Map();
  const asked = (call, make) => {
    made.set(call, (made.get(call) ?? 0) + 1);
    if (!known.has(call)) known.set(call, make());
    return known.get(call);
  };
  // What a handler writes is written each time that it is asked.
  const handler = (given) => (node, state) => {
    const writes = [];
    const seen = new Proxy(state, {
      get: (target, key) => (key === "write" ? (...args) => void writes.push(args) : Reflect.get(target, key, target)),
    });
    const answer = asked(node.call, () => {
      const output = (async () => given(node, seen))();
      return { output, writes };
    });
    for (const [name, value] of answer.writes) state.write(name, value);
    return answer.output;
  };
  const model = (given) => async (request, options) => asked(options.call, async () => given(request, options));
  const client = (given) => ({
    ...given,
    call: async (name, args, options) => asked(options.call, async () => given.call(name, args, options)),
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

/** A failure of a tool or a handler. */
export const failure = (code, message) => new CallError(code, message);
