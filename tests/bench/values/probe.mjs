// The JavaScript side of the forms `slot` and `slot, text`: the table of values, and the one helper that looks
// into it. The machine knows values by slot, paths and literals by number; a string crosses only once, at the start.

export const slots = [];
let paths = [];
let literals = [];

/** Says what the numbers mean. `paths` are lists of keys, `literals` are texts. */
export function intern(table) {
  paths = table.paths;
  literals = table.literals;
}

// Own keys only: a plan must not read `constructor`. The forms by reflection go without this check, so what is
// measured of them is a lower bound.
function look(slot, path) {
  let value = slots[slot];
  for (const key of paths[path]) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export const probe = (slot, path, literal) => look(slot, path) === literals[literal];

export function probeText(slot, path) {
  const value = look(slot, path);
  return typeof value === "string" ? value : undefined;
}
