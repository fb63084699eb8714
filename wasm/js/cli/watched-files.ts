/**
 * Watches folders: editors rename a new file over the old one, which a file's watcher would keep watching. Events only
 * trigger comparisons with the file system.
 */
import { type FSWatcher, realpathSync, statSync, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorReason } from "./io.js";
import { UsageError } from "./options.js";

/** Programs write in several steps, and editors save several files at once. */
const SETTLE_MS = 60;

interface WatchedFile {
  /** As the user wrote it. */
  name: string;
  signature: string;
}

interface WatchedFolder {
  watcher: FSWatcher;
  /** Tells a folder from a later namesake. */
  inode: bigint | undefined;
}

export class WatchedFiles {
  readonly #files = new Map<string, WatchedFile>();
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #onChange: (names: string[]) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` gets the changed files, each time more differ. */
  constructor(onChange: (names: string[]) => void) {
    this.#onChange = onChange;
  }

  get names(): string[] {
    return [...this.#files.values()].map(({ name }) => name);
  }

  /** Call it before reading the file, so that no change is lost. */
  add(name: string): void {
    const file = resolve(name);
    if (this.#files.has(file)) return;
    this.#watchFoldersOf(file);
    this.#files.set(file, { name, signature: signatureOf(file) });
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const folder of [...this.#folders.keys()]) this.#unwatch(folder);
  }

  /** A link and its target may change in different folders. */
  #watchFoldersOf(file: string): void {
    this.#watch(existingFolder(dirname(file)));
    try {
      this.#watch(dirname(realpathSync(file)));
    } catch {
      // It is missing: the first folder reports when it appears.
    }
  }

  #watch(folder: string): void {
    const inode = inodeOf(folder);
    const known = this.#folders.get(folder);
    if (known !== undefined && known.inode === inode) return;
    this.#unwatch(folder);
    try {
      const watcher = watch(folder, () => this.#schedule());
      watcher.on("error", () => this.#unwatch(folder));
      this.#folders.set(folder, { watcher, inode });
    } catch (error) {
      throw new UsageError(
        "cli/not-possible",
        `can't watch \`${folder}\`: ${errorReason(error)}`,
        "leave out `--watch`",
      );
    }
  }

  #unwatch(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }

  /** A log's steady events must not delay comparisons forever. */
  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#compare();
    }, SETTLE_MS);
  }

  #compare(): void {
    for (const file of this.#files.keys()) this.#watchAgain(file);
    const changed = [...this.#files].filter(([file, { signature }]) => signatureOf(file) !== signature);
    if (changed.length > 0) this.#onChange(changed.map(([, { name }]) => name));
  }

  /** The folder may be new, as after `git checkout`. */
  #watchAgain(file: string): void {
    try {
      this.#watchFoldersOf(file);
    } catch {
      // The folder just disappeared: the one above reports when it is back.
    }
  }
}

function existingFolder(folder: string): string {
  return inodeOf(folder) !== undefined || dirname(folder) === folder ? folder : existingFolder(dirname(folder));
}

function inodeOf(folder: string): bigint | undefined {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() ? stats.ino : undefined;
}

/** Differs after each save, not after a change of permissions. Empty if missing. */
function signatureOf(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch {
    return "";
  }
}
