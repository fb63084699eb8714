/** Names of calls and scopes. */

/** Name of a call: scope path, node, visit and attempt. An agent's own suffix may follow. */
export const CALL_NAME = /^(?:(.*)\/)?([^/]*):(\d+):(\d+)(?:\/(?!.*:\d+:\d+).*)?$/;

/** Reverses the escapes of a node's id in a name. */
export function unescapeId(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}
