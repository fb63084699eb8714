/** The tools of the engine's profile, with schemas as real servers have them. */

const RESULTS = { price: { price: 4 }, find: { found: [{ name: "tea", price: 3.5 }, { name: "jam" }], total: 2 } };

export const client = {
  name: "shop",
  list: async () => [
    {
      name: "price",
      annotations: { readOnlyHint: true },
      description: "The price of an item",
      input_schema: {
        type: "object",
        properties: { item: { type: "string", minLength: 1 }, n: { type: "integer" } },
        required: ["item"],
        additionalProperties: false,
      },
      output_schema: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
    },
    {
      name: "find",
      title: "Find",
      annotations: { title: "Find", readOnlyHint: true, openWorldHint: false, idempotentHint: true },
      input_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          text: { type: "string", description: "what to find", minLength: 1, maxLength: 80 },
          kind: { type: "string", enum: ["tea", "jam"] },
          limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
          tags: { type: "array", items: { type: "string" }, default: [] },
          exact: { type: "boolean", default: false },
          of: { type: ["string", "null"] },
          range: { type: "object", properties: { from: { type: "number" } }, additionalProperties: false },
        },
        required: ["text"],
        additionalProperties: false,
      },
      output_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          found: {
            type: "array",
            items: {
              type: "object",
              properties: { name: { type: "string" }, price: { type: "number", minimum: 0 } },
              required: ["name"],
            },
          },
          total: { type: "integer" },
        },
        required: ["found"],
        additionalProperties: false,
      },
    },
    {
      name: "echo",
      annotations: { readOnlyHint: true },
      input_schema: { type: "object", properties: { message: { type: "string" } } },
    },
  ],
  call: async (name) => ({ value: RESULTS[name] ?? "hm", isError: false }),
};

/** As a client of an MCP server lists them. */
export const asServer = {
  ...client,
  name: "127.0.0.1:80",
  list: async () =>
    (await client.list()).map((tool) => ({ description: null, output_schema: null, server: "shop", ...tool })),
};
