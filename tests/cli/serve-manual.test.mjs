// Tests that docs/server.md matches the server. `UPDATE=1` writes its output into the page.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { overStdio, textOf } from "./serve/client.mjs";
import { file, folder } from "./stepgraph.mjs";

const page = fileURLToPath(new URL("../../docs/server.md", import.meta.url));
const source = fileURLToPath(new URL("../../wasm/js/cli/serve/caller-error.ts", import.meta.url));

const withFixedTimes = (text) =>
  text.replace(/\d+(\.\d+)? ms/g, "2.0 ms").replace(/run-[0-9a-f]{12}/g, "run-4f1c0b7a93d2");

test("the server answers each exchange of the manual as shown", async (context) => {
  let text = readFileSync(page, "utf8");
  mkdirSync(join(folder, "plans"));
  for (const [, name, content] of text.matchAll(/```yaml (\S+)\n([^]*?)```/g)) file(name, content);
  const client = await overStdio(["--stubs", "shop.stubs.yaml", "--plans", "plans"]);
  context.after(() => client.close());
  const exchanges = [...text.matchAll(/```json\n(\{"name": .*)\n```\n\n```text\n([^]*?)```/g)];
  assert.deepEqual(
    new Set(exchanges.map(([, asked]) => JSON.parse(asked).name)),
    new Set((await client.listTools()).tools.map(({ name }) => name)),
  );
  let run = "";
  for (const [whole, asked, shown] of exchanges) {
    const result = await client.callTool(JSON.parse(asked.replaceAll("RUN", run)));
    run = result.structuredContent?.run ?? run;
    const said = `${withFixedTimes(textOf(result))}\n`;
    if (process.env.UPDATE)
      text = text.replace(whole, () => whole.replace(`\`\`\`text\n${shown}\`\`\``, () => `\`\`\`text\n${said}\`\`\``));
    else assert.equal(shown, said, `${asked}\nrun this test with UPDATE=1 and look at what changes`);
  }
  if (process.env.UPDATE) writeFileSync(page, text);
});

test("a host starts the server by the manual's configuration", async (context) => {
  const [, config] = /```json\n(\{\n {2}"mcpServers"[^]*?)```/.exec(readFileSync(page, "utf8"));
  const { command, args, env } = JSON.parse(config).mcpServers.stepgraph;
  assert.deepEqual([command, ...args.slice(0, 2)], ["npx", "stepgraph", "serve"]);
  const client = await overStdio(args.slice(2), { env });
  context.after(() => client.close());
  assert.equal((await client.listTools()).tools.length, 6);
});

test("the manual lists every code of the server", () => {
  const text = readFileSync(page, "utf8");
  const codes = [...readFileSync(source, "utf8").matchAll(/^ {2}"(serve\/[a-z-]+)":/gm)].map(([, code]) => code);
  assert.ok(codes.length > 10);
  for (const code of codes) assert.ok(text.includes(`| \`${code}\` |`), code);
  for (const [, code] of text.matchAll(/^\| `(serve\/[a-z-]+)` \|/gm)) assert.ok(codes.includes(code), code);
});
