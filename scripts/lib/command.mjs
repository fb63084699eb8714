/**
 * Runs other programs, quietly: what they print is kept and shown only when they fail.
 */
import { constants, setPriority } from "node:os";
import { end, start } from "./children.mjs";
import { root } from "./paths.mjs";

/**
 * A problem that the person at the keyboard can solve. Its message is one sentence; `output` is what a program printed.
 */
export class UserError extends Error {
  /** The exit code of the program that ends with it. */
  exitCode = 1;

  constructor(message, output = "") {
    super(message);
    this.output = output;
  }
}

/** A command that was typed wrong. */
export class UsageError extends UserError {
  exitCode = 2;
}

/** How long the output of a program that has ended is still read. */
const GRACE_MS = 2000;

/**
 * What a program did: `{ code, out, all }`; `all` is both its streams in the order they came, `code` null if it is not
 * there. What is not over after `limitMs` is killed, with all that it has started. With `isPatient` it runs at a low
 * priority.
 */
export function attempt(program, args, { cwd = root, env = {}, limitMs, isPatient = false } = {}) {
  return new Promise((resolve) => {
    const child = start(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const limit = limitMs === undefined ? undefined : setTimeout(() => end(child, "SIGKILL"), limitMs);
    // A program that could not start has no process id.
    if (isPatient && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const out = [];
    const all = [];
    child.stdout.on("data", (bytes) => {
      out.push(bytes);
      all.push(bytes);
    });
    child.stderr.on("data", (bytes) => {
      all.push(bytes);
    });
    // A program that it has started and left behind may hold its output open for ever.
    let grace;
    child.on("exit", () => {
      grace = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), GRACE_MS);
    });
    const text = (parts) => Buffer.concat(parts).toString("utf8");
    child.on("error", (error) => {
      clearTimeout(limit);
      resolve({ code: null, out: "", all: error.message });
    });
    child.on("close", (code, signal) => {
      clearTimeout(limit);
      clearTimeout(grace);
      resolve({ code: code ?? `signal ${signal}`, out: text(out), all: text(all) });
    });
  });
}

/**
 * Like {@link attempt}, but a failure is {@link UserError}; `what` says what was being done. Gives what was printed.
 */
export async function run(what, program, args, options) {
  const done = await attempt(program, args, options);
  if (done.code === null) throw new UserError(`${what} failed: \`${program}\` could not be started (${done.all})`);
  if (done.code !== 0)
    throw new UserError(`${what} failed: \`${[program, ...args].join(" ")}\` ended with ${done.code}`, done.all);
  return done.out;
}

/** Runs npm as the npm that runs us, since on Windows `npm` alone can't be spawned. */
export function npm(args) {
  const own = process.env.npm_execpath;
  return own?.endsWith(".js") ? [process.execPath, [own, ...args]] : ["npm", args];
}
