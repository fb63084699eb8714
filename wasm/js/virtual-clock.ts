/** A clock on which waiting takes no time. */
import type { Clock } from "../types.js";

/** Advances to the next timer when the run has nothing else to do. */
export function virtualClock(): Clock {
  const timers: { due: number; then: () => void }[] = [];
  let now = 0;
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled || timers.length === 0) return;
    isScheduled = true;
    // After all promises.
    setTimeout(advance, 0);
  };
  const advance = () => {
    isScheduled = false;
    const next = timers.shift();
    if (next === undefined) return;
    now = Math.max(now, next.due);
    next.then();
    schedule();
  };
  return {
    now: () => now,
    after(ms, then) {
      const timer = { due: now + Math.max(0, ms), then };
      const at = timers.findIndex(({ due }) => due > timer.due);
      timers.splice(at < 0 ? timers.length : at, 0, timer);
      schedule();
      return () => {
        const place = timers.indexOf(timer);
        if (place >= 0) timers.splice(place, 1);
      };
    },
    epochMs: Date.now(),
  };
}
