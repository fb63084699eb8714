/** Passes host capabilities to the text pane. Either side may load first. */

let capabilities = "";
let subscriber: ((host: string) => void) | null = null;

/** Calls at once if they are known. */
export function onHostCapabilities(listener: (host: string) => void): void {
  subscriber = listener;
  if (capabilities !== "") listener(capabilities);
}

export function setHostCapabilities(host: string): void {
  capabilities = host;
  subscriber?.(host);
}
