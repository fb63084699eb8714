// Virtual time for tests: timers fire in order as soon as the process has no other work.

/** All timers are virtual until `work` ends. */
export async function withVirtualClock(work) {
  const real = { setTimeout, clearTimeout };
  const waits = new Map();
  let [time, made, over] = [0, 0, false];
  const after = (ms, then) => {
    const id = ++made;
    waits.set(id, { due: time + Math.max(0, ms), then });
    return id;
  };
  globalThis.setTimeout = (then, ms = 0, ...args) => after(ms, () => then(...args));
  globalThis.clearTimeout = (id) => void waits.delete(id);
  const clock = {
    now: () => time,
    after: (ms, then) => {
      const id = after(ms, then);
      return () => void waits.delete(id);
    },
  };
  try {
    const done = Promise.resolve(work(clock)).finally(() => (over = true));
    done.catch(() => {});
    for (let idle = 0; !over; ) {
      // One turn of the event loop is enough for all pending promises, since the code under test does no I/O.
      await new Promise((resolve) => setImmediate(resolve));
      if (waits.size === 0) {
        if (++idle > 1000) throw new Error("it waits for something that never comes");
        continue;
      }
      idle = 0;
      const [id, { due, then }] = [...waits].reduce((first, one) => (one[1].due < first[1].due ? one : first));
      waits.delete(id);
      time = due;
      then();
    }
    return await done;
  } finally {
    Object.assign(globalThis, real);
  }
}
