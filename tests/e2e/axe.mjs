// Finds a page's accessibility problems with axe.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Each with its place and reason. `include` selects the parts to search. */
export async function violations(page, include) {
  await page.evaluate(axe);
  const found = await page.evaluate(async (include) => {
    const context = include === undefined ? document : { include };
    return (await window.axe.run(context, { resultTypes: ["violations"] })).violations;
  }, include);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary.replaceAll(/\s+/g, " ")}`,
    ),
  );
}
