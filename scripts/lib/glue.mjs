/**
 * Takes out of the page's glue, and of its module, what scripts could use but none does: classes that come with a
 * library for streams.
 *
 * Invariants: a class is taken out only if nothing makes one of it: no script, for it has no constructor, and not the
 * module, for it does not know how to wrap one; a function stays exported if the glue says its name.
 *
 * Source: what wasm-bindgen writes.
 */
import { number, reader, sectionsOf, writtenSection } from "./module.mjs";

const CLASS = /^export class (\w+) \{\n[^]*?\n\}\n(?:if \(Symbol\.dispose\) .*\n)?/gm;
const [EXPORT, OF_FUNCTION] = [7, 0];

/** The glue without classes that nothing makes. */
export function withoutIdleClasses(script) {
  const idle = [...script.matchAll(CLASS)].filter(([whole]) => !/\bconstructor\(|\b__wrap\(/.test(whole));
  return idle.reduce(
    (rest, [whole, name]) =>
      rest.replace(whole, "").replace(new RegExp(`^const ${name}Finalization = [^;]*;\\n`, "m"), ""),
    script,
  );
}

/** The module without the exported functions that the glue does not name. */
export function withoutIdleExports(module, glue) {
  const named = new Set(glue.match(/\w+/g));
  const sections = sectionsOf(module);
  const section = sections.find(({ id }) => id === EXPORT);
  const bytes = reader(module, section.start);
  const kept = Array.from({ length: bytes.number() }, () => {
    const from = bytes.at;
    const name = bytes.text();
    const kind = module[bytes.at++];
    bytes.number();
    return kind !== OF_FUNCTION || named.has(name) ? module.subarray(from, bytes.at) : undefined;
  }).filter(Boolean);
  return Buffer.concat([
    module.subarray(0, section.from),
    writtenSection(EXPORT, number(kept.length), ...kept),
    module.subarray(section.end),
  ]);
}
