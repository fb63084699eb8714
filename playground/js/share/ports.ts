/** The open plan's dependencies, events and tab messages. */
import type { DraftStorage } from "./drafts.js";
import type { EditLock } from "./edit-lock.js";
import type { PlanContent, PlanStorage } from "./plan-storage.js";
import type { ShareErrorCode } from "./errors.js";

export type OpenPlanEvent =
  | { type: "saved"; at: number }
  | { type: "failed"; code: ShareErrorCode; detail: string }
  /** Another tab took the lock. */
  | { type: "lost" }
  /** The tab has the edit lock and the latest `content`. */
  | { type: "yours"; content: PlanContent }
  /** Another tab's version. This one is a restore point. */
  | { type: "newer" }
  /** Sent by the tab with the edit lock. */
  | { type: "follow"; content: PlanContent }
  | { type: "plans" }
  | { type: "over"; hangs: boolean }
  | { type: "dropped"; name: string; text: string }
  | { type: "version" };

export type TabMessage = { type: "plans" } | { type: "saved" | "give" | "given"; plan: string };

export interface OpenPlanDeps {
  storage: PlanStorage;
  lock: EditLock;
  drafts: DraftStorage | null;
  tab: string;
  now(): number;
  /** Returns its cancel function. */
  schedule(ms: number, work: () => void): () => void;
  post(message: TabMessage): void;
  notify(event: OpenPlanEvent): void;
  read(): PlanContent & { name: string };
}
