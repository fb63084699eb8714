/**
 * Adds a memory maximum, which compilers leave open, to a WebAssembly module.
 *
 * Source: WebAssembly Core Specification 2.0, "Binary Format", modules and limits.
 */

const MEMORY_SECTION = 5;
/** Magic number and version. */
const HEADER_LENGTH = 8;

/** `pages` are 64 KiB. A module's own maximum stays. */
export function limitMemory(module: Uint8Array, pages: number): Uint8Array {
  for (let at = HEADER_LENGTH; at < module.length; ) {
    const size = readLeb128(module, at + 1);
    const begin = size.next;
    const end = begin + size.value;
    if (module[at] === MEMORY_SECTION) return rewriteSection(module, at, begin, end, pages);
    at = end;
  }
  return module;
}

function rewriteSection(module: Uint8Array, at: number, begin: number, end: number, pages: number): Uint8Array {
  const count = readLeb128(module, begin);
  const flags = module[count.next];
  if (count.value !== 1 || flags !== 0) return module;
  const least = readLeb128(module, count.next + 1);
  if (least.value > pages) return module;
  const section = [...toLeb128(1), 1, ...toLeb128(least.value), ...toLeb128(pages)];
  const bytes = [MEMORY_SECTION, ...toLeb128(section.length), ...section];
  const rewritten = new Uint8Array(at + bytes.length + module.length - end);
  rewritten.set(module.subarray(0, at));
  rewritten.set(bytes, at);
  rewritten.set(module.subarray(end), at + bytes.length);
  return rewritten;
}

/** `next` is the offset after it. */
function readLeb128(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]!;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at };
  }
}

function toLeb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...toLeb128(value >>> 7)];
}
