// Time that a test gives: whatever waits is called at its time, in order, as soon as nothing else is to be done. So
// what takes seconds takes none, and the same run happens at the same times on every machine.

/**
 * Does something in a time of its own, which begins at 0; `work` is given its clock. While it lasts there is no other
 * time.
 */
export async function inOwnTime(work) {
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
      // What was promised comes first: a turn of the loop is long enough for all of it, since nothing here waits for
      // the world outside.
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
