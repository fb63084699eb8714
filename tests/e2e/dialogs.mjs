// Page helpers for tests of connections.

export async function connections(page, tab) {
  const room = page.getByRole("dialog", { name: "Connections" });
  if (!(await room.isVisible())) await page.getByRole("button", { name: "Connections", exact: true }).click();
  await room.getByRole("tab", { name: tab }).click();
  return room;
}

export async function addServer(room, url, name) {
  await room.getByRole("textbox", { name: "Address" }).fill(url);
  if (name) await room.getByRole("textbox", { name: "Name" }).fill(name);
  await room.getByRole("button", { name: "Connect", exact: true }).click();
}

export async function connected(page, url, name) {
  const room = await connections(page, "Servers");
  await addServer(room, url, name);
  await row(room, name)
    .getByText(/^connected, \d+ tools?$/)
    .waitFor();
  await room.getByRole("button", { name: "Close" }).click();
}

export function row(room, name) {
  return room.getByRole("listitem").filter({
    has: room
      .page()
      .getByRole("strong")
      .filter({ hasText: new RegExp(`^${name}$`) }),
  });
}
