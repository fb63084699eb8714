/** `stepgraph examples` */
import { readExample, type Example } from "./example-store.js";
import { renderOptions, type Io } from "./io.js";
import { EXAMPLE_NAMES, UsageError, type Arguments } from "./options.js";
import { closestName } from "./suggest.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { pad, wrap } from "../terminal/text.js";

export async function examplesCommand(args: Arguments, io: Io): Promise<number> {
  const [name] = args.operands;
  if (name === undefined) printList(args, io);
  else printExample(knownExample(name), args, io);
  return 0;
}

function knownExample(name: string): Example {
  const known = EXAMPLE_NAMES.find((one) => one === name.replace(/\.ya?ml$/, ""));
  if (known !== undefined) return readExample(known);
  const suggestion = closestName(name, EXAMPLE_NAMES);
  throw new UsageError(
    "cli/not-found",
    `there is no example \`${name}\``,
    suggestion ? `did you mean \`${suggestion}\`?` : "`stepgraph examples` lists them",
  );
}

function printExample(example: Example, args: Arguments, io: Io): void {
  if (args.has("json")) {
    if (args.has("stubs"))
      throw new UsageError("cli/conflicting-options", "`--json` has the stubs already", "leave out `--stubs`");
    io.out.write(`${JSON.stringify(example)}\n`);
    return;
  }
  if (args.has("stubs") && example.stubs === null)
    throw new UsageError(
      "cli/not-found",
      `the example \`${example.name}\` has no stubs`,
      "it calls no tool and no model",
    );
  io.out.write(args.has("stubs") ? example.stubs! : example.plan);
}

function printList(args: Arguments, io: Io): void {
  if (args.has("stubs"))
    throw new UsageError(
      "cli/missing-argument",
      "`--stubs` prints the stubs of one example",
      "write `stepgraph examples NAME --stubs`",
    );
  const all = EXAMPLE_NAMES.map((name) => readExample(name));
  if (args.has("json")) {
    const examples = all.map(({ name, summary, run }) => ({ name, summary, run }));
    io.out.write(`${JSON.stringify({ examples })}\n`);
    return;
  }
  io.out.write(`${listLines(all, renderOptions(io.out, io)).join("\n")}\n`);
}

function listLines(all: Example[], { style, columns }: RenderOptions): string[] {
  const widest = Math.max(...all.map(({ name }) => name.length));
  const space = Math.max(24, Math.min(columns, 120) - widest - 4);
  const rows = all.flatMap(({ name, summary }) => {
    const [first, ...rest] = wrap(summary, space);
    return [`  ${style.bold(pad(name, widest))}  ${first}`, ...rest.map((line) => " ".repeat(widest + 4) + line)];
  });
  return [
    ...rows,
    "",
    `  ${style.dim("# read one")}`,
    "  stepgraph examples NAME",
    `  ${style.dim("# begin a project with one")}`,
    "  stepgraph init FOLDER --template NAME",
  ];
}
