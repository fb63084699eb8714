// A process that runs the commands `open`, `write` and `close` on a journal. Its arguments are the library's entry, and
// the journal's kind and place.

import { createInterface } from "node:readline";

const [entry, kind, file, run] = process.argv.slice(2);
const { fileJournal, sqliteJournal } = await import(entry);
const print = (word) => process.stdout.write(`${word}\n`);
let journal;

const actions = {
  async open() {
    journal = await (kind === "file" ? fileJournal(file) : sqliteJournal(file, run));
    return "holds";
  },
  async write() {
    journal.begin({ kind: "call", name: "head", work: async () => ({ output: 1, atMs: 0 }) });
    await journal.race(["head"]);
    return "written";
  },
  async close() {
    await journal.close();
    return "closed";
  },
};

print("ready");
for await (const line of createInterface({ input: process.stdin })) {
  print(await actions[line]().catch((error) => error.code ?? `no code: ${error.stack}`));
}
