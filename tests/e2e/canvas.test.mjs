// Tests the canvas with real pointer events: panning, selecting, connecting, creating, edge conditions, groups, touch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { needsChromium, setScheme, reads, stage, replacePlanText, editorText } from "./page-fixture.mjs";

const { open } = stage();

const PLAN = `start: a
nodes:
  a: {type: log} # first
  b: {type: log}
  c: {type: noop}
edges:
  - {from: a, to: b, condition: last==ok}
  - {from: b, to: c}
`;
const GROUP = `nodes:
  a: {type: log}
  g: {type: graph, graph: {nodes: {x: {type: log}, y: {type: log}}, edges: [{from: x, to: y}]}}
edges: [{from: a, to: g}]
`;

async function opened(text, options) {
  const held = await open("", options);
  await replacePlanText(held.page, text);
  const drawing = held.page.getByRole("application", { name: "Plan canvas" });
  await drawing.waitFor();
  return { ...held, drawing, node: (name) => drawing.getByRole("button", { name: new RegExp(`^${name},`) }) };
}

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, box };
};

/** After the frames that a fit or a layout takes. */
async function settledMiddle(page, locator) {
  for (;;) {
    const before = await middle(locator);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const now = await middle(locator);
    if (before.x === now.x && before.y === now.y) return now;
  }
}

async function drag(page, from, to, button = "left") {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down({ button });
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 3 });
  await page.mouse.up({ button });
}

/** At 100 %. A new plan is fitted, which is far away for a large one. */
async function goToFirstNode(page, drawing) {
  await drawing.getByRole("button", { name: /^Zoom: / }).click();
  await drawing.getByRole("button", { name: "Zoom: 100 %" }).waitFor();
  await drawing.focus();
  await page.keyboard.press("Home");
  await drawing.locator('[data-node="0"] .card:focus').waitFor();
}

async function empty(drawing, part = 0.85) {
  const box = await drawing.boundingBox();
  return { x: box.x + box.width * 0.9, y: box.y + box.height * part };
}

test("every element of the canvas has a role and a name", async () => {
  const { node, drawing, shot, close } = await opened(PLAN);
  await node("a").waitFor();
  await drawing.getByRole("button", { name: "from a to b, if last==ok" }).waitFor();
  await drawing.getByRole("button", { name: "from b to c" }).first().waitFor();
  assert.match(await node("a").getAttribute("aria-label"), /start/);
  await shot("canvas");
  await close();
});

test("wheel, buttons, drags and the middle button pan and zoom the canvas", async () => {
  const { page, drawing, node, close } = await opened(PLAN);
  const before = await middle(node("b"));
  await drag(page, await empty(drawing), { x: (await empty(drawing)).x - 60, y: (await empty(drawing)).y - 40 });
  const panned = await middle(node("b"));
  assert.deepEqual([Math.round(panned.x - before.x), Math.round(panned.y - before.y)], [-60, -40]);
  await drag(page, before, { x: before.x + 30, y: before.y }, "middle");
  assert.equal(Math.round((await middle(node("b"))).x - panned.x), 30);
  await page.mouse.move(panned.x, panned.y);
  await page.mouse.wheel(0, 50);
  await page.waitForFunction(
    ([y]) => document.querySelector('[data-node="1"]').getBoundingClientRect().y < y,
    [panned.box.y - 40],
  );
  await drawing.getByRole("button", { name: "Zoom in" }).click();
  await drawing.getByRole("button", { name: "Zoom: 125 %" }).waitFor();
  await page.mouse.move(panned.x, panned.y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 40);
  await page.keyboard.up("Control");
  await drawing.getByRole("button", { name: "Zoom: 125 %" }).waitFor({ state: "detached" });
  await drawing.getByRole("button", { name: "Fit to view" }).click();
  await drawing.getByRole("button", { name: "Zoom: 100 %" }).waitFor();
  await close();
});

test("a dragged node keeps its position, and one undo restores it", async () => {
  const { page, node, close } = await opened(PLAN);
  const from = await middle(node("b"));
  const others = await middle(node("c"));
  await drag(page, from, { x: from.x + 160, y: from.y + 24 });
  await reads(page, /layout:/);
  const moved = await middle(node("b"));
  assert.ok(
    Math.abs(moved.x - from.x - 160) <= 4 && Math.abs(moved.y - from.y - 24) <= 4,
    `${moved.x - from.x} ${moved.y - from.y}`,
  );
  assert.deepEqual(await middle(node("c")), others, "nothing else moves");
  assert.match(await editorText(page), /# first/);
  await page.keyboard.press("ControlOrMeta+Z");
  await page.waitForFunction(
    ([x]) => Math.abs(document.querySelector('[data-node="1"]').getBoundingClientRect().x - x) < 1,
    [from.box.x],
  );
  await close();
});

const origin = async (drawing) => (await exactPositions(drawing)).map(Math.round);
const exactPositions = (drawing) =>
  drawing.locator(".layer").evaluate((layer) => {
    const { e, f } = new DOMMatrix(getComputedStyle(layer).transform);
    return [e, f];
  });

/** Waits until the drawing has moved by this distance. A negative number is a move to the left or up. */
const dragBy = async (page, drawing, [x, y], [byX, byY]) =>
  page.waitForFunction(
    ([layer, x, y, byX, byY]) => {
      const { e, f } = new DOMMatrix(getComputedStyle(layer).transform);
      return (e - x) * Math.sign(byX) >= Math.abs(byX) && (f - y) * Math.sign(byY) >= Math.abs(byY);
    },
    [await drawing.locator(".layer").elementHandle(), x, y, byX, byY],
  );

const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test("a node dragged to the edge of the canvas pans the view and lands beyond the old edge", async () => {
  const { page, drawing, node, close } = await opened(PLAN);
  const [from, before, box] = [await middle(node("b")), await origin(drawing), await drawing.boundingBox()];
  const border = { x: box.x + box.width - 4, y: from.y };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(border.x, border.y, { steps: 4 });
  await dragBy(page, drawing, before, [-400, 0]);
  const held = await middle(node("b"));
  assert.ok(Math.abs(held.x - border.x) <= 8, `under the pointer: ${held.x} ${border.x}`);
  await page.mouse.move(border.x - 100, border.y);
  await frames(page);
  const still = await origin(drawing);
  await frames(page);
  assert.deepEqual(await origin(drawing), still);
  await page.mouse.up();
  await reads(page, /layout:/);
  await frames(page);
  assert.deepEqual(await origin(drawing), still, "nor after it is dropped");
  const [, x] = /b: \[(-?\d+), -?\d+\]/.exec(await editorText(page)) ?? [];
  const start = from.box.x - box.x - before[0];
  assert.ok(Number(x) >= start + (border.x - from.x) + 400 - 100 - 8, `${x} from ${start}`);
  await page.keyboard.press("ControlOrMeta+Z");
  await page.waitForFunction(() => !document.querySelector(".cm-content").textContent.includes("layout:"));
  await close();
});

test("Escape cancels an auto-pan drag, and the view stops", async () => {
  const { page, drawing, node, close } = await opened(PLAN);
  const [from, before, box] = [await middle(node("b")), await exactPositions(drawing), await drawing.boundingBox()];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 20, box.y + box.height - 10, { steps: 3 });
  await dragBy(page, drawing, before, [0, -60]);
  await page.keyboard.press("Escape");
  await frames(page);
  const still = await exactPositions(drawing);
  await frames(page);
  assert.deepEqual(await exactPositions(drawing), still);
  await page.mouse.up();
  const after = await middle(node("b"));
  [after.x - from.x, after.y - from.y].forEach((by, axis) =>
    assert.ok(Math.abs(by - still[axis] + before[axis]) < 0.1, "where it was in the drawing"),
  );
  assert.doesNotMatch(await editorText(page), /layout/);
  await close();
});

test("an edge, a marquee and a finger drag beyond the viewport", async () => {
  const far = `${PLAN}layout: {a: [0, 0], b: [0, 200], c: [1600, 200]}\n`;
  const { page, drawing, node, close } = await opened(far, { hasTouch: true });
  await goToFirstNode(page, drawing);
  const box = await drawing.boundingBox();
  const right = box.x + box.width;
  assert.ok((await node("c").count()) === 0 || (await middle(node("c"))).box.x > right, "out of sight");
  const port = await middle(drawing.getByRole("button", { name: "Connect from a" }));
  await page.mouse.move(port.x, port.y);
  await page.mouse.down();
  await page.mouse.move(right - 4, port.y + 40, { steps: 4 });
  await page.waitForFunction(
    ([limit]) => document.querySelector('[data-node="2"]')?.getBoundingClientRect().right < limit,
    [right - 40],
  );
  await page.mouse.move(right - 60, port.y + 40);
  await frames(page);
  const target = await middle(node("c"));
  await page.mouse.move(target.x, target.y, { steps: 3 });
  await page.mouse.up();
  await reads(page, /from: a, to: c/);

  const there = await origin(drawing);
  await page.keyboard.down("Shift");
  await page.mouse.move(target.box.x + target.box.width + 20, target.box.y - 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 6, target.box.y + target.box.height + 30, { steps: 4 });
  await dragBy(page, drawing, there, [1200, 0]);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await drawing.getByRole("button", { name: /^b,/, pressed: true }).waitFor();

  if (needsChromium) return close();
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map(({ x, y }, id) => ({ x: Math.round(x), y: Math.round(y), id })),
    });
  const [b, begun] = [await middle(node("b")), await origin(drawing)];
  const low = { x: b.x + 30, y: box.y + box.height - 6 };
  await touch("touchStart", [b]);
  for (const part of [0.3, 0.6, 1]) await touch("touchMove", [{ x: b.x + 30 * part, y: b.y + (low.y - b.y) * part }]);
  await dragBy(page, drawing, begun, [0, -100]);
  await touch("touchEnd", []);
  await reads(page, /b: \[-?\d+, [3-9]\d\d/);
  await close();
});

test("an edge dragged from a handle connects to a valid node", async () => {
  const { page, node, drawing, shot, close } = await opened(PLAN);
  await node("a").hover();
  const port = await middle(drawing.getByRole("button", { name: "Connect from a" }));
  const target = await middle(node("c"));
  await page.mouse.move(port.x, port.y);
  await page.mouse.down();
  await page.mouse.move(port.x + 30, port.y + 30, { steps: 3 });
  await page.mouse.move(target.x, target.y, { steps: 4 });
  await shot("canvas-connect");
  await page.mouse.up();
  await drawing.getByRole("button", { name: "from a to c" }).first().waitFor();
  assert.match(await editorText(page), /from: a, to: c/);
  await close();
});

test("two clicks connect an edge, and Escape cancels the connection", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  await node("c").click();
  await drawing.getByRole("button", { name: "Connect from c" }).click();
  await page.keyboard.press("Escape");
  await node("a").click();
  assert.doesNotMatch(await editorText(page), /from: c/);
  await node("c").click();
  await drawing.getByRole("button", { name: "Connect from c" }).click();
  await node("a").click();
  await drawing.getByRole("button", { name: "from c to a" }).first().waitFor();
  await close();
});

test("an edge dropped on empty space offers new nodes to connect", async () => {
  const { page, node, drawing, shot, close } = await opened(PLAN);
  await node("c").hover();
  const port = await middle(drawing.getByRole("button", { name: "Connect from c" }));
  await drag(page, port, await empty(drawing, 0.6));
  const search = page.getByRole("combobox", { name: "Node type" });
  await search.fill("mod");
  await shot("canvas-picker");
  await page.getByRole("option", { name: /llm/ }).waitFor();
  await search.fill("llm");
  await page.keyboard.press("Enter");
  await drawing
    .getByRole("button", { name: /^from c to llm/ })
    .first()
    .waitFor();
  assert.match(await editorText(page), /from: c, to: llm/);
  await node("llm").waitFor();
  await close();
});

test("a double click adds a node, and the plus of an edge inserts one", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  const at = await empty(drawing, 0.5);
  await page.mouse.dblclick(at.x, at.y);
  await page.getByRole("option", { name: /approve/ }).click();
  await node("approve").waitFor();
  await drawing.getByRole("button", { name: "from b to c" }).first().hover();
  await drawing.getByRole("button", { name: "Insert a node between b and c" }).click();
  await page.getByRole("combobox", { name: "Node type" }).fill("decision");
  await page.keyboard.press("Enter");
  await drawing
    .getByRole("button", { name: /^from b to decision/ })
    .first()
    .waitFor();
  await drawing
    .getByRole("button", { name: /^from decision to c/ })
    .first()
    .waitFor();
  await close();
});

test("a condition is edited in place, with completions and diagnostics", async () => {
  const { page, drawing, shot, close } = await opened(PLAN);
  await drawing.getByRole("button", { name: "from a to b, if last==ok" }).dblclick();
  const field = page.getByRole("combobox", { name: "Condition of the edge from a to b" });
  assert.equal(await field.inputValue(), "last==ok");
  await field.fill("last== && ");
  await page.locator("#condition-problem:not([hidden])").waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await field.fill("la");
  await page.getByRole("option", { name: /^last/ }).first().waitFor();
  await shot("canvas-condition");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.match(await field.inputValue(), /^last/);
  await field.fill("last.exists");
  await page.keyboard.press("Enter");
  await drawing.getByRole("button", { name: "from a to b, if last.exists" }).waitFor();
  assert.match(await editorText(page), /condition: last\.exists/);
  await close();
});

test("a band selects, Delete removes, Duplicate copies", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  const [a, b] = [await node("a").boundingBox(), await node("b").boundingBox()];
  await page.keyboard.down("Shift");
  await drag(
    page,
    { x: Math.min(a.x, b.x) - 60, y: a.y - 20 },
    { x: Math.max(a.x, b.x) + 260, y: b.y + b.height + 12 },
  );
  await page.keyboard.up("Shift");
  await drawing.locator('[aria-pressed="true"].card').nth(1).waitFor();
  assert.equal(await drawing.locator('[aria-pressed="true"].card').count(), 2);
  await node("b").click();
  await page.keyboard.press("ControlOrMeta+D");
  await node("b_2").waitFor();
  await page.keyboard.press("Delete");
  await node("b_2").waitFor({ state: "detached" });
  await close();
});

test("the context menu belongs to the element under the pointer", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  const menu = page.locator("#context-menu");
  await node("a").click();
  await node("b").click({ button: "right" });
  assert.deepEqual(await drawing.locator('[aria-pressed="true"].card').count(), 1);
  assert.equal(await node("b").getAttribute("aria-pressed"), "true");
  await menu.getByRole("menuitem", { name: /^Duplicate/ }).click();
  await node("b_2").waitFor();
  await node("a").click();
  await node("c").click({ modifiers: ["Shift"] });
  await node("a").click({ button: "right" });
  assert.equal(await drawing.locator('[aria-pressed="true"].card').count(), 2);
  await menu.getByRole("menuitem", { name: /^Delete/ }).click();
  await node("a").waitFor({ state: "detached" });
  await node("c").waitFor({ state: "detached" });
  await node("b").waitFor();
  await close();
});

test("the menu of two nodes offers nothing that concerns one, and a node's menu follows its edges", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  const menu = page.locator("#context-menu");
  const names = async () => {
    await menu.getByRole("menuitem", { name: /^Delete/ }).waitFor();
    return (await menu.getByRole("menuitem").allInnerTexts()).map((text) => text.split("\n")[0]);
  };
  await node("a").click();
  await node("c").click({ modifiers: ["Shift"] });
  await node("a").click({ button: "right" });
  const ofTwo = await names();
  for (const name of ["Rename", "Follow edge", "Run to here", "Set as start"]) assert.ok(!ofTwo.includes(name), name);
  assert.ok(ofTwo.includes("Delete"));
  await page.keyboard.press("Escape");
  await node("b").click();
  await node("b").click({ button: "right" });
  assert.ok((await names()).includes("Rename"));
  await menu.getByRole("menuitem", { name: /^Follow edge(?! back)/ }).click();
  await drawing.locator(".card:focus").and(node("c")).waitFor();
  await close();
});

test("a node dragged a few pixels off another's line shows the line and ends in it", async () => {
  const { page, drawing, node, shot, close } = await opened(PLAN);
  await drawing.getByRole("button", { name: "Zoom: 100 %" }).waitFor();
  const [a, b] = [await middle(node("a")), await middle(node("b"))];
  await page.mouse.move(b.x, b.y);
  await page.mouse.down();
  await page.mouse.move(b.x + 90, b.y + 40, { steps: 4 });
  assert.equal(await drawing.locator(".guide").count(), 0);
  await page.mouse.move(b.x + 5, b.y + 40, { steps: 4 });
  await drawing.locator(".guide").first().waitFor({ state: "attached" });
  await shot("canvas-guide");
  const guide = await drawing.locator(".guide").first().boundingBox();
  assert.ok(Math.abs(guide.x - a.x) <= 1 && guide.height > 40, JSON.stringify({ guide, a }));
  await page.mouse.up();
  await reads(page, /layout:/);
  const moved = await middle(node("b"));
  assert.ok(Math.abs(moved.x - a.x) <= 0.5, `${moved.x} ${a.x}`);
  assert.equal(await drawing.locator(".guide").count(), 0);
  await close();
});

test("a word that no type has adds nothing until the user chooses it", async () => {
  const { page, drawing, node, close } = await opened(PLAN);
  const before = await editorText(page);
  const at = await empty(drawing, 0.5);
  await page.mouse.dblclick(at.x, at.y);
  const search = page.getByRole("combobox", { name: "Node type" });
  await search.fill("zzqx");
  await page.getByText("No matching type.").first().waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await search.getAttribute("aria-activedescendant"), null);
  assert.equal(await editorText(page), before);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await node("zzqx").waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await node("zzqx").waitFor({ state: "detached" });
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Add node" });
  await dialog.getByRole("combobox").fill("zzqx");
  await dialog.getByText("No results").waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await dialog.isVisible(), true);
  await page.keyboard.press("Escape");
  await close();
});

test("a renamed group stays open, and tidying up shows the whole drawing", async () => {
  const { page, drawing, node, close } = await opened(GROUP);
  await drawing.getByRole("button", { name: "Expand g" }).click();
  await node("x").waitFor();
  await node("g").click({ position: { x: 60, y: 20 } });
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: /^New name/ }).fill("fan");
  await page.keyboard.press("Enter");
  await drawing.getByRole("button", { name: "Collapse fan" }).waitFor();
  await node("x").waitFor();
  const at = await middle(node("a"));
  await drag(page, at, { x: at.x - 120, y: at.y + 40 });
  await reads(page, /layout:/);
  const from = await empty(drawing, 0.3);
  await page.keyboard.down("Space");
  // Firefox moves no pointer out of the window.
  await drag(page, from, { x: from.x - 500, y: Math.max(from.y - 400, 2) });
  await page.keyboard.up("Space");
  assert.equal(await isFree(page, "a"), false);
  await page.mouse.click(from.x, from.y);
  await page.keyboard.press("Shift+T");
  await frames(page);
  assert.equal(await isFree(page, "a"), true, "the start is in sight");
  await close();
});

test("a click on its line selects an edge, and a drag of its end reconnects it", async () => {
  const { page, node, drawing, close } = await opened(`${PLAN}layout: {a: [0, 0], b: [0, 200], c: [300, 200]}\n`);
  await drawing.getByRole("button", { name: "Fit to view" }).click();
  const edge = drawing.getByRole("button", { name: "from a to b, if last==ok" });
  await edge.click();
  await drawing.locator('.tag[aria-pressed="true"]').waitFor();
  const to = await middle(node("b"));
  const c = await middle(node("c"));
  await drag(page, { x: to.x, y: to.box.y - 1 }, c);
  await drawing.getByRole("button", { name: "from a to c, if last==ok" }).waitFor();
  await close();
});

test("groups open and close", async () => {
  const { drawing, node, shot, close } = await opened(GROUP);
  await drawing.getByRole("button", { name: "Expand g" }).click();
  await node("x").waitFor();
  await drawing.getByRole("button", { name: "from x to y" }).first().waitFor();
  await shot("canvas-group");
  await drawing.getByRole("button", { name: "Collapse g" }).click();
  await node("x").waitFor({ state: "detached" });
  await close();
});

test("an unreadable text keeps the last canvas and shows a notice", async () => {
  const { page, node, drawing, shot, close } = await opened(PLAN);
  await node("a").waitFor();
  await replacePlanText(page, `${PLAN}oops: [`);
  await drawing.getByText("The canvas is out of date: line 9 has an error.").waitFor();
  await drawing.getByRole("button", { name: "Go to line 9" }).waitFor();
  await node("a").waitFor();
  await shot("canvas-stale");
  await replacePlanText(page, "");
  await close();
});

test("two fingers zoom, and one finger pans", { skip: needsChromium }, async () => {
  const { page, drawing, node, close } = await opened(PLAN, { hasTouch: true });
  await node("b").waitFor();
  const zoomBefore = await drawing.getByRole("button", { name: /^Zoom: / }).textContent();
  const box = await drawing.boundingBox();
  const client = await page.context().newCDPSession(page);
  const at = (dx, dy) => ({
    x: Math.round(box.x + box.width * 0.8 + dx),
    y: Math.round(box.y + box.height * 0.6 + dy),
  });
  const touch = (type, points) =>
    client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map((point, id) => ({ ...point, id })) });
  await touch("touchStart", [at(0, 0)]);
  await touch("touchStart", [at(0, 0), at(60, 0)]);
  for (const step of [10, 20, 30, 40]) await touch("touchMove", [at(-step, 0), at(60 - step * 2, 0)]);
  for (const step of [50, 60, 70]) await touch("touchMove", [at(-step - 40, 0), at(60, 0)]);
  await touch("touchEnd", []);
  await page.waitForFunction(([before]) => document.querySelector(".percent").textContent !== before, [zoomBefore]);
  await close();
});

test("a large plan is boxes from afar, elements near by, and has an overview", async () => {
  const names = Array.from({ length: 400 }, (_, number) => `  n${number}: {type: log}\n`).join("");
  const edges = Array.from(
    { length: 399 },
    (_, number) => `  - {from: n${Math.floor(number / 3)}, to: n${number + 1}}\n`,
  ).join("");
  const { page, drawing, shot, close } = await opened(`nodes:\n${names}edges:\n${edges}`);
  await drawing.getByRole("button", { name: "Fit to view" }).click();
  await page.locator('.canvas[data-detail="boxes"]').waitFor();
  assert.ok((await drawing.locator(".node").count()) <= 1);
  await shot("canvas-large");
  const map = await drawing.getByRole("img", { name: "Minimap" }).boundingBox();
  await drawing.getByRole("button", { name: /^Zoom: / }).click();
  await page.locator('.canvas[data-detail="cards"]').waitFor();
  await page.mouse.click(map.x + map.width / 2, map.y + map.height / 2);
  await drawing.locator(".node").first().waitFor();
  assert.ok((await drawing.locator(".node").count()) < 100);
  await shot("canvas-large-near");
  await close();
});

test("a large canvas looks the same after panning as after a full repaint", async () => {
  const count = 600;
  const nodes = Array.from({ length: count }, (_, at) => `  n${at}: {type: ${["log", "llm", "noop"][at % 3]}}`);
  const edges = Array.from(
    { length: count - 1 },
    (_, at) => `  - {from: n${at - (at % 7)}, to: n${at + 1}${at % 9 ? "" : ", condition: last==ok"}}`,
  );
  const { page, drawing, close } = await opened(`nodes:\n${nodes.join("\n")}\nedges:\n${edges.join("\n")}\n`);
  await page.locator(`.canvas[data-nodes="${count}"]`).waitFor();
  await drawing.getByRole("button", { name: "Fit to view" }).click();
  await page.locator('.canvas[data-detail="boxes"]').waitFor();
  const frame = () =>
    page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const picture = async () => {
    await frame();
    return drawing
      .locator("canvas")
      .first()
      .evaluateHandle((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
  };
  // The same edge elsewhere is antialiased a little differently.
  const apart = (one, other) =>
    page.evaluate(
      ([one, other]) => one.reduce((sum, value, at) => sum + (Math.abs(value - other[at]) < 16 ? 0 : 1), 0),
      [one, other],
    );
  const { box } = await middle(drawing);
  let before = await picture();
  for (const [x, y] of [
    [-40, 0],
    [0, 60],
    [75, -90],
    [-9, 11],
  ]) {
    // No edge is under the pointer, because a hovered edge looks different.
    const from = { x: box.x + box.width - 12, y: box.y + box.height / 2 };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down({ button: "middle" });
    await page.mouse.move(from.x + x / 2, from.y + y / 2, { steps: 4 });
    await page.mouse.move(from.x + x, from.y + y, { steps: 4 });
    await page.mouse.up({ button: "middle" });
    const shifted = await picture();
    // Switching the theme and back repaints everything.
    await setScheme(page, "dark");
    assert.ok((await apart(await picture(), shifted)) > 10_000);
    await setScheme(page, "light");
    // Antialiasing of crossing strokes depends on their order in a path: a few of two million values differ.
    assert.ok((await apart(await picture(), shifted)) < 20, `moved by ${x}, ${y}`);
    assert.ok((await apart(before, shifted)) > 100);
    before = shifted;
  }
  await close();
});

test("the canvas is readable in dark mode, in Spanish and on a phone", async () => {
  for (const [name, options] of [
    ["dark", { theme: "dark" }],
    ["small", { viewport: { width: 1024, height: 768 }, lang: "es" }],
    ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true }],
  ]) {
    const { page, shot, close } = await open("", options);
    await page.getByRole("application").waitFor();
    await shot(`canvas-${name}`);
    await close();
  }
});

const LOOP = `start: begin
nodes:
  begin: {type: log}
  ask: {type: llm, input: hi}
  done: {type: noop}
edges:
  - {from: begin, to: ask}
  - {from: ask, to: done}
`;

test("the mouse draws an endless loop", async () => {
  const { page, node, drawing, shot, close } = await opened(LOOP);
  const dragEdge = async (from, to) => {
    await node(from).hover();
    const port = await middle(drawing.getByRole("button", { name: `Connect from ${from}` }));
    await drag(page, port, await middle(node(to)));
    await drawing
      .getByRole("button", { name: new RegExp(`^from ${from} to ${to}`) })
      .first()
      .waitFor();
  };
  await dragEdge("done", "ask");
  await page.getByRole("tab", { name: /^Problems/ }).click();
  await page.getByText("graph/endless-loop").first().waitFor();
  await shot("canvas-loop");
  // Every gesture still works. The click avoids the middle of the edge, where a plus button would take it.
  const line = await middle(drawing.getByRole("button", { name: "from ask to done" }).first());
  await page.mouse.click(line.x, line.y + 18);
  await page.keyboard.press("Delete");
  await reads(page, /from: done, to: ask/);
  assert.doesNotMatch(await editorText(page), /from: ask, to: done/);
  await dragEdge("begin", "done");
  await close();
});

test("an edge to an unknown node ends in a placeholder, which disappears with the edge", async () => {
  const nodes = Array.from({ length: 300 }, (_, at) => `  n${at}: {type: log}\n`).join("");
  const edges = Array.from({ length: 299 }, (_, at) => `  - {from: n${at}, to: n${at + 1}}\n`).join("");
  const text = `start: n0\nnodes:\n${nodes}edges:\n${edges.replace("to: n1}", "to: n1x}")}`;
  const { page, node, drawing, shot, close } = await opened(text);
  await goToFirstNode(page, drawing);
  await node("n0").waitFor();
  await drawing.getByRole("button", { name: /^n1x,.*missing/ }).click();
  await shot("canvas-ghost");
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => !document.querySelector(".canvas .ghost"));
  assert.doesNotMatch(await editorText(page), /n1x/);
  await close();
});

test("removing a node connects its neighbours, and removing the last one empties the canvas", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  await node("b").click();
  await page.keyboard.press("Delete");
  await drawing.getByRole("button", { name: "from a to c, if last==ok" }).waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, PLAN);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await drawing.getByText("No nodes yet").waitFor();
  assert.equal(await drawing.getByRole("button", { name: /^[abc],/ }).count(), 0);
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, PLAN);
  await close();
});

test("a double click and F2 rename a node in place, and a refused name stays in the field", async () => {
  const { page, node, shot, close } = await opened(PLAN);
  const at = await middle(node("b"));
  await page.mouse.dblclick(at.x, at.y);
  const field = page.getByRole("textbox", { name: /^New name/ });
  await field.fill("check");
  await shot("canvas-rename");
  await page.keyboard.press("Enter");
  await node("check").waitFor();
  await reads(page, /from: a, to: check, condition: last==ok/);
  await page.keyboard.press("F2");
  await field.fill("c");
  await page.keyboard.press("Enter");
  await page.locator(".canvas [aria-invalid=true]").waitFor();
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
  await close();
});

test("the menu of a node groups, ungroups and sets the start; the empty canvas has a menu too", async () => {
  const { page, node, drawing, shot, close } = await opened(PLAN);
  const menu = page.getByRole("menu", { name: "Edit" });
  await node("b").click();
  await node("c").click({ modifiers: ["Shift"] });
  await page.keyboard.press("ControlOrMeta+g");
  await node("group").click({ button: "right" });
  await shot("canvas-menu");
  await menu.getByRole("menuitem", { name: "Ungroup" }).click();
  await node("b").click();
  await node("b").click({ button: "right" });
  assert.equal(await menu.getByRole("menuitem", { name: "Ungroup" }).count(), 0);
  await menu.getByRole("menuitem", { name: "Set as start" }).click();
  await reads(page, /^start: b$/m);
  const free = await empty(drawing);
  await page.mouse.click(free.x, free.y, { button: "right" });
  await page
    .getByRole("menu", { name: "Canvas" })
    .getByRole("menuitem", { name: /^Select all/ })
    .click();
  await page.waitForFunction(() => document.querySelectorAll(".canvas .node.chosen").length === 3);
  await close();
});

test("a node shows its comments and the start its badge, and pickers know other words and the host's tools", async () => {
  const { page, node, drawing, shot, close } = await opened(PLAN);
  await drawing.getByText("log · first", { exact: true }).waitFor();
  assert.match(await node("a").getAttribute("aria-label"), /log · first/);
  await drawing.locator(".begin:not([hidden])").getByText("start").waitFor();
  await shot("canvas-notes");
  const at = await empty(drawing, 0.5);
  await page.mouse.dblclick(at.x, at.y);
  const search = page.getByRole("combobox", { name: "Node type" });
  await search.fill("if");
  await page.getByRole("option").first().filter({ hasText: "decision" }).waitFor();
  await search.fill("weather");
  await page.getByRole("option").first().filter({ hasText: "weather" }).waitFor();
  await page.keyboard.press("Enter");
  await reads(page, /type: tool,? ?\n?\s*tool: weather/);
  await close();
});

test("the keys of the canvas work after a click on its toolbar", async () => {
  const { page, node, drawing, close } = await opened(PLAN);
  await node("b").click();
  await drawing.getByRole("button", { name: "Zoom in" }).click();
  await page.keyboard.press("Delete");
  await node("b").waitFor({ state: "detached" });
  await close();
});

test("a button on the selected edge deletes it, and undo brings it back", async () => {
  const { page, drawing, close } = await opened(
    "nodes: {a: {type: log, input: 1}, b: {type: noop}}\nedges: [{from: a, to: b}]\n",
  );
  const edge = drawing.getByRole("button", { name: "from a to b", exact: true });
  await edge.click();
  const remove = page.getByRole("button", { name: "Delete the edge from a to b" });
  await remove.click();
  await edge.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Undo" }).click();
  await edge.waitFor();
  await close();
});

test("a horizontal layout runs from left to right, and is saved with the plan", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(
    page,
    "nodes: {a: {type: log, input: 1}, b: {type: noop}, c: {type: noop}}\nedges:\n  - {from: a, to: b, condition: last==1}\n  - {from: a, to: c}\n",
  );
  const box = (name) => page.locator(".canvas .node", { has: page.locator(".title", { hasText: name }) }).boundingBox();
  await page.locator(".canvas .node .title", { hasText: /^c$/ }).waitFor();
  const isHorizontal = async () => {
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((name) => box(new RegExp(`^${name}$`))));
    return a.x + a.width < b.x && a.x + a.width < c.x && b.y !== c.y;
  };
  assert.equal(await isHorizontal(), false);
  const turn = page.getByRole("button", { name: "Horizontal layout" });
  await turn.click();
  await page.locator(".canvas[data-direction=right]").waitFor();
  assert.equal(await turn.getAttribute("aria-pressed"), "true");
  assert.equal(await isHorizontal(), true);
  await shot("canvas-horizontal");
  // A new edge leaves at the right side.
  const [a, port] = [await box(/^a$/), await page.locator(".canvas .node .port").first().boundingBox()];
  assert.ok(Math.abs(port.x + port.width / 2 - (a.x + a.width)) < 3, "the handle is on the right");
  await page.locator(".share-state", { hasText: "Saved" }).waitFor();
  await page.reload();
  await page.locator(".canvas[data-direction=right]").waitFor();
  await page.locator(".canvas .node .title", { hasText: /^c$/ }).waitFor();
  assert.equal(await isHorizontal(), true);
  await close();
});

test("the list of node types stays within a low canvas", async () => {
  const { page, close } = await open("", { viewport: { width: 1024, height: 560 } });
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await page.getByRole("region", { name: "Welcome" }).getByRole("button", { name: "Close" }).click();
  const canvas = page.locator(".canvas");
  const frame = await canvas.boundingBox();
  assert.ok(frame.height < 340, `the canvas is low: ${frame.height}`);
  await canvas.dblclick({ position: { x: frame.width - 20, y: 12 } });
  const list = await page.locator(".canvas .kinds").boundingBox();
  assert.ok(list.y >= frame.y && list.y + list.height <= frame.y + frame.height, JSON.stringify({ list, frame }));
  await page.locator(".canvas .kinds li").last().scrollIntoViewIfNeeded();
  await page.keyboard.press("Escape");
  await close();
});

for (const direction of ["down", "right"])
  test(`a click in the middle of an edge without a label selects it, and its plus inserts (${direction})`, async () => {
    const { page, drawing, shot, close } = await opened(PLAN);
    if (direction === "right") await drawing.getByRole("button", { name: "Horizontal layout" }).click();
    await drawing.getByRole("button", { name: "Fit to view" }).click();
    const edge = drawing.getByRole("button", { name: "from b to c", exact: true });
    const at = await settledMiddle(page, edge);
    await page.mouse.move(at.x, at.y);
    const insert = drawing.getByRole("button", { name: "Insert a node between b and c" });
    await insert.waitFor();
    await page.mouse.click(at.x, at.y);
    await drawing.locator('.edge.bare .tag[aria-pressed="true"]').waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Node type" }).count(), 0);
    await shot(`canvas-edge-${direction}`);
    // The pointer reaches the button without losing it on the way.
    await page.keyboard.press("Escape");
    // Firefox reports no move to the same point.
    await page.mouse.move(at.x + 3, at.y + 3);
    await page.mouse.move(at.x, at.y);
    await insert.waitFor();
    const to = await settledMiddle(page, insert);
    await page.mouse.move(to.x, to.y, { steps: 12 });
    await page.mouse.click(to.x, to.y);
    await page.getByRole("combobox", { name: "Node type" }).waitFor();
    await close();
  });

test("a collapsed group shows how many problems its nodes have, and the worst", async () => {
  const { drawing, node, shot, close } = await opened(
    GROUP.replace("x: {type: log}", 'x: {type: log, input: "${"}').replace("to: y}", "to: nowhere}"),
  );
  const badge = drawing.locator(".node.closed .problem");
  await badge.getByText(/^! [2-9]$/).waitFor();
  assert.match(await badge.getAttribute("class"), /error/);
  assert.match(await badge.getAttribute("title"), /g\/x: /);
  assert.match(await node("g").getAttribute("aria-label"), /[2-9] problems/);
  await shot("canvas-group-problems");
  await drawing.getByRole("button", { name: "Expand g" }).click();
  await node("x").waitFor();
  await badge.waitFor({ state: "detached" });
  await close();
});

test("the picker puts names first, and without a word what was used last", async () => {
  const { page, drawing, node, close } = await opened(PLAN);
  const at = await empty(drawing, 0.5);
  const search = page.getByRole("combobox", { name: "Node type" });
  const first = page.locator("#kinds-list li .title").first();
  await page.mouse.dblclick(at.x, at.y);
  for (const [word, expected] of [
    ["map", "map"],
    ["pla", "plan"],
    ["sleep", "wait"],
    ["dec", "decision"],
  ]) {
    await search.fill(word);
    await first.getByText(expected, { exact: true }).waitFor();
  }
  await page.keyboard.press("Enter");
  await node("decision").waitFor();
  const other = await empty(drawing, 0.2);
  await page.mouse.dblclick(other.x, other.y);
  await search.waitFor();
  assert.equal(await first.textContent(), "decision");
  await close();
});

const chain = (name, nodes) => {
  const names = Array.from({ length: nodes }, (_, at) => `${name}${at}`);
  const edges = names.slice(1).map((to, at) => `  - {from: ${names[at]}, to: ${to}}\n`);
  return `nodes:\n${names.map((node) => `  ${node}: {type: log}\n`).join("")}edges:\n${edges.join("")}`;
};

/** Nodes whose middle is in the canvas, of all nodes. */
const nodesInSight = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector(".canvas").getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".canvas .node")].map((node) => node.getBoundingClientRect());
    const middles = boxes.map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
    return middles.filter(([x, y]) => x > canvas.left && x < canvas.right && y > canvas.top && y < canvas.bottom)
      .length;
  });

test("a replaced plan, and its undo, are fitted again", async () => {
  const { page, drawing, node, close } = await opened(chain("a", 4));
  await node("a3").waitFor();
  const [from, to] = [await empty(drawing, 0.1), await empty(drawing, 0.95)];
  await drag(page, from, { x: to.x - 400, y: to.y });
  assert.ok((await nodesInSight(page)) < 4, "a part is out of sight");
  await replacePlanText(page, chain("b", 9));
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "9");
  await node("b8").waitFor();
  assert.equal(await nodesInSight(page), 9);
  await page.keyboard.press("ControlOrMeta+z");
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "4");
  await node("a3").waitFor();
  assert.equal(await nodesInSight(page), 4);
  await close();
});

/** The toolbar shows a zoom at once, and the next frame draws it. */
const waitForZoom = (page, isWanted) =>
  page.waitForFunction(([is, zoom]) => {
    const shown = Number.parseInt(document.querySelector(".canvas .percent").textContent, 10);
    const { a } = new DOMMatrix(getComputedStyle(document.querySelector(".canvas .layer")).transform);
    return Math.round(a * 100) === shown && (shown === zoom) === is;
  }, isWanted);

test("a fit above an open panel shows the whole drawing, and the next one makes its names legible", async () => {
  const { page, drawing, node, shot, close } = await opened(chain("a", 12), { viewport: { width: 1024, height: 768 } });
  await node("a11").waitFor();
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Hide the panel" }).waitFor();
  const fit = drawing.getByRole("button", { name: "Fit to view" });
  await fit.click();
  await waitForZoom(page, [false, 60]);
  assert.equal(await nodesInSight(page), 12);
  await fit.click();
  await waitForZoom(page, [true, 60]);
  const [canvas, first] = [await drawing.boundingBox(), await middle(node("a0"))];
  assert.ok(first.y > canvas.y && first.y < canvas.y + 120, "the start is in sight");
  assert.ok((await nodesInSight(page)) < 12);
  await shot("canvas-fit-legible");
  await fit.click();
  await waitForZoom(page, [false, 60]);
  assert.equal(await nodesInSight(page), 12);
  await close();
});

test("a fit uses the height beside the toolbar, and covers no node with it", async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1024, height: 900 },
  ]) {
    const { page, drawing, node, shot, close } = await opened(chain("a", 10), { viewport });
    await node("a9").waitFor();
    await page.getByRole("tab", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "Hide the panel" }).waitFor();
    const fit = drawing.getByRole("button", { name: "Fit to view" });
    for (let times = 0; times < 3 && (times === 0 || (await nodesInSight(page)) < 10); times++) {
      await fit.click();
      await frames(page);
    }
    await shot(`canvas-fit-panel-${viewport.width}`);
    const toolbar = await drawing.getByRole("toolbar").boundingBox();
    const last = await node("a9").boundingBox();
    assert.ok(last.y + last.height > toolbar.y, "it is as large as the space allows");
    assert.ok(last.x >= toolbar.x + toolbar.width, "beside the toolbar");
    await close();
  }
});

/** Whether the canvas shows the whole node, and nothing covers it. */
const isFree = (page, name) =>
  page.evaluate((name) => {
    const cards = [...document.querySelectorAll(".canvas .node .card")];
    const card = cards.find((card) => card.getAttribute("aria-label").startsWith(`${name},`));
    const [node, canvas] = [card, document.querySelector(".canvas")].map((element) => element.getBoundingClientRect());
    const isInside =
      node.left >= canvas.left && node.right <= canvas.right && node.top >= canvas.top && node.bottom <= canvas.bottom;
    const covers = [...document.querySelectorAll(".canvas .controls, .canvas .overview, .welcome")];
    const isCoveredBy = (cover) =>
      node.left < cover.right && node.right > cover.left && node.top < cover.bottom && node.bottom > cover.top;
    return isInside && !covers.some((cover) => isCoveredBy(cover.getBoundingClientRect()));
  }, name);

test("a panel that opens leaves the zoom alone, and keeps the selected node in sight", async () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
  ]) {
    const { page, drawing, node, close } = await opened(chain("a", 8), { viewport: { width, height } });
    await node("a7").waitFor();
    const zoom = () => drawing.locator(".percent").textContent();
    const [before, first] = [await zoom(), await middle(node("a0"))];
    await page.getByRole("tab", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "Hide the panel" }).waitFor();
    await frames(page);
    assert.equal(await zoom(), before);
    assert.deepEqual(await middle(node("a0")), first, "nothing moves");
    await page.getByRole("button", { name: "Hide the panel" }).click();
    await page.getByRole("button", { name: "Show the panel" }).waitFor();
    await frames(page);
    assert.deepEqual(await middle(node("a0")), first);
    await node("a7").click();
    await page.getByRole("button", { name: "Show the panel" }).click();
    await page.getByRole("button", { name: "Hide the panel" }).waitFor();
    await frames(page);
    assert.equal(await zoom(), before);
    assert.ok(await isFree(page, "a7"), `${width}: the selected node is in sight`);
    await close();
  }
});

test("the focus and the current node of a run never lie under the toolbar", async () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
  ]) {
    const { page, drawing, node, shot, close } = await opened(chain("a", 12), { viewport: { width, height } });
    await node("a11").waitFor();
    await page.getByRole("tab", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "Hide the panel" }).waitFor();
    await drawing.getByRole("button", { name: "Minimap" }).click();
    await goToFirstNode(page, drawing);
    for (let at = 1; at < 12; at++) {
      await page.keyboard.press("ArrowDown");
      await drawing
        .locator(".card:focus")
        .and(node(`a${at}`))
        .waitFor();
      await frames(page);
      assert.ok(await isFree(page, `a${at}`), `${width}: a${at} has the focus`);
    }
    await shot(`canvas-focus-free-${width}`);
    await drawing.getByRole("button", { name: "Minimap" }).click();
    await page.getByRole("button", { name: "Hide the panel" }).click();
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.locator('.run-status[data-fate="waiting"]').waitFor();
    await page.getByRole("button", { name: "Hide the panel" }).click();
    await page.keyboard.press("Escape");
    await frames(page);
    // The user's own view, with the current node at the bottom.
    const [canvas, { x, y }] = [await drawing.boundingBox(), await middle(node("a0"))];
    const from = await empty(drawing, 0.02);
    await drag(page, from, { x: from.x - 20, y: from.y + canvas.y + canvas.height - 90 - y });
    assert.ok((await middle(node("a0"))).x < x);
    await page.getByRole("button", { name: "Show the panel" }).click();
    await frames(page);
    assert.ok(await isFree(page, "a0"), `${width}: the run is at a0`);
    await shot(`canvas-current-free-${width}`);
    await close();
  }
});

test("the signs of a start cover no header of a group, and a note is readable or left out", async () => {
  const { page, drawing, node, shot, close } = await opened(
    `nodes:
  # Reads the mail of the day
  g: {type: graph, graph: {nodes: {x: {type: log}}}}
  a_tool_with_a_long_name: {type: tool, tool: a_tool_with_a_very_long_name_indeed} # Sends it
edges: [{from: g, to: a_tool_with_a_long_name}]
`,
  );
  await node("g").waitFor();
  const details = drawing.locator(".node .detail");
  assert.match(await details.first().textContent(), /^graph · Reads the mail/);
  assert.equal(await details.last().textContent(), "a_tool_with_a_very_long_name_indeed");
  await drawing.getByRole("button", { name: "Open g" }).or(drawing.locator(".toggle:visible")).first().click();
  await node("x").waitFor();
  await frames(page);
  await shot("canvas-group-start");
  const header = await drawing.locator('[data-node="0"] .card').boundingBox();
  const icon = await drawing.locator('[data-node="0"] .icon').boundingBox();
  const [own, inner] = await Promise.all([0, 1].map((at) => drawing.locator(".begin").nth(at).boundingBox()));
  assert.ok(inner.y >= header.y + header.height, "the inner start is below the header");
  assert.ok(own.y + own.height <= icon.y + 1, "the group's start is above its icon");
  await close();
});

test("an edit moves the view only if the drawing would be out of sight", async () => {
  const { page, drawing, node, close } = await opened(chain("a", 4));
  await node("a3").waitFor();
  const [from, to] = [await empty(drawing, 0.3), await empty(drawing, 0.35)];
  await drag(page, from, { x: from.x - 20, y: to.y });
  const before = await exactPositions(drawing);
  await replacePlanText(page, chain("a", 5));
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "5");
  await frames(page);
  assert.deepEqual(await exactPositions(drawing), before, "one more node is a small edit");
  await replacePlanText(page, chain("a", 24));
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "24");
  await frames(page);
  assert.equal(await nodesInSight(page), 24);
  await close();
});

test("the notice of a syntax error covers no node of a fitted drawing", async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1024, height: 600 },
  ]) {
    const { page, drawing, node, shot, close } = await opened(chain("a", 9), { viewport });
    await node("a8").waitFor();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("  {: [");
    const notice = drawing.locator(".stale");
    await notice.waitFor();
    await shot(`canvas-stale-${viewport.width}`);
    const covered = await page.evaluate(() => {
      const notice = document.querySelector(".canvas .stale").getBoundingClientRect();
      const boxes = [...document.querySelectorAll(".canvas .node .card")].map((card) => card.getBoundingClientRect());
      const isApart = (box) =>
        box.bottom <= notice.top || box.top >= notice.bottom || box.right <= notice.left || box.left >= notice.right;
      return boxes.filter((box) => !isApart(box)).length;
    });
    assert.equal(covered, 0);
    await notice.getByRole("button", { name: /^Go to line/ }).click();
    await page.waitForFunction(() => document.activeElement?.closest(".cm-editor"));
    await close();
  }
});

test("the buttons of a selected edge lie above the labels beside it", async () => {
  const nodes = ["a", "b", "c", "d"].map((name) => `  ${name}: {type: log}\n`).join("");
  const edges = ["b", "c", "d"]
    .map((to, at) => `  - {from: a, to: ${to}, condition: 'last == "number ${at}"'}\n`)
    .join("");
  const { page, drawing, shot, close } = await opened(`nodes:\n${nodes}edges:\n${edges}`);
  const label = drawing.locator(".edge .tag");
  await label.nth(2).waitFor();
  for (const at of [0, 1, 2]) {
    await label.nth(at).click();
    const edge = drawing.locator(".edge.chosen");
    await edge.locator(".remove").waitFor();
    if (at === 1) await shot("canvas-edge-buttons");
    const isOnTop = (button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === button;
    };
    for (const button of [".insert", ".remove"])
      assert.ok(await edge.locator(button).evaluate(isOnTop), `${button} of edge ${at}`);
  }
  await page.keyboard.press("Escape");
  await close();
});

test("on a phone, the notice of a syntax error has the width of the canvas and says what it means", async () => {
  const { page, close } = await open("", { viewport: { width: 390, height: 844 } });
  await page.locator(".switch").getByRole("button", { name: "Text", exact: true }).click();
  await replacePlanText(page, `${PLAN}  {: [`);
  await page.locator(".switch").getByRole("button", { name: "Canvas", exact: true }).click();
  const notice = page.locator(".canvas .stale");
  await notice.getByText("has an error").waitFor();
  const { width } = await notice.boundingBox();
  assert.ok(width > 340, `${width}`);
  assert.ok(await notice.locator(".text").evaluate((text) => text.scrollWidth <= text.clientWidth));
  await close();
});

test("a text that is no map has one notice on the canvas", async () => {
  const { page, drawing, close } = await opened("nodes: {}\n");
  await drawing.getByText("No nodes yet").waitFor();
  await replacePlanText(page, "Find order A-1001 and refund it.\n");
  await drawing.getByText("The canvas is out of date: line 1 has an error.").waitFor();
  await drawing.getByText("No nodes yet").waitFor({ state: "hidden" });
  await close();
});
