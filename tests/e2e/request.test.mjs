// Tests planning from a request: progress, review, the run or the editor, and requests that it cannot plan.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "./page-fixture.mjs";

const { open } = stage();

async function request(
  page,
  text,
  { name = "From a request", label = "What do you want to do?", go = "Plan it", way } = {},
) {
  if ((await page.getByRole("dialog", { name }).count()) === 0)
    await page.getByRole("button", { name, exact: true }).click();
  const room = page.getByRole("dialog", { name });
  if (way) await room.getByRole("radio", { name: way }).check();
  await room.getByRole("textbox", { name: label }).fill(text);
  await room.getByRole("button", { name: go, exact: true }).click();
  return room;
}

test("a choice with an approval is planned, its diagram has the conditions, and the plan has a short id", async () => {
  for (const [lang, text, words, condition, id, name] of [
    [
      "en-GB",
      "If the order A-1003 is late, refund 40 EUR after I approve, otherwise thank the customer",
      {},
      "The plan is valid. It has not run yet.",
      "order-1003-late",
      "If the order A-1003 is late",
    ],
    [
      "es-ES",
      "Si el pedido A-1003 llega tarde, reembolsa 40 EUR cuando yo lo apruebe; si no, da las gracias al cliente",
      { name: "Desde una petición", label: "¿Qué quiere hacer?", go: "Planificar" },
      "El plan es válido. Todavía no se ha ejecutado.",
      "pedido-1003-llega-tarde",
      "Si el pedido A-1003 llega tarde",
    ],
  ]) {
    const { page, shot, close } = await open("", { lang });
    const room = await request(page, text, words);
    await room.getByText(condition).waitFor();
    const conditions = await room.locator(".picture .condition title").allTextContents();
    assert.equal(conditions.length, 3, conditions.join());
    assert.ok(conditions.includes("last==approved") && conditions.includes("default"), conditions.join());
    await shot(`request-choice-${lang}`);
    await room.getByRole("button", { name: lang === "en-GB" ? "Open as plan" : "Abrir como plan" }).click();
    await room.waitFor({ state: "hidden" });
    const header = page.locator(".share-name");
    await header.getByText(name, { exact: true }).waitFor();
    assert.ok((await header.getAttribute("title")).startsWith(`${name}\n`), "the tooltip has the whole name");
    await page
      .locator(".cm-line", { hasText: `id: ${id}` })
      .first()
      .waitFor();
    await close();
  }
});

test("a request becomes a plan, which the user reviews, runs after approvals and opens", async () => {
  const { page, shot, close } = await open();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const room = await request(page, "Look at order A-1003, refund it, and tell accounting.");
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  const review = room.getByRole("region", { name: "What the plan may do" });
  for (const part of [
    "destructive, requires approval",
    "refund_order · Demo",
    "send_message · Demo",
    "get_order · Demo",
    "order_id = A-1003",
  ])
    assert.ok((await review.innerText()).includes(part), part);
  const planner = room.getByRole("region", { name: "The planner" });
  for (const stage of ["values", "plan in words", "generation", "check"])
    assert.equal((await planner.getByText(stage, { exact: true }).count()) > 0, true, stage);
  assert.match(await planner.innerText(), /Feasible: get_order → llm → refund_order → send_message/);
  await shot("request-review");
  await room.getByRole("button", { name: "Approve and run" }).click();
  await room
    .getByRole("group", { name: /refund_order is destructive/ })
    .getByRole("button", { name: "Approve" })
    .click();
  await room.getByText("The plan completed").waitFor();
  await shot("request-run");
  await room.getByRole("button", { name: "Open as plan" }).click();
  await room.waitFor({ state: "hidden" });
  await page.getByText("# Request:").first().waitFor();
  await page.locator(".share-name").getByText("Look at order A-1003, refund it", { exact: true }).waitFor();
  await page.getByRole("region", { name: "Canvas" }).getByText("refund_order").first().waitFor();
  await shot("request-opened");
  assert.deepEqual(
    asked.filter((url) => !/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(url)),
    [],
  );
  await close();
});

test("a user who rejects the destructive call stops the run", async () => {
  const { page, close } = await open();
  const room = await request(page, "Look at order A-1003, refund it, and tell accounting.");
  await room.getByRole("button", { name: "Approve and run" }).click();
  await room
    .getByRole("group", { name: /refund_order is destructive/ })
    .getByRole("button", { name: "Reject" })
    .click();
  await room.getByText("You rejected an approval. The plan ended without it.").waitFor();
  await close();
});

test("an impossible request shows the reason, and a part of it can be planned", async () => {
  const { page, shot, close } = await open();
  await request(page, "help me");
  const room = page.getByRole("dialog", { name: "From a request" });
  await room.getByText("The request is unclear").waitFor();
  await request(page, "Deploy the shop to Kubernetes");
  await room.getByText("The connected tools can't do this").waitFor();
  await request(page, "Find order A-1001 and print it");
  await room.getByText("Only part of it is possible").waitFor();
  await shot("request-partial");
  await room.getByRole("button", { name: "Plan that part" }).click();
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  await close();
});

test("a choice that the demo model can't plan is explained once, in the user's words", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "If it rains in Oslo, save a note to notes/oslo.md, otherwise mail ana@example.com");
  await room.getByText("The demo model can't plan this").waitFor();
  const made = room.getByRole("region", { name: "The plan", exact: true });
  assert.deepEqual(await made.getByRole("listitem").allInnerTexts(), [
    "If it rains in Oslo, save a note to notes/oslo.md → depends on a condition",
    "otherwise mail ana@example.com → depends on a condition",
  ]);
  const text = await made.innerText();
  assert.doesNotMatch(text, /partial: continue|connect a server with a tool|components/);
  assert.equal(text.match(/only plans steps that follow one another/g).length, 1);
  const log = room.locator(".log");
  assert.doesNotMatch(await log.innerText(), /partial: continue/);
  for (const stage of ["planning", "result_preparation"])
    assert.equal(await log.locator(`[data-node="${stage}"]`).getAttribute("class"), "open");
  await shot("request-choice");
  await close();
});

test("the planner's column agrees with the review", async () => {
  const { page, close } = await open();
  const room = await request(page, "Look at order A-1003. Don't mention the price.");
  await room.getByText("The plan leaves out a part of your request.").waitFor();
  const last = room.locator('.log [data-node="result_preparation"]');
  assert.match(await last.innerText(), /the review misses a part of the request/);
  assert.equal(await last.getAttribute("class"), "open");
  assert.equal(await room.locator(".flow .box.open title").textContent(), "result");
  await room.getByRole("button", { name: "I have checked it" }).click();
  await last.and(room.locator(".done")).waitFor();
  assert.match(await last.innerText(), /the review found nothing open/);
  await close();
});

test("planned calls are shown before they run, and then the answer appears", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Where are my orders, and how do returns work?", {
    way: "Plan calls and answer",
  });
  await room.getByText("The calls are planned. None has been made yet.").waitFor();
  await shot("request-calls");
  await room.getByRole("button", { name: "Approve and make the calls" }).click();
  await room
    .getByText(/Order A-1001 .* is on its way/)
    .first()
    .waitFor();
  await shot("request-answer");
  await room.getByRole("button", { name: "Open as plan" }).click();
  await page.getByText("# Calls planned for the request:").first().waitFor();
  await close();
});

/** The text of the focused element. */
const focusedText = (page) => page.evaluate(() => document.activeElement.innerText);

test("without calls there is nothing to approve", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "If the order is late, refund it, otherwise thank the customer", {
    way: "Plan calls and answer",
  });
  await room.getByText("The demo model planned no calls").waitFor();
  const made = room.getByRole("region", { name: "The plan", exact: true });
  assert.deepEqual((await made.locator(".outcome").innerText()).split(/\n+/), [
    "The demo model planned no calls",
    "The demo model only plans steps that follow one another. Add a language model in the connections, or build " +
      "this part on the canvas.",
    "Change the request",
  ]);
  assert.deepEqual(await room.locator(".log li").allInnerTexts(), ["plan\nno calls", "review\nnothing to approve"]);
  assert.equal(await room.locator(".log li.open").count(), 2);
  await shot("request-no-calls");
  await made.getByRole("button", { name: "Change the request" }).click();
  assert.equal(await room.locator("textarea").evaluate((box) => box === document.activeElement), true);
  await request(page, "xyzzy", { way: "Plan calls and answer" });
  await made.getByText(/Name what to look up or change/).waitFor();
  await close();
});

test("calls that need the user's email ask for it", async () => {
  const { page, close } = await open();
  await page.getByRole("button", { name: "From a request", exact: true }).click();
  const room = page.getByRole("dialog", { name: "From a request" });
  await room.getByRole("radio", { name: "Plan calls and answer" }).check();
  const email = room.getByRole("textbox", { name: "User email" });
  await email.fill("");
  await request(page, "Where are my orders?");
  await room.getByText("The calls need user_email").last().waitFor();
  await room.getByRole("button", { name: "Fill in the email" }).click();
  assert.equal(await email.evaluate((field) => field === document.activeElement), true);
  await close();
});

test("steps and approvals show names and values, and the focus stays with the result", async () => {
  const { page, close } = await open();
  const room = await request(page, "Where are my orders, and how do returns work?", { way: "Plan calls and answer" });
  const approve = room.getByRole("button", { name: "Approve and make the calls" });
  await approve.waitFor();
  assert.match(await room.locator(".calls").innerText(), /search_docs\nquery = returns work\n/);
  await approve.press("Enter");
  await room.getByRole("button", { name: "Open as plan" }).waitFor();
  assert.match(await focusedText(page), /^Answer\n/);
  const steps = room.locator(".planner .log li");
  assert.deepEqual((await steps.allInnerTexts()).slice(0, 3), [
    "plan\nfind_orders, search_docs",
    "review\napproved",
    "gather\nfind_orders, search_docs",
  ]);
  await request(page, "Where are my orders?");
  await room.getByRole("button", { name: "Reject" }).press("Enter");
  await room.getByText("No calls were made").waitFor();
  assert.match(await focusedText(page), /^No calls were made/);
  await room.getByRole("radio", { name: "Write a reusable plan" }).check();
  await request(page, "Look at order A-1003, refund it, and tell accounting.");
  await room.getByRole("button", { name: "Approve and run" }).press("Enter");
  const question = room.getByRole("group", { name: /refund_order is destructive/ });
  assert.match(await question.innerText(), /order_id = A-1003\nreason = /);
  assert.match(await focusedText(page), /^refund_order is destructive/, "no key approves what was not read");
  await question.getByRole("button", { name: "Approve" }).press("Enter");
  await room.getByText("The plan completed").waitFor();
  assert.match(await focusedText(page), /^The plan completed/);
  assert.match(await room.locator(".after .log").innerText(), /order_id: A-1003, status: lost, total: 34/);
  await close();
});

test("the dialog begins in the request, which stays as it is until the planner ends or the user stops it", async () => {
  const { page, close } = await open();
  await page.getByRole("button", { name: "From a request", exact: true }).click();
  const room = page.getByRole("dialog", { name: "From a request" });
  const box = room.getByRole("textbox", { name: "What do you want to do?" });
  assert.equal(await box.evaluate((field) => field === document.activeElement), true);
  assert.equal(await room.getByRole("region", { name: "The planner" }).isVisible(), false);
  await request(page, "Where are my orders?", { way: "Plan calls and answer" });
  await room.getByRole("button", { name: "Approve and make the calls" }).waitFor();
  const isLocked = () =>
    room.evaluate((all) => [
      all.querySelector("textarea").readOnly,
      all.querySelector("[type=email]").readOnly,
      ...[...all.querySelectorAll("[name=way], .examples button")].map((control) => control.disabled),
    ]);
  assert.deepEqual([...new Set(await isLocked())], [true]);
  await room.getByRole("textbox", { name: "User email" }).press("Enter");
  await room.getByRole("button", { name: "Stop" }).click();
  await room.getByText("Stopped", { exact: true }).waitFor();
  await room.getByRole("button", { name: "Plan it" }).waitFor();
  assert.deepEqual([...new Set(await isLocked())], [false]);
  const earlier = room.getByText("For the request: Where are my orders?");
  assert.equal(await earlier.isVisible(), false);
  await box.fill("Where is order A-1001?");
  await earlier.waitFor();
  for (let again = 0; again < 2; again++) {
    await room.getByRole("button", { name: "Plan it" }).click();
    await room.getByRole("button", { name: "Approve and make the calls" }).waitFor();
    await room.getByRole("button", { name: "Stop" }).click();
    await room.getByText("Stopped", { exact: true }).waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual([...new Set(await isLocked())], [false], "the click on Stop plans nothing");
  }
  await close();
});

test("stop ends a run that waits for an approval", async () => {
  const { page, close } = await open();
  const room = await request(page, "Look at order A-1003, refund it, and tell accounting.");
  const run = room.getByRole("button", { name: "Approve and run" });
  await run.click();
  await room.getByRole("group", { name: /refund_order is destructive/ }).waitFor();
  assert.equal(await run.isDisabled(), true);
  await room.getByRole("button", { name: "Stop" }).click();
  await room.locator(".after").getByText("Stopped", { exact: true }).waitFor();
  assert.equal(await room.locator('.after .log [data-node="refund_order"].done').count(), 0);
  assert.equal(await run.isDisabled(), false);
  await close();
});

test("an approval names the calls after it, counts for them, and a rejection is no success", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Look at order A-1003, wait for my approval, then refund it.");
  const run = room.getByRole("button", { name: "Approve and run" });
  await run.click();
  const question = room.getByRole("group", { name: /the plan asks before it calls refund_order\. Approve\?/ });
  await question.waitFor();
  assert.match(await question.innerText(), /Then it calls refund_order with:\n+order_id = A-1003/);
  await shot("request-approval");
  await question.getByRole("button", { name: "Approve" }).click();
  await room.getByText("The plan completed").waitFor();
  assert.equal(await room.getByRole("group", { name: /is destructive/ }).count(), 0);
  await run.click();
  await question.getByRole("button", { name: "Reject" }).click();
  await room.getByText("You rejected an approval. The plan ended without it.").waitFor();
  const asking = room.locator(".after .log li", { hasText: "rejected" }).first();
  assert.equal(await asking.getAttribute("class"), "open", "a rejection has no check mark");
  await close();
});

test("a plan is not opened over its waiting run without a question", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Look at order A-1003, refund it, and tell accounting.");
  await room.getByRole("button", { name: "Approve and run" }).click();
  const question = room.getByRole("group", { name: /refund_order is destructive/ });
  await question.waitFor();
  const opener = room.getByRole("button", { name: "Open as plan" });
  await opener.click();
  const leaving = room.getByRole("group", { name: /Opening the plan stops it/ });
  await leaving.waitFor();
  await shot("request-leave");
  await leaving.getByRole("button", { name: "Keep the run" }).click();
  assert.equal(await opener.evaluate((button) => button === document.activeElement), true);
  await question.getByRole("button", { name: "Approve" }).waitFor();
  await opener.click();
  await leaving.getByRole("button", { name: "Stop the run and open" }).click();
  await room.waitFor({ state: "hidden" });
  await page.getByText("# Request:").first().waitFor();
  await close();
});

test("the diagram lists the conditions that it has to cut", async () => {
  const { page, close } = await open();
  const room = await request(
    page,
    "If the order A-1003 is late, refund 40 EUR after I approve, otherwise thank the customer",
  );
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  const whole =
    'output.get_order.status == "lost" || (output.get_order.eta != null && output.get_order.eta < output.today.date)';
  await room.getByRole("list", { name: "Conditions" }).getByText(whole, { exact: true }).waitFor();
  await close();
});

test("on a phone the plan scrolls into view", async () => {
  const { page, shot, close } = await open();
  await page.getByRole("button", { name: "From a request", exact: true }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("dialog", { name: "From a request" }).waitFor();
  const room = await request(page, "Look at order A-1003, refund it, and tell accounting.");
  const plan = room.getByText("The plan is valid. It has not run yet.");
  await plan.waitFor();
  const isSeen = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  await page.waitForFunction(isSeen, await plan.elementHandle());
  await shot("request-390");
  await close();
});

test("in Spanish, in the dark, on a telephone", async () => {
  const { page, shot, close } = await open("", { lang: "es-ES", theme: "dark" });
  const room = await request(page, "¿Qué ropa me pongo hoy en Oslo? Guarde el consejo en notes/oslo.md", {
    name: "Desde una petición",
    label: "¿Qué quiere hacer?",
    go: "Planificar",
  });
  await room.getByText("El plan es válido. Todavía no se ha ejecutado.").waitFor();
  const words = await room.innerText();
  for (const text of [
    "1 llamada al modelo",
    "Viable: weather → llm",
    "entradas completas",
    "la revisión no ha encontrado nada pendiente",
  ])
    assert.ok(words.includes(text), text);
  assert.doesNotMatch(words, /\b(?:Here is|FEASIBLE|params_\w+|The weather)\b/);
  await shot("request-es-dark");
  await page.setViewportSize({ width: 390, height: 844 });
  await shot("request-es-dark-390");
  await room.getByRole("button", { name: "Aprobar y ejecutar" }).click();
  await room.getByText("El plan se ha completado").waitFor();
  await close();
});

test("a request for an approval gives a plan that asks, and each demand names its nodes", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Look at order A-1003, wait for my approval, then send it to ada@example.org.");
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  const demands = room.getByRole("region", { name: "What you asked for" }).getByRole("listitem");
  assert.deepEqual(await demands.allInnerTexts(), [
    "Look at order A-1003 → get_order",
    "wait for my approval → approve",
    "send it to ada@example.org → send_message",
  ]);
  await shot("request-demands");
  await close();
});

test("a demand that the plan does not meet is red and stops the run until the user answers", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Look at order A-1003. Don't mention the price.");
  await room.getByText("The plan leaves out a part of your request.").waitFor();
  const run = room.getByRole("button", { name: "Approve and run" });
  assert.equal(await run.isDisabled(), true);
  const demands = room.getByRole("region", { name: "What you asked for" }).getByRole("listitem");
  const [met, open_] = await demands.allInnerTexts();
  assert.equal(met, "Look at order A-1003 → get_order");
  assert.match(open_, /^Don't mention the price → cannot be checked: look at the plan/);
  await shot("request-unmet");
  await demands.nth(1).getByRole("button", { name: "I have checked it" }).click();
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  assert.equal(await run.isDisabled(), false);
  await close();
});

test("what the request forbids is not in the plan", async () => {
  const { page, close } = await open();
  const room = await request(page, "Look at order A-1003 and tell luis@example.com. Never refund it.");
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  const demands = room.getByRole("region", { name: "What you asked for" }).getByRole("listitem");
  assert.deepEqual(await demands.allInnerTexts(), [
    "Look at order A-1003 → get_order",
    "tell luis@example.com → send_message",
    "Never refund it → kept: no node does it",
  ]);
  await close();
});

test("a change that nobody asked for is a warning, stops the run and can be found in the diagram", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Look at order A-1003. The last message about it is old.");
  await room.getByText("The plan does more than you asked for.").waitFor();
  const run = room.getByRole("button", { name: "Approve and run" });
  assert.equal(await run.isDisabled(), true);
  const demands = room.getByRole("region", { name: "What you asked for" });
  const extra = demands.getByRole("listitem").filter({ hasText: "You did not ask for this:" });
  await extra.getByRole("button", { name: "send_message" }).click();
  assert.equal(await room.locator(".thumbnail .pointed title").textContent(), "send_message");
  assert.match(await demands.innerText(), /Also reads or prepares: write/);
  await shot("request-extra");
  await extra.getByRole("button", { name: "That is fine" }).click();
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  assert.equal(await run.isDisabled(), false);
  await close();
});

test("the Spanish page describes the demo tools in Spanish, also in its pickers", async () => {
  const { page, close } = await open("", { lang: "es-ES" });
  await page.getByRole("button", { name: "Añadir nodo" }).click();
  await page.getByText("Un pedido de la tienda de té, por su número.").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Conexiones" }).first().click();
  const tools = page.getByRole("dialog", { name: "Conexiones" });
  await tools.getByText("Envía un fax. Siempre falla, para mostrar qué hacen entonces los planes.").waitFor();
  assert.doesNotMatch(await tools.innerText(), /\b(?:the|made up|whose orders)\b/i);
  await close();
});

test("the demo model plans a choice by the state of an order", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Find order A-1001. If it is late, refund it, otherwise thank the customer");
  await room.getByText("The plan is valid. It has not run yet.").waitFor();
  const made = room.getByRole("region", { name: "The plan", exact: true });
  await made.getByText(/^If it is late, refund it/).waitFor();
  await shot("request-choice");
  await made.getByRole("button", { name: "Open as plan" }).click();
  await page.locator(".canvas .edge .tag").filter({ hasText: "output.get_order.status" }).waitFor();
  await close();
});

test("closing while something runs asks first", async () => {
  const { page, shot, close } = await open();
  const room = await request(page, "Look at order A-1003, refund it, and tell accounting.");
  await room.getByRole("button", { name: "Approve and run" }).click();
  const asks = room.getByRole("group", { name: /refund_order is destructive/ });
  await asks.waitFor();
  const leaving = room.getByText("Closing stops what runs here.");
  await page.keyboard.press("Escape");
  await leaving.waitFor();
  assert.equal(await focusedText(page), "Keep open");
  await shot("request-leaving");
  for (let at = 0; at < 3; at++) await page.keyboard.press("Escape");
  await leaving.waitFor();
  await page.keyboard.press("Enter");
  await leaving.waitFor({ state: "hidden" });
  await asks.waitFor();
  await room.getByRole("button", { name: "Close", exact: true }).click();
  await room.getByRole("button", { name: "Stop and close" }).click();
  await room.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "From a request", exact: true }).click();
  await room.waitFor();
  await page.keyboard.press("Escape");
  await room.waitFor({ state: "hidden" });
  await close();
});
