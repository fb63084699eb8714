// The frame of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "./stage.mjs";

const { open } = stage();

test("the page opens with a plan as text and as a drawing, in the person's language", async () => {
  const { page, shot, close } = await open();
  const text = await page.getByRole("textbox", { name: "Text" }).inputValue();
  assert.match(text, /^# /);
  await page.getByRole("region", { name: "Drawing" }).getByRole("button").first().waitFor();
  await shot("first");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("region", { name: "Dibujo" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "es");
  await close();
});
