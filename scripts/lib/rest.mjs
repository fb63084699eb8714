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

/** What waits: modules and functions with all that is in them. */
const WAITS = [
  // Changing a plan, its text, and what is read anew then.
  "core::graph::edit", "core::source::edit", "core::language::document::Document::change",
  "playground::history", "playground::session::commands", "playground::session::edges", "playground::session::fill", "playground::session::fragment",
  // What commands and keys do.
  "playground::page::act", "playground::page::keys", "playground::page::clipboard", "playground::keyboard", "playground::svg",
  // What is shown when it is asked for.
  "playground::form", "playground::page::inspector", "playground::run", "playground::page::run",
  "playground::page::gallery", "playground::page::connect", "playground::page::request",
  "playground::share", "playground::page::share",
  "playground::search", "playground::page::shell::keylist", "playground::page::shell::menu", "playground::page::shell::picker", "playground::page::shell::rename",
];
/** What is there from the beginning though it stands in what waits, and everything else that the page shows. */
const SHOWN = ["playground::page"];
/** What both use. */
const SHARED = ["playground::page::bridge", "playground::page::dom", "playground::page::icon", "playground::page::store"];

const STANDINGS = [[WAITS, "waits"], [SHOWN, "shown"], [SHARED, "shared"]].flatMap(([paths, standing]) => paths.map((path) => ({ path, standing })));

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
  const paths = name.match(/stepgraph_\w+(::\w+)*(>(::\w+)+)?/g) ?? [];
  const standings = paths.map((path) => standingOf(path.slice("stepgraph_".length).replace(">", "")));
  return standings.includes("waits") && !standings.includes("shown");
}

/** The longest path that is listed decides. */
function standingOf(path) {
  const found = STANDINGS.filter((it) => path === it.path || path.startsWith(`${it.path}::`));
  return found.reduce((best, it) => it.path.length > best.path.length ? it : best, { path: "", standing: "shared" }).standing;
}
