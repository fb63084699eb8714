/** Substring search in linear time (Knuth, Morris, Pratt). The platform's may be quadratic: 46 s for 4 MB. */

/** The platform's search is faster up to this product of lengths. */
const MAX_DIRECT_PRODUCT = 1 << 22;

export function contains(text: string, part: string): boolean {
  if (text.length * part.length <= MAX_DIRECT_PRODUCT) return text.includes(part);
  if (part.length > text.length) return false;
  const back = prefixTable(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = back[matched - 1]!;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** Maps each prefix to the longest proper suffix that is also a prefix. */
function prefixTable(part: string): Uint32Array {
  const back = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== unit) length = back[length - 1]!;
    if (part.charCodeAt(length) === unit) length++;
    back[at] = length;
  }
  return back;
}
