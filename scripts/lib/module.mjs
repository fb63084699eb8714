/**
 * WebAssembly modules as bytes: their sections, the names of their functions, numbers as the format writes them.
 *
 * Source: the binary format of WebAssembly, sections 5.2 and 5.5; the custom section `name`, appendix 7.4.1.
 */

/** The sections, each with its place: `from` where its header begins, `start` and `end` around what it holds. */
export function sectionsOf(module) {
  return [...walk(module)];
}

/** What the functions of the module itself do, each without its length. */
export function bodiesOf(module, sections) {
  const bytes = reader(module, sections.find(({ id }) => id === 10).start);
  return Array.from({ length: bytes.number() }, () => {
    const length = bytes.number();
    bytes.skip(length);
    return module.subarray(bytes.at - length, bytes.at);
  });
}

/** A section with its header. */
export function writtenSection(id, ...content) {
  const whole = Buffer.concat(content);
  return Buffer.concat([Buffer.from([id]), number(whole.length), whole]);
}

function* walk(module) {
  for (let at = 8; at < module.length; ) {
    const bytes = reader(module, at + 1);
    const length = bytes.number();
    yield { id: module[at], from: at, start: bytes.at, end: bytes.at + length };
    at = bytes.at + length;
  }
}

/** The names of functions by their numbers, without hashes. */
export function functionNames(module, sections) {
  const names = new Map();
  for (const { id, start, end } of sections) {
    const bytes = reader(module, start);
    if (id !== 0 || bytes.text() !== "name") continue;
    while (bytes.at < end) {
      const kind = module[bytes.at++];
      const length = bytes.number();
      const next = bytes.at + length;
      if (kind === 1)
        for (let left = bytes.number(); left > 0; left--)
          names.set(bytes.number(), bytes.text().replace(/\[[0-9a-f]{16}\]|::h[0-9a-f]{16}$/g, ""));
      bytes.at = next;
    }
  }
  return names;
}

/** How many functions come from outside: they have the first numbers. */
export function importedFunctions(module, sections) {
  const imports = sections.find(({ id }) => id === 2);
  if (!imports) return 0;
  const bytes = reader(module, imports.start);
  let functions = 0;
  for (let left = bytes.number(); left > 0; left--) {
    bytes.text();
    bytes.text();
    if (importedAs(bytes, module).kind === 0) functions++;
  }
  return functions;
}

/** Reads what an import is: its kind, and the type if it is a function. */
export function importedAs(bytes, module) {
  const kind = module[bytes.at++];
  if (kind === 0) return { kind, type: bytes.number() };
  if (kind > 3) throw new Error("the module imports something of an unknown kind");
  // A table says first what it holds; a global is its type and whether it changes.
  bytes.skip(kind === 3 ? 2 : kind === 1 ? 1 : 0);
  if (kind !== 3 && limited(bytes)) bytes.number();
  return { kind };
}

/** Reads how large a table or memory is at first; whether a number follows that says how large it may become. */
function limited(bytes) {
  const flags = bytes.number();
  bytes.number();
  return (flags & 1) !== 0;
}

/** Reads on from `at`. */
export function reader(module, at) {
  return {
    at,
    number() {
      let [value, shift, byte] = [0, 0, 0];
      do {
        byte = module[this.at++];
        value |= (byte & 127) << shift;
        shift += 7;
      } while (byte & 128);
      return value >>> 0;
    },
    skip(length) {
      this.at += length;
    },
    text() {
      const length = this.number();
      this.skip(length);
      return module.toString("utf8", this.at - length, this.at);
    },
  };
}

/** A number in as few bytes as the format allows. */
export function number(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return Buffer.from(bytes);
  }
}
