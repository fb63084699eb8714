// Writes the missing histories: `node tests/histories/make.mjs`. Stored ones never change, because users may have run
// the engine that wrote them.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanGraph, run } from "../../dist/node.js";
import { Time } from "../parity/drivers/virtual-time.mjs";
import { CASES } from "./cases.mjs";
import { scripted } from "./host.mjs";
import { expectedOf, historyUrl } from "./stored.mjs";

/** The run pauses without a person, then resumes. */
async function paused(graph, one) {
  const time = new Time();
  const { onApproval, ...host } = scripted(one, time);
  const { input = null } = one;
  const { snapshot } = await time.during(run(graph, { input, ...host, clock: time.clock }));
  if (snapshot === null) return {};
  const report = await time.during(run(graph, { snapshot, ...host, onApproval, clock: time.clock }));
  return { snapshot: JSON.stringify(snapshot), resumed: expectedOf(report) };
}

/** A plain run and one on a journal must give the same result. */
async function recordCase(one) {
  const { plan, input = null } = one;
  const { graph, diagnostics } = PlanGraph.parse(JSON.stringify(plan));
  if (!graph?.valid) throw new Error(diagnostics[0].message);
  const cassette = [];
  const time = new Time();
  const options = { input, ...scripted(one, time), clock: time.clock, record: (line) => cassette.push(line) };
  const report = await time.during(run(graph, options));
  if (report.outcome.code === "run/invalid-plan") throw new Error(report.outcome.message);
  const later = new Time();
  const { onApproval, ...host } = scripted(one, later);
  const journal = new MemoryJournal({ clock: later.clock, onApproval });
  const durable = await later.during(runDurable(graph, journal, { input, ...host, now: later.now }));
  const expected = expectedOf(report);
  if (expectedOf(durable) !== expected) throw new Error("the journal's run is another one");
  return { cassette, journal: journal.lines, expected, ...(await paused(graph, one)) };
}

for (const [name, one] of Object.entries(CASES)) {
  if (existsSync(historyUrl(name))) continue;
  const { cassette, journal, expected, snapshot, resumed } = await recordCase(one);
  const { plan, input = null } = one;
  const write = (file, text) => writeFileSync(historyUrl(name, file), text);
  mkdirSync(historyUrl(name), { recursive: true });
  write("plan.json", `${JSON.stringify({ plan, input })}\n`);
  write("cassette.ndjson", `${cassette.join("\n")}\n`);
  write("journal.ndjson", `${journal.join("\n")}\n`);
  write("expected.ndjson", expected);
  if (snapshot !== undefined) {
    write("snapshot.json", `${snapshot}\n`);
    write("resumed.ndjson", resumed);
  }
  console.log(`${name}: ${cassette.length} lines, ${journal.length} entries`);
}
