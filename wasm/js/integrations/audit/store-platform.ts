/** What the store asks of the platform that it runs on. */

/** @internal What a store is told of the world around it. */
export interface StorePlatform {
  /** What names this machine, or container, and all whose processes can be seen from here. */
  readonly place: string;
  readonly pid: number;
  now(): number;
  isAlive(pid: number): boolean;
  /** Keeps a text beside the database; gives its name. */
  spill?(id: string, text: string): string;
  /** What was kept so, and has not been taken in. */
  spills(): { name: string; text: string }[];
  /** Lets go what has been taken in. */
  removeSpill(name: string): void;
}
