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

/** What waits: beginnings of the paths of modules and functions. */
const WAITING = [
  // Changing a plan, its text, and what is read anew then.
  "core::graph::edit", "core::source::edit", "core::language::document::Document::change", "playground::session::commands", "playground::session::fragment", "playground::history",
  // What is shown when it is asked for.
  "playground::form", "playground::page::inspector", "playground::page::act",
];
/** What doesn't, though it stands in a module that waits, or is made of parts that do. */
const SHOWN = ["playground::page::shell", "playground::page::canvas", "playground::page::text", "playground::page::inspector::__component_inspector"];

/** Says of the number of a function whether it waits. */
export function waiting(module) {
  const { imports, sections, slots, exported } = parts(module);
  const names = functionNames(module, sections);
  const bodies = bodiesOf(module, sections);
  const named = new Set([...names].filter(([, name]) => waitsByName(name)).map(([at]) => at));
  const first = new Set();
  const ahead = [...slots.keys(), ...exported];
  while (ahead.length > 0) {
    const at = ahead.pop();
    if (first.has(at) || named.has(at)) continue;
    first.add(at);
    if (at >= imports.length) ahead.push(...functionsNamedIn(bodies[at - imports.length]).map(({ of }) => of));
  }
  return (at) => !first.has(at);
}

/** A name says in which modules a function stands, and those of what it was made for, if it is a generic one. */
function waitsByName(name) {
  const paths = (name.match(/stepgraph_\w+(::\w+)*(>(::\w+)+)?/g) ?? []).map((path) => path.slice("stepgraph_".length).replace(">", ""));
  const any = (beginnings) => paths.some((path) => beginnings.some((beginning) => path === beginning || path.startsWith(`${beginning}::`)));
  return any(WAITING) && !any(SHOWN);
}
