/**
 * Which functions of the page's module wait until somebody does something.
 *
 * A page that is opened reads a plan, checks it, lays it out, draws it and shows its text; to change a plan, to fill in
 * forms, to run and to share come later. What only serves what waits, waits too.
 *
 * Invariants: what is chosen never matters to what the page does, only to when its second part is loaded;
 * `tests/e2e/size.test.mjs` fails when opening the page asks for something that waits.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { functionsNamedIn } from "./code.mjs";
import { bodiesOf, functionNames } from "./module.mjs";
import { root } from "./places.mjs";
import { parts } from "./split.mjs";

/** What waits: modules and functions with all that is in them. */
const WAITS = [
  // Changing a plan, its text, and what is read anew then.
  "core::graph::edit",
  "core::source::edit",
  "core::language::document::Document::change",
  "playground::history",
  "playground::session::commands",
  "playground::session::edges",
  "playground::session::fill",
  "playground::session::fragment",
  // What commands and keys do.
  "playground::page::act",
  "playground::page::clipboard",
  "playground::svg",
  // What is shown when it is asked for.
  "playground::page::gallery",
  "playground::page::connect",
  "playground::page::request",
  "playground::search",
  "playground::page::shell::picker",
  "playground::page::shell::rename",
];
/** What is there from the beginning though it is made of parts that wait: everything else that the page shows. */
const SHOWN = ["playground::page"];
/** What both use. */
const SHARED = [
  "playground::page::bridge",
  "playground::page::dom",
  "playground::page::icon",
  "playground::page::store",
  "playground::svg::cut_by",
];

/**
 * The functions that were not called when the page was last watched opening, by the beginnings of the hashes of their
 * names: one that is new, or is called otherwise now, is not among them. `node tests/bench/opening.mjs --record` writes
 * it.
 */
export const IDLE = join(root, "playground", "idle.txt");

/** What calls what has been moved is about as long; what is shorter moves only if nothing calls it that stays. */
const WORTH_IT = 32;

/** What a table of hashes compares depends on where in memory things lie: that it was not called once says nothing. */
const BY_LUCK = /indexmap|hashbrown|PartialEq|Equivalent/;

/** What reads plans. The one that the page begins with is all plain lines; one that a link brings need not be. */
const READS = /saphyr_parser|stepgraph_events|stepgraph_core::source/;

const STANDINGS = [
  [WAITS, "waits"],
  [SHOWN, "shown"],
  [SHARED, "shared"],
].flatMap(([paths, standing]) => paths.map((path) => ({ path, standing })));

/** Says of the number of a function whether it waits. */
export function waiting(module) {
  const { imports, sections, slots, exported } = parts(module);
  const names = functionNames(module, sections);
  const bodies = bodiesOf(module, sections);
  const idle = new Set(existsSync(IDLE) ? readFileSync(IDLE, "utf8").split("\n") : []);
  const isWorthIt = (at) => at >= imports.length && bodies[at - imports.length].length >= WORTH_IT;
  const named = new Set(
    [...names]
      .filter(
        ([at, name]) =>
          isWorthIt(at) && ((idle.has(hashOf(name)) && !BY_LUCK.test(name) && !READS.test(name)) || waitsByName(name)),
      )
      .map(([at]) => at),
  );
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

/** Short for a name, which may have thousands of letters. */
export function hashOf(name) {
  return createHash("sha256").update(name).digest("hex").slice(0, 8);
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
  return found.reduce((best, it) => (it.path.length > best.path.length ? it : best), { path: "", standing: "shared" })
    .standing;
}
