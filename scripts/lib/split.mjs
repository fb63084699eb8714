/**
 * Splits a WebAssembly module in two: one to begin with, and one that is loaded when it is needed.
 *
 * What is moved leaves behind a few instructions that load the second module, if that is not there, and then call into
 * it by the table of functions, which both have in common, as they have memory and globals. Calls back go by the same
 * table. So it does not matter to what a module does which functions are moved, only to when the second module is
 * loaded; and neither needs to know the other's numbers.
 *
 * The second module imports everything from `first`. The first calls `load` of `from`, which has to instantiate the
 * second before it returns, and to set the global `loaded` to 1. The names of what is shared carry a seal: parts of two
 * versions refuse each other.
 *
 * Invariants: both modules do together what the one did; the same module and choice give the same two modules.
 *
 * Source: the binary format of WebAssembly, section 5.5; the way is that of binaryen's wasm-split, which its packages
 * for Node lack.
 */
import { createHash } from "node:crypto";
import { functionsNamedIn, renumbered } from "./code.mjs";
import { bodiesOf, number, reader, sectionsOf, writtenSection } from "./module.mjs";

const [TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, CODE, DATA] = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11];
const [OF_FUNCTION, OF_TABLE, OF_MEMORY, OF_GLOBAL] = [0, 1, 2, 3];
const [LOCAL_GET, GLOBAL_GET, CALL, CALL_INDIRECT, I32_CONST, IS_ZERO, IF, END, NOTHING, I32, TRAP] = [
  0x20, 0x23, 0x10, 0x11, 0x41, 0x45, 0x04, 0x0b, 0x40, 0x7f, 0x00,
];

/** `isLater` is asked with the number of each function that the module has itself. */
export function split(module, isLater, loader) {
  const known = parts(module);
  const { imports, bodies, slots } = known;
  const all = [...bodies.keys()].map((at) => at + imports.length);
  const later = new Set(all.filter(isLater));
  const { into, back } = crossings(known, later);
  const places = new Map(slots);
  let size = known.table.size;
  const added = { first: [], later: [] };
  for (const [numbers, side] of [
    [back, "first"],
    [into, "later"],
  ]) {
    for (const at of numbers.filter((at) => !places.has(at))) {
      places.set(at, size++);
      added[side].push(at);
    }
  }
  const seal = createHash("sha256").update(module).digest("hex").slice(0, 8);
  const plan = { ...known, seal, later, into: new Set(into), back: new Set(back), places, size, added, loader };
  return { first: first(plan), rest: second(plan), moved: later.size, crossings: into.length + back.length };
}

/** The functions by which each side is entered from the other. */
function crossings({ imports, bodies, slots, exported }, later) {
  const into = new Set([...slots.keys(), ...exported].filter((at) => later.has(at)));
  const back = new Set();
  bodies.forEach((body, at) => {
    const isLater = later.has(at + imports.length);
    for (const { of } of functionsNamedIn(body)) if (later.has(of) !== isLater) (isLater ? back : into).add(of);
  });
  const ordered = (numbers) => [...numbers].sort((a, b) => a - b);
  return { into: ordered(into), back: ordered(back) };
}

/** One more import moves every function of the module itself by one. */
function first(plan) {
  const {
    module,
    imports,
    functions,
    bodies,
    later,
    into,
    places,
    size,
    added,
    table,
    globals,
    loader,
    exports,
    seal,
  } = plan;
  const moved = (at) => (at < imports.length ? at : at + 1);
  const nothing = plan.types.findIndex(({ bytes }) => bytes.equals(Buffer.from([0x60, 0, 0])));
  if (nothing < 0) throw new Error("no function of the module takes nothing and gives nothing");
  const ensure = imports.length + 1 + bodies.length;
  const loaded = globals.length;
  const isThere = Buffer.from([
    0,
    GLOBAL_GET,
    ...number(loaded),
    IS_ZERO,
    IF,
    NOTHING,
    CALL,
    ...number(imports.length),
    END,
    END,
  ]);
  const written = bodies.map((body, at) => {
    const own = at + imports.length;
    if (!later.has(own)) return renumbered(body, moved);
    return into.has(own) ? detour(plan, own, [CALL, ...number(ensure)]) : Buffer.from([0, TRAP, END]);
  });
  const shared = [
    exportOf("loaded", OF_GLOBAL, loaded),
    ...plan.memories.map((_, at) => exportOf(`memory${at}-${seal}`, OF_MEMORY, at)),
    ...plan.tables.map((_, at) => exportOf(`table${at}-${seal}`, OF_TABLE, at)),
    ...globals.map((_, at) => exportOf(`global${at}-${seal}`, OF_GLOBAL, at)),
  ];
  const theirs = exports.map(({ name, kind, of }) => exportOf(name, kind, kind === OF_FUNCTION ? moved(of) : of));
  const tables = plan.tables.map((it, at) =>
    at === table.at ? Buffer.concat([Buffer.from([it.type]), Buffer.from([1]), number(size), number(size)]) : it.bytes,
  );
  const before = plan.elements.map(({ offset, functions }) => ({ offset, functions: functions.map(moved) }));
  const elements = [...before, ...run(inOrder(added.first, places).map(([slot, at]) => [slot, moved(at)]))];
  const load = Buffer.concat([text(loader.from), text(loader.load), Buffer.from([OF_FUNCTION]), number(nothing)]);
  return assembled(
    module,
    new Map([
      [IMPORT, vector([...imports.map(({ bytes }) => bytes), load])],
      [FUNCTION, vector([...functions, nothing].map(number))],
      [TABLE, vector(tables)],
      [GLOBAL, vector([...globals.map(({ bytes }) => bytes), Buffer.from([I32, 1, I32_CONST, 0, END])])],
      [EXPORT, vector([...theirs, ...shared])],
      [ELEMENT, vector(elements.map((it) => segment(it, table.at)))],
      [CODE, vector([...written, isThere].map(sized))],
    ]),
  );
}

/** Has a function in the place of each import, so that all keep their numbers. */
function second(plan) {
  const {
    module,
    imports,
    functions,
    bodies,
    later,
    into,
    back,
    places,
    size,
    table,
    globals,
    memories,
    tables,
    seal,
  } = plan;
  const given = [
    ...tables.map(({ type, bytes }, at) =>
      importOf(
        `table${at}-${seal}`,
        OF_TABLE,
        at === table.at ? Buffer.concat([Buffer.from([type, 1]), number(size), number(size)]) : bytes,
      ),
    ),
    ...memories.map((bytes, at) => importOf(`memory${at}-${seal}`, OF_MEMORY, bytes)),
    ...globals.map(({ type }, at) => importOf(`global${at}-${seal}`, OF_GLOBAL, type)),
  ];
  const stubs = [...imports.map(({ type }) => type), ...functions];
  const written = stubs.map((_, at) => {
    if (later.has(at)) return bodies[at - imports.length];
    return back.has(at) ? detour(plan, at, []) : Buffer.from([0, TRAP, END]);
  });
  return assembled(
    module,
    new Map([
      [IMPORT, vector(given)],
      [FUNCTION, vector(stubs.map(number))],
      [ELEMENT, vector(run(inOrder([...into], places)).map((it) => segment(it, table.at)))],
      [CODE, vector(written.map(sized))],
      ...[TABLE, MEMORY, GLOBAL, EXPORT, DATA, 8, 12].map((id) => [id, undefined]),
    ]),
  );
}

/** The body of a function that calls what stands in its slot. */
function detour({ types, imports, functions, places, table }, at, before) {
  const type = at < imports.length ? imports[at].type : functions[at - imports.length];
  const handedOver = Array.from({ length: types[type].takes }, (_, local) => [LOCAL_GET, ...number(local)]).flat();
  return Buffer.from([
    0,
    ...before,
    ...handedOver,
    I32_CONST,
    ...signed(places.get(at)),
    CALL_INDIRECT,
    ...number(type),
    ...number(table.at),
    END,
  ]);
}

function inOrder(numbers, places) {
  return numbers.map((at) => [places.get(at), at]).sort(([a], [b]) => a - b);
}

/** Slots that follow each other are one segment. */
function run(pairs) {
  const segments = [];
  for (const [slot, at] of pairs) {
    const last = segments.at(-1);
    if (last && last.offset + last.functions.length === slot) last.functions.push(at);
    else segments.push({ offset: slot, functions: [at] });
  }
  return segments;
}

function segment({ offset, functions }, table) {
  const list = vector(functions.map(number));
  const place = [I32_CONST, ...signed(offset), END];
  return table === 0
    ? Buffer.concat([Buffer.from([0, ...place]), list])
    : Buffer.concat([Buffer.from([2, ...number(table), ...place, 0]), list]);
}

function assembled(module, written) {
  const sections = sectionsOf(module).filter(({ id }) => id !== 0);
  const one = ({ id, from, end }) => {
    if (!written.has(id)) return module.subarray(from, end);
    return written.get(id) ? writtenSection(id, written.get(id)) : Buffer.alloc(0);
  };
  return Buffer.concat([module.subarray(0, 8), ...sections.map(one)]);
}

/** A module taken apart. `slots` says which place in the table of functions a function has, if it has one. */
export function parts(module) {
  const sections = sectionsOf(module);
  const items = (id, one) => {
    const section = sections.find((it) => it.id === id);
    if (!section) return [];
    const bytes = reader(module, section.start);
    return Array.from({ length: bytes.number() }, () => {
      const from = bytes.at;
      const found = one(bytes);
      return Object.assign(found, { bytes: module.subarray(from, bytes.at) });
    });
  };
  const types = items(TYPE, typeOf);
  const imports = items(IMPORT, importedAs);
  const functions = items(FUNCTION, (bytes) => ({ type: bytes.number() })).map(({ type }) => type);
  const tables = items(TABLE, (bytes) => ({ type: module[bytes.at++], ...limits(bytes, module) }));
  const memories = items(MEMORY, (bytes) => limits(bytes, module)).map(({ bytes }) => bytes);
  const globals = items(GLOBAL, (bytes) => ({ type: globalOf(bytes, module) }));
  const exports = items(EXPORT, (bytes) => ({ name: bytes.text(), kind: module[bytes.at++], of: bytes.number() }));
  const elements = items(ELEMENT, (bytes) => elementOf(bytes, module));
  const at = tables.findIndex(({ type }) => type === 0x70);
  const slots = new Map(
    elements.flatMap(({ offset, functions }) => functions.map((of, place) => [of, offset + place])),
  );
  const exported = exports.filter(({ kind }) => kind === OF_FUNCTION).map(({ of }) => of);
  return {
    module,
    sections,
    types,
    imports,
    functions,
    tables,
    memories,
    globals,
    exports,
    exported,
    elements,
    slots,
    table: { at, size: tables[at].least },
    bodies: bodiesOf(module, sections),
  };
}

function typeOf(bytes) {
  if (bytes.number() !== 0x60) throw new Error("a type that is no function's");
  const takes = bytes.number();
  bytes.skip(takes);
  bytes.skip(bytes.number());
  return { takes };
}

function importedAs(bytes) {
  bytes.text();
  bytes.text();
  if (bytes.number() !== OF_FUNCTION) throw new Error("the module imports something that is no function");
  return { type: bytes.number() };
}

function limits(bytes) {
  const has = bytes.number();
  const least = bytes.number();
  if (has === 1) bytes.number();
  return { least };
}

function globalOf(bytes, module) {
  const from = bytes.at;
  bytes.skip(2);
  const type = module.subarray(from, bytes.at);
  if (module[bytes.at++] !== I32_CONST) throw new Error("a global that does not begin as a whole number");
  bytes.number();
  bytes.skip(1);
  return type;
}

function elementOf(bytes, module) {
  const kind = bytes.number();
  if (kind !== 0 && kind !== 2) throw new Error("a segment of functions of another kind");
  if (kind === 2) bytes.number();
  if (module[bytes.at++] !== I32_CONST) throw new Error("the place of a segment of functions is no constant");
  const offset = bytes.number();
  bytes.skip(1);
  if (kind === 2) bytes.skip(1);
  return { offset, functions: Array.from({ length: bytes.number() }, () => bytes.number()) };
}

function vector(items) {
  return Buffer.concat([number(items.length), ...items]);
}

function sized(body) {
  return Buffer.concat([number(body.length), body]);
}

function text(words) {
  const bytes = Buffer.from(words);
  return Buffer.concat([number(bytes.length), bytes]);
}

function exportOf(name, kind, at) {
  return Buffer.concat([text(name), Buffer.from([kind]), number(at)]);
}

function importOf(name, kind, type) {
  return Buffer.concat([text("first"), text(name), Buffer.from([kind]), type]);
}

/** A whole number that is not negative, as constants are written: its highest bit says the sign. */
function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest >>= 7) {
    if (rest < 64) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
