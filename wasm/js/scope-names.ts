/** Ids of nodes in scopes, whose separator is `/`. */

/** @internal */
export function escapeId(id: string): string {
  return id.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** @internal */
export function unescapeId(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}
