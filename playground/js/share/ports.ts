/** What the open plan stands on, what it tells the page, and what tabs tell each other. */
import type { DraftStorage } from "./drafts.js";
import type { EditLock } from "./edit-lock.js";
import type { PlanContent, PlanStorage } from "./plan-storage.js";
import type { ShareErrorCode } from "./errors.js";

/** What the page is told. */
export type OpenPlanEvent =
  | { type: "saved"; at: number }
  | { type: "failed"; code: ShareErrorCode; detail: string }
  /** Another tab edits this plan now. */
  | { type: "lost" }
  /** The other tab is gone: this one edits the plan now, which is as it was left. */
  | { type: "yours"; content: PlanContent }
  /** Another tab has saved a newer version; what this one has is kept as a restore point. */
  | { type: "newer" }
  /** The tab that edits the plan has saved: this one shows it. */
  | { type: "follow"; content: PlanContent }
  | { type: "plans" }
  /** A file hangs above the page, or no longer. */
  | { type: "over"; hangs: boolean }
  /** A file was dropped on the page. */
  | { type: "dropped"; name: string; text: string }
  /** A new version of the page waits. */
  | { type: "version" };

/** What tabs tell each other. */
export type TabMessage = { type: "plans" } | { type: "saved" | "give" | "given"; plan: string };

/** What the open plan stands on. */
export interface OpenPlanDeps {
  storage: PlanStorage;
  lock: EditLock;
  drafts: DraftStorage | null;
  tab: string;
  now(): number;
  /** Does something later; gives what calls it off. */
  schedule(ms: number, work: () => void): () => void;
  post(message: TabMessage): void;
  notify(event: OpenPlanEvent): void;
  /** What the page holds now. */
  read(): PlanContent & { name: string };
}
