/** What the desk stands on, what it tells the page, and what tabs tell each other. */
import type { Drawer } from "./drafts.js";
import type { Owner } from "./edit-lock.js";
import type { Content, Shelf } from "./plan-storage.js";
import type { Code } from "./errors.js";

/** What the page is told. */
export type Told =
  | { type: "saved"; at: number }
  | { type: "failed"; code: Code; detail: string }
  /** Another tab edits this plan now. */
  | { type: "lost" }
  /** The other tab is gone: this one edits the plan now, which is as it was left. */
  | { type: "yours"; content: Content }
  /** Another tab has saved a newer version; what this one has is kept as a restore point. */
  | { type: "newer" }
  /** The tab that edits the plan has saved: this one shows it. */
  | { type: "follow"; content: Content }
  | { type: "plans" }
  /** A file hangs above the page, or no longer. */
  | { type: "over"; hangs: boolean }
  /** A file was dropped on the page. */
  | { type: "dropped"; name: string; text: string }
  /** A new version of the page waits. */
  | { type: "version" };

/** What tabs tell each other. */
export type Word = { type: "plans" } | { type: "saved" | "give" | "given"; plan: string };

/** What the desk stands on. */
export interface World {
  shelf: Shelf;
  owner: Owner;
  drawer: Drawer | null;
  tab: string;
  now(): number;
  /** Does something later; gives what calls it off. */
  after(ms: number, work: () => void): () => void;
  post(word: Word): void;
  tell(told: Told): void;
  /** What the page holds now. */
  read(): Content & { name: string };
}
