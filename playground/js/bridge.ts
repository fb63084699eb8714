/**
 * What the page's module imports: small things, and the ways to what is loaded only when it is needed.
 *
 * Text crosses as text, structures as JSON text, places in UTF-16 units.
 */

/** Milliseconds since the page was opened. */
export function now(): number {
  return performance.now();
}

/** Puts text on the clipboard; says when the browser does not let it. */
export function copyText(text: string, denied: () => void): void {
  navigator.clipboard.writeText(text).catch(denied);
}

/** Hands over the text of the clipboard; nothing when the browser does not let it. */
export function pasteText(take: (text: string | undefined) => void): void {
  navigator.clipboard.readText().then(take, () => take(undefined));
}
