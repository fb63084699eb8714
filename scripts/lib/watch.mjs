/**
 * Watches files and folders, each by its own watcher. On Linux, a recursive `fs.watch` loses a file when another is
 * renamed over it, as `sed -i`, git and most editors do. A library would be ten times as long.
 */
import { readdirSync, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Returns a function that ends watching. */
export function watchAll(paths, changed) {
  const folders = paths.filter((path) => statOf(path)?.isDirectory()).map((path) => watchTree(path, changed));
  const single = paths.filter((path) => !statOf(path)?.isDirectory());
  const watchers = single.map((path) => watch(dirname(path), (_, name) => name === basename(path) && changed(path)));
  return () => {
    for (const close of folders) close();
    for (const watcher of watchers) watcher.close();
  };
}

function watchTree(top, changed) {
  /** The inode tells apart later folders of the same name. */
  const watched = new Map();
  const unwatch = (folder) => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const watchFolder = (folder, isNew) => {
    const inode = statOf(folder)?.ino;
    if (watched.get(folder)?.inode === inode) return;
    unwatch(folder);
    if (inode === undefined) return;
    const watcher = watch(folder, (_, name) => name !== null && onEvent(folder, name));
    watcher.on("error", () => unwatch(folder));
    watched.set(folder, { watcher, inode });
    // Files may precede the watcher.
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) watchFolder(join(folder, entry.name), isNew);
      else if (isNew) changed(join(folder, entry.name));
    }
  };
  const onEvent = (folder, name) => {
    const path = join(folder, name);
    const what = statOf(path);
    // A deleted folder reports its own name. A later one may have the same inode.
    if (what === undefined && name === basename(folder)) unwatch(folder);
    const next = what === undefined && name === basename(folder) ? folder : path;
    try {
      if (statOf(next)?.isDirectory()) return watchFolder(next, true);
    } catch {
      // Deleted while it was read: its parent reports that.
    }
    if (watched.has(path)) unwatch(path);
    changed(path);
  };
  watchFolder(top, false);
  return () => {
    for (const folder of [...watched.keys()]) unwatch(folder);
  };
}

function statOf(path) {
  return statSync(path, { throwIfNoEntry: false });
}
