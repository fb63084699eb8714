/**
 * One tab at a time edits a plan.
 *
 * Browsers release locks of closed tabs. If they have no locks, revisions prevent overwriting. Source: Web Locks API.
 */

/** After a reload, the old page's lock is released late. */
const ACQUIRE_TIMEOUT_MS = 400;

export interface EditLock {
  /** `force` takes it from another tab. Resolves with success. */
  acquire(plan: string, force: boolean): Promise<boolean>;
  /** Waits for the other tab, then calls `onGranted`. */
  acquireLater(plan: string): void;
  release(): void;
  isTabOpen(tab: string): Promise<boolean>;
  tabClosed(tab: string): Promise<void>;
}

/** `onLost`: another tab took it. `onGranted`: received. */
export function browserLock(
  tab: string,
  onLost: (plan: string) => void,
  onGranted: (plan: string) => void,
  locks: LockManager | undefined = navigator.locks,
): EditLock {
  let heldLock: { plan: string; release: () => void } | null = null;
  // Shows other tabs that the page is open.
  void locks?.request(`stepgraph tab ${tab}`, () => new Promise<void>(() => undefined));
  let line: AbortController | null = null;
  const release = (): void => {
    line?.abort();
    heldLock?.release();
    line = heldLock = null;
  };
  const acquire = (plan: string, force: boolean): Promise<boolean> => {
    if (heldLock?.plan === plan) return Promise.resolve(true);
    release();
    if (locks === undefined) return Promise.resolve(true);
    return new Promise<boolean>((resolve) => {
      const mine = { plan, release: (): void => undefined };
      const holdLock = (): Promise<void> => {
        resolve(true);
        heldLock = mine;
        return new Promise((done) => {
          mine.release = done;
        });
      };
      locks
        .request(
          `stepgraph plan ${plan}`,
          force ? { steal: true } : { signal: AbortSignal.timeout(ACQUIRE_TIMEOUT_MS) },
          holdLock,
        )
        .catch(() => {
          resolve(false);
          if (heldLock !== mine) return;
          heldLock = null;
          onLost(plan);
        });
    });
  };
  const acquireLater = (plan: string): void => {
    line?.abort();
    const own = (line = new AbortController());
    const mine = { plan, release: (): void => undefined };
    const holdLock = (): Promise<void> => {
      [heldLock, line] = [mine, null];
      onGranted(plan);
      return new Promise((done) => {
        mine.release = done;
      });
    };
    locks?.request(`stepgraph plan ${plan}`, { signal: own.signal }, holdLock).catch(() => {
      if (heldLock !== mine) return;
      heldLock = null;
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
