/**
 * The open plan and its autosave.
 *
 * Invariants: 1. a newer version is never overwritten: a conflict becomes a restore point. 2. unsaved changes stay
 * marked and are retried. 3. only the tab with the edit lock writes.
 */
import { checksum } from "./encoding.js";
import { clearDraft, type Draft, writeDraft } from "./drafts.js";
import { isDue, reclaimablePoints, expiredPoints } from "./restore-points.js";
import {
  isSameContent,
  type PlanContent,
  newId,
  type RestorePointKind,
  type Origin,
  type RestorePoint,
  type PlanRow,
} from "./plan-storage.js";
import { ShareError } from "./errors.js";
import type { TabMessage, OpenPlanDeps } from "./ports.js";

/** After the last change, and at most after the first. */
const SAVE_DELAY_MS = 700;
const MAX_SAVE_DELAY_MS = 5_000;
/** Lets the other tab save. */
const TAKE_OVER_TIMEOUT_MS = 1_500;
/** Longer drafts are not stored at each key. */
const MAX_DRAFT_WHILE_TYPING = 64_000;
/** Deleting half of a text this long adds a restore point. */
const MIN_LARGE_TEXT = 400;

export interface OpenedPlan {
  row: PlanRow;
  content: PlanContent;
  owned: boolean;
}

interface CurrentPlan {
  row: PlanRow;
  owned: boolean;
  last: PlanContent;
  restorePoints: RestorePoint[] | null;
}

export class OpenPlan {
  readonly #deps: OpenPlanDeps;
  #open: CurrentPlan | null = null;
  /** For an unsaved plan. */
  #nextId = newId();
  #dirty = false;
  /** Typed text is still on its way to the module. */
  #hasPendingInput = false;
  /** The rest of a draft, as last read. */
  #metadata: { name: string; extras: string } | null = null;
  #lastError: ShareError | null = null;
  #timers: (() => void)[] = [];
  #saving: Promise<boolean> | null = null;
  #onHandOver: (() => void) | null = null;

  constructor(deps: OpenPlanDeps) {
    this.#deps = deps;
  }

  /** Null before the first save. */
  get row(): PlanRow | null {
    return this.#open?.row ?? null;
  }

  /** @throws {ShareError} `storage/gone`. */
  async open(id: string): Promise<OpenedPlan> {
    await this.#saveFirst();
    const found = await this.#deps.storage.read(id);
    if (found === null) throw new ShareError("storage/gone");
    const owned = await this.#deps.lock.acquire(id, false);
    return this.#setCurrent(found.row, found.content, owned);
  }

  async create(name: string, content: PlanContent, from: Origin): Promise<OpenedPlan> {
    await this.#saveFirst();
    const { storage, lock, now } = this.#deps;
    const row: PlanRow = { id: newId(), name, from, rev: 1, made: now(), changed: now(), size: content.text.length };
    const opened = this.#setCurrent(row, content, await lock.acquire(row.id, false));
    await this.#retryWithSpace(() => storage.add(row, content));
    this.#deps.post({ type: "plans" });
    return opened;
  }

  /** The next plan is saved after a change. */
  async close(): Promise<void> {
    await this.#saveFirst();
    this.#deps.lock.release();
    [this.#open, this.#nextId] = [null, newId()];
    this.#clearTimers();
  }

  /** @throws {ShareError} if it can't be saved. The plan then stays open. */
  async #saveFirst(): Promise<void> {
    if (await this.save()) return;
    if (this.#open === null || this.#open.owned) throw this.#lastError ?? new ShareError("storage/failed");
    await this.#saveAsRestorePoint(this.#open);
    this.#clearTimers();
  }

  async #saveAsRestorePoint(open: CurrentPlan): Promise<void> {
    const { text, extras } = this.#deps.read();
    await this.#addPoint(open, "named", "unsaved", { text, extras });
  }

  #setCurrent(row: PlanRow, content: PlanContent, owned: boolean): OpenedPlan {
    this.#open = { row, owned, last: content, restorePoints: null };
    this.#metadata = { name: row.name, extras: content.extras };
    this.#clearTimers();
    if (!owned) this.#deps.lock.acquireLater(row.id);
    return { row, content, owned };
  }

  /** The module lacks this text. Short ones become drafts in case the page closes. */
  typing(text: () => string, length: number): void {
    if (this.#open?.owned === false) return;
    this.#hasPendingInput = true;
    if (this.#metadata !== null && length <= MAX_DRAFT_WHILE_TYPING)
      this.#writeDraft({ ...this.#metadata, text: text() });
  }

  changed(): void {
    const { schedule } = this.#deps;
    this.#hasPendingInput = false;
    if (this.#open?.owned === false) {
      // View changes need the edit lock.
      this.#dirty ||= this.#deps.read().text !== this.#open.last.text;
      return;
    }
    const save = (): void => void this.save();
    if (!this.#dirty) this.#timers[1] = schedule(MAX_SAVE_DELAY_MS, save);
    this.#dirty = true;
    this.#timers[0]?.();
    this.#timers[0] = schedule(SAVE_DELAY_MS, save);
  }

  #clearTimers(): void {
    this.#dirty = this.#hasPendingInput = false;
    for (const call of this.#timers) call();
    this.#timers = [];
  }

  /** Returns success. Notifies of failures. */
  async save(): Promise<boolean> {
    while (this.#saving) await this.#saving;
    if (!this.#dirty) return true;
    if (this.#open?.owned === false) return false;
    this.#saving = this.#saveNow().finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  async #saveNow(): Promise<boolean> {
    const { name, text, extras } = this.#deps.read();
    const content = { text, extras };
    this.#metadata = { name, extras };
    this.#clearTimers();
    try {
      await this.#writeToStorage(name, content);
      if (!this.#dirty && !this.#hasPendingInput) clearDraft(this.#deps.drafts, this.#deps.tab);
      this.#lastError = null;
      // A change since then is not saved yet.
      if (!this.#dirty) this.#deps.notify({ type: "saved", at: this.#deps.now() });
      return true;
    } catch (error) {
      this.#dirty = true;
      const failure = error instanceof ShareError ? error : new ShareError("storage/failed", String(error));
      this.#lastError = failure;
      if (failure.code !== "storage/newer")
        this.#deps.notify({ type: "failed", code: failure.code, detail: failure.detail });
      return false;
    }
  }

  async #writeToStorage(name: string, content: PlanContent): Promise<void> {
    const { storage, lock, now, post } = this.#deps;
    const open = this.#open;
    if (open === null) {
      const row: PlanRow = {
        id: this.#nextId,
        name,
        from: "own",
        rev: 1,
        made: now(),
        changed: now(),
        size: content.text.length,
      };
      await this.#retryWithSpace(() => storage.add(row, content));
      this.#open = { row, owned: await lock.acquire(row.id, false), last: content, restorePoints: [] };
      post({ type: "plans" });
      return;
    }
    if (isSameContent(content, open.last)) return;
    await this.#addPointIfDue(open, content);
    const done = await this.#retryWithSpace(() => storage.write(open.row.id, content, open.row.rev, now()));
    if (done === "newer") return this.#handleNewerVersion(open, content);
    if (done === "gone")
      await this.#retryWithSpace(() =>
        storage.add({ ...open.row, changed: now(), size: content.text.length }, content),
      );
    else open.row = { ...open.row, rev: done.rev, changed: now(), size: content.text.length };
    open.last = content;
    post({ type: "saved", plan: open.row.id });
  }

  /** This version becomes a restore point. */
  async #handleNewerVersion(open: CurrentPlan, content: PlanContent): Promise<never> {
    open.owned = false;
    this.#deps.lock.release();
    await this.#addPoint(open, "named", "unsaved", content);
    this.#deps.notify({ type: "newer" });
    throw new ShareError("storage/newer");
  }

  /** If full, deletes old restore points and retries once. */
  async #retryWithSpace<T>(work: () => Promise<T>): Promise<T> {
    const { storage } = this.#deps;
    try {
      return await work();
    } catch (error) {
      const spares =
        error instanceof ShareError && error.code === "storage/full" ? reclaimablePoints(await storage.points()) : [];
      if (spares.length === 0) throw error;
      await storage.deletePoints(spares);
      if (this.#open) this.#open.restorePoints = null;
      return work();
    }
  }

  /** Also if much text was deleted. */
  async #addPointIfDue(open: CurrentPlan, next: PlanContent): Promise<void> {
    const { last } = open;
    if (last.text.trim() === "" || last.text === next.text) return;
    const large = last.text.length > MIN_LARGE_TEXT && next.text.length * 2 < last.text.length;
    open.restorePoints ??= await this.#deps.storage.points(open.row.id);
    if (large || isDue(open.restorePoints, this.#deps.now()))
      await this.#addPoint(open, large ? "before" : "auto", large ? "delete" : "", last).catch(() => undefined);
  }

  async #addPoint(open: CurrentPlan, kind: RestorePointKind, name: string, content: PlanContent): Promise<void> {
    const { storage, now } = this.#deps;
    open.restorePoints ??= await storage.points(open.row.id);
    const sum = checksum(content.text);
    if (kind !== "named" && open.restorePoints[0]?.sum === sum) return;
    // Unique times determine the order.
    const at = Math.max(now(), (open.restorePoints[0]?.at ?? 0) + 1);
    const point: RestorePoint = { id: newId(), plan: open.row.id, at, kind, name, size: content.text.length, sum };
    await this.#retryWithSpace(() => storage.addPoint(point, content));
    const restorePoints = [point, ...(open.restorePoints ?? [])];
    const expired = expiredPoints(restorePoints, now());
    await storage.deletePoints(expired);
    open.restorePoints = restorePoints.filter(({ id }) => !expired.includes(id));
  }

  async addRestorePoint(kind: RestorePointKind, name: string): Promise<void> {
    if (this.#open === null) this.#dirty = true;
    await this.save();
    const { text, extras } = this.#deps.read();
    if (this.#open) await this.#addPoint(this.#open, kind, name, { text, extras });
  }

  async restorePoints(): Promise<RestorePoint[]> {
    const { storage } = this.#deps;
    return this.#open ? (this.#open.restorePoints = await storage.points(this.#open.row.id)) : [];
  }

  /** A hidden page may not return. */
  hide(): void {
    if (!this.#dirty && !this.#hasPendingInput && this.#saving === null) return;
    this.#writeDraft(this.#deps.read());
    this.#dirty ||= this.#hasPendingInput;
    void this.save();
  }

  #writeDraft({ name, text, extras }: PlanContent & { name: string }): void {
    const { drafts, tab, now } = this.#deps;
    const { row, owned } = this.#open ?? { row: null, owned: true };
    const draft: Draft = {
      tab,
      plan: row?.id ?? this.#nextId,
      follows: row?.rev ?? 0,
      owned,
      name,
      from: row?.from ?? "own",
      at: now(),
      content: { text, extras },
    };
    writeDraft(drafts, draft);
  }

  /** The tab with the lock closed. */
  async lockGranted(plan: string): Promise<void> {
    const open = this.#open;
    if (open === null || open.row.id !== plan || open.owned) return;
    if (this.#dirty) await this.#saveAsRestorePoint(open);
    const found = await this.#deps.storage.read(plan);
    if (found === null || this.#open !== open) return;
    this.#deps.notify({ type: "yours", content: this.#setCurrent(found.row, found.content, true).content });
  }

  /** Another tab saved, or a draft was recovered. */
  async refresh(): Promise<void> {
    const open = this.#open;
    if (open === null || this.#dirty || this.#hasPendingInput) return;
    const found = await this.#deps.storage.read(open.row.id);
    if (found === null || found.row.rev === open.row.rev || this.#open !== open || this.#dirty || this.#hasPendingInput)
      return;
    [open.row, open.last] = [found.row, found.content];
    this.#deps.notify({ type: "follow", content: found.content });
  }

  /** Lets the other tab save first. */
  async takeOver(): Promise<OpenedPlan> {
    const { storage, lock, schedule, post } = this.#deps;
    const open = this.#open;
    if (open === null) throw new ShareError("storage/gone");
    const plan = open.row.id;
    if (this.#dirty) await this.#saveAsRestorePoint(open);
    await new Promise<void>((resolve) => {
      const off = schedule(TAKE_OVER_TIMEOUT_MS, resolve);
      this.#onHandOver = () => {
        off();
        resolve();
      };
      post({ type: "give", plan });
    });
    this.#onHandOver = null;
    await lock.acquire(plan, true);
    const found = await storage.read(plan);
    if (found === null) throw new ShareError("storage/gone");
    return this.#setCurrent(found.row, found.content, true);
  }

  async receive(message: TabMessage): Promise<void> {
    const { lock, notify, post } = this.#deps;
    if (message.type === "plans") return notify({ type: "plans" });
    const open = this.#open;
    if (open === null || message.plan !== open.row.id) return;
    if (message.type === "given") this.#onHandOver?.();
    if (message.type === "give" && open.owned) {
      await this.save();
      open.owned = false;
      lock.release();
      notify({ type: "lost" });
      post({ type: "given", plan: message.plan });
    }
    if (message.type === "saved" && !open.owned) await this.refresh();
  }

  /** Another tab took the lock. */
  lockLost(plan: string): void {
    if (this.#open?.row.id !== plan || !this.#open.owned) return;
    this.#open.owned = false;
    this.#deps.lock.acquireLater(plan);
    this.#deps.notify({ type: "lost" });
  }

  renamed(name: string): void {
    if (this.#open) this.#open.row = { ...this.#open.row, name };
  }
}
