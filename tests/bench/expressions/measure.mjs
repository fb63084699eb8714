// Measures one evaluator on one case, alone in a process: `node measure.mjs EVALUATOR CASE [--quick]`.
import { best, sample } from "../sampler.mjs";
import { EVALUATORS, visits } from "./evaluators.mjs";

const [name, at, ...flags] = process.argv.slice(2);
const run = await EVALUATORS[name](Number(at));
// jq runs out of memory in a long measurement.
const quick = flags.includes("--quick") || name === "jq";
const { wallUs } = await sample(run, visits(name), { quick });
console.log(JSON.stringify({ us: best(wallUs) }));
process.exit(0);
