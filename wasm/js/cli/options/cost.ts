/** Options of `stepgraph cost`. */
import { type Command, help, json, prices } from "./shared.js";

export const costCommand: Command = {
  name: "cost",
  usage:
    "stepgraph cost PLAN... [--prices FILE] [--model NAME] [--cassette FILE]... [--audit FILE.db]... [--store FILE|URL]... [--json]",
  summary: "estimate what runs of a plan may cost",
  operands: [1, Infinity, "plan"],
  options: [
    prices,
    {
      name: "model",
      value: "NAME",
      help: "the model that runs use, as `NAME` or `PROVIDER:NAME` (or STEPGRAPH_MODEL); needs no key",
    },
    { name: "cassette", value: "FILE", many: true, help: "a recorded run, as `run --record FILE` writes it" },
    {
      name: "audit",
      value: "FILE",
      many: true,
      help: "the recorded runs of a database, as `run --audit FILE.db` writes it",
    },
    {
      name: "store",
      value: "FILE|URL",
      many: true,
      help: "the runs of a store, as `run --store` keeps them: a file of SQLite, or a URL of PostgreSQL",
    },
    json,
    help,
  ],
  notes: [
    "Lists for each node and for a run: calls of tools, turns of models, tokens and US dollars. The first table has the " +
      "most by the plan's limits, the second what recorded runs used. A figure that can't be known says why.",
    "The package has example prices of some models, with their date. `--prices` replaces them or adds others.",
    "Exit codes: 0 estimated, 1 the database failed, 2 a plan has errors, or bad usage.",
  ],
  examples: [
    ["the most that a run may cost", "stepgraph cost plan.yaml --model openai:gpt-4o-mini"],
    ["with what recorded runs used", "stepgraph cost plan.yaml --model openai:gpt-4o-mini --audit audit.db"],
    ["with the runs of a store", "stepgraph cost plan.yaml --model openai:gpt-4o-mini --store runs.db"],
    ["with one recorded run", "stepgraph cost plan.yaml --model openai:gpt-4o-mini --cassette run.ndjson"],
    ["with prices of your own", "stepgraph cost plans/*.yaml --prices prices.yaml"],
  ],
};
