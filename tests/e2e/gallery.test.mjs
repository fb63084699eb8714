// Tests that each plan of the gallery opens in both languages, runs to its end in the page alone, and can be viewed
// without running.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { planText } from "./share.mjs";
import { stage } from "./page-fixture.mjs";

const { open } = stage();
const index = JSON.parse(readFileSync(join(root, "examples", "gallery", "index.json"), "utf8"));
const EXPECTED_TEXTS = {
  en: {
    tag: "en-GB",
    gallery: "Gallery",
    menu: "Menu",
    run: "Run",
    approve: "Approve",
    completed: "run completed in",
    language: "English",
    search: "Search plans",
    text: "Text",
    see: "See a run",
    recorded: "Show recorded run",
    timeline: "Timeline",
    moment: "Run position",
    latest: "Latest",
    tab: "Run",
  },
  es: {
    tag: "es-ES",
    gallery: "Galería",
    menu: "Menú",
    run: "Ejecutar",
    approve: "Aprobar",
    completed: "ejecución completada en",
    language: "Español",
    search: "Buscar planes",
    text: "Texto",
    see: "Ver una ejecución",
    recorded: "Ver la ejecución grabada",
    timeline: "Cronología",
    moment: "Posición en la ejecución",
    latest: "Último",
    tab: "Ejecución",
  },
};

/** Waits until all plans have a picture. */
async function gallery(page, { gallery: name, menu }, plans = index.plans.length) {
  // On narrow screens the gallery is in the menu.
  if (page.viewportSize().width > 1240) await page.getByRole("button", { name, exact: true }).click();
  else {
    await page.getByRole("button", { name: menu, exact: true }).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  }
  const room = page.getByRole("dialog", { name, exact: true });
  await room
    .getByRole("img")
    .nth(plans - 1)
    .waitFor();
  return room;
}

test("the gallery shows and finds a card for each plan, in each size, theme and language", async () => {
  for (const [lang, theme, viewport] of [
    ["en", "light", { width: 1440, height: 900 }],
    ["es", "dark", { width: 1440, height: 900 }],
    ["en", "dark", { width: 1024, height: 768 }],
    ["es", "light", { width: 390, height: 844 }],
  ]) {
    const { page, shot, close } = await open("", { theme, viewport, lang: EXPECTED_TEXTS[lang].tag });
    const room = await gallery(page, EXPECTED_TEXTS[lang]);
    assert.equal(await room.getByRole("listitem").count(), index.plans.length);
    await shot(`gallery-${lang}-${theme}-${viewport.width}`);
    await close();
  }
});

test("the gallery filters cards by words, system, feature and level, and reports an empty result", async () => {
  const { page, close } = await open();
  const room = await gallery(page, EXPECTED_TEXTS.en);
  const cards = room.getByRole("listitem");
  const expect = (count) =>
    page.waitForFunction(
      ([selector, count]) => document.querySelectorAll(selector).length === count,
      [".dialog.gallery .card", count],
    );
  const search = room.getByRole("searchbox", { name: "Search plans" });
  await search.fill("parcel");
  await expect(1);
  assert.match(await cards.first().innerText(), /Branches/);
  await search.fill("zebra");
  await room.getByText("No matching plans.").waitFor();
  await room.getByRole("button", { name: "Show all" }).click();
  await expect(index.plans.length);
  for (const [group, name, fits] of [
    ["Planning systems", "Gather node", ({ seed }) => seed === "001"],
    ["Features", "Retries and deadlines", ({ features }) => features.includes("retries")],
    ["Level", "Beginner", ({ level }) => level === 1],
  ]) {
    const chip = room.getByRole("group", { name: group }).getByRole("button", { name, exact: true });
    await chip.click();
    await expect(index.plans.filter(fits).length);
    assert.equal(await chip.getAttribute("aria-pressed"), "true");
    await chip.click();
    await expect(index.plans.length);
  }
  await page.keyboard.press("Escape");
  await room.waitFor({ state: "hidden" });
  assert.equal(
    await page.evaluate(() => document.activeElement?.textContent),
    "Gallery",
    "the focus is back where it was",
  );
  await close();
});

for (const [lang, expected] of Object.entries(EXPECTED_TEXTS)) {
  for (const { id, title } of index.plans) {
    test(`${lang}/${id} opens without a problem and runs to its end, without requests to others`, async () => {
      const { page, shot, close } = await open("", { lang: expected.tag });
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      const room = await gallery(page, expected);
      await room.getByRole("list").getByRole("button", { name: title[lang], exact: true }).click();
      await room.waitFor({ state: "hidden" });
      const head = readFileSync(join(root, "examples", "gallery", lang, `${id}.yaml`), "utf8").split("\n")[0];
      await page.getByText(head).first().waitFor();
      await page.getByRole("button", { name: expected.run, exact: true }).first().click();
      // The question shows the refund, which does not ask again.
      if (id === "approval") await page.getByRole("button", { name: expected.approve, exact: true }).first().click();
      await page.getByText(expected.completed).first().waitFor();
      // Its first test has an empty request, but its default is one that can be planned.
      if (id === "author") assert.equal(await page.getByText("clarification_needed").count(), 0);
      if (["parallel", "react", "approval"].includes(id)) await shot(`gallery-run-${id}-${lang}`);
      assert.deepEqual(
        asked.filter((url) => !/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(url)),
        [],
      );
      await close();
    });
  }
}

const EXPECTED_PLANS = [
  ["en", "approval", "order", "ask", "paid"],
  ["es", "retry", "tipo", "informe", "ambos"],
  ["en", "memory", "orders", "back", "show"],
];

for (const [lang, id, first, later, last] of EXPECTED_PLANS) {
  const expected = EXPECTED_TEXTS[lang];
  const name = index.plans.find((plan) => plan.id === id).title[lang];

  test(`${lang}/${id}: its card replays a recorded run step by step, without requests to others`, async () => {
    const { page, context, shot, close } = await open("", { lang: expected.tag });
    const asked = [];
    context.on("request", (request) => asked.push(request.url()));
    const room = await gallery(page, expected);
    await room.getByRole("button", { name: `${expected.see}: ${name}`, exact: true }).click();
    await room.waitFor({ state: "hidden" });
    const panel = page.getByRole("region", { name: /^(Panels|Paneles)$/ });
    await panel.getByText(expected.completed).first().waitFor();
    const timeline = panel.getByRole("table", { name: expected.timeline });
    const row = (node) =>
      timeline.getByRole("row").filter({ has: page.getByRole("button", { name: new RegExp(`^${node}\\b`) }) });
    for (const node of [first, later, last]) await row(node).waitFor();
    await shot(`gallery-seen-${id}-${lang}`);
    const rows = await timeline.getByRole("row").count();
    await page.getByRole("slider", { name: expected.moment }).focus();
    await page.keyboard.press("Home");
    await row(last).waitFor({ state: "detached" });
    await panel.getByRole("button", { name: expected.latest }).click();
    await row(last).waitFor();
    assert.equal(await timeline.getByRole("row").count(), rows);
    // The recording contains the decision.
    assert.equal(await page.getByRole("button", { name: expected.approve, exact: true }).count(), 0);
    assert.deepEqual(
      asked.filter((url) => !/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(url)),
      [],
    );
    await close();
  });

  test(`${lang}/${id}: a plan opened by its card has not run, and its recording survives a reload`, async () => {
    const { page, close } = await open("", { lang: expected.tag });
    const room = await gallery(page, expected);
    await room.getByRole("list").getByRole("button", { name, exact: true }).click();
    await room.waitFor({ state: "hidden" });
    const panel = page.getByRole("region", { name: /^(Panels|Paneles)$/ });
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.getByRole("tab", { name: expected.tab, exact: true }).click();
      await panel.getByRole("button", { name: expected.recorded }).waitFor();
      assert.equal(await panel.getByText(expected.completed).count(), 0);
      await panel.getByRole("button", { name: expected.recorded }).click();
      await panel.getByText(expected.completed).first().waitFor();
    }
    await close();
  });
}

test("a card's run is seen without a network, in a page that was opened once", async () => {
  const { page, context, close } = await open("", { serviceWorkers: "allow" });
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await context.setOffline(true);
  await page.reload();
  const room = await gallery(page, EXPECTED_TEXTS.en);
  await room.getByRole("button", { name: "See a run: Reason, act, observe", exact: true }).click();
  await page.getByRole("region", { name: "Panels" }).getByText("run completed in").first().waitFor();
  await close();
});

test("a card's run replaces a paused run, and the open plan keeps its own last run", async () => {
  const { page, close } = await open();
  const { title } = index.plans.find(({ id }) => id === "approval");
  const panel = page.getByRole("region", { name: "Panels" });
  const openApprovalPlan = async () => {
    const room = await gallery(page, EXPECTED_TEXTS.en);
    await room.getByRole("list").getByRole("button", { name: title.en, exact: true }).click();
    await room.waitFor({ state: "hidden" });
    await planText(page, readFileSync(join(root, "examples/gallery/en/approval.yaml"), "utf8"));
  };
  await openApprovalPlan();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.getByRole("button", { name: "Reject", exact: true }).first().waitFor();
  await (await gallery(page, EXPECTED_TEXTS.en)).getByRole("button", { name: `See a run: ${title.en}` }).click();
  await page.getByRole("button", { name: "Stop and open", exact: true }).click();
  await panel.getByText("34 euros are paid back").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Reject", exact: true }).count(), 0);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.getByRole("button", { name: "Reject", exact: true }).first().click();
  await panel.getByText("A-1003 is not paid back").first().waitFor();
  await (await gallery(page, EXPECTED_TEXTS.en)).getByRole("button", { name: `See a run: ${title.en}` }).click();
  await panel.getByText("34 euros are paid back").first().waitFor();
  await openApprovalPlan();
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await panel.getByRole("button", { name: "Show recorded run" }).click();
  await panel.getByText("A-1003 is not paid back").first().waitFor();
  await close();
});
