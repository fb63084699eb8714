/** Code that uses the declarations in `plans`, and code that the compiler must reject. */
import { check, PlanGraph, review, run } from "stepgraph";
import type { Handler, Report, RunOptions, RunStream, Snapshot, Stubs, ToolClient, TraceEvent } from "stepgraph";
import open from "./plans/open.yaml";
import order from "./plans/order.yaml";
import type { Types } from "./plans/order.yaml";

/** Whether two types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const proved = <_T extends true>(): void => {};

export const parts = {
  price: ((node) => ({ price: node.visit })) satisfies Handler,
  fast: () => "a model",
};

export async function complete(tools: ToolClient[]): Promise<number> {
  const report = await run(order, {
    input: { item: "tea", count: 2 },
    handlers: { price: parts.price, order: (node, state) => [node.id, state.last] },
    models: { fast: parts.fast, default: parts.fast },
    tools,
    allow: ["find_stock"],
    onEvent: (event) => void event.type,
  });
  proved<Same<typeof report, Report<Types>>>();
  proved<Same<typeof report.outputs.rate, { stars: 1 | 2 | 3 } | undefined>>();
  proved<Same<typeof report.outputs.word, string | undefined>>();
  proved<Same<typeof report.outputs.buy, unknown>>();
  return report.outputs.stock?.left ?? 0;
}

/** Another declaration would accept these. */
export async function rejected(): Promise<void> {
  const handlers = { price: parts.price, order: parts.price };
  // @ts-expect-error the input is missing
  await run(order, { handlers });
  // @ts-expect-error the options are missing
  await run(order);
  // @ts-expect-error the item is no number
  await run(order, { input: { item: 1 }, handlers });
  // @ts-expect-error the plan has no input `itme`
  await run(order, { input: { item: "tea", itme: "tea" }, handlers });
  // @ts-expect-error a handler is missing
  await run(order, { input: { item: "tea" }, handlers: { price: parts.price } });
  // @ts-expect-error the plan has no type `pricing`
  await run(order, { input: { item: "tea" }, handlers: { ...handlers, pricing: parts.price } });
  // @ts-expect-error the plan names no model `slow`
  await run(order, { input: { item: "tea" }, handlers, models: { slow: parts.fast } });
  // @ts-expect-error the plan calls no tool `find_stocks`
  await run(order, { input: { item: "tea" }, handlers, allow: ["find_stocks"] });
  // @ts-expect-error the node has no handler
  await run(order, { input: { item: "tea" }, handlers, byId: { word: parts.price } });
  const report = await run(order, { input: { item: "tea" }, handlers });
  // @ts-expect-error the tool gives no such value
  void report.outputs.stock?.right;
  // @ts-expect-error a declared plan is not one of another declaration
  const other: typeof order = open;
  void other;
}

/** Stubs, stored runs and handlers of nodes replace the plan's needs. */
export async function replaced(stubs: Stubs, snapshot: Snapshot, tape: string): Promise<void> {
  const report = await run(order, { stubs });
  proved<Same<typeof report, Report<Types>>>();
  await run(order, { snapshot, handlers: { price: parts.price, order: parts.price } });
  await run(order, { replay: tape });
  await run(order, { input: { item: "tea" }, byId: { price: (node) => node.id, buy: parts.price } });
  // @ts-expect-error the plan has no type `pricing`
  await run(order, { stubs, handlers: { pricing: parts.price } });
}

export async function streamed(stubs: Stubs): Promise<void> {
  const handlers = { price: parts.price, order: parts.price };
  const events = run.stream(order, { input: { item: "tea" }, handlers });
  proved<Same<typeof events, RunStream<TraceEvent, Types>>>();
  const watched = run.stream(order, { stubs, updates: true });
  for await (const event of watched) if (event.type === "model-delta") void event.delta;
  void (await watched.report).outputs.stock?.left;
  // @ts-expect-error the input is missing
  run.stream(order, { handlers });
}

/** Needs nothing, or reads the file itself. */
export async function loaded(text: string): Promise<void> {
  const greeting = await run(open);
  proved<Same<typeof greeting.outputs.greet, string | undefined>>();
  await run(open, { input: {} });
  await run.stream(open).report;
  const graph = PlanGraph.load<Types>(text);
  void (await run(graph, { stubs: {} })).outputs.stock?.left;
  const later = await PlanGraph.load<Types>(text, { read: () => null });
  // @ts-expect-error the input is missing
  await run(later, {});
}

/** Plans without a declaration take any options. */
export async function undeclared(graph: PlanGraph, options: RunOptions): Promise<void> {
  check(order);
  review(order);
  const plain: PlanGraph = order;
  const report = await run(plain, options);
  proved<Same<typeof report, Report>>();
  await run(graph, { handlers: { any: (node) => node.id }, allow: ["any"], byId: { any: parts.price } });
  await run(graph);
}
