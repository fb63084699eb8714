/**
 * Registers what lets the page open without a network, once the page itself is there.
 *
 * Decides when a new version takes over: when the person says so, or when no page of the old one is open any more.
 */

let waiting: ServiceWorker | null = null;

/**
 * Registers it; `ready` is told when a new version waits. A browser that does not want it has a page that works
 * on-line.
 */
export async function register(ready: () => void): Promise<void> {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  // First the page that somebody waits for, then what it may need some other day.
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  try {
    // This script lies in `js/`; what answers for the whole page lies beside the page.
    const registration = await navigator.serviceWorker.register(new URL("./sw.js", document.baseURI));
    const watchWorker = (worker: ServiceWorker | null): void => {
      const checkState = (): void => {
        if (worker?.state !== "installed" || navigator.serviceWorker.controller === null) return;
        waiting = worker;
        ready();
      };
      worker?.addEventListener("statechange", checkState);
      checkState();
    };
    watchWorker(registration.waiting);
    registration.addEventListener("updatefound", () => watchWorker(registration.installing));
  } catch {
    // Denied, or served without it.
  }
}

/** Lets the new version take over, and shows it. */
export function update(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting?.postMessage("now");
}
