/**
 * The desk in this very browser: which plan a tab begins with, and what the page asks of it.
 *
 * Decides where a tab begins: a link's plan, else the one it had, else the one that was changed last. What the page
 * asks is answered with JSON text, `{"ok": …}` or `{"code", "detail"}`. Invariant: a link that can't be read leaves
 * everything as it is.
 */
import { OpenPlan, type OpenedPlan } from "./open-plan.js";
import type { OpenPlanEvent, TabMessage } from "./ports.js";
import { authors, browserDrawer, type DraftStorage, recover } from "./drafts.js";
import { arrive, duplicate, list, rename, sweep } from "./library.js";
import { onDrop } from "./files.js";
import { isLink, read as readLink, type SharedPlan } from "./link.js";
import { browserOwner, type EditLock } from "./edit-lock.js";
import {
  type PlanContent,
  fresh,
  type RestorePointKind,
  MemoryStorage,
  type Origin,
  type PlanStorage,
} from "./plan-storage.js";
import { browserShelf } from "./indexeddb-storage.js";
import { answered, type ShareErrorCode, ShareError } from "./errors.js";
import { onWriting } from "./typing-events.js";

/** Where a tab remembers its plan. */
const HERE = "stepgraph.plan";

/** How a tab begins. */
interface StartState {
  /** Nothing: the page shows what it likes. */
  opened: OpenedPlan | null;
  /** How many plans of closed tabs had unsaved changes. */
  recovered: number;
  /** Whether there are plans at all. */
  any: boolean;
  lasting: boolean;
  /** What went wrong with a link. */
  trouble: { code: ShareErrorCode; detail: string } | null;
}

interface StorageService {
  desk: OpenPlan;
  shelf: PlanStorage;
  owner: EditLock;
  post: (word: TabMessage) => void;
}

let place: StorageService | null = null;

function here(): StorageService {
  if (place === null) throw new ShareError("storage/failed", "the desk is not set up");
  return place;
}

/** Sets the desk up. `read` gives `{"name", "text", "extras"}`, `tell` takes what happens; both are JSON text. */
export function begin(read: () => string, tell: (told: string) => void, keep: boolean): Promise<string> {
  return answered(async () => {
    const told = (what: OpenPlanEvent): void => tell(JSON.stringify(what));
    const shelf = keep ? await lastingShelf(told) : new MemoryStorage();
    const tab = fresh();
    const channel = keep && typeof BroadcastChannel === "function" ? new BroadcastChannel("stepgraph") : null;
    const post = (word: TabMessage): void => channel?.postMessage(word);
    const owner = browserOwner(
      tab,
      (plan) => desk.lost(plan),
      (plan) => void inherited(plan),
      shelf.lasting ? navigator.locks : undefined,
    );
    const drawer = shelf.lasting ? browserDrawer() : null;
    const later = (ms: number, work: () => void): (() => void) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    };
    const desk = new OpenPlan({
      shelf,
      owner,
      drawer,
      tab,
      now: Date.now,
      after: later,
      post,
      tell: told,
      read: () => JSON.parse(read()) as PlanContent & { name: string },
    });
    // A tab that was just closed could write down what was typed last, and save it no more.
    const inherited = (plan: string): Promise<void> =>
      recover(drawer, shelf, owner)
        .catch(() => 0)
        .then(() => desk.granted(plan));
    place = { desk, shelf, owner, post };
    channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => void desk.heard(data));
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") desk.hide();
    });
    addEventListener("pagehide", () => desk.hide());
    onWriting((text, length) => desk.typing(text, length));
    const failed = (error: unknown): void => {
      const { code, detail } = error instanceof ShareError ? error : new ShareError("file/binary");
      told({ type: "failed", code, detail });
    };
    onDrop(
      (hangs) => told({ type: "over", hangs }),
      (work) => void work.then(({ name, text }) => told({ type: "dropped", name, text }), failed),
    );
    if (keep) void import("./offline.js").then(({ register }) => register(() => told({ type: "version" })));
    const recovered = await recover(drawer, shelf, owner).catch(() => 0);
    void sweep(shelf, Date.now()).catch(() => undefined);
    const opened = await first(desk, shelf);
    for (const author of authors(drawer)) if (author !== tab) void follow(author, drawer, place);
    return { ...opened, recovered, lasting: shelf.lasting };
  });
}

/** A page that was just closed may be there for a while yet: what it left is taken up when it is gone. */
async function follow(
  author: string,
  drawer: DraftStorage | null,
  { desk, shelf, owner }: StorageService,
): Promise<void> {
  await owner.gone(author);
  if ((await recover(drawer, shelf, owner)) > 0) await desk.refresh();
}

/** The shelf that lasts, or the one in memory where the browser denies it. */
async function lastingShelf(tell: (told: OpenPlanEvent) => void): Promise<PlanStorage> {
  try {
    return await browserShelf();
  } catch (error) {
    tell({ type: "failed", code: "storage/denied", detail: error instanceof ShareError ? error.detail : "" });
    return new MemoryStorage();
  }
}

async function first(desk: OpenPlan, shelf: PlanStorage): Promise<Pick<StartState, "opened" | "any" | "trouble">> {
  let trouble: StartState["trouble"] = null;
  if (isLink(location.hash)) {
    try {
      return { opened: await linked(location.hash), any: true, trouble };
    } catch (error) {
      const { code, detail } = error instanceof ShareError ? error : new ShareError("link/garbage");
      trouble = { code, detail };
    }
  }
  const rows = (await list(shelf)).filter(({ removed }) => removed === undefined);
  const row = rows.find(({ id }) => id === remembered()) ?? rows[0];
  const opened = row ? remember(await desk.open(row.id)) : null;
  return { opened, any: rows.length > 0, trouble };
}

/** The plan of a link, kept from now on; the address forgets it, so that a reload shows what was edited since. */
async function linked(hash: string): Promise<OpenedPlan> {
  const { desk, shelf } = here();
  const shared = await readLink(hash);
  const opened = await arrive(desk, shelf, shared.name, { text: shared.text, extras: extrasOf(shared) }, "link");
  if (shelf.lasting) history.replaceState(history.state, "", location.pathname + location.search);
  return remember(opened);
}

/** What the page keeps beside the text, as it writes it itself. */
function extrasOf({ view = "", stubs = "", cassette = "" }: SharedPlan): string {
  return JSON.stringify({ view, stubs, cassette });
}

function remembered(): string | null {
  try {
    return sessionStorage.getItem(HERE);
  } catch {
    return null;
  }
}

function remember(opened: OpenedPlan): OpenedPlan {
  try {
    sessionStorage.setItem(HERE, opened.row.id);
  } catch {
    // Denied: the plan that was changed last is where a reload begins.
  }
  return opened;
}

/** Does something with the plans, and says so to the other tabs. */
function telling<T>(work: (place: StorageService) => Promise<T>): Promise<string> {
  return answered(async () => {
    const found = here();
    const done = await work(found);
    found.post({ type: "plans" });
    return done;
  });
}

/** The plan of a link that was opened while the page is there. */
export const openLink = (hash: string): Promise<string> => answered(() => linked(hash));
export const openPlan = (id: string): Promise<string> => answered(async () => remember(await here().desk.open(id)));
export const newPlan = (name: string, text: string, extras: string, from: string): Promise<string> =>
  telling(async ({ desk, shelf }) => remember(await arrive(desk, shelf, name, { text, extras }, from as Origin)));
export const changed = (): void => place?.desk.changed();
/** Says whether all is saved. */
export const saveNow = (): Promise<string> => answered(() => here().desk.save());
export const takeOver = (): Promise<string> => answered(async () => remember(await here().desk.take()));
export const plans = (): Promise<string> =>
  answered(async () => ({
    rows: await list(here().shelf),
    open: here().desk.row?.id ?? "",
    lasting: here().shelf.lasting,
  }));
export const renamePlan = (id: string, name: string): Promise<string> =>
  telling(async ({ shelf, desk }) => {
    const now = await rename(shelf, id, name);
    if (desk.row?.id === id) desk.renamed(now);
    return now;
  });
export const duplicatePlan = (id: string): Promise<string> =>
  telling(async ({ shelf, desk }) => {
    await desk.save();
    return duplicate(shelf, id, Date.now());
  });
export const removePlan = (id: string): Promise<string> =>
  telling(async ({ shelf, desk }) => {
    if (desk.row?.id === id) await desk.leave();
    return shelf.note(id, { removed: Date.now() });
  });
export const unremovePlan = (id: string): Promise<string> =>
  telling(({ shelf }) => shelf.note(id, { removed: undefined }));
export const erasePlan = (id: string): Promise<string> => telling(({ shelf }) => shelf.drop(id));
export const points = (): Promise<string> => answered(() => here().desk.points());
export const pointText = (id: string): Promise<string> =>
  answered(async () => {
    const content = await here().shelf.point(id);
    if (content === null) throw new ShareError("storage/gone");
    return content;
  });
export const markPoint = (kind: string, name: string): Promise<string> =>
  answered(() => here().desk.mark(kind as RestorePointKind, name));
export const erasePoint = (id: string): Promise<string> => answered(() => here().shelf.unmark([id]));
