/**
 * What a page that is being left can still write down at once.
 *
 * The database answers later, and a page that is closed does not live to see it. So on leaving, what is not saved yet
 * also goes to the storage that is written at once; the next page takes it from there. Invariant: a draft never
 * overwrites what was saved after it began.
 */
import { checksum } from "./encoding.js";
import type { EditLock } from "./edit-lock.js";
import { type PlanContent, newId, type Origin, type PlanStorage } from "./plan-storage.js";

const KEY_PREFIX = "stepgraph.draft.";

/** What was not saved when its page was left. */
export interface Draft {
  tab: string;
  plan: string;
  /** The revision that it follows. */
  follows: number;
  /** Whether its tab was the one that edits the plan. */
  owned: boolean;
  name: string;
  from: Origin;
  at: number;
  content: PlanContent;
}

/** The storage of drafts: that of the browser, or none. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The browser's, where it lets a page have one. */
export function browserDrafts(): DraftStorage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Writes a draft down; what does not fit is left to the database. */
export function writeDraft(drafts: DraftStorage | null, draft: Draft): void {
  try {
    drafts?.setItem(`${KEY_PREFIX}${draft.tab}`, JSON.stringify(draft));
  } catch {
    // Full, or denied. The page is going away: there is nobody to tell.
  }
}

/** This tab has saved everything. */
export function clearDraft(drafts: DraftStorage | null, tab: string): void {
  try {
    drafts?.removeItem(`${KEY_PREFIX}${tab}`);
  } catch {
    // Denied: then there is no draft.
  }
}

/** Saves the drafts of tabs that are no more; gives how many held something that was saved nowhere. */
export async function recoverDrafts(
  drafts: DraftStorage | null,
  storage: PlanStorage,
  lock: EditLock,
): Promise<number> {
  let count = 0;
  for (const key of draftKeys(drafts)) {
    const draft = parseDraft(drafts?.getItem(key) ?? "");
    if (draft !== null && (await lock.isTabOpen(draft.tab))) continue;
    if (draft !== null && (await recoverDraft(draft, storage))) count += 1;
    drafts?.removeItem(key);
  }
  return count;
}

/** The tabs that have left a draft, and may be there still. */
export function draftTabs(drafts: DraftStorage | null): string[] {
  return draftKeys(drafts).flatMap((key) => parseDraft(drafts?.getItem(key) ?? "")?.tab ?? []);
}

async function recoverDraft(draft: Draft, storage: PlanStorage): Promise<boolean> {
  const { plan, content, name, from, at } = draft;
  const found = await storage.read(plan);
  if (found === null) {
    await storage.add({ id: plan, name, from, rev: 1, made: at, changed: at, size: content.text.length }, content);
    return true;
  }
  if (found.content.text === content.text) return false;
  const follows = draft.owned && found.row.rev === draft.follows;
  if (follows && typeof (await storage.write(plan, content, draft.follows, at)) === "object") return true;
  await storage.addPoint(
    { id: newId(), plan, at, kind: "named", name: "unsaved", size: content.text.length, sum: checksum(content.text) },
    content,
  );
  return true;
}

function draftKeys(drafts: DraftStorage | null): string[] {
  try {
    return Array.from({ length: drafts?.length ?? 0 }, (_, at) => drafts?.key(at) ?? "").filter((key) =>
      key.startsWith(KEY_PREFIX),
    );
  } catch {
    return [];
  }
}

function parseDraft(text: string): Draft | null {
  try {
    const draft = JSON.parse(text) as Partial<Draft> | null;
    const { tab, plan, content } = draft ?? {};
    return typeof tab === "string" &&
      typeof plan === "string" &&
      typeof content?.text === "string" &&
      typeof content.extras === "string"
      ? (draft as Draft)
      : null;
  } catch {
    return null;
  }
}
