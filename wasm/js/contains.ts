/**
 * Whether a text has another in it, in time that grows with the sum of their lengths.
 *
 * The platform's own search may take as long as their product: 46 s for a text of 4 MB. Long texts are searched by
 * Knuth, Morris and Pratt.
 */

/** Up to this product of the lengths the platform's search is quicker, whatever the texts are. */
const MAX_DIRECT_PRODUCT = 1 << 22;

/** `text.includes(part)`. */
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

/** For each beginning of the part, how much of its end is the part's beginning, too. */
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
