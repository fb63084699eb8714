// The JavaScript side of the forms `slot` and `slot, text`: the table of values and the helper that reads it. The
// machine knows values by slot, and paths and literals by number. A string crosses only once, at the start.

export const slots = [];
let paths = [];
let literals = [];

/** Sets the tables behind the numbers. `paths` are lists of keys, `literals` are texts. */
export function setTables(table) {
  paths = table.paths;
  literals = table.literals;
}

// Reads own keys only: a plan must not read `constructor`. The forms that use reflection skip this check, so their
// figures are a lower bound.
function readPath(slot, path) {
  let value = slots[slot];
  for (const key of paths[path]) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export const probe = (slot, path, literal) => readPath(slot, path) === literals[literal];

export function probeText(slot, path) {
  const value = readPath(slot, path);
  return typeof value === "string" ? value : undefined;
}
