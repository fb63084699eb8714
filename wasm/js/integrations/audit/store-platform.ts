/** Platform functions that a store needs. */

/** @internal */
export interface StorePlatform {
  /** Machine or container whose processes this one can see. */
  readonly place: string;
  readonly pid: number;
  now(): number;
  isAlive(pid: number): boolean;
  /** Writes a file and returns its name. */
  spill?(id: string, text: string): string;
  /** Returns files that are not imported yet. */
  spills(): { name: string; text: string }[];
  removeSpill(name: string): void;
}
