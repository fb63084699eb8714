/** Runs programs and shows their output only if they fail. */
import { constants, setPriority } from "node:os";
import { end, start } from "./children.mjs";
import { root } from "./paths.mjs";

/** A problem that the user can solve, in one sentence. `output` is a program's. */
export class UserError extends Error {
  exitCode = 1;

  constructor(message, output = "") {
    super(message);
    this.output = output;
  }
}

export class UsageError extends UserError {
  exitCode = 2;
}

const GRACE_MS = 2000;

/**
 * Returns `{ code, out, all }`: `out` is stdout, `all` both streams, `code` null if the program is missing. `limitMs`
 * kills it with its children. `isPatient` lowers its priority.
 */
export function attempt(program, args, { cwd = root, env = {}, limitMs, isPatient = false } = {}) {
  return new Promise((resolve) => {
    const child = start(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const limit = limitMs === undefined ? undefined : setTimeout(() => end(child, "SIGKILL"), limitMs);
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
    // An orphaned child may hold the output open.
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

/** Throws {@link UserError}, where `what` names the task. Returns stdout. */
export async function run(what, program, args, options) {
  const done = await attempt(program, args, options);
  if (done.code === null) throw new UserError(`${what} failed: \`${program}\` could not be started (${done.all})`);
  if (done.code !== 0)
    throw new UserError(`${what} failed: \`${[program, ...args].join(" ")}\` ended with ${done.code}`, done.all);
  return done.out;
}

/** On Windows, `npm` alone can't be spawned. */
export function npm(args) {
  const own = process.env.npm_execpath;
  return own?.endsWith(".js") ? [process.execPath, [own, ...args]] : ["npm", args];
}
