// What a fresh process pays until its first run of ten nodes is over: `node startup.mjs FILE`, or `bare` for Node
// alone. Prints the whole CPU time of the process so far and its memory; the runner subtracts `bare`.
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
