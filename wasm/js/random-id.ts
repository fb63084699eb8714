/**
 * Returns 128 random bits. `randomUUID` needs HTTPS in pages. Durable engines lack `crypto`, but their `Math.random`
 * repeats.
 */
export function randomId(): string {
  const bytes = new Uint8Array(16);
  const { crypto } = globalThis as { crypto?: Crypto };
  if (crypto === undefined) bytes.forEach((_, i) => (bytes[i] = Math.floor(Math.random() * 256)));
  else crypto.getRandomValues(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
