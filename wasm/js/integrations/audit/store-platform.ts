/** Platform functions that a store needs. */

/** @internal Platform functions of a store. */
export interface StorePlatform {
  /** Id of this machine or container, shared by all processes that are visible from here. */
  readonly place: string;
  readonly pid: number;
  now(): number;
  isAlive(pid: number): boolean;
  /** Writes a text to a file next to the database, and returns its name. */
  spill?(id: string, text: string): string;
  /** Returns the files that have not been imported. */
  spills(): { name: string; text: string }[];
  /** Removes an imported file. */
  removeSpill(name: string): void;
}
