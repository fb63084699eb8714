/** A model and tools for the chat that need no network. The model follows a script, one word at a time. */
import { setTimeout as sleep } from "node:timers/promises";

const ROOMS = [
  { room: "north", price: 90 },
  { room: "south", price: 70 },
];

/** Set `pace` to 0 to answer at once. */
export function scriptedModel({ pace = 40 } = {}) {
  return async ({ messages }, { signal, onDelta }) => {
    const { text, calls = [] } = replyTo(messages);
    for (const word of text.match(/\S+\s*/g)) {
      if (pace > 0) await sleep(pace, undefined, { signal });
      onDelta?.({ type: "text", text: word });
    }
    const tool_calls = calls.map((call, at) => ({ id: `call-${messages.length}-${at}`, ...call }));
    return { text, tool_calls, finish: calls.length > 0 ? "tool_calls" : "stop", usage: null };
  };
}

function replyTo(messages) {
  const { role, content, is_error: isError } = messages.at(-1);
  if (role !== "tool")
    return {
      text: "The south room costs 70 a night and faces the sun. The north room costs 90. I take the south room.",
      calls: [{ name: "book", arguments: { room: "south", nights: 2 } }],
    };
  if (isError) return { text: "All right, I did not book anything. Tell me what you would like instead." };
  return { text: `Your room is booked, number ${JSON.parse(content).number}. Have a good trip!` };
}

/** Tools in the form of a server. `book` costs money, so the run needs an approval. */
export function houseTools({ pace = 400 } = {}) {
  const noArguments = { type: "object", properties: {} };
  const booking = { type: "object", properties: { room: { type: "string" }, nights: { type: "integer" } } };
  const answers = {
    rooms: () => ROOMS,
    weather: () => ({ sky: "sunny", degrees: 21 }),
    book: ({ room }) => ({ number: `${room[0].toUpperCase()}-7` }),
  };
  return {
    name: "house",
    list: async () => [
      { name: "rooms", input_schema: noArguments, annotations: { readOnlyHint: true } },
      { name: "weather", input_schema: noArguments, annotations: { readOnlyHint: true } },
      { name: "book", description: "Books a room.", input_schema: booking, annotations: { destructiveHint: true } },
    ],
    call: async (name, args, { signal } = {}) => {
      await sleep(name === "weather" ? pace * 2 : pace, undefined, { signal });
      return { value: answers[name](args), isError: false };
    },
  };
}
