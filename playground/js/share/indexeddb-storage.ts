/**
 * Stores plans in IndexedDB. Contents are apart, so lists don't load them.
 *
 * Invariants: a method is one transaction. A full disk is `storage/full`, no storage `storage/denied`.
 */
import {
  isSameContent,
  type PlanContent,
  type RestorePoint,
  type PlanRow,
  type PlanStorage,
  type WriteResult,
} from "./plan-storage.js";
import { ShareError } from "./errors.js";

const NAME = "stepgraph";
const VERSION = 1;

type StoreName = "plans" | "texts" | "points" | "kept";

/** @throws {ShareError} `storage/denied` without a database. */
export async function openIndexedDb(): Promise<PlanStorage> {
  try {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const { result } = request;
      result.createObjectStore("plans", { keyPath: "id" });
      result.createObjectStore("texts");
      result.createObjectStore("points", { keyPath: "id" }).createIndex("plan", "plan");
      result.createObjectStore("kept");
    };
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("no database"));
      // `blocked` needs no handler: older tabs close on `versionchange`.
    });
    database.onversionchange = () => database.close();
    return new IndexedDbStorage(database);
  } catch (error) {
    throw new ShareError("storage/denied", error instanceof Error ? error.message : "");
  }
}

class IndexedDbStorage implements PlanStorage {
  readonly isPersistent = true;
  readonly #database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.#database = database;
  }

  /** Resolves after everything is written. */
  #transact<T>(
    stores: readonly StoreName[],
    mode: IDBTransactionMode,
    work: (store: (name: StoreName) => IDBObjectStore, done: (value: T) => void) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let found: T | undefined;
      const transaction = this.#database.transaction([...stores], mode, { durability: "strict" });
      transaction.oncomplete = () => resolve(found as T);
      transaction.onabort = () => reject(toShareError(thrownErrors.get(transaction) ?? transaction.error));
      work(
        (name) => transaction.objectStore(name),
        (value) => {
          found = value;
        },
      );
    }).catch((error: unknown) => Promise.reject(error instanceof ShareError ? error : toShareError(error)));
  }

  rows(): Promise<PlanRow[]> {
    return this.#transact<PlanRow[]>(["plans"], "readonly", (store, done) =>
      onSuccess(store("plans").getAll() as IDBRequest<PlanRow[]>, done),
    );
  }

  read(id: string): Promise<{ row: PlanRow; content: PlanContent } | null> {
    return this.#transact(
      ["plans", "texts"],
      "readonly",
      (store, done: (value: { row: PlanRow; content: PlanContent } | null) => void) => {
        onSuccess(store("plans").get(id) as IDBRequest<PlanRow | undefined>, (row) => {
          onSuccess(store("texts").get(id) as IDBRequest<PlanContent | undefined>, (content) =>
            done(row && content ? { row, content } : null),
          );
        });
      },
    );
  }

  add(row: PlanRow, content: PlanContent): Promise<void> {
    return this.#transact<void>(["plans", "texts"], "readwrite", (store) => {
      store("plans").put(row);
      store("texts").put(content, row.id);
    });
  }

  write(id: string, content: PlanContent, follows: number, at: number): Promise<WriteResult> {
    return this.#transact<WriteResult>(["plans", "texts"], "readwrite", (store, done) => {
      onSuccess(store("plans").get(id) as IDBRequest<PlanRow | undefined>, (row) => {
        if (!row) return done("gone");
        if (row.rev !== follows) {
          onSuccess(store("texts").get(id) as IDBRequest<PlanContent | undefined>, (there) =>
            done(isSameContent(there, content) ? { rev: row.rev } : "newer"),
          );
          return;
        }
        store("plans").put({ ...row, rev: follows + 1, changed: at, size: content.text.length });
        store("texts").put(content, id);
        done({ rev: follows + 1 });
      });
    });
  }

  updateRow(id: string, note: Partial<Pick<PlanRow, "name" | "removed" | "from">>): Promise<boolean> {
    return this.#transact<boolean>(["plans"], "readwrite", (store, done) => {
      onSuccess(store("plans").get(id) as IDBRequest<PlanRow | undefined>, (row) => {
        if (row) store("plans").put({ ...row, ...note });
        done(row !== undefined);
      });
    });
  }

  delete(id: string): Promise<void> {
    return this.#transact<void>(["plans", "texts", "points", "kept"], "readwrite", (store) => {
      store("plans").delete(id);
      store("texts").delete(id);
      onSuccess(store("points").index("plan").getAllKeys(id), (keys) => {
        for (const key of keys) {
          store("points").delete(key);
          store("kept").delete(key);
        }
      });
    });
  }

  points(plan?: string): Promise<RestorePoint[]> {
    return this.#transact<RestorePoint[]>(["points"], "readonly", (store, done) => {
      const asked = plan === undefined ? store("points").getAll() : store("points").index("plan").getAll(plan);
      onSuccess(asked as IDBRequest<RestorePoint[]>, (points) => done(points.sort((a, b) => b.at - a.at)));
    });
  }

  pointContent(id: string): Promise<PlanContent | null> {
    return this.#transact<PlanContent | null>(["kept"], "readonly", (store, done) => {
      onSuccess(store("kept").get(id) as IDBRequest<PlanContent | undefined>, (content) => done(content ?? null));
    });
  }

  addPoint(point: RestorePoint, content: PlanContent): Promise<void> {
    return this.#transact<void>(["points", "kept"], "readwrite", (store) => {
      store("points").put(point);
      store("kept").put(content, point.id);
    });
  }

  deletePoints(ids: readonly string[]): Promise<void> {
    return this.#transact<void>(["points", "kept"], "readwrite", (store) => {
      for (const id of ids) {
        store("points").delete(id);
        store("kept").delete(id);
      }
    });
  }
}

/** Errors of callbacks between requests. */
const thrownErrors = new WeakMap<IDBTransaction, unknown>();

function onSuccess<T>(request: IDBRequest<T>, done: (value: T) => void): void {
  request.onsuccess = () => {
    try {
      done(request.result);
    } catch (error) {
      if (request.transaction === null) throw error;
      thrownErrors.set(request.transaction, error);
      request.transaction.abort();
    }
  };
}

function toShareError(error: unknown): ShareError {
  const { name, message } =
    error instanceof Error || error instanceof DOMException ? error : new Error("the database gave up");
  if (name === "QuotaExceededError") return new ShareError("storage/full");
  return new ShareError(
    name === "InvalidStateError" || name === "SecurityError" ? "storage/denied" : "storage/failed",
    message,
  );
}
