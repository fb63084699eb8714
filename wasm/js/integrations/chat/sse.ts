/** Server-sent events as an HTTP response. */
import type { ResponseOptions } from "./events.js";

export const RESPONSE = { status: "count", headers: "{}text" } as const;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  // Some proxies would collect events.
  "x-accel-buffering": "no",
};

/** Pulls only when its reader does, and closes when its reader leaves. */
export function readable<T>(items: AsyncIterableIterator<T>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await items.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await items.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** `last` follows the last item. */
export function eventResponse(
  items: AsyncIterableIterator<unknown>,
  { status = 200, headers = {} }: ResponseOptions,
  own: Record<string, string> = {},
  last = "",
): Response {
  const lines = eventLines(items, last);
  const encoder = new TextEncoder();
  const encoded: AsyncIterableIterator<Uint8Array> = {
    next: async () => {
      const { done, value } = await lines.next();
      return done === true ? { done, value: undefined } : { done: false, value: encoder.encode(value) };
    },
    return: async () => {
      await items.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return new Response(readable(encoded), { status, headers: { ...HEADERS, ...own, ...headers } });
}

async function* eventLines(items: AsyncIterable<unknown>, last: string): AsyncGenerator<string> {
  try {
    for await (const item of items) yield `data: ${JSON.stringify(item)}\n\n`;
  } catch {
    // The items and the rejected report tell the error.
  }
  if (last !== "") yield `data: ${last}\n\n`;
}
