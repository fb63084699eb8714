/** Checks entries and counts planted faults, found faults, and false alarms. */
import { CLASSES } from "./shapes.mjs";

const REFERENCES = [
  [/is carried out later|is its own result/, "forward reference"],
  [/is nothing that/, "absent output field"],
];

/** Returns the class of an error. One code covers three classes of references. The message tells them apart. */
export function errorClass({ code, message, target }) {
  if (code === "plan/bad-reference")
    return REFERENCES.find(([words]) => words.test(message))?.[1] ?? "dangling reference";
  if (code === "plan/invalid-type" && target.type !== "call") return "malformed plan";
  return CLASSES.find(({ codes }) => codes.includes(code))?.name ?? code;
}

const ratio = (part, whole) => (whole === 0 ? null : part / whole);

/**
 * Returns `{plans, sound, faulty, classes, overall, alarms, misses, skipped, unknown}`. A class is `{name, planted,
 * found, recall, false_alarms, precision}`.
 *
 * A fault counts as found if some error has one of its codes. Overall, any error counts. A false alarm is an error in a
 * plan without a fault. Its code and message decide its class. Precision is the share of found faults in found faults
 * and false alarms, or null if there are none.
 */
export async function measure(entries, check) {
  const rows = new Map(CLASSES.map(({ name, codes }) => [name, { codes, planted: 0, found: 0, alarms: 0 }]));
  const [alarms, misses, skipped, unknown] = [[], [], [], new Map()];
  const counts = { sound: 0, faulty: 0, flagged: 0 };
  for await (const entry of entries) {
    if (entry.skipped) {
      skipped.push({ line: entry.skipped, why: entry.why });
      continue;
    }
    let errors;
    try {
      errors = errorsOf(entry, check);
    } catch (error) {
      // JavaScript cannot serialize a value that is nested too deeply.
      skipped.push({ line: entry.place, why: error.message });
      continue;
    }
    const describeScore = () =>
      errors.map(({ code, message, target }) => ({
        code,
        message,
        ...(target.type === "call" && { call: target.call }),
      }));
    for (const name of entry.unknown) unknown.set(name, (unknown.get(name) ?? 0) + 1);
    if (entry.faults.length + entry.unknown.length === 0) {
      counts.sound += 1;
      if (errors.length > 0) alarms.push({ id: entry.id, place: entry.place, said: describeScore() });
      for (const name of new Set(errors.map(errorClass))) if (rows.has(name)) rows.get(name).alarms += 1;
      continue;
    }
    counts.faulty += 1;
    counts.flagged += errors.length > 0 ? 1 : 0;
    const missed = entry.faults.filter((name) => {
      const row = rows.get(name);
      const found = errors.some(({ code }) => row.codes.includes(code));
      row.planted += 1;
      row.found += found ? 1 : 0;
      return !found;
    });
    if (missed.length > 0 || errors.length === 0)
      misses.push({
        id: entry.id,
        place: entry.place,
        faults: errors.length === 0 ? [...entry.faults, ...entry.unknown] : missed,
        said: describeScore(),
      });
  }
  const row = ([name, { planted, found, alarms: wrong }]) => ({
    name,
    planted,
    found,
    recall: ratio(found, planted),
    false_alarms: wrong,
    precision: ratio(found, found + wrong),
  });
  const { sound, faulty, flagged } = counts;
  return {
    plans: sound + faulty,
    sound,
    faulty,
    classes: [...rows].map(row).filter(({ planted, false_alarms }) => planted + false_alarms > 0),
    overall: {
      planted: faulty,
      found: flagged,
      recall: ratio(flagged, faulty),
      false_alarms: alarms.length,
      precision: ratio(flagged, flagged + alarms.length),
    },
    alarms,
    misses,
    skipped,
    unknown: [...unknown].map(([name, plans]) => ({ name, plans })),
  };
}

/** Warnings do not count. */
function errorsOf({ plan, tools, context, trusted }, check) {
  return check(plan, tools, { context, trusted }).filter(({ severity }) => severity === "error");
}
