/**
 * Stores a draft as the page closes.
 *
 * IndexedDB may be too late, so unsaved changes go to `localStorage`, and the next page saves them. Invariant: a draft
 * never overwrites a later version.
 */
import { checksum } from "./encoding.js";
import type { EditLock } from "./edit-lock.js";
import { isSameContent, type PlanContent, newId, type Origin, type PlanStorage } from "./plan-storage.js";

const KEY_PREFIX = "stepgraph.draft.";

export interface Draft {
  tab: string;
  plan: string;
  /** Its base revision. */
  follows: number;
  /** Its tab had the edit lock. */
  owned: boolean;
  name: string;
  from: Origin;
  at: number;
  content: PlanContent;
}

export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Null if denied. */
export function browserDrafts(): DraftStorage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Too large a draft is in the database only. */
export function writeDraft(drafts: DraftStorage | null, draft: Draft): void {
  try {
    drafts?.setItem(`${KEY_PREFIX}${draft.tab}`, JSON.stringify(draft));
  } catch {
    // The page is closing, so a message would be unseen.
  }
}

export function clearDraft(drafts: DraftStorage | null, tab: string): void {
  try {
    drafts?.removeItem(`${KEY_PREFIX}${tab}`);
  } catch {
    // If there is no storage, there is no draft.
  }
}

/** Returns how many had unsaved text. */
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

/** Some tabs may still be open. */
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
  if (isSameContent(found.content, content)) return false;
  const hasOtherText = found.content.text !== content.text;
  const follows = draft.owned && found.row.rev === draft.follows;
  if (follows && typeof (await storage.write(plan, content, draft.follows, at)) === "object") return hasOtherText;
  if (!hasOtherText) return false;
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
