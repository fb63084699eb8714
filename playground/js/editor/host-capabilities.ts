/**
 * What is connected, told to the text pane by whoever connects: both are loaded when they are needed, in either order.
 */

let offered = "";
let hear: ((host: string) => void) | null = null;

/** From now on this one is told what tools and models there are, as JSON; at once, if that is known. */
export function onOffered(listener: (host: string) => void): void {
  hear = listener;
  if (offered !== "") listener(offered);
}

/** There are these tools and models now. */
export function tellOffered(host: string): void {
  offered = host;
  hear?.(host);
}
