/**
 * What is connected, told to the text pane by whoever connects: both are loaded when they are needed, in either order.
 */

let capabilities = "";
let subscriber: ((host: string) => void) | null = null;

/** From now on this one is told what tools and models there are, as JSON; at once, if that is known. */
export function onHostCapabilities(listener: (host: string) => void): void {
  subscriber = listener;
  if (capabilities !== "") listener(capabilities);
}

/** There are these tools and models now. */
export function setHostCapabilities(host: string): void {
  capabilities = host;
  subscriber?.(host);
}
