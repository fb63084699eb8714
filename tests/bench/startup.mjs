// Measures a fresh process until its first run of ten nodes ends: `node startup.mjs FILE`, or `bare` for Node alone,
// which the runner subtracts. Prints the total CPU time and the memory of the process.
import { workload } from "./workloads.mjs";

const [file] = process.argv.slice(2);

try {
  if (file !== "bare") {
    const { prepare } = await import(`./engines/${file}.mjs`);
    await (await prepare(workload("linear-10", "string")))();
  }
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 }));
} catch (error) {
  console.log(JSON.stringify({ failure: error.message }));
}
process.exit(0);
