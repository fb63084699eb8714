/** Texts whose words are compared. */

/** Removes accents and capitals. */
export function normalize(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
