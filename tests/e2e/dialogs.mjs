// What tests of connections do with the page.

/** Opens the connections at one of their tabs. */
export async function connections(page, tab) {
  const room = page.getByRole("dialog", { name: "Connections" });
  if (!(await room.isVisible())) await page.getByRole("button", { name: "Connections", exact: true }).click();
  await room.getByRole("tab", { name: tab }).click();
  return room;
}

/** Adds a server of tools by its address. */
export async function addServer(room, url, name) {
  await room.getByRole("textbox", { name: "Address" }).fill(url);
  if (name) await room.getByRole("textbox", { name: "Name" }).fill(name);
  await room.getByRole("button", { name: "Connect", exact: true }).click();
}

/** Connects a server that lets pages in, and goes back to the plan. */
export async function connected(page, url, name) {
  const room = await connections(page, "Servers");
  await addServer(room, url, name);
  await row(room, name)
    .getByText(/^connected, \d+ tools$/)
    .waitFor();
  await room.getByRole("button", { name: "Close" }).click();
}

/** How a server of that name stands in the list. */
export function row(room, name) {
  return room.getByRole("listitem").filter({
    has: room
      .page()
      .getByRole("strong")
      .filter({ hasText: new RegExp(`^${name}$`) }),
  });
}
