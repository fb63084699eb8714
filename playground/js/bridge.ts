/**
 * What the page's module imports: small things, and the ways to what is loaded only when it is needed.
 *
 * Text crosses as text, structures as JSON text, places in UTF-16 units.
 */

export { loadRest } from "./rest";

/** Milliseconds since the page was opened. */
export function now(): number {
  return performance.now();
}
