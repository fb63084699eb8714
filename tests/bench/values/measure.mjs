// Measures one form and one kind of value, alone in a process: `node measure.mjs FORM KIND [--quick]`.
import { sample } from "../sampler.mjs";
import { NODES, prepare } from "./forms.mjs";

const [form, kind, ...flags] = process.argv.slice(2);
const run = await prepare(form, kind);
console.log(JSON.stringify(await sample(run, NODES, { quick: flags.includes("--quick") })));
