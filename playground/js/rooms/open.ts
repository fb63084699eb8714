/** The way to each room: its script is loaded when it is opened. */
import { connections } from "../connect/here.js";
import { offerBy } from "../run/offer.js";
import type { Page } from "./page.js";

let told = "";

/** Looks around, and tells the page what is connected, now and whenever that changes. */
export function begin(page: Page): void {
  const all = connections();
  const tell = () => {
    const offer = JSON.stringify({ tools: all.tools(), models: all.modelNames() });
    if (offer !== told && all.tools().length > 0) page.offer((told = offer));
  };
  all.listen(tell);
  offerBy(async () => ({ ...(await all.offer()), given: all.givenFor(page.text()) }));
  tell();
}

/** Opens a room. */
export async function open(name: string, page: Page): Promise<void> {
  if (name === "gallery") (await import("./gallery.js")).openGallery(page);
  else if (name === "connections") (await import("./connections.js")).openConnections(page);
  else if (name === "request") (await import("./request.js")).openRequest(page);
}
