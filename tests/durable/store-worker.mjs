// A process that runs a plan in a store: `entry location run mode`. It prints its calls. `hang` never ends the call of
// node `b`.

const [entry, location, runId, mode] = process.argv.slice(2);
const { PlanGraph } = await import(entry);
const { openStore } = await import(new URL("integrations/store/node.js", entry).href);
const { PLAN, handlersOf } = await import("./store-plan.mjs");
const from = location.startsWith("postgres:") ? { pool: await openPool(location) } : location;
const store = await openStore(from);
const tell = (line) => process.stdout.write(`${line}\n`);

async function openPool(connectionString) {
  const { default: pg } = await import(process.env.PG_DRIVER);
  return new pg.Pool({ connectionString });
}

try {
  const handlers = handlersOf(tell, mode === "hang");
  const takeOver = mode === "take";
  const report = await store.run(PlanGraph.load(PLAN), { runId, input: 5, handlers, takeOver });
  tell(JSON.stringify([report.outcome.type, report.last]));
} catch (error) {
  tell(JSON.stringify([error.code ?? String(error.stack)]));
}
await store.close();
process.exit(0);
