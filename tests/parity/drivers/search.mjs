/** Runs many random plans with every driver, and reports a shrunk failing plan with its seed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAudit } from "../../../dist/integrations/audit/node.js";
import { sqlite } from "../../servers/sqlite.mjs";
import { Counts } from "./counts.mjs";
import { checkCase } from "./examine.mjs";
import { generate } from "./generate.mjs";
import { shrink } from "./shrink.mjs";

export async function createFixture() {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-drivers-"));
  const Database = await sqlite();
  const database = Database && new Database(":memory:");
  const audits = Database && (await openAudit({ db: new Database(":memory:") }));
  let names = 0;
  return {
    folder,
    database,
    audits,
    next: () => `run-${names++}`,
    remove() {
      audits?.close();
      database?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Throws at the first failure, unless `keepsOn` takes the failures. */
export async function search({ seed = 1, count, counts = new Counts(), at, keepsOn }) {
  for (let next = seed; next < seed + count; next++) {
    const one = generate(next);
    if (one.isRace) counts.races++;
    try {
      await checkCase(one, at, counts);
    } catch (error) {
      const told = await describeFailure(one, error, at);
      if (keepsOn === undefined) throw new Error(told);
      keepsOn(told);
    }
  }
  return counts;
}

async function describeFailure(one, error, at) {
  let last = error;
  const fails = async (candidate) => {
    try {
      await checkCase(candidate, at, new Counts());
      return false;
    } catch (thrown) {
      const isSame = thrown.way === error.way && thrown.what === error.what;
      if (isSame) last = thrown;
      return isSame;
    }
  };
  const small = error.way === undefined ? one : await shrink(one, fails);
  const { plan, input, isRace } = small;
  const again = `node tests/parity/drivers.mjs --seed ${one.seed} --count 1`;
  const about = `seed ${one.seed}${isRace ? " (a race)" : ""}: ${again}`;
  const why = last.way === undefined ? last.stack : last.message;
  return `${about}\n${why}\ninput ${JSON.stringify(input)}\nplan ${JSON.stringify(plan)}`;
}
