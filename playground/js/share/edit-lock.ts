/**
 * Who edits a plan when it is open in two tabs.
 *
 * Decides by the browser's locks: a tab that is closed or crashes gives its plans back by itself. Where there are no
 * locks everybody has the lock, and the revisions of the storage still keep one tab from overwriting another.
 *
 * Source: Web Locks API.
 */

/** A page that is loaded again asks before the browser has noticed that the one before it is gone. */
const ACQUIRE_TIMEOUT_MS = 400;

/** Gives the right to edit a plan to one tab at a time. */
export interface EditLock {
  /** Asks for a plan; `force` takes it from another tab. Says whether it is this tab's now. */
  acquire(plan: string, force: boolean): Promise<boolean>;
  /** Stands in line for a plan that another tab has: see `onGranted`. */
  acquireLater(plan: string): void;
  /** Gives back what this tab has, and leaves the line. */
  release(): void;
  /** Whether a tab is still there. */
  isTabOpen(tab: string): Promise<boolean>;
  /** Settles once a tab is no longer there. */
  tabClosed(tab: string): Promise<void>;
}

/**
 * By the locks of the browser. `onLost` is told when another tab took the plan, `onGranted` when the one that had it is
 * gone.
 */
export function browserLock(
  tab: string,
  onLost: (plan: string) => void,
  onGranted: (plan: string) => void,
  locks: LockManager | undefined = navigator.locks,
): EditLock {
  let held: { plan: string; release: () => void } | null = null;
  // Held for as long as the page is there.
  void locks?.request(`stepgraph tab ${tab}`, () => new Promise<void>(() => undefined));
  let line: AbortController | null = null;
  const release = (): void => {
    line?.abort();
    held?.release();
    line = held = null;
  };
  const acquire = (plan: string, force: boolean): Promise<boolean> => {
    if (held?.plan === plan) return Promise.resolve(true);
    release();
    if (locks === undefined) return Promise.resolve(true);
    return new Promise<boolean>((resolve) => {
      const mine = { plan, release: (): void => undefined };
      const hold = (): Promise<void> => {
        resolve(true);
        held = mine;
        return new Promise((done) => {
          mine.release = done;
        });
      };
      locks
        .request(
          `stepgraph plan ${plan}`,
          force ? { steal: true } : { signal: AbortSignal.timeout(ACQUIRE_TIMEOUT_MS) },
          hold,
        )
        .catch(() => {
          resolve(false);
          if (held !== mine) return;
          held = null;
          onLost(plan);
        });
    });
  };
  const acquireLater = (plan: string): void => {
    line?.abort();
    const own = (line = new AbortController());
    const mine = { plan, release: (): void => undefined };
    const hold = (): Promise<void> => {
      [held, line] = [mine, null];
      onGranted(plan);
      return new Promise((done) => {
        mine.release = done;
      });
    };
    locks?.request(`stepgraph plan ${plan}`, { signal: own.signal }, hold).catch(() => {
      if (held !== mine) return;
      held = null;
      onLost(plan);
    });
  };
  const isTabOpen = async (other: string): Promise<boolean> =>
    locks === undefined
      ? false
      : locks
          .request(`stepgraph tab ${other}`, { signal: AbortSignal.timeout(ACQUIRE_TIMEOUT_MS) }, () => false)
          .catch(() => true);
  const tabClosed = async (other: string): Promise<void> => {
    if (locks !== undefined) await locks.request(`stepgraph tab ${other}`, () => undefined);
  };
  return { acquire, acquireLater, release, isTabOpen, tabClosed };
}
