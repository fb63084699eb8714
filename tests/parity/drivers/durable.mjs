/** Durable runs on each kind of journal: complete, repeated, and resumed after a failure at some entry. */
import fs from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import {
  fileJournal,
  MemoryJournal,
  promiseJournal,
  runDurable,
  sqliteJournal,
} from "../../../dist/integrations/durable/node.js";
import { Host } from "./host.mjs";
import { BEGINNING, Time } from "./virtual-time.mjs";
import { comparableResult } from "./comparable.mjs";

/** Marks injected failures, which simulate a killed process. */
const CUT = "cut off here";

/** `cutAfter` injects a failure after so many entries. `asked` has the times of an earlier process's calls. */
export async function durable(
  graph,
  one,
  opens,
  { at = BEGINNING, asked, cutAfter = Infinity, snapshot, cancelAfter, acceptChangedPlan } = {},
) {
  const time = new Time(at, acceptChangedPlan && { idleTurns: 8 });
  const host = new Host(one, time, asked);
  const log = { abandoned: new Map(), times: [] };
  const journal = await opens(
    { clock: time.clock, onApproval: (approval) => host.onApproval(approval) },
    time,
    cutAfter,
  );
  const begun = journal.lines.length;
  const watched = watch(journal, log, time, cancelAfter);
  const trace = [];
  const given = snapshot === undefined ? { input: one.input } : { snapshot };
  const moves = acceptChangedPlan && { acceptChangedPlan };
  const options = { ...given, ...host.options, ...moves, now: time.now, onEvent: (event) => trace.push(event) };
  const work = runDurable(graph, watched, options);
  let report = null;
  try {
    report = await time.during(work);
  } catch (error) {
    if (cutAfter === Infinity || !String(error.message).includes(CUT)) throw error;
  }
  const lines = [...journal.lines];
  await journal.close?.();
  const ran = { report, lines, log, begun, host, at: time.now() };
  return report === null ? ran : { ...ran, ...comparableResult(report, { trace, made: host.made }) };
}

function watch(journal, log, time, cancelAfter = Infinity) {
  return {
    recordsWork: journal.recordsWork,
    begin: (step) => journal.begin(step),
    async race(pending) {
      if (journal.lines.length >= cancelAfter) journal.cancel();
      const answer = await journal.race(pending);
      log.times[journal.lines.length] ??= time.now();
      return answer;
    },
    abandon(name) {
      log.abandoned.set(name, journal.lines.length);
      journal.abandon(name);
    },
  };
}

export function orderOf(lines) {
  const entries = lines.map((line) => JSON.parse(line)).filter(({ name }) => name !== "head" && name !== "tools");
  // A decision without a time continues the run only after its separate `.time` entry.
  const fed = entries.filter(({ name, value }) => !value || value.atMs !== undefined || name.endsWith(".time"));
  return fed.map(({ name = "cancel", value }) => ({ name: plainName(name), atMs: value?.atMs }));
}

function plainName(name) {
  if (name.endsWith(".turn")) return "continue";
  return name.replace(/\.(timer|time)$/, "");
}

/** The outstanding and all later calls. */
export function expectedCalls({ lines, log, host: { made } }, kept) {
  const place = new Map(lines.map((line, i) => [JSON.parse(line).name, i]));
  return made.filter(({ call }) => {
    const over = place.get(call) ?? (log.abandoned.get(call) ?? Infinity) - 1;
    return over >= kept;
  });
}

export const inMemory = (lines) => (options, _time, cutAfter) => {
  const journal = new MemoryJournal({
    ...options,
    lines,
    append: () => {
      if (journal.lines.length >= cutAfter) throw new Error(CUT);
    },
  });
  return journal;
};

/** Stands still while a journal reads its lock file. */
let frozenTime = null;
for (const name of ["stat", "lstat", "readFile"]) {
  const own = fs.promises[name];
  fs.promises[name] = (...args) => (frozenTime === null ? own(...args) : frozenTime.real(() => own(...args)));
}
syncBuiltinESMExports();

/** The injected failure is a disk that fails in the middle of an entry and cannot truncate it. */
export const inFile = (folder, name) => async (options, time, cutAfter) => {
  let entries = 0;
  frozenTime = time;
  const opens = async (...args) => {
    const handle = await open(...args);
    const isCut = () => entries > cutAfter;
    const writeBytes = async (bytes, offset, length, position) => {
      if (!bytes.toString("latin1", 33, 44).startsWith('{"journal":')) entries++;
      if (!isCut()) return time.real(() => handle.write(bytes, offset, length, position));
      await time.real(() => handle.write(bytes, offset, Math.floor(length / 2), position));
      throw new Error(CUT);
    };
    const truncate = async (length) => {
      if (isCut()) throw new Error(CUT);
      return time.real(() => handle.truncate(length));
    };
    return {
      readFile: async () => {
        const bytes = await handle.readFile();
        entries = Math.max(0, bytes.toString("latin1").split("\n").length - 2);
        return bytes;
      },
      write: writeBytes,
      truncate,
      datasync: () => time.real(() => handle.datasync()),
      sync: () => time.real(() => handle.sync()),
      stat: (how) => time.real(() => handle.stat(how)),
      close: () => handle.close(),
    };
  };
  return fileJournal(join(folder, name), { ...options, fsync: false, open: opens });
};

/** The injected failure is a failed statement. */
export const inDatabase = (db, run) => (options, _time, cutAfter) => {
  let entries = null;
  const cutting = {
    exec: (sql) => db.exec(sql),
    close: () => {},
    prepare(sql) {
      const statement = db.prepare(sql);
      if (!sql.startsWith("INSERT INTO journal_entries")) return statement;
      return {
        all: (...values) => statement.all(...values),
        run: (...values) => {
          entries = values[1];
          if (entries > cutAfter) throw new Error(CUT);
          return statement.run(...values);
        },
      };
    },
  };
  return sqliteJournal({ db: cutting }, run, options);
};

/** Each step keeps its first result. */
export function onPromises(kept = new Map()) {
  return ({ clock, onApproval }) => {
    const isRecorded = (name, make) => {
      if (!kept.has(name)) kept.set(name, make());
      return kept.get(name);
    };
    const decide = async (approval) => {
      try {
        return { decision: await onApproval(approval), atMs: clock.now() };
      } catch (error) {
        return { error: { code: "approval/failed", message: error.message } };
      }
    };
    const journal = promiseJournal({
      answer: (step) =>
        isRecorded(step.name, async () => {
          if (step.kind === "call") return JSON.parse(JSON.stringify(await step.work()));
          if (step.kind === "approval") return decide(step.approval);
          return new Promise((resolve) => clock.after(step.afterMs, () => resolve(null)));
        }),
      keep: (name, work) => isRecorded(name, async () => work()),
    });
    return Object.assign(journal, { lines: [] });
  };
}
