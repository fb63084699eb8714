/** `stepgraph init`: never overwrites a file. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readExample, type Example } from "./example-store.js";
import { errorReason, renderOptions, type Io } from "./io.js";
import { DEFAULT_TEMPLATE, UsageError, type Arguments } from "./options.js";
import { PLANS, projectFiles, SCHEMA, SCHEMA_SETTING, SETTINGS, type ProjectFile } from "./project-files.js";
import { shellQuote } from "./shell-quote.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { pad, pluralize, visible } from "../terminal/text.js";

type WrittenFile = ProjectFile & { status: "written" | "kept" };

export async function initCommand(args: Arguments, io: Io): Promise<number> {
  const folder = projectFolder(args);
  const example = readExample(args.single("template") ?? DEFAULT_TEMPLATE, PLANS);
  const files = projectFiles(example).map((file): WrittenFile => ({ ...file, status: writeNew(folder, file) }));
  const next = nextCommands(folder, example);
  const hints = hintsFor(folder, files);
  if (args.has("json")) {
    const written = files.map(({ path, status }) => ({ path, status }));
    io.out.write(`${JSON.stringify({ folder, template: example.name, files: written, next, hints })}\n`);
  } else io.out.write(`${lines(folder, files, next, hints, renderOptions(io.out, io)).join("\n")}\n`);
  return 0;
}

function projectFolder(args: Arguments): string {
  const folder = args.operands[0] ?? ".";
  // A script's variable may be empty by mistake.
  if (folder === "")
    throw new UsageError("cli/bad-value", "the folder's name is empty", "leave it out for the current folder");
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError("cli/bad-value", `\`${folder}\` is not a folder`, "name a folder; it need not exist");
  return folder;
}

function writeNew(folder: string, { path, text }: ProjectFile): WrittenFile["status"] {
  const file = join(folder, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    const isFile = (error as { code?: string }).code === "EEXIST";
    const reason = isFile ? "a part of its path is not a folder" : errorReason(error);
    throw new UsageError(
      "cli/unwritable-file",
      `can't write \`${file}\`: ${reason}`,
      "name another folder, or move that file",
    );
  }
  try {
    // The flag refuses existing files, even one that just appeared.
    writeFileSync(file, text, { flag: "wx" });
    return "written";
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST") return "kept";
    throw new UsageError(
      "cli/unwritable-file",
      `can't write \`${file}\`: ${errorReason(error)}`,
      "name a folder in which you may write",
    );
  }
}

function nextCommands(folder: string, { run }: Example): [string, string][] {
  const enter: [string, string][] = resolve(folder) === resolve(".") ? [] : [["", `cd ${shellQuote(folder)}`]];
  return [
    ...enter,
    ["run the tests of the plan", "npx stepgraph test plans/*.yaml"],
    ["run the plan, again at every change", `npx stepgraph ${run} --watch`],
    ["draw it", `npx stepgraph graph ${run.split(" ")[1]}`],
  ];
}

function hintsFor(folder: string, files: WrittenFile[]): string[] {
  const scripts = ["check", "test"].map((name) => `"scripts.plans:${name}=stepgraph ${name} plans/*.yaml"`).join(" ");
  return [
    ...(lacksSchema(folder, files) ? [`add ${JSON.stringify(SCHEMA_SETTING).slice(1, -1)} to \`${SETTINGS}\``] : []),
    ...(existsSync(join(folder, "package.json"))
      ? [`\`package.json\` is unchanged; \`npm pkg set ${scripts}\` adds scripts`]
      : []),
  ];
}

function lacksSchema(folder: string, files: WrittenFile[]): boolean {
  const kept = files.find(({ path, status }) => path === SETTINGS && status === "kept");
  const file = join(folder, SETTINGS);
  return (
    kept !== undefined && !(existsSync(file) && statSync(file).isFile() && readFileSync(file, "utf8").includes(SCHEMA))
  );
}

function lines(
  folder: string,
  files: WrittenFile[],
  next: [string, string][],
  hints: string[],
  { style }: RenderOptions,
): string[] {
  const widest = Math.max(...files.map(({ path }) => path.length));
  const number = files.filter(({ status }) => status === "written").length;
  const where = folder === "." ? "this folder" : `\`${visible(folder)}\``;
  return [
    style.bold(`${pluralize(number, "file")} written to ${where}`),
    ...files.map(({ path, about, status }) =>
      status === "written"
        ? `  ${style.green("✓")} ${pad(path, widest)}  ${style.dim(about)}`
        : `  ${style.yellow("·")} ${pad(path, widest)}  kept, because it exists already`,
    ),
    ...hints.map((hint) => `  ${style.blue("=")} ${style.bold("help")}: ${hint}`),
    "",
    style.bold("next"),
    ...next.flatMap(([why, line]) => [...(why ? [`  ${style.dim(`# ${why}`)}`] : []), `  ${visible(line)}`]),
  ];
}
