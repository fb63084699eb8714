// The commands of Start and of the tutorial, in their order, each page with its own plan.
//
// A module replaces the server of the pages. Commands that need a model of others, a server or a repository do not run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, program } from "./stepgraph.mjs";

const SHOP = `const id = { type: "string" };
export const tools = {
  get_order: {
    input: { type: "object", properties: { id }, required: ["id"] },
    annotations: { readOnlyHint: true },
    run: ({ id }) => (id === "18" ? { id, total: 300 } : { id, total: 12, sent: "Monday" }),
  },
  pay_back: {
    input: { type: "object", properties: { id, amount: { type: "number" } } },
    annotations: { destructiveHint: false },
    run: () => "ok",
  },
};
`;
const docs = new URL("../../docs/", import.meta.url);
const pages = ["start.md", ...readdirSync(new URL("tutorial", docs)).map((name) => `tutorial/${name}`)];

const ELSEWHERE = /--model|http:|stdio:|stepgraph (drift|review)/;
/** A paused run has an exit code of its own. */
const EXITS = { "--snapshot": 4 };

for (const page of pages)
  test(`the commands of ${page} work`, () => {
    const text = readFileSync(new URL(page, docs), "utf8");
    let cwd = join(folder, page.replace(/\W/g, "-"));
    mkdirSync(cwd);
    const [, plan] = /```yaml\n([^]*?)```/.exec(text) ?? [];
    if (plan) writeFileSync(join(cwd, "support.yaml"), plan);
    else writeFileSync(join(cwd, "support.yaml"), "nodes: {a: {type: tool, tool: get_order, input: {id: '1'}}}\n");
    writeFileSync(join(cwd, "shop.mjs"), SHOP);
    const lines = [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, code]) => code.trim().split("\n"));
    let ran = 0;
    for (const line of lines) {
      if (line.startsWith("cd ")) cwd = join(cwd, line.slice(3));
      if (!line.startsWith("npx stepgraph ") || ELSEWHERE.test(line)) continue;
      const command = line
        .replace(/^npx stepgraph/, `"${process.execPath}" "${program}"`)
        .replace("--server URL", "--handlers shop.mjs");
      const [, code = 0] = Object.entries(EXITS).find(([option]) => line.includes(option)) ?? [];
      const { status, stderr } = shell(command, cwd);
      assert.equal(status, code, `${line}\n${stderr}`);
      ran++;
    }
    if (lines.length > 0) assert.ok(ran > 0 || page.includes("3-tools"), "no command ran");
  });

function shell(command, cwd) {
  try {
    execFileSync("sh", ["-c", command], { cwd, encoding: "utf8", stdio: "pipe" });
    return { status: 0, stderr: "" };
  } catch ({ status, stderr }) {
    return { status, stderr };
  }
}
