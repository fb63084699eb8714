/**
 * Compares all drivers: each must give the same trace, outcome and calls as `run`.
 *
 * Drivers order simultaneous answers differently, so the manual driver replays each order and must agree.
 */
import { PlanGraph } from "../../../dist/node.js";
import { durable, inDatabase, inFile, inMemory, onPromises, orderOf, expectedCalls } from "./durable.mjs";
import { driveManually } from "./manual-driver.mjs";
import { Random } from "./random.mjs";
import { Difference, assertInvariant, sortedCalls, assertSameResult, comparableResult } from "./comparable.mjs";
import { SAME_ORDER_MODES, auditedIn, forked, LATER_MODES, plainRun, recorded, replayed } from "./run-modes.mjs";

export async function checkCase(one, place, counts) {
  const { graph, diagnostics } = PlanGraph.parse(JSON.stringify(one.plan));
  if (!graph?.valid) throw new Error(`the plan is none: ${diagnostics[0].message}`);
  const plain = await counts.of("run", () => plainRun(graph, one));
  counts.saw(one.plan, plain);
  if (plain.report.outcome.code === "run/invalid-plan") return plain;
  const examination = new Examination(graph, one, plain, place, counts);
  try {
    await examination.all();
  } finally {
    graph.free?.();
  }
  return plain;
}

class Examination {
  #graph;
  #one;
  #plain;
  #wanted;
  #place;
  #counts;
  #random;

  constructor(graph, one, plain, place, counts) {
    this.#graph = graph;
    this.#one = one;
    this.#plain = plain;
    this.#wanted = { trace: plain.trace, state: plain.state, made: plain.made };
    this.#place = place;
    this.#counts = counts;
    this.#random = new Random("examine", one.seed);
  }

  async all() {
    await this.#alike();
    await this.#hand();
    await this.#cassettes();
    await this.#durable();
    await this.#paused();
    await this.#cancelled();
  }

  async #way(name, work) {
    try {
      return await this.#counts.of(name.replace(/ \d+ /, " n "), work);
    } catch (error) {
      if (error instanceof Difference) throw error;
      throw new Difference(name, "what is thrown", "nothing", error.stack);
    }
  }

  async #alike() {
    const ways = { ...SAME_ORDER_MODES, ...(this.#one.isRace ? {} : LATER_MODES) };
    if (this.#place.audits) ways["run, audited in SQLite"] = auditedIn(this.#place.audits);
    for (const [name, drive] of Object.entries(ways)) {
      const { trace, state, made, lines } = await this.#way(name, () => drive(this.#graph, this.#one));
      assertSameResult(name, { trace, state, made }, this.#wanted);
      if (lines) await this.#replay(`${name}, replayed`, lines, this.#wanted);
    }
    if (this.#one.isRace)
      for (const [name, drive] of Object.entries(LATER_MODES))
        await this.#way(name, () => drive(this.#graph, this.#one));
  }

  async #replay(name, lines, wanted, more) {
    const again = await this.#way(name, () => replayed(this.#graph, lines, more));
    assertSameResult(name, again, { trace: wanted.trace, state: wanted.state });
    return again;
  }

  async #hand() {
    if (this.#one.isRace) return;
    await this.#machine("Run by hand", {}, this.#wanted);
    await this.#machine("Run by hand, thawed after each step", { thaws: true }, this.#wanted);
  }

  async #machine(name, options, wanted) {
    const hand = await this.#way(name, async () => driveManually(this.#graph, this.#one, options));
    const { trace, state } = comparableResult(hand.report, { trace: hand.trace });
    const ended =
      hand.report.outcome.type !== "cancelled" || options.order?.at(-1)?.name === "cancel" || options.cancelAt;
    assertSameResult(name, { trace, ...(ended && { state }), made: sortedCalls(hand.made) }, wanted);
    return hand;
  }

  async #cassettes() {
    const one = this.#one;
    const { lines } = await recorded(this.#graph, one);
    await this.#machine("Run in the order of a cassette", { order: inputNames(lines) }, this.#wanted);
    await this.#replay("replay without a listener", lines, this.#wanted, { isHeard: false });
    const entries = lines.map((line) => JSON.parse(line));
    const of = (type) => entries.filter((line) => line.type === type);
    // A fork's `gather` has other durations, so dependent calls are repeated.
    const isTimeless = !/"duration_ms"/.test(this.#wanted.trace);
    const answered = new Set(entries.filter(({ type }) => type !== "asked").map(({ call }) => call));
    // An approved call without a recorded answer needs a new approval.
    const isAnswered = of("decided").every(({ call }) => answered.has(call.replace(/\/approval$/, "")));
    const isSame = isTimeless && isAnswered && of("fired").every(({ timer }) => timer.startsWith("retry:"));
    await this.#fork("fork", lines, {}, isSame && of("failed").length === 0);
    const writes = of("done").filter(({ writes }) => writes === undefined);
    const edits = [
      ...writes.map(({ call, output }) => ({ at: call, output })),
      ...of("failed").map(({ call, code, message }) => ({ at: call, error: { code, message } })),
      ...of("decided").map(({ call, decision }) => ({ at: call, decision })),
    ].filter(({ output }) => output !== null);
    if (edits.length === 0) return;
    await this.#fork("fork with the same answer", lines, this.#random.pick(edits), isSame);
  }

  /** A fork without a change equals the recorded run. The manual driver agrees with any fork. */
  async #fork(name, cassette, edit, isSame) {
    const fork = await this.#way(name, () => forked(this.#graph, this.#one, cassette, edit));
    const { trace, state } = fork;
    const handed = { order: inputNames(fork.lines) };
    if (isSame) assertSameResult(name, fork, { trace: this.#wanted.trace, state: this.#wanted.state });
    if (edit.at === undefined || isSame) await this.#machine(`${name}, by hand`, handed, { trace, state });
    await this.#replay(`${name}, replayed`, fork.lines, { trace, state });
    if (!isSame) return;
    const answered = new Set(
      cassette
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type !== "asked")
        .map(({ call }) => call),
    );
    const twice = fork.host.made.filter(({ call }) => answered.has(call));
    assertInvariant(
      name,
      twice.length === 0,
      "what is asked a second time",
      twice.map(({ call }) => call),
    );
  }

  async #durable() {
    const kinds = { memory: () => inMemory([]) };
    const { folder, database, next } = this.#place;
    const file = `${next()}.journal`;
    kinds.file = () => inFile(folder, file);
    const run = next();
    if (database) kinds.sqlite = () => inDatabase(database, run);
    for (const [kind, opens] of Object.entries(kinds)) {
      const name = `runDurable, ${kind}`;
      const whole = await this.#way(name, () => durable(this.#graph, this.#one, opens()));
      await this.#journal(name, whole);
      const again = await this.#way(`${name}, again`, () =>
        durable(this.#graph, this.#one, kind === "memory" ? inMemory(whole.lines) : opens()),
      );
      assertSameResult(`${name}, again`, again, { trace: whole.trace, state: whole.state, made: "" });
      if (kind === "memory") await this.#cuts(whole);
      else await this.#cut(kind, whole);
    }
    const kept = new Map();
    const first = await this.#way("runDurable, promises", () => durable(this.#graph, this.#one, onPromises(kept)));
    if (!this.#one.isRace) assertSameResult("runDurable, promises", first, this.#wanted);
    const again = await this.#way("runDurable, promises, again", () =>
      durable(this.#graph, this.#one, onPromises(kept)),
    );
    assertSameResult("runDurable, promises, again", again, { trace: first.trace, state: first.state, made: "" });
  }

  async #journal(name, whole) {
    if (!this.#one.isRace) assertSameResult(name, whole, this.#wanted);
    const { trace, state } = whole;
    await this.#machine(`${name}, by hand`, { order: orderOf(whole.lines) }, { trace, state, made: whole.made });
  }

  /** A run cut off after any entry repeats only outstanding calls. */
  async #cuts(whole) {
    for (let kept = 0; kept < whole.lines.length; kept++) {
      const more = await this.#way("runDurable, memory, cut and gone on with", () =>
        durable(this.#graph, this.#one, inMemory(whole.lines.slice(0, kept)), from(whole, kept)),
      );
      await this.#goneOn(`runDurable, memory, cut after ${kept} entries`, more, whole, kept);
    }
    const after = 2 + this.#random.below(whole.lines.length);
    const name = "runDurable, memory, cancelled";
    const cancelled = await this.#way(name, () =>
      durable(this.#graph, this.#one, inMemory([]), { cancelAfter: after }),
    );
    await this.#machine(
      `${name}, by hand`,
      { order: orderOf(cancelled.lines) },
      { trace: cancelled.trace, state: cancelled.state },
    );
    const again = await this.#way(`${name}, again`, () => durable(this.#graph, this.#one, inMemory(cancelled.lines)));
    assertSameResult(`${name}, again`, again, { trace: cancelled.trace, state: cancelled.state, made: "" });
  }

  async #cut(kind, whole) {
    const { folder, database, next } = this.#place;
    const id = next();
    const opens = () => (kind === "file" ? inFile(folder, `${id}.journal`) : inDatabase(database, id));
    const kept = this.#random.below(whole.lines.length);
    const name = `runDurable, ${kind}, cut and gone on with`;
    const first = await this.#way(name, () => durable(this.#graph, this.#one, opens(), { cutAfter: kept }));
    assertInvariant(
      name,
      first.report === null && first.lines.length === kept,
      "how many entries were kept",
      first.lines.length,
    );
    const more = await this.#way(name, () =>
      durable(this.#graph, this.#one, opens(), { at: first.at, asked: first.host.asked }),
    );
    assertInvariant(name, more.begun === kept, `how many entries are found after ${kept}`, more.begun);
    await this.#goneOn(name, more, whole, kept);
  }

  async #goneOn(name, more, whole, kept) {
    await this.#machine(`${name}, by hand`, { order: orderOf(more.lines) }, { trace: more.trace, state: more.state });
    if (this.#one.isRace) return;
    assertSameResult(name, more, {
      trace: whole.trace,
      state: whole.state,
      made: sortedCalls(expectedCalls(whole, kept)),
    });
  }

  async #paused() {
    if (this.#one.isRace || !this.#plain.host.made.some(({ kind }) => kind === "approval")) return;
    let given = {};
    for (let pauses = 0; pauses < 12; pauses++) {
      const name = pauses === 0 ? "run to a pause" : "run from a snapshot to a pause";
      const part = await this.#way(name, () => recorded(this.#graph, this.#one, { ...given, onApproval: undefined }));
      await this.#replay(`${name}, replayed`, part.lines, part);
      const hand = await this.#machine(
        `${name}, by hand`,
        { ...manualOptions(given), undecided: true },
        {
          trace: part.trace,
          made: part.made,
        },
      );
      if (part.report.outcome.type !== "paused") return;
      assertInvariant(
        name,
        stated(part.report.snapshot) === stated(hand.snapshot),
        "the snapshot",
        stated(part.report.snapshot),
      );
      if (pauses === 0) await this.#resumed("from a pause", part.report.snapshot, part.time.now());
      const { call } = part.report.outcome.approval;
      given = {
        snapshot: JSON.parse(JSON.stringify(part.report.snapshot)),
        at: part.time.now() + 1000,
        decisions: { [call]: this.#random.pick(["approved", "approved", "rejected"]) },
      };
    }
  }

  async #cancelled() {
    const { cancelAt, isRace } = this.#one;
    if (isRace) return;
    const controller = new AbortController();
    let steps = 0;
    const hand = driveManually(this.#graph, this.#one, { cancelAt });
    // The run ended before the cancellation.
    if (hand.cancelledAfter === null) return;
    const before = hand.cancelledAfter;
    const name = "run, cancelled";
    const part = await this.#way(name, () =>
      recorded(this.#graph, this.#one, {
        signal: controller.signal,
        onEvent: () => ++steps === before && controller.abort(),
      }),
    );
    const { trace, state } = comparableResult(hand.report, { trace: hand.trace });
    assertSameResult(name, part, { trace, state });
    await this.#replay(`${name}, replayed`, part.lines, part);
    if (part.report.snapshot === null) return;
    assertInvariant(
      name,
      stated(part.report.snapshot) === stated(hand.snapshot),
      "the snapshot",
      stated(hand.snapshot),
    );
    await this.#resumed("from a cancelled run", part.report.snapshot, part.time.now());
  }

  async #resumed(what, snapshot, now) {
    const given = { snapshot: JSON.parse(JSON.stringify(snapshot)), at: now + 5000 };
    const name = `run ${what}`;
    const part = await this.#way(name, () => recorded(this.#graph, this.#one, given));
    const wanted = { trace: part.trace, state: part.state, made: part.made };
    await this.#replay(`${name}, replayed`, part.lines, part);
    await this.#machine(`${name}, by hand`, given, wanted);
    const durably = await this.#way(`runDurable ${what}`, () => durable(this.#graph, this.#one, inMemory([]), given));
    assertSameResult(`runDurable ${what}`, durably, wanted);
  }
}

function manualOptions({ snapshot, at, decisions }) {
  return { ...(snapshot && { snapshot, at }), decisions };
}

function from(whole, kept) {
  return { at: whole.log.times[kept] ?? undefined, asked: whole.host.asked };
}

function inputNames(lines) {
  return lines
    .map((line) => JSON.parse(line))
    .flatMap(({ type, call, timer, atMs }) => {
      if (type === "fired") return [{ name: timer, atMs }];
      if (type === "continue" || type === "cancel") return [{ name: type, atMs }];
      return type !== "asked" && call !== undefined ? [{ name: call, atMs }] : [];
    });
}

function stated(snapshot) {
  return snapshot === null ? "none" : JSON.stringify([snapshot.state, snapshot.values]);
}
