// Reads damaged audit databases: flipped bits, cut ends, and damaged spill files. Its arguments are the entry of
// `stepgraph/audit`, the library's entry and a folder. Prints `{ counts, wrong }`.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [entry, library, folder] = process.argv.slice(2);
const { audited, openAudit } = await import(entry);
const { PlanGraph, run } = await import(library);
const { graph } = PlanGraph.parse(
  "nodes: {a: {type: give}, b: {type: log, input: '${last}'}}\nedges: [{from: a, to: b}]",
);
const counts = {};
const errors = [];
const count = (name) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const storedText = (store, id) =>
  JSON.stringify([{ ...store.get(id), seenMs: 0 }, [...store.trace(id)], store.cassette(id)]);

async function audit(sink, key) {
  const trail = audited(graph, { handlers: { give: () => `given to ${key}` }, record: () => {} }, sink, {
    key,
    plan: "a plan",
  });
  await trail.end(run(graph, trail.options));
  return trail.id;
}

const original = join(folder, "original.db");
const store = await openAudit(original);
const ids = [await audit(store, "one"), await audit(store, "two"), await audit(store, "three")];
const expected = ids.map((id) => storedText(store, id));
store.close();
const bytes = readFileSync(original);

/**
 * Every failure must have a code. SQLite has no checksums, so a changed value may be read. `others` counts the runs
 * that must still read correctly.
 */
async function inspectStore(where, file, others = 0) {
  const errorCode = (error) => {
    if (!/^audit\/[a-z-]+$/.test(error.code)) errors.push(`${where}: ${error.stack}`);
    return error.code;
  };
  let store;
  try {
    store = await openAudit(file, { waitMs: 0 });
    store.runs();
    store.plan(graph.hash);
    const read = ids.map((id, i) => {
      try {
        return storedText(store, id) === expected[i] ? "right" : "changed";
      } catch (error) {
        return errorCode(error);
      }
    });
    const right = read.filter((one) => one === "right").length;
    if (right < others) errors.push(`${where}: ${read}`);
    count(`${right} of ${ids.length} right`);
  } catch (error) {
    count(errorCode(error));
  } finally {
    store?.close();
  }
}

const file = join(folder, "damaged.db");
const clean = () => {
  for (const name of readdirSync(folder)) if (name.startsWith("damaged.db")) rmSync(join(folder, name));
};
for (let bit = 0; bit < bytes.length * 8; bit += Number(process.env.EVERY_BIT ?? 401)) {
  const given = Buffer.from(bytes);
  given[bit >> 3] ^= 1 << (bit & 7);
  clean();
  writeFileSync(file, given);
  await inspectStore(`bit ${bit}`, file);
}
for (let end = 1; end < bytes.length; end += 1993) {
  clean();
  writeFileSync(file, bytes.subarray(0, end));
  await inspectStore(`cut after ${end}`, file);
}

// Entries that the database refuses go to text files next to it.
clean();
const spilling = await openAudit(file);
const sink = {
  write() {
    throw Object.assign(new Error("full"), { code: "audit/full" });
  },
  spill: (part) => spilling.spill(part),
};
const spilled = await audit(sink, "spilled");
const [left] = readdirSync(folder).filter((name) => name.startsWith("damaged.db.left-"));
const text = readFileSync(join(folder, left));
rmSync(join(folder, left));
spilling.close();
async function takenIn(where, given) {
  clean();
  writeFileSync(file, bytes);
  writeFileSync(join(folder, left), given);
  await inspectStore(where, file, 3);
}
await takenIn("whole", text);
const after = await openAudit(file);
if (after.get(spilled)?.status !== "completed") errors.push("what was spilled is not taken in");
after.close();
for (let bit = 0; bit < text.length * 8; bit += 101) {
  const given = Buffer.from(text);
  given[bit >> 3] ^= 1 << (bit & 7);
  await takenIn(`spilled, bit ${bit}`, given);
}
for (let end = 0; end < text.length; end += 29) await takenIn(`spilled, cut after ${end}`, text.subarray(0, end));

process.stdout.write(`${JSON.stringify({ bits: bytes.length * 8, text: text.length, counts, wrong: errors })}\n`);
