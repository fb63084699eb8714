/** Manages the plan list. Invariant: deleted plans can be restored for a week. */
import type { OpenPlan, OpenedPlan } from "./open-plan.js";
import { type PlanContent, newId, type PlanRow, type PlanStorage } from "./plan-storage.js";
import { ShareError } from "./errors.js";

const TRASH_RETENTION_MS = 7 * 24 * 3_600_000;
const MAX_NAME_LENGTH = 120;

/** Latest change first, deleted last. */
export async function listPlans(storage: PlanStorage): Promise<PlanRow[]> {
  const rows = await storage.rows();
  return rows.sort(
    (a, b) => Number(a.removed !== undefined) - Number(b.removed !== undefined) || b.changed - a.changed,
  );
}

/** After their retention. */
export async function purgeDeleted(storage: PlanStorage, now: number): Promise<void> {
  for (const { id, removed } of await storage.rows())
    if (removed !== undefined && now - removed > TRASH_RETENTION_MS) await storage.delete(id);
}

export async function renamePlan(storage: PlanStorage, id: string, name: string): Promise<string> {
  const plain = name.replace(/\s+/g, " ").trim().slice(0, MAX_NAME_LENGTH);
  const row = (await storage.read(id))?.row;
  if (plain === "") return row?.name ?? "";
  // The title of a gallery plan changes with the plan. A name that the user chose stays.
  const own = row?.from === "gallery" ? { from: "own" as const } : {};
  if (!(await storage.updateRow(id, { name: plain, ...own }))) throw new ShareError("storage/gone");
  return plain;
}

export async function duplicatePlan(storage: PlanStorage, id: string, now: number): Promise<PlanRow> {
  const found = await storage.read(id);
  if (found === null) throw new ShareError("storage/gone");
  const names = new Set((await storage.rows()).filter(({ removed }) => removed === undefined).map(({ name }) => name));
  const row: PlanRow = {
    ...found.row,
    id: newId(),
    name: uniqueName(found.row.name, names),
    rev: 1,
    made: now,
    changed: now,
  };
  delete row.removed;
  await storage.add(row, found.content);
  return row;
}

/** Unused: `plan 2`, `plan 3`. */
export function uniqueName(name: string, names: ReadonlySet<string>): string {
  const plain = name.replace(/ \d+$/, "");
  for (let number = 2; ; number++) if (!names.has(`${plain} ${number}`)) return `${plain} ${number}`;
}

/** Opens an identical plan, or a new one. */
export async function addImported(
  plan: OpenPlan,
  storage: PlanStorage,
  name: string,
  content: PlanContent,
  from: PlanRow["from"],
): Promise<OpenedPlan> {
  for (const row of await storage.rows()) {
    if (row.from !== from || row.name !== name || row.size !== content.text.length || row.removed !== undefined)
      continue;
    if ((await storage.read(row.id))?.content.text === content.text) return plan.open(row.id);
  }
  return plan.create(name, content, from);
}
