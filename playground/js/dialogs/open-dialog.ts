/** Loads dialogs when opened. */
import { connections, lang } from "../connect/page-connections.js";
import { loadEngineMessages } from "../engine-messages.js";
import { setHostCapabilities } from "../editor/host-capabilities.js";
import { pageFile } from "../page-file.js";
import { setHostProvider } from "../run/host-provider.js";
import type { PageApi } from "./page-api.js";

let lastCapabilities = "";

/** Reports host capabilities now and after changes. */
export function startConnections(page: PageApi): void {
  const all = connections();
  let translate = (text: string) => text;
  const report = () => {
    const inLanguage = (key: string, value: unknown) =>
      key === "description" && typeof value === "string" ? translate(value) : value;
    const capabilities = JSON.stringify({ tools: all.tools(), models: all.modelNames() }, inLanguage);
    if (capabilities === lastCapabilities || all.tools().length === 0) return;
    page.setHost((lastCapabilities = capabilities));
    setHostCapabilities(capabilities);
  };
  all.subscribe(report);
  setHostProvider(
    () => all.toolsAndModels(),
    async (text) => (await import("./gallery-plans.js")).initialValuesFor(text),
  );
  /** Only the Spanish page loads the Spanish texts. */
  const useLanguage = async () => {
    const texts = lang() === "es" ? await import("./demo-texts.js") : null;
    translate = texts?.demoText ?? ((text) => text);
    report();
  };
  new MutationObserver(() => void useLanguage()).observe(document.documentElement, { attributeFilter: ["lang"] });
  report();
  void useLanguage();
}

let stylesLoaded: Promise<void> | null = null;

function loadStyles(): Promise<void> {
  return (stylesLoaded ??= new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = pageFile("../dialogs.css", import.meta.url).href;
    // Missing styles do not block a dialog.
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  }));
}

export async function open(name: string, page: PageApi): Promise<void> {
  await Promise.all([loadStyles(), loadEngineMessages(lang())]);
  if (name === "gallery") (await import("./gallery.js")).openGallery(page);
  else if (name === "connections") await (await import("./connections.js")).openConnections(page);
  else if (name === "request") (await import("./request.js")).openRequest(page);
}
