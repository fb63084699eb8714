/**
 * Signs in to a server in a window.
 *
 * `signed-in.html` sends its address to its opener only. Source: docs/auth.md, "In a page".
 */

import { isFromMemory } from "../page-file.js";

export function redirectUrl(page: string = document.baseURI): string {
  return new URL("signed-in.html", page).href;
}

/** Resolves with the address that the browser returned to. */
export function openSignIn(url: string, signal: AbortSignal): Promise<string> {
  if (isFromMemory())
    return Promise.reject(new Error("a page from memory has no address to return to: set `page` on <stepgraph-plan>"));
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
