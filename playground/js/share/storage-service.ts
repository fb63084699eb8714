/**
 * A tab's storage service: opens the link's plan, else the tab's last, else the latest. Invalid links change nothing.
 */
import { OpenPlan, type OpenedPlan } from "./open-plan.js";
import type { OpenPlanEvent, TabMessage } from "./ports.js";
import { draftTabs, browserDrafts, type DraftStorage, recoverDrafts } from "./drafts.js";
import { addImported, duplicatePlan as duplicate, listPlans, purgeDeleted, renamePlan as rename } from "./library.js";
import { onDrop } from "./files.js";
import { isLink, readLink, type SharedPlan } from "./link.js";
import { browserLock, type EditLock } from "./edit-lock.js";
import {
  type PlanContent,
  newId,
  type RestorePointKind,
  MemoryStorage,
  type Origin,
  type PlanStorage,
} from "./plan-storage.js";
import { openIndexedDb } from "./indexeddb-storage.js";
import { toJsonResult, type ShareErrorCode, ShareError } from "./errors.js";
import { onTyping } from "./typing-events.js";

const LAST_PLAN_KEY = "stepgraph.plan";

interface StartState {
  /** Null: the page chooses. */
  opened: OpenedPlan | null;
  /** Closed tabs with unsaved changes. */
  recovered: number;
  /** A plan is saved. */
  any: boolean;
  lasting: boolean;
  trouble: { code: ShareErrorCode; detail: string } | null;
}

interface StorageService {
  plan: OpenPlan;
  storage: PlanStorage;
  lock: EditLock;
  post: (message: TabMessage) => void;
}

let service: StorageService | null = null;

function currentService(): StorageService {
  if (service === null) throw new ShareError("storage/failed", "the storage is not set up");
  return service;
}

/** `read` returns `{"name", "text", "extras"}`. `listener` receives events. Both are JSON. */
export function start(read: () => string, listener: (notify: string) => void, keep: boolean): Promise<string> {
  return toJsonResult(async () => {
    const notify = (event: OpenPlanEvent): void => listener(JSON.stringify(event));
    const storage = keep ? await openStorage(notify) : new MemoryStorage();
    const tab = newId();
    const channel = keep && typeof BroadcastChannel === "function" ? new BroadcastChannel("stepgraph") : null;
    const post = (message: TabMessage): void => channel?.postMessage(message);
    const lock = browserLock(
      tab,
      (id) => plan.lockLost(id),
      (id) => void inherited(id),
      storage.isPersistent ? navigator.locks : undefined,
    );
    const drafts = storage.isPersistent ? browserDrafts() : null;
    const later = (ms: number, work: () => void): (() => void) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    };
    const plan = new OpenPlan({
      storage,
      lock,
      drafts,
      tab,
      now: Date.now,
      schedule: later,
      post,
      notify,
      read: () => JSON.parse(read()) as PlanContent & { name: string },
    });
    // The closed tab may have left a draft.
    const inherited = (id: string): Promise<void> =>
      recoverDrafts(drafts, storage, lock)
        .catch(() => 0)
        .then(() => plan.lockGranted(id));
    service = { plan, storage, lock, post };
    channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => void plan.receive(data));
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") plan.hide();
    });
    addEventListener("pagehide", () => plan.hide());
    onTyping((text, length) => plan.typing(text, length));
    const failed = (error: unknown): void => {
      const { code, detail } = error instanceof ShareError ? error : new ShareError("file/binary");
      notify({ type: "failed", code, detail });
    };
    onDrop(
      (hangs) => notify({ type: "over", hangs }),
      (work) => void work.then(({ name, text }) => notify({ type: "dropped", name, text }), failed),
    );
    // Without its service worker the page only needs a network.
    const offline = keep ? import("./offline.js") : null;
    offline?.then(({ register }) => register(() => notify({ type: "version" }))).catch(() => undefined);
    const recovered = await recoverDrafts(drafts, storage, lock).catch(() => 0);
    void purgeDeleted(storage, Date.now()).catch(() => undefined);
    const opened = await openFirst(plan, storage);
    for (const author of draftTabs(drafts)) if (author !== tab) void recoverWhenClosed(author, drafts, service);
    return { ...opened, recovered, lasting: storage.isPersistent };
  });
}

/** Its page may be closing. */
async function recoverWhenClosed(
  author: string,
  drafts: DraftStorage | null,
  { plan, storage, lock }: StorageService,
): Promise<void> {
  await lock.tabClosed(author);
  if ((await recoverDrafts(drafts, storage, lock)) > 0) await plan.refresh();
}

/** Falls back to memory if denied. */
async function openStorage(notify: (event: OpenPlanEvent) => void): Promise<PlanStorage> {
  try {
    return await openIndexedDb();
  } catch (error) {
    notify({ type: "failed", code: "storage/denied", detail: error instanceof ShareError ? error.detail : "" });
    return new MemoryStorage();
  }
}

async function openFirst(
  plan: OpenPlan,
  storage: PlanStorage,
): Promise<Pick<StartState, "opened" | "any" | "trouble">> {
  let linkError: StartState["trouble"] = null;
  if (isLink(location.hash)) {
    try {
      return { opened: await openLinked(location.hash), any: true, trouble: linkError };
    } catch (error) {
      const { code, detail } = error instanceof ShareError ? error : new ShareError("link/garbage");
      linkError = { code, detail };
    }
  }
  const rows = (await listPlans(storage)).filter(({ removed }) => removed === undefined);
  const row = rows.find(({ id }) => id === rememberedPlan()) ?? rows[0];
  const opened = row ? rememberPlan(await plan.open(row.id)) : null;
  return { opened, any: rows.length > 0, trouble: linkError };
}

/** Removes the link, so that a reload keeps edits. */
async function openLinked(hash: string): Promise<OpenedPlan> {
  const { plan, storage } = currentService();
  const shared = await readLink(hash);
  const opened = await addImported(plan, storage, shared.name, { text: shared.text, extras: extrasOf(shared) }, "link");
  if (storage.isPersistent) history.replaceState(history.state, "", location.pathname + location.search);
  return rememberPlan(opened);
}

function extrasOf({ view = "", stubs = "", cassette = "" }: SharedPlan): string {
  return JSON.stringify({ view, stubs, cassette });
}

function rememberedPlan(): string | null {
  try {
    return sessionStorage.getItem(LAST_PLAN_KEY);
  } catch {
    return null;
  }
}

function rememberPlan(opened: OpenedPlan): OpenedPlan {
  try {
    sessionStorage.setItem(LAST_PLAN_KEY, opened.row.id);
  } catch {
    // If denied, reloads open the latest plan.
  }
  return opened;
}

/** Notifies other tabs afterwards. */
function withNotification<T>(work: (service: StorageService) => Promise<T>): Promise<string> {
  return toJsonResult(async () => {
    const current = currentService();
    const done = await work(current);
    current.post({ type: "plans" });
    return done;
  });
}

export const openLink = (hash: string): Promise<string> => toJsonResult(() => openLinked(hash));
export const openPlan = (id: string): Promise<string> =>
  toJsonResult(async () => rememberPlan(await currentService().plan.open(id)));
export const newPlan = (name: string, text: string, extras: string, from: string): Promise<string> =>
  withNotification(async ({ plan, storage }) =>
    rememberPlan(await addImported(plan, storage, name, { text, extras }, from as Origin)),
  );
export const changed = (): void => service?.plan.changed();
/** Returns success. */
export const saveNow = (): Promise<string> => toJsonResult(() => currentService().plan.save());
export const takeOver = (): Promise<string> =>
  toJsonResult(async () => rememberPlan(await currentService().plan.takeOver()));
export const plans = (): Promise<string> =>
  toJsonResult(async () => ({
    rows: await listPlans(currentService().storage),
    open: currentService().plan.row?.id ?? "",
    lasting: currentService().storage.isPersistent,
  }));
export const renamePlan = (id: string, name: string): Promise<string> =>
  withNotification(async ({ storage, plan }) => {
    const now = await rename(storage, id, name);
    if (plan.row?.id === id) plan.renamed(now);
    return now;
  });
export const duplicatePlan = (id: string): Promise<string> =>
  withNotification(async ({ storage, plan }) => {
    await plan.save();
    return duplicate(storage, id, Date.now());
  });
export const trashPlan = (id: string): Promise<string> =>
  withNotification(async ({ storage, plan }) => {
    if (plan.row?.id === id) await plan.close();
    return storage.updateRow(id, { removed: Date.now() });
  });
export const restorePlan = (id: string): Promise<string> =>
  withNotification(({ storage }) => storage.updateRow(id, { removed: undefined }));
export const deletePlan = (id: string): Promise<string> => withNotification(({ storage }) => storage.delete(id));
export const points = (): Promise<string> => toJsonResult(() => currentService().plan.restorePoints());
export const pointContent = (id: string): Promise<string> =>
  toJsonResult(async () => {
    const content = await currentService().storage.pointContent(id);
    if (content === null) throw new ShareError("storage/gone");
    return content;
  });
export const addPoint = (kind: string, name: string): Promise<string> =>
  toJsonResult(() => currentService().plan.addRestorePoint(kind as RestorePointKind, name));
export const deletePoint = (id: string): Promise<string> =>
  toJsonResult(() => currentService().storage.deletePoints([id]));
