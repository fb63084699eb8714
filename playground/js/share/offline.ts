/** Registers the service worker. A new version waits for the user, or for the old pages to close. */

let waiting: ServiceWorker | null = null;

/** `ready`: a new version waits. */
export async function register(ready: () => void): Promise<void> {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  // After the page's own load.
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  try {
    // Only its own folder is in scope.
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
