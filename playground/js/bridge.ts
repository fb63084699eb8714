/**
 * What the page's module imports: small things, and the ways to what is loaded only when it is needed.
 *
 * Text crosses as text, structures as JSON text, places in UTF-16 units.
 */

import type { Page } from "./rooms/page.js";

/** Milliseconds since the page was opened. */
export function now(): number {
  return performance.now();
}

let page: Page | null = null;

/** Keeps what rooms may do to the page, and looks around for what is connected once the page has come to rest. */
export function rooms(given: Page): void {
  page = given;
  const begin = () => void import("./rooms/open.js").then((module) => module.begin(given));
  if ("requestIdleCallback" in globalThis) requestIdleCallback(begin, { timeout: 2000 });
  else setTimeout(begin, 200);
}

/** Opens a room: the gallery, the connections, or the way from a request to a plan. */
export function room(name: string): void {
  const opened = page;
  if (opened !== null) void import("./rooms/open.js").then((module) => module.open(name, opened));
}
