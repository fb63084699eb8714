// Tests that a Spanish page speaks Spanish, also with the words of the engine, and that nobody else loads them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { replacePlanText, stage } from "./page-fixture.mjs";

const at = stage();
const BROKEN = "start: a\nnodes:\n  a: {type: log}\nedges:\n  - {from: a, to: nowhere}\n";
const ENDLESS =
  "start: a\nlimits: {visits: 2}\nnodes:\n  a: {type: noop}\n  b: {type: log}\n" +
  'edges:\n  - {from: a, to: b, condition: "last == done"}\n  - {from: a, to: a}\n';
const SCRIPTS = /(page-texts|engine-texts)-[^/]*\.js$/;

async function scriptsOf(context) {
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  return asked;
}

test("an English page loads no Spanish texts, and switching to Spanish loads them", async () => {
  let asked;
  const { page, close } = await at.open("", { prepare: async (context) => (asked = await scriptsOf(context)) });
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  assert.deepEqual(
    asked.filter((url) => SCRIPTS.test(url)),
    [],
  );
  await page.getByRole("button", { name: "Español", exact: true }).click();
  await page.getByRole("button", { name: "Ejecutar", exact: true }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "es");
  assert.equal(asked.filter((url) => SCRIPTS.test(url)).length, 2);
  await page.getByRole("button", { name: "English", exact: true }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await close();
});

test("a page that its user has set to English loads no Spanish texts, whatever the browser prefers", async () => {
  let asked;
  const prepare = async (context) => {
    asked = await scriptsOf(context);
    await context.addInitScript(() => {
      // Firefox also calls it for the empty page before, which may not store anything.
      if (location.protocol === "http:") localStorage.setItem("stepgraph.frame", "400 300 220 no system en yes yes no");
    });
  };
  const chosen = await at.open("", { lang: "es-ES", prepare });
  await chosen.page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await chosen.close();
  assert.deepEqual(
    asked.filter((url) => SCRIPTS.test(url)),
    [],
  );
  const linked = await at.open("?lang=es", { prepare });
  await linked.page.getByRole("button", { name: "Ejecutar", exact: true }).waitFor();
  await linked.close();
});

test("a switch of the language leaves the text where it is", async () => {
  const { page, close } = await at.open();
  const nodes = Array.from({ length: 200 }, (_, at) => `  n${at}: {type: log, input: hi}\n`).join("");
  await replacePlanText(page, `nodes:\n${nodes}`);
  const firstLine = () =>
    page.evaluate(() => {
      const { top } = document.querySelector(".cm-scroller").getBoundingClientRect();
      const lines = [...document.querySelectorAll(".cm-line")];
      return lines.find((line) => line.getBoundingClientRect().bottom > top + 1).textContent;
    });
  const frames = () =>
    page.evaluate(async () => {
      for (let frame = 0; frame < 6; frame++) await new Promise((done) => requestAnimationFrame(done));
    });
  await page.locator(".cm-scroller").hover();
  await page.mouse.wheel(0, -100_000);
  await page.waitForFunction(() => document.querySelector(".cm-scroller").scrollTop === 0);
  await page.mouse.wheel(0, 1500);
  await page.waitForFunction(() => document.querySelector(".cm-scroller").scrollTop > 1000);
  await frames();
  const before = await firstLine();
  for (const [button, label] of [
    ["Español", "Texto del plan"],
    ["English", "Plan text"],
  ]) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("textbox", { name: label }).waitFor();
    await frames();
    assert.equal(await firstLine(), before, button);
  }
  await close();
});

test("a Spanish page begins in Spanish, with a plan in Spanish", async () => {
  const { page, close } = await at.open("", { lang: "es-ES" });
  await page.getByRole("button", { name: "Ejecutar este plan" }).click();
  await page
    .getByText(/completada en/i)
    .first()
    .waitFor();
  assert.match(await page.getByRole("textbox").filter({ hasText: "nodes:" }).innerText(), /Clasificar una petición/);
  await close();
});

test("problems of a plan are in the page's language, also after a switch", async () => {
  const { page, close } = await at.open("", { lang: "es-ES" });
  await replacePlanText(page, BROKEN);
  await page.getByRole("tab", { name: /Problemas/ }).click();
  const problem = page.locator(".problem-line").filter({ hasText: "nowhere" }).first();
  await problem.filter({ hasText: "no hay ningún nodo" }).waitFor();
  const card = page.locator("[title*='no hay ningún nodo']").first();
  await card.waitFor();
  await page.getByRole("button", { name: "English", exact: true }).click();
  await problem.filter({ hasText: "there is no node" }).waitFor();
  await page.locator("[title*='there is no node']").first().waitFor();
  await close();
});

test("a failed run says in Spanish what failed", async () => {
  const { page, close } = await at.open("", { lang: "es-ES" });
  await replacePlanText(page, ENDLESS);
  await page.getByRole("button", { name: "Ejecutar", exact: true }).click();
  const outcome = page.locator(".outcome");
  await outcome.filter({ hasText: "visitó" }).waitFor();
  assert.match(await outcome.innerText(), /ha fallado/);
  assert.doesNotMatch(await outcome.innerText(), /\b(the|was|of)\b/);
  await close();
});

test("a page whose Spanish texts can't be loaded is English and says so", async () => {
  const prepare = (context) => context.route("**/page-texts-*.js", (route) => route.fulfill({ status: 503 }));
  const { page, close } = await at.open("", { lang: "es-ES", prepare, allow: ["503", "page-texts"] });
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await page.getByRole("alert").filter({ hasText: "No se pudo cargar una parte de la página" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  await close();
});

test("the text editor explains and completes in the page's language", async () => {
  const { page, close } = await at.open("", { lang: "es-ES" });
  await replacePlanText(page, "nodes:\n  a: {type: log}\n");
  const text = page.getByRole("textbox").filter({ hasText: "nodes:" });
  await text.locator(".is-type", { hasText: "log" }).hover();
  const card = page.locator(".text-card");
  await card.getByText("tipo de nodo").waitFor();
  await card.getByText("Pasa su entrada sin cambios").waitFor();
  await card.getByText("Ajustes:").waitFor();
  await page.keyboard.press("Escape");
  await text.press("Control+End");
  await text.press("Control+ ");
  const option = page.getByRole("option", { name: /edges/ });
  await option.getByText("lista", { exact: true }).waitFor();
  await close();
});
