/** How the names of calls and scopes are read. */

/** A call's name: the scope's path, the node, the visit and the try; what follows is an agent's own. */
export const CALL_NAME = /^(?:(.*)\/)?([^/]*):(\d+):(\d+)(?:\/(?!.*:\d+:\d+).*)?$/;

/** A node's id as it was before it became a part of a name. */
export function unescapeId(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}
