// The plan of the store's tests, and its handlers.

export const PLAN = `id: order
nodes:
  a: { type: own, input: "\${input}" }
  b: { type: own, input: "\${last}" }
  ask: { type: approve, input: "\${last}" }
  c: { type: own, input: "\${output.b}" }
edges:
  - { from: a, to: b }
  - { from: b, to: ask }
  - { from: ask, to: c }
`;

/** Each call adds one and tells its name. If `hangs`, that of `b` never ends. */
export const handlersOf = (tell, hangs = false) => ({
  own: ({ id, input }) => {
    tell(id);
    return hangs && id === "b" ? new Promise(() => setInterval(() => {}, 1000)) : input + 1;
  },
});
