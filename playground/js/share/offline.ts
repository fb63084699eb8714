/**
 * Registers the service worker. A new version takes over when the user agrees, or when no page of the old one is open.
 */

let waiting: ServiceWorker | null = null;

/** `ready` is called when a new version waits. */
export async function register(ready: () => void): Promise<void> {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  // The page loads first.
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  try {
    // The worker must be in the page's folder to serve the page.
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
    // Denied or missing.
  }
}

export function update(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting?.postMessage("now");
}
