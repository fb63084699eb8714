/** Options of `init` and `examples`. */
import { type Command, help, json } from "./shared.js";

/** In `examples`, from simple to complex. Each runs offline and is a template of `init`. */
export const EXAMPLE_NAMES = [
  "hello",
  "weather",
  "approval",
  "retry-loop",
  "triage",
  "fan-out",
  "agent",
  "plan-gather",
  "talent",
] as const;

export const DEFAULT_TEMPLATE = "weather";

export const initCommand: Command = {
  name: "init",
  usage: "stepgraph init [FOLDER] [--template NAME]",
  summary: "write a small project that runs offline",
  operands: [0, 1, "folder"],
  options: [
    {
      name: "template",
      value: "NAME",
      choices: EXAMPLE_NAMES,
      help: `the example to begin with (default ${DEFAULT_TEMPLATE}): ${EXAMPLE_NAMES.join(", ")}`,
    },
    json,
    help,
  ],
  notes: [
    "Writes a plan with its tests, stubs, settings for Visual Studio Code, a workflow for GitHub Actions " +
      "and a README to FOLDER, which is the current folder by default. Keeps every file that exists already, " +
      "and reports it. Never writes a package.json.",
    "Exit codes: 0 written or kept, 2 bad usage, or a file that can't be written.",
  ],
  examples: [
    ["a project in a new folder", "stepgraph init demo"],
    ["begin with an agent", "stepgraph init demo --template agent"],
  ],
};

export const examplesCommand: Command = {
  name: "examples",
  usage: "stepgraph examples [NAME] [--stubs] [--json]",
  summary: "list the examples of the package, or print one",
  operands: [0, 1, "example"],
  options: [
    { name: "stubs", help: "print the stubs of the example instead of its plan" },
    {
      name: "json",
      help: "print only one JSON object on standard output; with NAME it has the plan and the stubs",
    },
    help,
  ],
  notes: [
    "Every example has tests and runs offline. Its first lines describe it and show how to run it.",
    "Exit codes: 0 printed, 2 bad usage.",
  ],
  examples: [
    ["list them", "stepgraph examples"],
    ["read one", "stepgraph examples agent"],
    ["try one", "stepgraph examples hello > hello.yaml && stepgraph run hello.yaml --prompt Ada"],
    ["begin a project with one", "stepgraph init demo --template agent"],
  ],
};
