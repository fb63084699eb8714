/**
 * Takes out of a WebAssembly module what words a panic.
 *
 * A panic of the engine is a trap, whose words nobody hears: the module has no way to print them. So the functions of
 * the standard library that never return, and only tell why, trap at once. The optimizer then drops what their callers
 * hand over; the places in the sources that were handed over are blanked here, since data is nothing that it could
 * drop.
 *
 * Invariants: only functions that never return are listed, and those that write values for programmers (`{:?}`), which
 * nothing asks for but panics; so what a module does stays the same. One that a later toolchain calls otherwise is
 * merely kept.
 *
 * Source: the binary format of WebAssembly, section 5.5.
 */

import { bodiesOf, functionNames, importedFunctions, number, reader, sectionsOf, writtenSection } from "./module.mjs";

/** Functions that never return, by their names without hashes. */
const NEVER_RETURN = new RegExp(
  `^(${[
    "core::panicking::(panic|panic_fmt|panic_bounds_check|panic_nounwind|panic_nounwind_fmt|assert_failed.*)",
    "core::panicking::panic_const::\\w+",
    "core::(option|result)::(unwrap_failed|expect_failed)",
    "core::str::slice_error_fail(_rt)?",
    "core::slice::index::slice_\\w+_fail",
    "core::slice::copy_from_slice_impl::len_mismatch_fail",
    "core::slice::sort::shared::smallsort::panic_on_ord_violation",
    "core::cell::panic_already_(mutably_)?borrowed",
    "core::num::from_ascii_radix_panic",
    "<alloc::vec::Vec<_, _>>::\\w+::assert_failed",
    "alloc::raw_vec::(handle_error|capacity_overflow)",
    "alloc::alloc::handle_alloc_error",
    "std::thread::local::panic_access_error",
    "__rustc::rust_begin_unwind",
  ].join("|")})$`,
);

/**
 * What writes a value for programmers. Only panics ask for it, but tables hold it; it writes nothing and says that this
 * went well.
 */
const FOR_PROGRAMMERS = / as core::fmt::Debug>::fmt$/;

const TRAP = Buffer.from([0, 0x00, 0x0b]);
const ZERO = Buffer.from([0, 0x41, 0x00, 0x0b]);

/** The module without the words of its panics. */
export function withoutPanics(module) {
  const sections = sectionsOf(module);
  const names = functionNames(module, sections);
  const imported = importedFunctions(module, sections);
  const bodies = bodiesOf(module, sections).map((body, at) => {
    const name = names.get(imported + at) ?? "";
    if (NEVER_RETURN.test(name)) return TRAP;
    return FOR_PROGRAMMERS.test(name) ? ZERO : body;
  });
  const code = writtenSection(10, number(bodies.length), ...bodies.flatMap((body) => [number(body.length), body]));
  return Buffer.concat([
    module.subarray(0, 8),
    ...sections.map(({ id, from, end }) => {
      if (id === 10) return code;
      return id === 11 ? withoutPlaces(module.subarray(from, end)) : module.subarray(from, end);
    }),
  ]);
}

/**
 * The data without `core::panic::Location`s: address and length of a path, line, column. Their paths end in `.rs`, and
 * no other text does.
 */
function withoutPlaces(section) {
  const data = Buffer.from(section);
  const segments = [...segmentsOf(data)];
  const textAt = (address, length) => {
    const segment = segments.find((it) => address >= it.address && address + length <= it.address + it.length);
    return (
      segment && data.subarray(segment.at + address - segment.address, segment.at + address - segment.address + length)
    );
  };
  const paths = new Set();
  for (const { address, at, length } of segments) {
    for (let place = -address & 3; place + 16 <= length; place += 4) {
      const [path, size, line, column] = [0, 4, 8, 12].map((word) => data.readUInt32LE(at + place + word));
      if (size < 4 || size > 300 || line === 0 || line > 100_000 || column === 0 || column > 1000) continue;
      const text = textAt(path, size);
      if (!text || !/^[\w/.+-]+\.rs$/.test(text.toString("latin1"))) continue;
      data.fill(0, at + place, at + place + 16);
      paths.add(text);
    }
  }
  for (const text of paths) text.fill(0);
  return data;
}

/** Where each segment of data goes in memory, and where it is in the section. */
function* segmentsOf(section) {
  const bytes = reader(section, 1);
  bytes.number();
  for (let left = bytes.number(); left > 0; left--) {
    // The compiler makes only segments that go to a constant address of the one memory.
    if (bytes.number() !== 0 || section[bytes.at++] !== 0x41) throw new Error("a segment of data of another kind");
    const address = bytes.number();
    if (section[bytes.at++] !== 0x0b) throw new Error("the address of a segment of data is no constant");
    const length = bytes.number();
    yield { address, at: bytes.at, length };
    bytes.skip(length);
  }
}
