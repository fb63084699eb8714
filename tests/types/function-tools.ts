/** Functions as tools: code that compiles with the right types, and code that must not compile. */
import { functions, run, type PlanGraph, type RunOptions, type StandardSchema } from "stepgraph";

/** Whether two types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const proved = <_T extends true>(): void => {};

declare const PAIR: StandardSchema<{ n: number }>;
declare const NUMBER: StandardSchema<number, number>;
declare const TEXT: StandardSchema<string>;

const typed = {
  input: PAIR,
  run: () => 1,
};

/** The arguments' types follow from the schemas. */
export async function inferred(graph: PlanGraph): Promise<void> {
  await run(graph, {
    tools: {
      add: {
        input: PAIR,
        run(args, { signal }) {
          proved<Same<typeof args, { n: number }>>();
          signal.throwIfAborted();
          return args.n;
        },
      },
      plain: { run: (args: { x: number }) => args.x },
      // biome-ignore lint/suspicious/noExplicitAny: the test proves this type
      any: { input: { type: "object" }, run: (args) => proved<Same<typeof args, any>>() },
      typed,
    },
  });
  await run(graph, { stubs: {}, tools: { add: { input: PAIR, run: ({ n }) => n.toFixed() } } });
  run.stream(graph, { updates: true, tools: { add: { input: PAIR, run: ({ n }) => n.toFixed() } } });
  await run(graph, { tools: { add: { input: PAIR, output: NUMBER, run: async ({ n }) => n } } });
  functions({ add: { input: PAIR, output: NUMBER, run: ({ n }) => n }, any: { run: ({ a }) => a.b } });
  functions({ any: { output: { type: "number" }, annotations: { readOnlyHint: true }, run: () => "x" } });
  const options: RunOptions = { tools: { add: { run: () => 1 } } };
  await run(graph, options);
  await run(graph, { tools: [functions({ add: { run: () => 1 } })] });
}

export async function rejected(graph: PlanGraph): Promise<void> {
  // @ts-expect-error the schema has no `m`
  await run(graph, { tools: { add: { input: PAIR, run: ({ m }) => m } } });
  // @ts-expect-error the result is no number
  functions({ add: { input: PAIR, output: NUMBER, run: ({ n }) => `${n}` } });
  // @ts-expect-error the promise is of no number
  functions({ add: { input: PAIR, output: NUMBER, run: async ({ n }) => `${n}` } });
  // @ts-expect-error the result is no number
  await run(graph, { tools: { add: { input: PAIR, output: NUMBER, run: ({ n }) => `${n}` } } });
  // @ts-expect-error arguments are a map
  functions({ add: { input: TEXT, run: (text) => text } });
  // @ts-expect-error arguments are a map
  await run(graph, { tools: { add: { input: TEXT, run: (text) => text } } });
  // @ts-expect-error a misspelt hint
  functions({ add: { annotations: { readonlyHint: true }, run: () => 1 } });
  // @ts-expect-error a misspelt hint
  await run(graph, { tools: { add: { annotations: { readonlyHint: true }, run: () => 1 } } });
  // @ts-expect-error a misspelt key
  functions({ add: { descripton: "Adds.", run: () => 1 } });
  // @ts-expect-error no function
  await run(graph, { tools: { add: { input: PAIR } } });
}
