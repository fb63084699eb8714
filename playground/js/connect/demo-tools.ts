/**
 * The server `demo`: tools in the page, without network or key.
 *
 * All data stays in the page, and changes last as long as the object. Invariant: equal call sequences return equal
 * results.
 */
import type { CallOptions, ToolClient, ToolInfo, ToolResult } from "stepgraph/web";
import {
  FILES,
  ORDERS,
  PAGES,
  PRODUCTS,
  findStation,
  STATIONS,
  TICKETS,
  TODAY,
  WEEKDAY,
  localize,
} from "./demo-data.js";
import { normalize } from "../../../wasm/js/request-review/normalize.js";
import type { Lang, Order, Team, Ticket, LocalizedText } from "./demo-data.js";
import { DEMO_TOOLS } from "./demo-tool-list.js";

export interface DemoOptions {
  /** Read at each call. */
  lang?: () => Lang;
  /** A factor for delays, which show the active tool. 0: none. */
  pace?: number;
}

interface DemoState {
  orders: Map<string, Order>;
  tickets: Map<string, Ticket>;
  files: Map<string, string>;
  sent: { to: string; text: string }[];
}

/** Arguments are already validated. */
type ToolHandler = (args: never, lang: Lang, state: DemoState, options: CallOptions) => unknown;

/** The model sees it. */
class ToolError extends Error {}

class CallFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const SLOW_MS = 2000;
const CALL_MS = 250;

export class DemoTools implements ToolClient {
  readonly name = "demo";
  readonly #lang: () => Lang;
  readonly #pace: number;
  #state: DemoState | null = null;

  constructor({ lang = () => "en", pace = 1 }: DemoOptions = {}) {
    this.#lang = lang;
    this.#pace = pace;
  }

  list(): Promise<ToolInfo[]> {
    return Promise.resolve(structuredClone(DEMO_TOOLS) as ToolInfo[]);
  }

  async call(name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<ToolResult> {
    const work = HANDLERS[name];
    if (work === undefined) throw new CallFailure("tool/unknown", `the demonstration has no tool \`${name}\``);
    this.#state ??= initialState(this.#lang());
    if (name === "slow_report") await this.#report(options);
    else await wait(CALL_MS * this.#pace, options.signal);
    try {
      return { value: work(args as never, this.#lang(), this.#state, options), isError: false };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return { value: null, isError: true, message: error.message };
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** "Sent" messages. They never left the page. */
  get sentMessages(): readonly { to: string; text: string }[] {
    return this.#state?.sent ?? [];
  }

  async #report({ signal, onProgress }: CallOptions): Promise<void> {
    for (let progress = 1; progress <= 4; progress++) {
      await wait((SLOW_MS / 4) * this.#pace, signal);
      onProgress?.({ progress, total: 4 });
    }
  }
}

function initialState(lang: Lang): DemoState {
  return {
    orders: new Map(ORDERS.map((order) => [order.order_id, { ...order }])),
    tickets: new Map(TICKETS.map((ticket) => [ticket.ticket_id, { ...ticket, title: localize(ticket.title, lang) }])),
    files: new Map(Object.entries(FILES).map(([path, text]) => [path, localize(text, lang)])),
    sent: [],
  };
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => (clearTimeout(timer), reject(signal?.reason as Error));
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

function failTool(lang: Lang, ...message: LocalizedText): never {
  throw new ToolError(localize(message, lang));
}

/** Omits the owner and adds product names. */
function publicOrder({ skus, user_email: _, ...order }: Order, lang: Lang): unknown {
  const items = skus.map((sku) => localize(PRODUCTS.find((product) => product.sku === sku)!.name, lang));
  return { ...order, items };
}

function findOrder(state: DemoState, id: string, lang: Lang): Order {
  return state.orders.get(id.toUpperCase()) ?? failTool(lang, `there is no order ${id}`, `no hay ningún pedido ${id}`);
}

/** Returns pages that share words with the query, best first. */
function search(query: string, limit: number, lang: Lang): unknown {
  const searched = normalize(query)
    .split(/[^\p{L}\d]+/u)
    .filter((one) => one.length > 2)
    .map((one) => one.slice(0, 4));
  const hits = PAGES.map(({ document, about, text }) => {
    const known = [...about, ...text]
      .flatMap((one) => normalize(one).split(/[^\p{L}\d]+/u))
      .map((one) => one.slice(0, 4));
    const count = searched.filter((one) => known.includes(one)).length;
    return {
      document,
      score: Math.round((100 * count) / Math.max(1, searched.length)) / 100,
      text: localize(text, lang),
    };
  });
  const found = hits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
  return { passages: found };
}

const HANDLERS: Readonly<Record<string, ToolHandler>> = {
  today: (_, lang) => ({ date: TODAY, weekday: localize(WEEKDAY, lang) }),
  weather: ({ city }: Record<string, string>, lang) => {
    const station =
      findStation(city!) ??
      failTool(lang, `there is no weather station in ${city}`, `no hay estación meteorológica en ${city}`);
    return {
      city: localize(station.city, lang),
      temperature: station.temperature,
      conditions: localize(station.sky, lang),
      wind_kmh: station.wind_kmh,
    };
  },
  find_orders: ({ user_email, status }: Record<string, string>, lang, { orders }) => {
    const mine = [...orders.values()].filter(
      (order) => order.user_email === user_email && (status === undefined || order.status === status),
    );
    return { orders: mine.map((order) => publicOrder(order, lang)) };
  },
  get_order: ({ order_id }: Record<string, string>, lang, state) =>
    publicOrder(findOrder(state, order_id!, lang), lang),
  refund_order: ({ order_id, amount, reason }: { order_id: string; amount?: number; reason?: string }, lang, state) => {
    const order = findOrder(state, order_id, lang);
    if (order.status === "refunded")
      failTool(lang, `order ${order_id} has been refunded already`, `el pedido ${order_id} ya está reembolsado`);
    order.status = "refunded";
    return {
      refund_id: `R-${order.order_id.slice(2)}`,
      order_id: order.order_id,
      amount: amount ?? order.total,
      reason: reason ?? "",
    };
  },
  search_products: (
    { query, max_price = Infinity, limit = 5 }: { query: string; max_price?: number; limit?: number },
    lang,
  ) => {
    const searched = normalize(query)
      .split(/[^\p{L}\d]+/u)
      .filter((one) => one.length > 1)
      .map((one) => one.replace(/(es|s)$/, ""));
    const text = ({ sku, name, about }: (typeof PRODUCTS)[number]) => normalize([sku, ...name, ...about].join(" "));
    const hits = PRODUCTS.filter(
      (product) => product.price <= max_price && searched.some((one) => text(product).includes(one)),
    );
    return {
      products: hits.slice(0, limit).map(({ sku, name, price, stock, about }) => ({
        sku,
        name: localize(name, lang),
        price,
        stock,
        about: localize(about, lang),
      })),
    };
  },
  list_tickets: ({ team }: Record<string, string>, _, { tickets }) => ({
    tickets: [...tickets.values()].filter((one) => team === undefined || one.team === team),
  }),
  create_ticket: (
    { title, team, priority = "normal" }: { title: string; team: Team; priority?: Ticket["priority"] },
    _,
    { tickets },
  ) => {
    const ticket: Ticket = { ticket_id: `T-${501 + tickets.size}`, title, team, priority, status: "open" };
    tickets.set(ticket.ticket_id, ticket);
    return { ...ticket };
  },
  search_docs: ({ query, limit = 3 }: { query: string; limit?: number }, lang) => search(query, limit, lang),
  list_files: ({ folder = "" }: Record<string, string>, _, { files }) => ({
    files: [...files.keys()].filter((path) => path.startsWith(folder)).sort(),
  }),
  read_file: ({ path }: Record<string, string>, lang, { files }) => ({
    path,
    text: files.get(path!) ?? failTool(lang, `there is no file ${path}`, `no existe el archivo ${path}`),
  }),
  write_file: ({ path, text }: Record<string, string>, _, { files }) => (
    files.set(path!, text!), { path, bytes: new TextEncoder().encode(text).length }
  ),
  delete_file: ({ path }: Record<string, string>, lang, { files }) =>
    files.delete(path!)
      ? { deleted: path }
      : failTool(lang, `there is no file ${path}`, `no existe el archivo ${path}`),
  send_message: ({ to, text }: Record<string, string>, _, { sent }) => (
    sent.push({ to: to!, text: text! }), { to, kept: "in the page", number: sent.length }
  ),
  exchange_rate: ({ from, to }: Record<string, string>, lang, _, { call = "" }) => {
    // The first two attempts fail. The call id contains the attempt.
    const attempt = Number(/:(\d+)(?:\/|$)/.exec(call.split("/").at(-1) ?? "")?.[1] ?? 3);
    if (/:\d+:\d+$/.test(call) && attempt < 3)
      throw new CallFailure(
        "tool/busy",
        localize(["the exchange is busy, try again", "la bolsa está ocupada, inténtelo de nuevo"], lang),
      );
    const rate =
      RATES[`${from}${to}`] ??
      failTool(lang, `${from} is not exchanged for ${to} here`, `aquí no se cambia ${from} por ${to}`);
    return { from, to, rate };
  },
  slow_report: ({ topic }: Record<string, string>, lang) => ({
    topic,
    orders: ORDERS.length,
    text: localize(
      [
        `Report on ${topic}: four orders in two weeks, one of them lost.`,
        `Informe sobre ${topic}: cuatro pedidos en dos semanas, uno de ellos perdido.`,
      ],
      lang,
    ),
  }),
  send_fax: (_, lang) =>
    failTool(lang, "the fax machine is out of paper, as always", "el fax no tiene papel, como siempre"),
};

const RATES: Readonly<Record<string, number>> = {
  EURUSD: 1.08,
  USDEUR: 0.93,
  EURGBP: 0.85,
  GBPEUR: 1.18,
  EURMXN: 20.1,
  MXNEUR: 0.05,
};

export function cityNames(lang: Lang): string[] {
  return STATIONS.map(({ city }) => localize(city, lang));
}
