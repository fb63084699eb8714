/** The functions that a store needs from the platform. */

/** @internal */
export interface StorePlatform {
  /** Machine or container whose processes are visible. */
  readonly place: string;
  readonly pid: number;
  now(): number;
  isAlive(pid: number): boolean;
  /** Returns the file's name. */
  spill?(id: string, text: string): string;
  /** Not imported yet. */
  spills(): { name: string; text: string }[];
  removeSpill(name: string): void;
}
