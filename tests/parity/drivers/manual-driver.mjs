/** Drives the synchronous machine by hand. Answers come at the host's times, or in a recorded order. */
import { Run } from "../../../dist/node.js";
import { Host } from "./host.mjs";
import { BEGINNING } from "./virtual-time.mjs";

const FALLBACKS = {
  "call-handler": "handler/failed",
  "call-tool": "tool/failed",
  "call-model": "model/failed",
  "ask-approval": "approval/failed",
};

/**
 * Runs to the end, or with `undecided` until only a person can continue.
 *
 * `order` lists answers with their times. `asked` holds the times of calls before the snapshot. `thaws` restores from a
 * snapshot after each step. `cancelAt` cancels after so many steps.
 */
export function driveManually(graph, one, options = {}) {
  const { snapshot, at = BEGINNING } = options;
  const given = snapshot === undefined ? { input: one.input } : { snapshot };
  const hand = new ManualDriver(graph, one, at, options);
  return hand.drive(given, snapshot === undefined ? "start" : "resume");
}

class ManualDriver {
  #graph;
  #host;
  #options;
  #at;
  #machine;
  #trace = [];
  /** Keyed by name. */
  #open = new Map();
  /** In order. */
  #ready = [];
  #allowed = new Set();
  #steps = 0;
  #order;
  #cancelled;
  /** Null if the last step had no events, because a listener then could not cancel it. */
  #cancelledAfter = null;
  #isSilent = false;
  /** Events before the cancellation. */
  #before = 0;

  constructor(graph, one, at, options) {
    this.#graph = graph;
    this.#host = new Host(one, { now: () => this.#at }, options.asked);
    this.#options = options;
    this.#at = at;
    this.#order = options.order?.[Symbol.iterator]();
  }

  drive(given, first) {
    this.#machine = new Run(this.#graph, { ...given, ...this.#host.offer, epochMs: 0 });
    for (let event = { type: first }; event !== null; event = this.#next()) {
      this.#step({ ...event, atMs: this.#at });
      if (this.#machine.outcome !== null) break;
      if (this.#options.thaws) this.#thaw();
    }
    const snapshot = this.#cancelled ?? this.#machine.snapshot(this.#at);
    const { report } = this.#machine;
    this.#machine.free();
    const { made, asked } = this.#host;
    const [trace, at, steps] = [this.#trace, this.#at, this.#steps];
    const [before, cancelledAfter] = [this.#before, this.#cancelledAfter];
    return { report, trace, snapshot, made, asked, at, steps, before, cancelledAfter };
  }

  #step(event) {
    const { commands, trace } = this.#machine.step(event);
    this.#trace.push(...trace);
    this.#steps++;
    this.#isSilent = trace.length === 0;
    if (event.type === "decided" && event.decision !== "rejected") this.#allowed.add(event.call);
    if (this.#machine.outcome === null && this.#steps !== this.#options.cancelAt)
      for (const command of commands) this.#note(command);
  }

  #note(command) {
    const { type } = command;
    if (type === "abandon") return this.#forget(command.call);
    if (type === "clear-timer") return this.#forget(command.timer);
    if (type === "set-timer") return void this.#open.set(command.timer, { type, due: this.#at + command.afterMs });
    if (type === "continue") return void this.#ready.push({ name: type, event: { type } });
    const { call } = command;
    const decision = this.#options.decisions?.[call];
    if (decision !== undefined) return this.#instant(call, type, { type: "decided", call, decision });
    if (type === "ask-approval" && this.#options.undecided) return void this.#open.set(call, { type, call });
    const fate = this.#host.fate(command, type === "call-handler" ? this.#machine.state(call) : null);
    const event = eventOf(command, fate);
    if (fate.when === "now" || fate.when === "soon") return this.#instant(call, type, event);
    const due = typeof fate.when === "number" ? this.#at + fate.when : Infinity;
    this.#open.set(call, { type, due, event });
  }

  #instant(name, type, event) {
    this.#open.set(name, { type, due: this.#at, event });
    this.#ready.push({ name, event });
  }

  #forget(name) {
    this.#open.delete(name);
    this.#ready = this.#ready.filter((one) => one.name !== name);
  }

  #next() {
    if (this.#steps === this.#options.cancelAt) {
      this.#cancelled = this.#machine.snapshot(this.#at);
      this.#before = this.#trace.length;
      this.#cancelledAfter = this.#isSilent ? null : this.#trace.length;
      return { type: "cancel" };
    }
    if (this.#order !== undefined) return this.#ordered();
    const ready = this.#ready.shift();
    if (ready !== undefined) {
      this.#open.delete(ready.name);
      return ready.event;
    }
    const open = [...this.#open];
    if (this.#options.undecided && open.some(([, { type }]) => type === "ask-approval") && !open.some(isCall))
      return null;
    const [name, first] = open.reduce(
      (early, one) => (one[1].due < early[1].due ? one : early),
      [null, { due: Infinity }],
    );
    if (name === null) throw new Error("by hand: the run waits, and nothing is due");
    this.#open.delete(name);
    this.#at = Math.max(this.#at, first.due);
    return first.event ?? { type: "timer-fired", timer: name };
  }

  #ordered() {
    const { value, done } = this.#order.next();
    if (done) return null;
    const { name, atMs } = value;
    const open = this.#open.get(name);
    const timer = open?.type === "set-timer" ? open.due : this.#at;
    this.#at = Math.max(this.#at, atMs ?? timer);
    if (name === "continue" || name === "cancel") return { type: name };
    if (open === undefined) throw new Error(`by hand: \`${name}\` was answered and is not outstanding`);
    this.#forget(name);
    return open.event ?? { type: "timer-fired", timer: name };
  }

  /** The restored run must repeat exactly the outstanding calls and timers. */
  #thaw() {
    // A restored run needs a new approval for approved calls.
    if ([...this.#open.keys()].some((name) => this.#allowed.has(`${name}/approval`))) return;
    const snapshot = JSON.parse(JSON.stringify(this.#machine.snapshot(this.#at)));
    this.#machine.free();
    this.#machine = new Run(this.#graph, { snapshot, ...this.#host.offer, epochMs: 0 });
    const { commands } = this.#machine.step({ type: "resume", atMs: this.#at });
    const asked = commands.map(({ call, timer }) => call ?? timer).filter((name) => name !== undefined);
    const missing = [...this.#open.keys()].filter((name) => !asked.includes(name));
    const strange = asked.filter((name) => !this.#open.has(name));
    if (missing.length > 0 || strange.length > 0)
      throw new Error(`by hand: thawed, the run no longer asks for [${missing}] and now asks for [${strange}]`);
  }
}

function isCall([, { type }]) {
  return type.startsWith("call-");
}

function eventOf({ type, call }, { value, failure, writes }) {
  if (failure) return { type: "call-failed", call, code: failure.code ?? FALLBACKS[type], message: failure.message };
  if (type === "ask-approval") return { type: "decided", call, decision: value };
  if (type === "call-model") {
    const reply = typeof value === "string" ? { text: value, finish: "stop", usage: null } : value;
    return { type: "call-done", call, reply };
  }
  return { type: "call-done", call, output: value, ...(writes && { writes }) };
}
