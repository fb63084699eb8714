/** The way to each room: its script is loaded when it is opened. */
import { connections } from "../connect/page-connections.js";
import { tellOffered } from "../editor/host-capabilities.js";
import { offerBy } from "../run/host-provider.js";
import type { PageApi } from "./page-api.js";

let told = "";

/** Looks around, and tells the page what is connected, now and whenever that changes. */
export function begin(page: PageApi): void {
  const all = connections();
  const tell = () => {
    const offer = JSON.stringify({ tools: all.tools(), models: all.modelNames() });
    if (offer === told || all.tools().length === 0) return;
    page.offer((told = offer));
    tellOffered(offer);
  };
  all.listen(tell);
  offerBy(
    () => all.offer(),
    async (text) => (await import("./gallery-plans.js")).givenFor(text),
  );
  tell();
}

/** What rooms look like is fetched with the first of them. */
let styled: Promise<void> | null = null;

function styles(): Promise<void> {
  return (styled ??= new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL("../dialogs.css", import.meta.url).href;
    // Without it a room is plain, and can be used.
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  }));
}

/** Opens a room. */
export async function open(name: string, page: PageApi): Promise<void> {
  await styles();
  if (name === "gallery") (await import("./gallery.js")).openGallery(page);
  else if (name === "connections") (await import("./connections.js")).openConnections(page);
  else if (name === "request") (await import("./request.js")).openRequest(page);
}
