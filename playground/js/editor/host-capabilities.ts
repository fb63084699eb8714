/** Passes the host capabilities from the connections to the text pane. Either may load first. */

let capabilities = "";
let subscriber: ((host: string) => void) | null = null;

/** Calls the listener at once if capabilities are known. */
export function onHostCapabilities(listener: (host: string) => void): void {
  subscriber = listener;
  if (capabilities !== "") listener(capabilities);
}

export function setHostCapabilities(host: string): void {
  capabilities = host;
  subscriber?.(host);
}
