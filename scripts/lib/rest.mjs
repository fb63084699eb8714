/**
 * Which functions of the page's module wait until somebody does something.
 *
 * A page that is opened reads a plan, checks it, lays it out, draws it and shows its text; to change a plan, to fill in forms, to run and
 * to share come later. What only serves what waits, waits too.
 *
 * Invariants: what is chosen never matters to what the page does, only to when its second part is loaded; `tests/e2e/size.test.mjs` fails
 * when opening the page asks for something that waits.
 */
import { functionsNamedIn } from "./code.mjs";
import { bodiesOf, functionNames } from "./module.mjs";
import { parts } from "./split.mjs";

/** Parts of names of functions, as they are compiled: with crate and modules, and with what a generic one was made for. */
const WAITING = [
  // Changing a plan, and its text.
  "stepgraph_core::graph::edit", "stepgraph_core::source::edit", "stepgraph_playground::session::(commands|fragment)", "stepgraph_playground::history",
  // What is shown when it is asked for.
  "stepgraph_playground::form", "stepgraph_playground::page::(inspector|act)",
];

/** Says of the number of a function whether it waits. */
export function waiting(module) {
  const { imports, sections, slots, exported } = parts(module);
  const names = functionNames(module, sections);
  const bodies = bodiesOf(module, sections);
  const named = new RegExp(WAITING.join("|"));
  const isNamed = (at) => named.test(names.get(at) ?? "");
  const first = new Set();
  const ahead = [...slots.keys(), ...exported].filter((at) => !isNamed(at));
  while (ahead.length > 0) {
    const at = ahead.pop();
    if (first.has(at) || isNamed(at)) continue;
    first.add(at);
    if (at >= imports.length) ahead.push(...functionsNamedIn(bodies[at - imports.length]).map(({ of }) => of));
  }
  return (at) => !first.has(at);
}
