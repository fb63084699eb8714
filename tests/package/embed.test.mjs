// `stepgraph/embed` from the packed package: from a plain server, from another origin, from bundlers without settings,
// and under a strict content security policy. Each page opens in Chromium, or in Firefox with
// `STEPGRAPH_BROWSER=firefox`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "../e2e/page-fixture.mjs";
import { consumer, output, root } from "./consumer.mjs";
import * as kits from "./toolchains.mjs";

const PLAN =
  "nodes:\n  greet: {type: log, input: 'hello'}\n  end: {type: log, input: bye}\nedges: [{from: greet, to: end}]\n";
const ELEMENT = `<stepgraph-plan name="one" run><pre>${PLAN}</pre></stepgraph-plan>`;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".yaml": "text/yaml" };

const held = { servers: [] };
before(async () => {
  held.user = consumer({
    "package.json": JSON.stringify({ name: "user", private: true, type: "module" }),
    "app.js": 'import "stepgraph/embed";\n',
  });
  held.browser = await launchBrowser();
});
after(async () => {
  await held.browser?.close();
  for (const server of held.servers) {
    server.closeAllConnections();
    server.close();
  }
  held.user?.remove();
});

/** Serves the user's project. `pages` has files by path, and `headers` go with each answer. */
async function serve(pages, headers = {}, base = held.user.folder) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    try {
      const body = pages[pathname] ?? readFileSync(join(base, pathname));
      const type = pathname === "/" ? ".html" : extname(pathname);
      response.writeHead(200, { "content-type": TYPES[type] ?? "text/plain", ...headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  held.servers.push(server);
  return `http://127.0.0.1:${server.address().port}`;
}

const html = (src, body = ELEMENT) =>
  `<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,"><script type="module" src="${src}"></script><main>${body}</main>`;

async function open(url) {
  const page = await held.browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url);
  return { page, frame: page.frameLocator('iframe[title="one"]'), errors };
}

/** The plan is drawn, and runs to its end. */
async function runsPlan(frame) {
  await frame.getByRole("button", { name: /^greet/ }).waitFor();
  await frame.getByRole("button", { name: "Run", exact: true }).click();
  await frame
    .getByText(/run completed in/)
    .first()
    .waitFor({ state: "attached" });
}

test("a page without a bundler shows a plan, runs it and receives its edits", async () => {
  const url = await serve({ "/": html("/node_modules/stepgraph/embed/index.js") });
  const { page, frame, errors } = await open(url);
  await runsPlan(frame);
  await page.evaluate(() => addEventListener("change", ({ target }) => (window.changed = target.value)));
  await frame.getByRole("button", { name: "Text" }).click();
  await frame.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# new");
  await page.keyboard.press("Enter");
  // Slow typing makes several changes.
  await page.waitForFunction((text) => window.changed === text, `# new\n${PLAN}`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a script sets the plan before the element is in the page, and follows the selection", async () => {
  const script = "/node_modules/stepgraph/embed/index.js";
  const { page, frame, errors } = await open(await serve({ "/": html(script, "") }));
  await page.evaluate((text) => {
    const plan = Object.assign(document.createElement("stepgraph-plan"), { value: text });
    plan.setAttribute("name", "one");
    window.selected = new Promise((done) => plan.addEventListener("stepgraph-select", ({ detail }) => done(detail)));
    document.querySelector("main").append(plan);
  }, PLAN);
  await frame.getByRole("button", { name: /^end/ }).click();
  const { start, end } = await page.evaluate(() => window.selected);
  assert.equal(PLAN.slice(start, end), "end: {type: log, input: bye}");
  await page.evaluate((at) => document.querySelector("stepgraph-plan").selectAt(at), PLAN.indexOf("hello"));
  await frame
    .locator('.canvas [aria-pressed="true"], .canvas [aria-selected="true"]')
    .filter({ hasText: "greet" })
    .waitFor();
  assert.deepEqual(errors, []);
  await page.close();
});

test("the frame can't reach the site that embeds it", async () => {
  const url = await serve({ "/": html("/node_modules/stepgraph/embed/index.js") });
  const { page, frame } = await open(url);
  await frame.getByRole("button", { name: /^greet/ }).waitFor();
  const inside = page.frames().find((one) => one !== page.mainFrame());
  assert.equal(await inside.evaluate(() => origin), "null");
  assert.equal(
    await inside.evaluate(() => {
      try {
        return parent.document.title;
      } catch (error) {
        return error.name;
      }
    }),
    "SecurityError",
  );
  // No link leads to a page without an address.
  assert.equal(await frame.getByRole("button", { name: "Open in Stepgraph" }).count(), 0);
  await page.close();
});

test("the package may be on another origin, such as that of a content delivery network", async () => {
  const files = await serve({}, { "access-control-allow-origin": "*" });
  const { page, frame, errors } = await open(
    await serve({ "/": html(`${files}/node_modules/stepgraph/embed/index.js`) }),
  );
  await runsPlan(frame);
  assert.deepEqual(errors, []);
  await page.close();
});

const BUNDLERS = {
  "esbuild, one file": async (folder) => {
    const args = ["app.js", "--bundle", "--format=esm", "--outfile=out-esbuild/app.js", "--log-level=error"];
    await output(await kits.esbuild(), args, folder);
    return "/out-esbuild/app.js";
  },
  "esbuild, split": async (folder) => {
    const args = ["app.js", "--bundle", "--splitting", "--format=esm", "--outdir=out-split", "--log-level=error"];
    await output(await kits.esbuild(), args, folder);
    return "/out-split/app.js";
  },
  Vite: async (folder) => {
    const { build } = await import(pathToFileURL(join(await kits.vite(), "dist/node/index.js")).href);
    held.user.write("index.html", html("/app.js"));
    const built = await build({ root: folder, configFile: false, logLevel: "error", build: { outDir: "out-vite" } });
    return `/out-vite/${built.output.find(({ isEntry }) => isEntry).fileName}`;
  },
  webpack: async (folder) => {
    const { default: webpack } = await import(await kits.webpack());
    const settings = {
      context: folder,
      mode: "production",
      entry: "./app.js",
      output: { path: join(folder, "out-webpack") },
    };
    const stats = await new Promise((resolve, reject) =>
      webpack(settings, (error, stats) => (error ? reject(error) : resolve(stats))),
    );
    assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
    return "/out-webpack/main.js";
  },
};

for (const [name, bundle] of Object.entries(BUNDLERS))
  test(`a bundle needs no settings: ${name}`, async () => {
    const script = await bundle(held.user.folder);
    // Chunks are where the bundler wrote them, and nothing else of the project is served.
    const [, folder] = script.split("/");
    const site = `/site/${folder}`;
    cpSync(join(held.user.folder, folder), join(held.user.folder, site), { recursive: true });
    const base = join(held.user.folder, site);
    const { page, frame, errors } = await open(await serve({ "/": html(script.replace(`/${folder}`, "")) }, {}, base));
    await runsPlan(frame);
    assert.deepEqual(errors, []);
    await page.close();
  });

test("Vite's development server needs no settings", async () => {
  const { createServer: start } = await import(pathToFileURL(join(await kits.vite(), "dist/node/index.js")).href);
  held.user.write("index.html", html("/app.js"));
  const server = await start({
    root: held.user.folder,
    configFile: false,
    logLevel: "error",
    server: { watch: null, host: "127.0.0.1", port: 0 },
  });
  try {
    await server.listen();
    const { page, frame, errors } = await open(`http://127.0.0.1:${server.httpServer.address().port}/`);
    await runsPlan(frame);
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    await server.close();
  }
});

/** The policy of `docs/embedding.md`, with the nonce of its element. */
const documented = /```txt\n(script-src [^]*?)```/
  .exec(readFileSync(join(root, "docs/embedding.md"), "utf8"))[1]
  .replaceAll("\n", " ");

test("a strict policy needs what the guide lists, and otherwise the element says so", async () => {
  const script = "/node_modules/stepgraph/embed/index.js";
  const strict = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";
  const policy = (rules) => ({ "content-security-policy": rules });
  const allowed = `default-src 'none'; ${documented}`;
  const body = ELEMENT.replace(" run", ' run nonce="once"');
  const good = await open(await serve({ "/": html(script, body) }, policy(allowed.replaceAll("NONCE", "once"))));
  await runsPlan(good.frame);
  assert.deepEqual(good.errors, []);
  await good.page.close();

  const bad = await open(await serve({ "/": html(script) }, policy(strict)));
  await bad.page.getByRole("alert").filter({ hasText: "content security policy" }).waitFor();
  // The reader still sees the plan as text.
  assert.ok(await bad.page.getByText("greet: {type: log").isVisible());
  assert.ok(bad.errors.every((text) => /Content Security Policy|settings blocked/.test(text)));
  await bad.page.close();
});

/** Starts the page again, and returns the next error. */
async function failure(page) {
  const detail = page.evaluate(
    () => new Promise((done) => addEventListener("stepgraph-error", ({ detail }) => done(detail), true)),
  );
  await page.evaluate(() => document.querySelector("stepgraph-plan").setAttribute("theme", "dark"));
  return detail;
}

test("a policy that blocks WebAssembly, or requires Trusted Types, is an error with a code", async () => {
  const script = "/node_modules/stepgraph/embed/index.js";
  const body = ELEMENT.replace(" run", ' run nonce="once"');
  const withoutWasm = documented.replace(" 'wasm-unsafe-eval'", "").replaceAll("NONCE", "once");
  for (const [rules, reason] of [
    [`default-src 'none'; ${withoutWasm}`, /content security policy of this site blocks it/],
    ["require-trusted-types-for 'script'", /requires Trusted Types.*attribute `page`/],
  ]) {
    const { page } = await open(await serve({ "/": html(script, body) }, { "content-security-policy": rules }));
    await page.getByRole("alert").filter({ hasText: "can't be shown" }).waitFor();
    const detail = await failure(page);
    assert.equal(detail.code, "embed/page-blocked");
    assert.match(detail.reason, reason);
    await page.close();
  }
});

test("a plan that a script sets again has a title", async () => {
  const script = "/node_modules/stepgraph/embed/index.js";
  const { page } = await open(await serve({ "/": html(script, ELEMENT.replace('name="one" ', "")) }));
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: /^greet/ }).waitFor();
  await frame.getByText("Untitled plan").first().waitFor();
  for (const [text, title] of [
    ["nodes: {other: {type: log, input: hi}}", "Untitled plan"],
    ["id: greeting\nnodes: {third: {type: log, input: hi}}", "greeting"],
  ]) {
    await page.evaluate((plan) => Object.assign(document.querySelector("stepgraph-plan"), { value: plan }), text);
    await frame.getByText(title, { exact: true }).first().waitFor();
  }
  await page.close();
});

test("a missing file of the package is an error with a code", async () => {
  const alone = readFileSync(join(held.user.folder, "node_modules/stepgraph/embed/index.js"));
  const { page } = await open(await serve({ "/": html("/alone/index.js"), "/alone/index.js": alone }));
  await page.getByRole("alert").filter({ hasText: "can't be shown" }).waitFor();
  assert.equal((await failure(page)).code, "embed/page-not-loaded");
  await page.close();
});

test("a server may import the module, and TypeScript knows the element", async () => {
  const { folder, write } = held.user;
  const printed = execFileSync(
    process.execPath,
    ["--input-type=module", "-e", 'console.log(Object.keys(await import("stepgraph/embed")).join())'],
    { cwd: folder, encoding: "utf8" },
  );
  assert.equal(printed, "StepgraphPlan\n");
  write(
    "page.ts",
    `import { type PlanErrorDetail, StepgraphPlan } from "stepgraph/embed";
const plan = document.createElement("stepgraph-plan");
const text: string = plan.value;
const same: StepgraphPlan = plan;
plan.addEventListener("stepgraph-error", ({ detail }) => {
  const { code, reason, src }: PlanErrorDetail = detail;
  console.log(code, reason, src, text, same);
});
// @ts-expect-error The text is a string.
plan.value = 1;
`,
  );
  const options = { noEmit: true, strict: true, target: "ES2022", lib: ["ES2022", "DOM"], types: [] };
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  for (const [module, moduleResolution] of [
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ]) {
    write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...options, module, moduleResolution }, files: ["page.ts"] }),
    );
    await output(process.execPath, [compiler, "-p", "."], folder);
  }
});
