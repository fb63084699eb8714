/**
 * What functions of a WebAssembly module call: their instructions, read as far as that needs.
 *
 * Invariants: an instruction that is not known is an error, never skipped; a body in which numbers of functions were
 * written anew does the same otherwise.
 *
 * Source: the binary format of WebAssembly, section 5.4.
 */
import { number, reader } from "./module.mjs";

/** What follows an instruction: that many numbers. Those that have none are not listed. */
const NUMBERS = new Map([
  ...[0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].map((code) => [
    code,
    1,
  ]),
  ...[0x02, 0x03, 0x04].map((code) => [code, 1]),
  [0x11, 2],
  ...range(0x28, 0x3e).map((code) => [code, 2]),
]);
/** The same of those that begin with 0xfc: memory in bulk, tables. */
const BULK = new Map([
  [8, 2],
  [9, 1],
  [10, 2],
  [11, 1],
  [12, 2],
  [13, 1],
  [14, 2],
  [15, 1],
  [16, 1],
  [17, 1],
]);
/** Instructions that are followed by nothing. */
const BARE = new Set([0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1, ...range(0x45, 0xc4)]);

const [CALL, BR_TABLE, SELECT, F32, F64, REF_FUNC, PREFIX] = [0x10, 0x0e, 0x1c, 0x43, 0x44, 0xd2, 0xfc];

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Where a body names functions: place and length of each number, and the number. */
export function functionsNamedIn(body) {
  const bytes = reader(body, 0);
  for (let left = bytes.number(); left > 0; left--) {
    bytes.number();
    bytes.skip(1);
  }
  const found = [];
  while (bytes.at < body.length) {
    const code = body[bytes.at++];
    const at = bytes.at;
    pass(code, bytes);
    if (code === CALL || code === REF_FUNC) found.push({ at, length: bytes.at - at, of: reader(body, at).number() });
  }
  return found;
}

function pass(code, bytes) {
  if (BARE.has(code)) return;
  const count = NUMBERS.get(code) ?? (code === PREFIX ? bulk(bytes) : undefined);
  if (count !== undefined) for (let left = count; left > 0; left--) bytes.number();
  else if (code === BR_TABLE) for (let left = bytes.number() + 1; left > 0; left--) bytes.number();
  else if (code === SELECT) bytes.skip(bytes.number());
  else if (code === F32) bytes.skip(4);
  else if (code === F64) bytes.skip(8);
  else throw new Error(`an instruction that is not known: 0x${code.toString(16)}`);
}

function bulk(bytes) {
  const code = bytes.number();
  return code < 8 ? 0 : BULK.get(code);
}

/** The body with other numbers for the functions that it names. */
export function renumbered(body, numberOf) {
  const parts = [];
  let from = 0;
  for (const { at, length, of } of functionsNamedIn(body)) {
    parts.push(body.subarray(from, at), number(numberOf(of)));
    from = at + length;
  }
  return Buffer.concat([...parts, body.subarray(from)]);
}
