/** The dependencies of the open plan, its events, and the messages between tabs. */
import type { DraftStorage } from "./drafts.js";
import type { EditLock } from "./edit-lock.js";
import type { PlanContent, PlanStorage } from "./plan-storage.js";
import type { ShareErrorCode } from "./errors.js";

export type OpenPlanEvent =
  | { type: "saved"; at: number }
  | { type: "failed"; code: ShareErrorCode; detail: string }
  /** Another tab took the edit lock. */
  | { type: "lost" }
  /** This tab received the edit lock. `content` is the latest version. */
  | { type: "yours"; content: PlanContent }
  /** Another tab saved a newer version. This tab's is a restore point. */
  | { type: "newer" }
  /** The tab with the edit lock has saved. */
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
  /** Runs `work` later. Returns a function that cancels it. */
  schedule(ms: number, work: () => void): () => void;
  post(message: TabMessage): void;
  notify(event: OpenPlanEvent): void;
  read(): PlanContent & { name: string };
}
