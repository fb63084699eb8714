/** `stepgraph check` */
import { checkOn, withStubs } from "../package-internals.js";
import { type check, review, type Review } from "../node.js";
import type { PlanGraph } from "../graph.js";
import type { Diagnostic, Stubs, ToolInfo } from "../types.js";
import { BrokenServers } from "./broken-servers.js";
import {
  configuredServers,
  connections,
  serverWords,
  parseServerArgument,
  type ServerWord,
  type Connection,
} from "./connections.js";
import { hasErrors, renderDiagnostics, Source, tally } from "../terminal/diagnostics.js";
import { annotations, sarif, type FileFindings } from "./ci-formats.js";
import { renderOptions, renderFailure, type Io } from "./io.js";
import { outputFormat, UsageError, type Arguments } from "./options.js";
import {
  isStubDiagnostic,
  isStubs,
  readPlan,
  readStubsFile,
  type ParsedFile,
  type ReadStubs,
  withDiagnostics,
} from "./read-plan.js";
import { type HostModule, listModuleTools, readHostOption } from "./handlers.js";
import { lockedTools, lockOf, withLockHelp } from "./lock-file.js";
import { pluralize, visible } from "../terminal/text.js";
import { reviewJson, reviewLines } from "./review-report.js";
import { listTools } from "./tools.js";
import { toFailure } from "./usage-error.js";
import { version } from "./version.js";

type CheckedFile =
  | { file: string; read: ParsedFile; diagnostics: Diagnostic[]; review?: Review; lock?: string }
  | { file: string; mistake: UsageError };

export async function checkCommand(args: Arguments, io: Io): Promise<number> {
  const form = outputFormat(args);
  const hasLock = usesLock(args);
  const tools = await listServerTools(args, io);
  const stubs = args.single("stubs");
  const beside = stubs === undefined ? null : readStubsFile(stubs);
  const given = args.has("handlers") ? await readHostOption(args) : null;
  const module = given && { ...given, tools: await listModuleTools(given) };
  const plans = args.operands
    .filter((file) => file !== stubs)
    .map((file) => {
      const lock = hasLock && !isStubs(file) ? lockOf(file, args) : null;
      const listed = lock === null ? tools : lockedTools(lock, module?.tools ?? []);
      return checkFile(file, hostOf(listed, beside?.stubs, module), beside, lock?.file);
    });
  const all =
    beside === null ? plans : [...plans, ...checkStubs(stubs!, beside, plans, args.operands.includes(stubs!))];
  const found = all.map((one) => applyDeny(one, args.has("deny")));
  const diagnostics = found.flatMap((one) => ("read" in one ? one.diagnostics : []));
  const unread = found.filter((one) => "mistake" in one).length;
  if (form === "json") io.out.write(`${JSON.stringify(toJson(found))}\n`);
  else if (form === "sarif") io.out.write(`${JSON.stringify(sarif(found.map(findings), version()), null, 2)}\n`);
  else {
    const options = renderOptions(io.out, io);
    if (form === "github") io.out.write(annotations(found.map(findings)));
    else for (const one of found) io.out.write(formatText(one, io));
    const things = found.some(({ file }) => isStubs(file) || file === stubs) ? "file" : "plan";
    const checked = found.length - unread;
    const subject = `${options.style.bold(pluralize(checked, things))} checked${againstLock(found)}`;
    const good = checked > 0 ? `${subject}: ${tally(diagnostics)}` : "";
    const bad = unread > 0 ? `${pluralize(unread, "file")} not read` : "";
    io.out.write(`${[good || options.style.bold("nothing checked"), bad].filter(Boolean).join(", ")}\n`);
  }
  return unread > 0 || hasErrors(diagnostics) ? 2 : 0;
}

/** Servers and stubs are tool lists, unless `--lock` is beside stubs. */
function usesLock(args: Arguments): boolean {
  const asks = ["server", "mcp-config"].find((name) => args.has(name));
  if (asks !== undefined && args.has("lock"))
    throw new UsageError(
      "cli/conflicting-options",
      `\`--lock\` and \`--${asks}\` are two tool lists`,
      "leave one of them out, or compare them by `stepgraph drift`",
    );
  return asks === undefined && (args.has("lock") || args.has("no-lock") || !args.has("stubs"));
}

function againstLock(found: readonly CheckedFile[]): string {
  const locks = [...new Set(found.flatMap((one) => ("lock" in one && one.lock !== undefined ? [one.lock] : [])))];
  return locks.length === 0
    ? ""
    : locks.length === 1
      ? ` against ${visible(locks[0]!)}`
      : ` against ${locks.length} locks`;
}

function applyDeny(checked: CheckedFile, isStrict: boolean): CheckedFile {
  if (!isStrict || !("read" in checked)) return checked;
  const raised = ({ severity, ...rest }: Diagnostic): Diagnostic => ({
    ...rest,
    severity: severity === "warning" ? "error" : severity,
  });
  return { ...checked, diagnostics: checked.diagnostics.map(raised) };
}

function findings(checked: CheckedFile): FileFindings {
  const { file } = checked;
  if ("read" in checked)
    return { file, source: checked.read.source, diagnostics: checked.diagnostics, unreadable: null };
  return { file, source: new Source(file, ""), diagnostics: [], unreadable: checked.mistake };
}

/** Null without `--server`. Throws if a needed server of `--mcp-config` does not answer. */
export async function listServerTools(
  args: Arguments,
  io: Io,
  isNeeded?: (server: string) => boolean,
): Promise<ToolInfo[] | null> {
  const words = serverWords(args, io);
  if (words.length === 0) return null;
  const { servers } = configuredServers(args, io);
  const plan = words.some((word) => isBareName(word) && !servers.has(word)) ? onlyPlan(args) : null;
  const tell = (text: string) => void (outputFormat(args) === "json" || io.err.write(`${visible(text)}\n`));
  const all = connections(words, args, io, plan, tell, new BrokenServers(tell, isNeeded));
  const lists = await Promise.all(
    all.map(async (connection: Connection) =>
      (await listTools(connection)).map((tool) => ({ server: connection.name, ...tool })),
    ),
  );
  return lists.flat();
}

/** Names in `--mcp-config` need no plan. */
function isBareName(word: ServerWord): word is string {
  if (typeof word !== "string") return false;
  const { url, program } = parseServerArgument(word);
  return url === null && program === null;
}

/** Bare server names need exactly one plan. */
function onlyPlan(args: Arguments): PlanGraph | null {
  const plans = args.operands.filter((file) => !isStubs(file));
  if (plans.length !== 1)
    throw new UsageError(
      "cli/bad-value",
      "a bare server name is looked up in the plan, but there are several plans",
      "write `--server NAME=URL`",
    );
  return readPlan(plans[0]!).graph;
}

type Host = NonNullable<Parameters<typeof check>[1]>;

/** A host with stubs or a module equals that of `run`. */
function hostOf(
  tools: ToolInfo[] | null,
  stubs: Stubs | undefined,
  module: (Omit<HostModule, "tools"> & { tools: ToolInfo[] }) | null,
): Host {
  if (stubs === undefined && module === null) return tools ? { tools } : {};
  const { handlers = {}, tools: own = [] } = module ?? {};
  return { tools: [...(tools ?? []), ...own], handlers, ...(stubs && { stubs }) };
}

/** If a plan is unreadable, unused stubs are unknown. */
function checkStubs(
  file: string,
  { diagnostics, source, uses }: ReadStubs,
  plans: CheckedFile[],
  isNamed: boolean,
): CheckedFile[] {
  const read = plans.filter((one) => !isStubs(one.file));
  const knows = read.length > 0 && read.every((one) => "read" in one && one.read.graph);
  const helps = read.flatMap((one) => ("read" in one ? one.diagnostics.map(({ help }) => help ?? "") : []));
  // A plan's help already suggests this name: one typo, one diagnostic.
  const isMeant = ({ message }: Diagnostic) =>
    helps.some((help) => /^did you mean `.*`\?$/.test(help) && message.includes(` ${help.slice(13, -1)}`));
  const all = [...diagnostics, ...(knows ? uses.unused().filter((one) => !isMeant(one)) : [])];
  if (all.length === 0 && !isNamed) return [];
  return [{ file, read: { graph: null, source, diagnostics: all }, diagnostics: all }];
}

function checkFile(file: string, host: Host, beside: ReadStubs | null, lock?: string): CheckedFile {
  try {
    if (isStubs(file)) {
      const { source, diagnostics } = readStubsFile(file);
      return { file, read: { graph: null, source, diagnostics }, diagnostics };
    }
    const read = readPlan(file, host.stubs);
    // `readPlan` skips settings and nested values.
    if (read.graph) beside?.uses.lookAt(read.graph);
    // Invalid stubs count as present, so that the plan's diagnostics stay complete.
    const found = read.graph ? checkOn(read.graph, host).filter((one) => !beside || !isStubDiagnostic(one)) : [];
    const further = lock === undefined ? found : withLockHelp(found, lock);
    const tools = host.stubs ? withStubs(host.tools as ToolInfo[], host.stubs) : host.tools;
    const reviewed = read.graph ? { review: review(read.graph, { tools: tools ?? null }) } : {};
    const whole = withDiagnostics(read, further);
    return { file, read: whole, diagnostics: whole.diagnostics, ...reviewed, ...(lock !== undefined && { lock }) };
  } catch (error) {
    if (error instanceof UsageError) return { file, mistake: error };
    throw error;
  }
}

function formatText(checked: CheckedFile, io: Io): string {
  const options = renderOptions(io.out, io);
  if ("mistake" in checked) return `${renderFailure(checked.mistake, options)}\n`;
  const text = renderDiagnostics(checked.diagnostics, checked.read.source, options);
  const reviewed =
    checked.review && !hasErrors(checked.diagnostics)
      ? `${reviewLines(checked.file, checked.review, options).join("\n")}\n`
      : "";
  return (text === "" ? "" : `${text}\n`) + reviewed;
}

function toJson(found: CheckedFile[]): unknown {
  const files = found.map((one) =>
    "read" in one
      ? { file: one.file, ...(one.lock && { lock: one.lock }), diagnostics: one.diagnostics, ...reviewJson(one.review) }
      : { file: one.file, unreadable: one.mistake.message, error: toFailure(one.mistake), diagnostics: [] },
  );
  const all = files.flatMap((file) => file.diagnostics);
  const number = (severity: string) => all.filter((diagnostic) => diagnostic.severity === severity).length;
  return { files, errors: number("error"), warnings: number("warning"), hints: number("hint") };
}
