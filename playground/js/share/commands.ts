/**
 * Commands by name, so the module needs one import. They take texts and return JSON, `{"ok": …}` or
 * `{"code", "detail"}`.
 */
import { copyText, download, fetchText, fileName, readClipboard, pickFile } from "./files.js";
import { LONG_LINK, MAX_LINK, createLink } from "./link.js";
import { copyPng, toPng } from "./png-export.js";
import * as place from "./storage-service.js";
import { toJsonResult } from "./errors.js";

const interop = (): Promise<typeof import("./interop.js")> => import("./interop.js");

async function createLinkUrl(text: string, name: string, extras: string): Promise<object> {
  const { view, stubs, cassette } = JSON.parse(extras) as Record<string, string | undefined>;
  const { fragment, length, removed } = await createLink({ text, name, view, stubs, cassette });
  const url = `${location.origin}${location.pathname}#${fragment}`;
  return { url, length, kept: removed, size: length > MAX_LINK ? "too-long" : length > LONG_LINK ? "long" : "" };
}

async function exportFile(kind: string, content: string, name: string): Promise<void> {
  const plan = async (): Promise<string> =>
    kind === "json"
      ? (await interop()).toJson(content)
      : kind === "mermaid"
        ? (await interop()).toMermaidText(content)
        : (await interop()).toYaml(content);
  if (kind === "png") return download(fileName(name, "png"), await toPng(content), "image/png");
  if (kind === "svg") return download(fileName(name, "svg"), content, "image/svg+xml");
  const [ending, type] =
    kind === "json"
      ? (["json", "application/json"] as const)
      : kind === "mermaid"
        ? (["mmd", "text/plain"] as const)
        : (["yaml", "text/yaml"] as const);
  // Works without storage.
  download(fileName(name, ending), kind === "text" ? content : await plan(), type);
}

/** The text is for a denied clipboard. */
async function copyExport(kind: string, content: string): Promise<{ copied: boolean; text: string }> {
  if (kind === "png") {
    await copyPng(content);
    return { copied: true, text: "" };
  }
  const text =
    kind === "json"
      ? await (await interop()).toJson(content)
      : kind === "mermaid"
        ? await (await interop()).toMermaidText(content)
        : content;
  const copied = await copyText(text).then(
    () => true,
    () => false,
  );
  return { copied, text: copied ? "" : text };
}

const COMMANDS: Readonly<Record<string, (...args: string[]) => Promise<string>>> = {
  open: place.openPlan,
  openLink: place.openLink,
  new: place.newPlan,
  saveNow: place.saveNow,
  take: place.takeOver,
  plans: place.plans,
  rename: place.renamePlan,
  duplicate: place.duplicatePlan,
  remove: place.trashPlan,
  unremove: place.restorePlan,
  erase: place.deletePlan,
  points: place.points,
  point: place.pointContent,
  mark: place.addPoint,
  erasePoint: place.deletePoint,
  link: (text = "", name = "", extras = "{}") => toJsonResult(() => createLinkUrl(text, name, extras)),
  whole: (text = "", name = "", extras = "{}") =>
    toJsonResult(async () => {
      // Later the browser would block a popup.
      const view = window.open("about:blank", "_blank");
      const { url } = (await createLinkUrl(text, name, extras)) as { url: string };
      if (view === null) return;
      view.opener = null;
      view.location.href = url;
    }),
  save: (kind = "", content = "", name = "") => toJsonResult(() => exportFile(kind, content, name)),
  put: (kind = "", content = "") => toJsonResult(() => copyExport(kind, content)),
  copy: (text = "") => toJsonResult(() => copyText(text)),
  update: () => toJsonResult(async () => (await import("./offline.js")).update()),
  pick: () => toJsonResult(pickFile),
  paste: () => toJsonResult(async () => ({ name: "", text: await readClipboard() })),
  fetch: (address = "") => toJsonResult(() => fetchText(address)),
  taken: (text = "") => toJsonResult(async () => (await interop()).importText(text)),
  compare: (before = "", after = "") =>
    toJsonResult(async () => {
      const [{ diffLines }, found] = await Promise.all([
        import("./line-diff.js"),
        interop().then(({ compare }) => compare(before, after)),
      ]);
      return { lines: diffLines(before, after), changes: found?.changes ?? [] };
    }),
};

export function runCommand(verb: string, args: string[]): Promise<string> {
  const work = Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : undefined;
  return work ? work(...args) : toJsonResult(() => Promise.reject(new Error(`there is no ${verb}`)));
}
