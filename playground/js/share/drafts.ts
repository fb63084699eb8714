/**
 * What a page that is being left can still write down at once.
 *
 * The database answers later, and a page that is closed does not live to see it. So on leaving, what is not saved yet
 * also goes to the storage that is written at once; the next page takes it from there. Invariant: a draft never
 * overwrites what was saved after it began.
 */
import { checkSum } from "./encoding.js";
import type { EditLock } from "./edit-lock.js";
import { type PlanContent, fresh, type Origin, type PlanStorage } from "./plan-storage.js";

const BEFORE = "stepgraph.draft.";

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
export function browserDrawer(): DraftStorage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Writes a draft down; what does not fit is left to the database. */
export function leave(drawer: DraftStorage | null, draft: Draft): void {
  try {
    drawer?.setItem(`${BEFORE}${draft.tab}`, JSON.stringify(draft));
  } catch {
    // Full, or denied. The page is going away: there is nobody to tell.
  }
}

/** This tab has saved everything. */
export function clear(drawer: DraftStorage | null, tab: string): void {
  try {
    drawer?.removeItem(`${BEFORE}${tab}`);
  } catch {
    // Denied: then there is no draft.
  }
}

/** Saves the drafts of tabs that are no more; gives how many held something that was saved nowhere. */
export async function recover(drawer: DraftStorage | null, shelf: PlanStorage, owner: EditLock): Promise<number> {
  let count = 0;
  for (const key of keys(drawer)) {
    const draft = parsed(drawer?.getItem(key) ?? "");
    if (draft !== null && (await owner.lives(draft.tab))) continue;
    if (draft !== null && (await kept(draft, shelf))) count += 1;
    drawer?.removeItem(key);
  }
  return count;
}

/** The tabs that have left a draft, and may be there still. */
export function authors(drawer: DraftStorage | null): string[] {
  return keys(drawer).flatMap((key) => parsed(drawer?.getItem(key) ?? "")?.tab ?? []);
}

async function kept(draft: Draft, shelf: PlanStorage): Promise<boolean> {
  const { plan, content, name, from, at } = draft;
  const found = await shelf.read(plan);
  if (found === null) {
    await shelf.add({ id: plan, name, from, rev: 1, made: at, changed: at, size: content.text.length }, content);
    return true;
  }
  if (found.content.text === content.text) return false;
  const follows = draft.owned && found.row.rev === draft.follows;
  if (follows && typeof (await shelf.write(plan, content, draft.follows, at)) === "object") return true;
  await shelf.mark(
    { id: fresh(), plan, at, kind: "named", name: "unsaved", size: content.text.length, sum: checkSum(content.text) },
    content,
  );
  return true;
}

function keys(drawer: DraftStorage | null): string[] {
  try {
    return Array.from({ length: drawer?.length ?? 0 }, (_, at) => drawer?.key(at) ?? "").filter((key) =>
      key.startsWith(BEFORE),
    );
  } catch {
    return [];
  }
}

function parsed(text: string): Draft | null {
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
