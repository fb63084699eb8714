/**
 * The edit lock: one tab at a time edits a plan.
 *
 * It uses the browser's locks, which are released when a tab closes or crashes. Without them every tab has the lock,
 * and the revisions in the storage prevent overwriting.
 *
 * Source: Web Locks API.
 */

/** A reloaded page requests its lock before the browser has released that of its previous page. */
const ACQUIRE_TIMEOUT_MS = 400;

export interface EditLock {
  /** Requests the lock of a plan. `force` takes it from another tab. Resolves with whether this tab has it. */
  acquire(plan: string, force: boolean): Promise<boolean>;
  /** Waits for the lock of another tab, then calls `onGranted`. */
  acquireLater(plan: string): void;
  /** Releases the lock and stops waiting. */
  release(): void;
  isTabOpen(tab: string): Promise<boolean>;
  /** Resolves when the tab is closed. */
  tabClosed(tab: string): Promise<void>;
}

/** Creates an edit lock. `onLost` is called when another tab took the lock, `onGranted` when this one received it. */
export function browserLock(
  tab: string,
  onLost: (plan: string) => void,
  onGranted: (plan: string) => void,
  locks: LockManager | undefined = navigator.locks,
): EditLock {
  let held: { plan: string; release: () => void } | null = null;
  // This lock lasts as long as the page, so that other tabs can see whether it is open.
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
