/**
 * Signing in to a server in a window of its own.
 *
 * Decides that the window comes back to `signed-in.html` beside the page, which tells its address to who opened it and
 * to nobody else. Source: docs/auth.md, "In a page".
 */

/** Where the browser comes back to. */
export function redirectUrl(page: string = document.baseURI): string {
  return new URL("signed-in.html", page).href;
}

/** Takes a person to an address, and gives the one that the browser came back to. */
export function openSignIn(url: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = open(url, "_blank", "popup,width=520,height=680");
    if (child === null) {
      reject(new Error("the browser did not open the window"));
      return;
    }
    const watch = setInterval(() => child.closed && settle(() => reject(new Error("the window was closed"))), 500);
    const onMessage = ({ origin, source, data }: MessageEvent<{ signedIn?: unknown }>) => {
      if (origin === location.origin && source === child && typeof data?.signedIn === "string") {
        const { signedIn } = data;
        settle(() => resolve(signedIn));
      }
    };
    const stop = () => (child.close(), settle(() => reject(signal.reason as Error)));
    const settle = (then: () => void) => {
      clearInterval(watch);
      removeEventListener("message", onMessage);
      signal.removeEventListener("abort", stop);
      then();
    };
    addEventListener("message", onMessage);
    signal.addEventListener("abort", stop, { once: true });
  });
}
