// Runs the suite on the reference journal, also cut after every entry: results equal those of `run`, and no finished
// call repeats.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { executeCall, remoteHost, MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanGraph, priceModels, run } from "../../dist/node.js";
import { cases, differences, comparableParts, FREE, textual } from "../parity/suite.mjs";
import { StubSet } from "../parity/js-stubs.mjs";
import { countingHost, createVirtualTime, timing } from "./virtual-world.mjs";

const { clock, stop } = createVirtualTime();
after(stop);

/** No other output contains measured values. */
const withoutDurations = ({ trace, state }) =>
  [trace, state].map((text) => text?.replaceAll(/"(duration_ms|total_execution_time_ms)":[\d.]+/g, '"$1":0'));

const UNRESOLVED = new Promise(() => {});

function runOptions({ input = null, outputs = {}, memory, context }) {
  return { input, outputs, ...((memory ?? null) !== null && { memory }), ...(context && { context }) };
}

const suite = cases().filter(({ id }) => !textual.includes(id));
let [entries, cuts] = [0, 0];
after(() =>
  console.log(`${suite.length} cases with ${entries} entries in their journals, cut and gone on with ${cuts} times`),
);

for (const one of suite) {
  test(`${one.suite}/${one.id}: ${one.name}`, async () => {
    const { graph, diagnostics } = PlanGraph.parse(one.source ?? JSON.stringify(one.plan ?? null), {
      format: one.format === "json" ? "json" : "auto",
    });
    if (!graph?.valid) return;
    // A model needs a price under a limit in dollars. The replies of these cases have their own.
    const priced = (host) =>
      one.plan?.limits?.usd === undefined ? host : { ...host, models: priceModels(host.models, FREE) };
    const createHost = () => {
      const { host, ...rest } = countingHost(new StubSet(graph, one.stubs).host(timing(clock)));
      return { host: priced(host), ...rest };
    };
    const drive = (journal, host) =>
      runDurable(graph, journal, { ...runOptions(one), ...host, now: () => clock.now() });

    const plain = await run(graph, { ...runOptions(one), ...createHost().host, clock });
    const journal = new MemoryJournal({ clock });
    const whole = await drive(journal, createHost().host);
    assert.equal(whole.outcome.code, plain.outcome.code);
    if (plain.outcome.code === "run/invalid-plan") return;
    assert.deepEqual(
      withoutDurations(comparableParts({ report: whole })),
      withoutDurations(comparableParts({ report: plain })),
      "not what `run` gives",
    );
    assert.deepEqual(
      differences({ diagnostics: [...diagnostics, ...whole.diagnostics], report: whole }, one.expect),
      [],
    );
    entries += journal.lines.length;

    const { host: there } = createHost();
    const remote = new MemoryJournal({ clock });
    const performStep = (step) => {
      const text = JSON.stringify(step.remote());
      return { ...step, work: async () => executeCall(JSON.parse(text), { ...there, now: () => clock.now() }) };
    };
    const posting = {
      begin: (step) => remote.begin(step.remote ? performStep(step) : step),
      race: (pending) => remote.race(pending),
      abandon: (name) => remote.abandon(name),
    };
    const names = {
      tools: there.tools?.map(({ name }) => name),
      models: Object.keys(there.models),
      types: Object.keys(there.handlers),
      ids: Object.keys(there.byId),
    };
    const apart = await drive(posting, priced(remoteHost(names)));
    assert.deepEqual(
      withoutDurations(comparableParts({ report: apart })),
      withoutDurations(comparableParts({ report: whole })),
      "carried out elsewhere",
    );

    for (let kept = 0; kept < journal.lines.length; kept++) {
      cuts++;
      // The append never settles, as if the process died before it wrote the answer.
      const { host, made } = createHost();
      let cut;
      const ended = new Promise((resolve) => (cut = resolve));
      const first = new MemoryJournal({
        clock,
        append: () => (first.lines.length < kept ? undefined : (cut(), UNRESOLVED)),
      });
      void drive(first, host);
      await ended;
      const finished = first.lines.map((line) => JSON.parse(line).name);
      assert.equal(finished.length, kept);
      const again = new MemoryJournal({ clock, lines: first.lines });
      const report = await drive(again, host);
      assert.deepEqual(
        withoutDurations(comparableParts({ report })),
        withoutDurations(comparableParts({ report: whole })),
        `cut after ${kept} entries`,
      );
      for (const [call, times] of made)
        assert.ok(times <= (finished.includes(call) ? 1 : 2), `${call}: ${times} times, cut after ${kept}`);
    }
  });
}
