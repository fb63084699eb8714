/**
 * Who edits a plan when it is open in two tabs.
 *
 * Decides by the browser's locks: a tab that is closed or crashes gives its plans back by itself. Where there are no locks everybody is
 * owner, and the revisions of the shelf still keep one tab from overwriting another.
 *
 * Source: Web Locks API.
 */

/** A page that is loaded again asks before the browser has noticed that the one before it is gone. */
const PATIENCE_MS = 400;

/** Gives the right to edit a plan to one tab at a time. */
export interface Owner {
  /** Asks for a plan; `force` takes it from another tab. Says whether it is this tab's now. */
  take(plan: string, force: boolean): Promise<boolean>;
  /** Gives back what this tab has. */
  release(): void;
  /** Whether a tab is still there. */
  lives(tab: string): Promise<boolean>;
}

/** By the locks of the browser. `lost` is told when another tab took the plan. */
export function browserOwner(tab: string, lost: (plan: string) => void, locks: LockManager | undefined = navigator.locks): Owner {
  let held: { plan: string; release: () => void } | null = null;
  // Held for as long as the page is there.
  void locks?.request(`stepgraph tab ${tab}`, () => new Promise<void>(() => undefined));
  const release = (): void => {
    held?.release();
    held = null;
  };
  const take = (plan: string, force: boolean): Promise<boolean> => {
    if (held?.plan === plan) return Promise.resolve(true);
    release();
    if (locks === undefined) return Promise.resolve(true);
    return new Promise<boolean>((resolve) => {
      const mine = { plan, release: (): void => undefined };
      const hold = (): Promise<void> => {
        resolve(true);
        held = mine;
        return new Promise((done) => { mine.release = done; });
      };
      locks.request(`stepgraph plan ${plan}`, force ? { steal: true } : { signal: AbortSignal.timeout(PATIENCE_MS) }, hold).catch(() => {
        resolve(false);
        if (held !== mine) return;
        held = null;
        lost(plan);
      });
    });
  };
  const lives = async (other: string): Promise<boolean> =>
    locks === undefined ? false : locks.request(`stepgraph tab ${other}`, { signal: AbortSignal.timeout(PATIENCE_MS) }, () => false).catch(() => true);
  return { take, release, lives };
}
