/**
 * What the page asks of this folder, by name: one way across, so that the page's module has one import for all of it.
 *
 * Each verb takes texts and gives JSON text, `{"ok": …}` or `{"code", "detail"}`. Verbs that need the modules of the
 * package load them.
 */
import { copy, download, fetched, fileName, pasted, pick } from "./files.js";
import { LONG, TOO_LONG, written } from "./link.js";
import { copyPicture, png } from "./png-export.js";
import * as place from "./storage-service.js";
import { answered } from "./errors.js";

const exchange = (): Promise<typeof import("./interop.js")> => import("./interop.js");

/** The address that opens what is shared. */
async function link(text: string, name: string, extras: string): Promise<object> {
  const { view, stubs, cassette } = JSON.parse(extras) as Record<string, string | undefined>;
  const { fragment, length, kept } = await written({ text, name, view, stubs, cassette });
  const url = `${location.origin}${location.pathname}#${fragment}`;
  return { url, length, kept, size: length > TOO_LONG ? "too-long" : length > LONG ? "long" : "" };
}

/** Files that are handed to the person: by kind, what they are made of and what they are called. */
async function save(kind: string, content: string, name: string): Promise<void> {
  const plan = async (): Promise<string> =>
    kind === "json"
      ? (await exchange()).json(content)
      : kind === "mermaid"
        ? (await exchange()).mermaid(content)
        : (await exchange()).yaml(content);
  if (kind === "png") return download(fileName(name, "png"), await png(content), "image/png");
  if (kind === "svg") return download(fileName(name, "svg"), content, "image/svg+xml");
  const [ending, type] =
    kind === "json"
      ? (["json", "application/json"] as const)
      : kind === "mermaid"
        ? (["mmd", "text/plain"] as const)
        : (["yaml", "text/yaml"] as const);
  // What is kept as it was written needs no module: it is the last resort when nothing can be stored.
  download(fileName(name, ending), kind === "text" ? content : await plan(), type);
}

/** The same on the clipboard. Gives the text too, for a field to copy it from when the clipboard is denied. */
async function put(kind: string, content: string): Promise<{ copied: boolean; text: string }> {
  if (kind === "png") {
    await copyPicture(content);
    return { copied: true, text: "" };
  }
  const text =
    kind === "json"
      ? await (await exchange()).json(content)
      : kind === "mermaid"
        ? await (await exchange()).mermaid(content)
        : content;
  const copied = await copy(text).then(
    () => true,
    () => false,
  );
  return { copied, text: copied ? "" : text };
}

const VERBS: Readonly<Record<string, (...args: string[]) => Promise<string>>> = {
  open: place.openPlan,
  openLink: place.openLink,
  new: place.newPlan,
  saveNow: place.saveNow,
  take: place.takeOver,
  plans: place.plans,
  rename: place.renamePlan,
  duplicate: place.duplicatePlan,
  remove: place.removePlan,
  unremove: place.unremovePlan,
  erase: place.erasePlan,
  points: place.points,
  point: place.pointText,
  mark: place.markPoint,
  erasePoint: place.erasePoint,
  link: (text = "", name = "", extras = "{}") => answered(() => link(text, name, extras)),
  whole: (text = "", name = "", extras = "{}") =>
    answered(async () => {
      // The window first: after a wait the browser takes it for one that nobody asked for.
      const view = window.open("about:blank", "_blank");
      const { url } = (await link(text, name, extras)) as { url: string };
      if (view === null) return;
      view.opener = null;
      view.location.href = url;
    }),
  save: (kind = "", content = "", name = "") => answered(() => save(kind, content, name)),
  put: (kind = "", content = "") => answered(() => put(kind, content)),
  copy: (text = "") => answered(() => copy(text)),
  update: () => answered(async () => (await import("./offline.js")).update()),
  pick: () => answered(pick),
  paste: () => answered(async () => ({ name: "", text: await pasted() })),
  fetch: (address = "") => answered(() => fetched(address)),
  taken: (text = "") => answered(async () => (await exchange()).taken(text)),
  compare: (before = "", after = "") =>
    answered(async () => {
      const [{ differing }, found] = await Promise.all([
        import("./line-diff.js"),
        exchange().then(({ compared }) => compared(before, after)),
      ]);
      return { lines: differing(before, after), changes: found?.changes ?? [] };
    }),
};

/** Does what a verb says. */
export function share(verb: string, args: string[]): Promise<string> {
  const work = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  return work ? work(...args) : answered(() => Promise.reject(new Error(`there is no ${verb}`)));
}
