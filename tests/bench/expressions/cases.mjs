// Ten typical expressions, each in the language of every evaluator. All hold for all values of `record`.

/** Returns the value that a handler gives. Each differs, so no evaluator can keep a result. */
export const record = (at) => ({
  status: "open",
  n: 6 + (at % 50),
  limit: 6 + (at % 50),
  price: 12.5 + at,
  count: 10,
  tax: 1.5,
  name: `Ada ${at}`,
  mail: `ada${at}@example.org`,
  tags: ["cold", "new", "hot"],
  user: { address: { city: at % 2 ? "Paris" : "Rome" } },
  items: Array.from({ length: 8 }, (_, i) => ({ id: i, price: i * 3 + (at % 5), done: i % 2 === 0 })),
});

/** `cel` is the text for Stepgraph and cel-js, with `last` as its root. */
export const CASES = [
  {
    what: "a number",
    cel: "last.n > 5",
    zen: "last.n > 5",
    jsonata: "last.n > 5",
    jq: ".last.n > 5",
  },
  {
    what: "two comparisons",
    cel: 'last.status == "open" && last.n >= 3',
    zen: 'last.status == "open" and last.n >= 3',
    jsonata: 'last.status = "open" and last.n >= 3',
    jq: '.last.status == "open" and .last.n >= 3',
  },
  {
    what: "two values",
    cel: "last.n == last.limit",
    zen: "last.n == last.limit",
    jsonata: "last.n = last.limit",
    jq: ".last.n == .last.limit",
  },
  {
    what: "arithmetic",
    cel: "last.price * last.count + last.tax > 100.0",
    zen: "last.price * last.count + last.tax > 100",
    jsonata: "last.price * last.count + last.tax > 100",
    jq: ".last.price * .last.count + .last.tax > 100",
  },
  {
    what: "the length of a list",
    cel: "size(last.items) > 2",
    zen: "len(last.items) > 2",
    jsonata: "$count(last.items) > 2",
    jq: "(.last.items | length) > 2",
  },
  {
    what: "a member of a list",
    cel: '"hot" in last.tags',
    zen: '"hot" in last.tags',
    jsonata: '"hot" in last.tags',
    jq: '.last.tags | any(. == "hot")',
  },
  {
    what: "any element",
    cel: "last.items.exists(i, i.price > 20)",
    zen: "some(last.items, #.price > 20)",
    jsonata: "$count(last.items[price > 20]) > 0",
    jq: ".last.items | any(.price > 20)",
  },
  {
    what: "filter and map",
    cel: "size(last.items.filter(i, i.done).map(i, i.price)) == 4",
    zen: "len(map(filter(last.items, #.done), #.price)) == 4",
    jsonata: "$count(last.items[done].price) = 4",
    jq: "([.last.items[] | select(.done) | .price] | length) == 4",
  },
  {
    what: "text functions",
    cel: 'last.name.lowerAscii().startsWith("ada")',
    zen: 'startsWith(lower(last.name), "ada")',
    jsonata: '$substring($lowercase(last.name), 0, 3) = "ada"',
    jq: '.last.name | ascii_downcase | startswith("ada")',
  },
  {
    what: "a pattern",
    cel: 'last.mail.matches("^[a-z0-9]+@example")',
    zen: 'matches(last.mail, "^[a-z0-9]+@example")',
    jsonata: "$contains(last.mail, /^[a-z0-9]+@example/)",
    jq: '.last.mail | test("^[a-z0-9]+@example")',
  },
];
