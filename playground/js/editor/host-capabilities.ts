/** Passes the host capabilities from the connections to the text pane. Either may load first. */

let capabilities = "";
let subscriber: ((host: string) => void) | null = null;

/** Sets the listener for host capabilities as JSON. Calls it at once if they are known. */
export function onHostCapabilities(listener: (host: string) => void): void {
  subscriber = listener;
  if (capabilities !== "") listener(capabilities);
}

/** Sets the current host capabilities. */
export function setHostCapabilities(host: string): void {
  capabilities = host;
  subscriber?.(host);
}
