// What tests of kept and shared plans do with the page.

/** The text pane, whatever it is made of. */
export function pane(page) {
  return page.getByRole("region", { name: /^(Text|Texto)$/ }).getByRole("textbox").first();
}

/** Writes another text, as a person who selects all and pastes. */
export async function type(page, text) {
  const field = pane(page);
  await field.waitFor();
  await field.fill(text);
}

/** Waits until the text pane holds a text. Long ones are shown in part, so their beginning counts. */
export async function planText(page, text) {
  const first = text.split("\n").slice(0, 4).join("\n").trimEnd();
  const field = pane(page);
  await field.waitFor();
  await page.waitForFunction(([element, first]) => (element.value ?? element.innerText).replaceAll("\u00a0", " ").trimStart().startsWith(first), [await field.elementHandle(), first]);
}

/** A dialog by its name. */
export function dialog(page, name) {
  return page.getByRole("dialog", { name });
}

/** Opens the dialog of links and files. */
export async function share(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const out = dialog(page, "Share and export");
  await out.waitFor();
  return out;
}

/** Opens the list of plans. */
export async function plans(page) {
  await page.getByTitle("Plans").click();
  const list = dialog(page, "Plans");
  await list.waitFor();
  return list;
}

/** Waits until what is open is kept. */
export async function saved(page) {
  await page.getByText("Saved", { exact: true }).waitFor();
}

/** Fails when a plan has become anything but text. */
export async function onlyText(page) {
  const found = await page.evaluate(() => ({ hacked: "hacked" in window, images: document.querySelectorAll("img[onerror], body script:not([src])").length, proto: "type" in {} }));
  if (found.hacked || found.images > 0 || found.proto) throw new Error(`a plan became more than text: ${JSON.stringify(found)}`);
}
