/** Ids of nodes in the names of scopes, whose separator is `/`. */

/** @internal */
export function escapeId(id: string): string {
  return id.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** @internal Reverses the escapes of a node's id in a name. */
export function unescapeId(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}
