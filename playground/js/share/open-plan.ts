/**
 * The plan that is open, and its saving.
 *
 * Decides when it is saved, when a restore point is made, and what happens when another tab edits the same plan. Knows
 * no browser: the clock, the shelf, the other tabs and the page are handed in. Invariants: 1. a newer version is never
 * overwritten: what does not follow the last one becomes a restore point, and the page is told; 2. what could not be
 * saved stays marked as such and is tried again; 3. a tab that does not own a plan saves nothing of it.
 */
import { checkSum } from "./encoding.js";
import { clear, type Draft, leave } from "./drafts.js";
import { isDue, spare, superfluous } from "./restore-points.js";
import {
  type PlanContent,
  fresh,
  type RestorePointKind,
  type Origin,
  type RestorePoint,
  type PlanRow,
} from "./plan-storage.js";
import { ShareError } from "./errors.js";
import type { TabMessage, OpenPlanDeps } from "./ports.js";

/** After the last change, and at the latest after the first. */
const PAUSE_MS = 700;
const LATEST_MS = 5_000;
/** How long another tab may take to save before its plan is taken from it. */
const PATIENCE_MS = 1_500;
/** Longer texts are not written down at every letter. */
const SHORT = 64_000;
/** Who deletes more than half of a plan of this length wants it back now and then. */
const LONG = 400;

/** A plan as it was opened. */
export interface OpenedPlan {
  row: PlanRow;
  content: PlanContent;
  owned: boolean;
}

interface CurrentPlan {
  row: PlanRow;
  owned: boolean;
  last: PlanContent;
  points: RestorePoint[] | null;
}

/** The desk. */
export class OpenPlan {
  readonly #world: OpenPlanDeps;
  #open: CurrentPlan | null = null;
  /** The name under which a plan is kept that was not saved yet. */
  #next = fresh();
  #dirty = false;
  /** Whether letters were typed that the page has not taken yet. */
  #typed = false;
  /** What there was beside the text when the page was asked last. */
  #beside: { name: string; extras: string } | null = null;
  #trouble: ShareError | null = null;
  #calls: (() => void)[] = [];
  #saving: Promise<boolean> | null = null;
  #given: (() => void) | null = null;

  constructor(world: OpenPlanDeps) {
    this.#world = world;
  }

  /** The plan that is open; null before anything was saved. */
  get row(): PlanRow | null {
    return this.#open?.row ?? null;
  }

  /** Opens a plan that is kept. @throws {ShareError} `storage/gone`. */
  async open(id: string): Promise<OpenedPlan> {
    await this.#aside();
    const found = await this.#world.shelf.read(id);
    if (found === null) throw new ShareError("storage/gone");
    const owned = await this.#world.owner.take(id, false);
    return this.#sit(found.row, found.content, owned);
  }

  /** Keeps a new plan, and opens it. */
  async create(name: string, content: PlanContent, from: Origin): Promise<OpenedPlan> {
    await this.#aside();
    const { shelf, owner, now } = this.#world;
    const row: PlanRow = { id: fresh(), name, from, rev: 1, made: now(), changed: now(), size: content.text.length };
    const opened = this.#sit(row, content, await owner.take(row.id, false));
    await this.#making(() => shelf.add(row, content));
    this.#world.post({ type: "plans" });
    return opened;
  }

  /** The page shows another plan, which is kept as soon as it is changed. */
  async leave(): Promise<void> {
    await this.#aside();
    this.#world.owner.release();
    [this.#open, this.#next] = [null, fresh()];
    this.#rest();
  }

  /** Before another plan is shown. @throws {ShareError} why what is open could not be kept; it stays open then. */
  async #aside(): Promise<void> {
    if (await this.save()) return;
    if (this.#open === null || this.#open.owned) throw this.#trouble ?? new ShareError("storage/failed");
    await this.#asPoint(this.#open);
    this.#rest();
  }

  /** What was typed here and is saved nowhere becomes a restore point. */
  async #asPoint(open: CurrentPlan): Promise<void> {
    const { text, extras } = this.#world.read();
    await this.#kept(open, "named", "unsaved", { text, extras });
  }

  #sit(row: PlanRow, content: PlanContent, owned: boolean): OpenedPlan {
    this.#open = { row, owned, last: content, points: null };
    this.#beside = { name: row.name, extras: content.extras };
    this.#rest();
    if (!owned) this.#world.owner.wait(row.id);
    return { row, content, owned };
  }

  /**
   * Letters were typed, which the page takes later. A page may die before it does, so a short text is written down at
   * once.
   */
  typing(text: () => string, length: number): void {
    if (this.#open?.owned === false) return;
    this.#typed = true;
    if (this.#beside !== null && length <= SHORT) this.#leave({ ...this.#beside, text: text() });
  }

  /** Something has changed. */
  changed(): void {
    const { after } = this.#world;
    this.#typed = false;
    if (this.#open?.owned === false) {
      // Who looks on may choose how to look: only what is typed would be lost.
      this.#dirty ||= this.#world.read().text !== this.#open.last.text;
      return;
    }
    const save = (): void => void this.save();
    if (!this.#dirty) this.#calls[1] = after(LATEST_MS, save);
    this.#dirty = true;
    this.#calls[0]?.();
    this.#calls[0] = after(PAUSE_MS, save);
  }

  #rest(): void {
    this.#dirty = this.#typed = false;
    for (const call of this.#calls) call();
    this.#calls = [];
  }

  /** Saves what is not saved. Says whether all is saved now; why not was told. */
  async save(): Promise<boolean> {
    while (this.#saving) await this.#saving;
    if (!this.#dirty) return true;
    if (this.#open?.owned === false) return false;
    this.#saving = this.#saved().finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  async #saved(): Promise<boolean> {
    const { name, text, extras } = this.#world.read();
    const content = { text, extras };
    this.#beside = { name, extras };
    this.#rest();
    try {
      await this.#stored(name, content);
      if (!this.#dirty && !this.#typed) clear(this.#world.drawer, this.#world.tab);
      this.#trouble = null;
      this.#world.tell({ type: "saved", at: this.#world.now() });
      return true;
    } catch (error) {
      this.#dirty = true;
      const trouble = error instanceof ShareError ? error : new ShareError("storage/failed", String(error));
      this.#trouble = trouble;
      if (trouble.code !== "storage/newer")
        this.#world.tell({ type: "failed", code: trouble.code, detail: trouble.detail });
      return false;
    }
  }

  async #stored(name: string, content: PlanContent): Promise<void> {
    const { shelf, owner, now, post } = this.#world;
    const open = this.#open;
    if (open === null) {
      const row: PlanRow = {
        id: this.#next,
        name,
        from: "own",
        rev: 1,
        made: now(),
        changed: now(),
        size: content.text.length,
      };
      await this.#making(() => shelf.add(row, content));
      this.#open = { row, owned: await owner.take(row.id, false), last: content, points: [] };
      post({ type: "plans" });
      return;
    }
    if (!differs(content, open.last)) return;
    await this.#pointed(open, content);
    const done = await this.#making(() => shelf.write(open.row.id, content, open.row.rev, now()));
    if (done === "newer") return this.#overtaken(open, content);
    if (done === "gone")
      await this.#making(() => shelf.add({ ...open.row, changed: now(), size: content.text.length }, content));
    else open.row = { ...open.row, rev: done.rev, changed: now(), size: content.text.length };
    open.last = content;
    post({ type: "saved", plan: open.row.id });
  }

  /** Another tab wrote in between: what this one has is put aside, and this tab owns the plan no more. */
  async #overtaken(open: CurrentPlan, content: PlanContent): Promise<never> {
    open.owned = false;
    this.#world.owner.release();
    await this.#kept(open, "named", "unsaved", content);
    this.#world.tell({ type: "newer" });
    throw new ShareError("storage/newer");
  }

  /** Tries again once when nothing fits any more and something can be spared. */
  async #making<T>(work: () => Promise<T>): Promise<T> {
    const { shelf } = this.#world;
    try {
      return await work();
    } catch (error) {
      const spares = error instanceof ShareError && error.code === "storage/full" ? spare(await shelf.points()) : [];
      if (spares.length === 0) throw error;
      await shelf.unmark(spares);
      if (this.#open) this.#open.points = null;
      return work();
    }
  }

  /** A restore point of what was there, when one is due or much of it goes. */
  async #pointed(open: CurrentPlan, next: PlanContent): Promise<void> {
    const { last } = open;
    if (last.text.trim() === "" || last.text === next.text) return;
    const large = last.text.length > LONG && next.text.length * 2 < last.text.length;
    open.points ??= await this.#world.shelf.points(open.row.id);
    if (large || isDue(open.points, this.#world.now()))
      await this.#kept(open, large ? "before" : "auto", large ? "delete" : "", last).catch(() => undefined);
  }

  async #kept(open: CurrentPlan, kind: RestorePointKind, name: string, content: PlanContent): Promise<void> {
    const { shelf, now } = this.#world;
    open.points ??= await shelf.points(open.row.id);
    const sum = checkSum(content.text);
    if (kind !== "named" && open.points[0]?.sum === sum) return;
    // No two at one time: their order is told by it.
    const at = Math.max(now(), (open.points[0]?.at ?? 0) + 1);
    const point: RestorePoint = { id: fresh(), plan: open.row.id, at, kind, name, size: content.text.length, sum };
    await this.#making(() => shelf.mark(point, content));
    const points = [point, ...(open.points ?? [])];
    const gone = superfluous(points, now());
    await shelf.unmark(gone);
    open.points = points.filter(({ id }) => !gone.includes(id));
  }

  /** Makes a restore point of what the page holds now. */
  async mark(kind: RestorePointKind, name: string): Promise<void> {
    if (this.#open === null) this.#dirty = true;
    await this.save();
    const { text, extras } = this.#world.read();
    if (this.#open) await this.#kept(this.#open, kind, name, { text, extras });
  }

  /** The restore points of the plan that is open, the latest first. */
  async points(): Promise<RestorePoint[]> {
    const { shelf } = this.#world;
    return this.#open ? (this.#open.points = await shelf.points(this.#open.row.id)) : [];
  }

  /** The page goes out of sight, perhaps for ever. */
  hide(): void {
    if (!this.#dirty && !this.#typed && this.#saving === null) return;
    this.#leave(this.#world.read());
    this.#dirty ||= this.#typed;
    void this.save();
  }

  #leave({ name, text, extras }: PlanContent & { name: string }): void {
    const { drawer, tab, now } = this.#world;
    const { row, owned } = this.#open ?? { row: null, owned: true };
    const draft: Draft = {
      tab,
      plan: row?.id ?? this.#next,
      follows: row?.rev ?? 0,
      owned,
      name,
      from: row?.from ?? "own",
      at: now(),
      content: { text, extras },
    };
    leave(drawer, draft);
  }

  /** The tab that had a plan is gone, and this one has it now. */
  async granted(plan: string): Promise<void> {
    const open = this.#open;
    if (open === null || open.row.id !== plan || open.owned) return;
    if (this.#dirty) await this.#asPoint(open);
    const found = await this.#world.shelf.read(plan);
    if (found === null || this.#open !== open) return;
    this.#world.tell({ type: "yours", content: this.#sit(found.row, found.content, true).content });
  }

  /**
   * Another tab has saved the plan, or what one that is gone had not saved stands on the shelf by now: it is shown as
   * it is there.
   */
  async refresh(): Promise<void> {
    const open = this.#open;
    if (open === null || this.#dirty || this.#typed) return;
    const found = await this.#world.shelf.read(open.row.id);
    if (found === null || found.row.rev === open.row.rev || this.#open !== open || this.#dirty || this.#typed) return;
    [open.row, open.last] = [found.row, found.content];
    this.#world.tell({ type: "follow", content: found.content });
  }

  /** Edits the plan here from now on; the other tab saves first, if it can. */
  async take(): Promise<OpenedPlan> {
    const { shelf, owner, after, post } = this.#world;
    const open = this.#open;
    if (open === null) throw new ShareError("storage/gone");
    const plan = open.row.id;
    if (this.#dirty) await this.#asPoint(open);
    await new Promise<void>((resolve) => {
      const off = after(PATIENCE_MS, resolve);
      this.#given = () => {
        off();
        resolve();
      };
      post({ type: "give", plan });
    });
    this.#given = null;
    await owner.take(plan, true);
    const found = await shelf.read(plan);
    if (found === null) throw new ShareError("storage/gone");
    return this.#sit(found.row, found.content, true);
  }

  /** Another tab says something. */
  async heard(word: TabMessage): Promise<void> {
    const { owner, tell, post } = this.#world;
    if (word.type === "plans") return tell({ type: "plans" });
    const open = this.#open;
    if (open === null || word.plan !== open.row.id) return;
    if (word.type === "given") this.#given?.();
    if (word.type === "give" && open.owned) {
      await this.save();
      open.owned = false;
      owner.release();
      tell({ type: "lost" });
      post({ type: "given", plan: word.plan });
    }
    if (word.type === "saved" && !open.owned) await this.refresh();
  }

  /** Another tab took the plan without asking. */
  lost(plan: string): void {
    if (this.#open?.row.id !== plan || !this.#open.owned) return;
    this.#open.owned = false;
    this.#world.owner.wait(plan);
    this.#world.tell({ type: "lost" });
  }

  /** The plan that is open is called something else. */
  renamed(name: string): void {
    if (this.#open) this.#open.row = { ...this.#open.row, name };
  }
}

function differs(one: PlanContent, other: PlanContent): boolean {
  return one.text !== other.text || one.extras !== other.extras;
}
