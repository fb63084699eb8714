/** Data of the demo tools. Codes such as `shipped` are the same in both languages, because plans compare them. */
import { normalize } from "../../../wasm/js/request-review/normalize.js";

export type Lang = "en" | "es";

export type LocalizedText = readonly [en: string, es: string];

export function localize([en, es]: LocalizedText, lang: Lang): string {
  return lang === "es" ? es : en;
}

export const TODAY = "2026-03-02";
export const WEEKDAY: LocalizedText = ["Monday", "lunes"];

interface Station {
  city: LocalizedText;
  alias?: string;
  temperature: number;
  sky: LocalizedText;
  wind_kmh: number;
}

/** Keyed by the city's names in both languages. */
export const STATIONS: readonly Station[] = [
  { city: ["Oslo", "Oslo"], temperature: -4, sky: ["snow", "nieve"], wind_kmh: 18 },
  { city: ["Madrid", "Madrid"], temperature: 17, sky: ["sunny", "soleado"], wind_kmh: 9 },
  { city: ["London", "Londres"], temperature: 9, sky: ["rain", "lluvia"], wind_kmh: 24 },
  { city: ["Lima", "Lima"], temperature: 24, sky: ["cloudy", "nublado"], wind_kmh: 12 },
  { city: ["Buenos Aires", "Buenos Aires"], temperature: 27, sky: ["thunderstorm", "tormenta"], wind_kmh: 31 },
  { city: ["Quito", "Quito"], temperature: 15, sky: ["rain", "lluvia"], wind_kmh: 7 },
  {
    city: ["Mexico City", "Ciudad de México"],
    alias: "méxico",
    temperature: 22,
    sky: ["sunny", "soleado"],
    wind_kmh: 10,
  },
  { city: ["Berlin", "Berlín"], temperature: 3, sky: ["cloudy", "nublado"], wind_kmh: 15 },
  { city: ["New York", "Nueva York"], temperature: 1, sky: ["snow", "nieve"], wind_kmh: 28 },
  { city: ["Tokyo", "Tokio"], temperature: 11, sky: ["sunny", "soleado"], wind_kmh: 13 },
];

export function findStation(city: string): Station | undefined {
  const searched = normalize(city);
  return STATIONS.find(({ city: names, alias }) =>
    [...names, alias ?? ""].some((name) => name !== "" && normalize(name) === searched),
  );
}

interface Product {
  sku: string;
  name: LocalizedText;
  price: number;
  stock: number;
  about: LocalizedText;
}

export const PRODUCTS: readonly Product[] = [
  {
    sku: "tea-green",
    name: ["green tea", "té verde"],
    price: 4.5,
    stock: 120,
    about: ["100 g, first harvest", "100 g, primera cosecha"],
  },
  {
    sku: "tea-mint",
    name: ["mint tea", "té de menta"],
    price: 3.9,
    stock: 64,
    about: ["20 bags, no caffeine", "20 bolsitas, sin cafeína"],
  },
  {
    sku: "cup",
    name: ["stoneware cup", "taza de gres"],
    price: 12,
    stock: 8,
    about: ["0.3 l, dishwasher safe", "0,3 l, apta para lavavajillas"],
  },
  { sku: "pot", name: ["teapot", "tetera"], price: 34, stock: 3, about: ["cast iron, 0.8 l", "hierro fundido, 0,8 l"] },
  {
    sku: "kettle",
    name: ["kettle", "hervidor"],
    price: 49.9,
    stock: 0,
    about: ["1.5 l, keeps 80 °C", "1,5 l, mantiene 80 °C"],
  },
  {
    sku: "filter",
    name: ["tea filter", "filtro de té"],
    price: 6.2,
    stock: 41,
    about: ["steel, fits every cup", "acero, para cualquier taza"],
  },
];

export type OrderStatus = "processing" | "shipped" | "delivered" | "lost" | "refunded";

export interface Order {
  order_id: string;
  user_email: string;
  status: OrderStatus;
  skus: string[];
  total: number;
  ordered: string;
  eta: string | null;
}

export const ORDERS: readonly Order[] = [
  {
    order_id: "A-1001",
    user_email: "ana@example.com",
    status: "shipped",
    skus: ["tea-green", "cup"],
    total: 16.5,
    ordered: "2026-02-26",
    eta: "2026-03-04",
  },
  {
    order_id: "A-1002",
    user_email: "ana@example.com",
    status: "delivered",
    skus: ["filter"],
    total: 6.2,
    ordered: "2026-02-11",
    eta: null,
  },
  {
    order_id: "A-1003",
    user_email: "luis@example.com",
    status: "lost",
    skus: ["pot"],
    total: 34,
    ordered: "2026-02-09",
    eta: null,
  },
  {
    order_id: "A-1004",
    user_email: "luis@example.com",
    status: "processing",
    skus: ["kettle", "tea-mint"],
    total: 53.8,
    ordered: "2026-03-01",
    eta: "2026-03-09",
  },
];

export type Team = "support" | "shipping" | "accounting" | "engineering";

export interface Ticket {
  ticket_id: string;
  title: string;
  team: Team;
  priority: "low" | "normal" | "high";
  status: "open" | "closed";
}

export const TICKETS: readonly (Omit<Ticket, "title"> & { title: LocalizedText })[] = [
  {
    ticket_id: "T-501",
    title: ["The export is empty in version 3", "La exportación sale vacía en la versión 3"],
    team: "engineering",
    priority: "high",
    status: "open",
  },
  {
    ticket_id: "T-502",
    title: ["Parcel lost between Lyon and Turin", "Paquete perdido entre Lyon y Turín"],
    team: "shipping",
    priority: "high",
    status: "open",
  },
  {
    ticket_id: "T-503",
    title: ["How do I change my address?", "¿Cómo cambio mi dirección?"],
    team: "support",
    priority: "low",
    status: "open",
  },
  {
    ticket_id: "T-504",
    title: ["Invoice without tax number", "Factura sin número fiscal"],
    team: "accounting",
    priority: "normal",
    status: "open",
  },
];

interface Page {
  document: string;
  text: LocalizedText;
  about: LocalizedText;
}

/** `about` contains search terms. */
export const PAGES: readonly Page[] = [
  {
    document: "returns.md",
    about: ["return refund money back policy", "devolucion devolver reembolso dinero politica"],
    text: [
      "You may send anything back within 30 days; the money is returned within five working days after it has arrived.",
      "Puede devolver cualquier artículo en 30 días; el dinero se reembolsa en los cinco días hábiles siguientes a su llegada.",
    ],
  },
  {
    document: "shipping.md",
    about: ["shipping delivery parcel days order late", "envio entrega paquete dias pedido tarde"],
    text: [
      "Parcels take two to five working days. One that has not moved for ten days counts as lost and is refunded.",
      "Los paquetes tardan de dos a cinco días hábiles. Si uno no se mueve en diez días se da por perdido y se reembolsa.",
    ],
  },
  {
    document: "lost-parcels.md",
    about: ["lost parcel refund claim", "perdido paquete reembolso reclamar"],
    text: [
      "A lost parcel is refunded in full. Amounts over 20 euros are approved by a person.",
      "Un paquete perdido se reembolsa por completo. Los importes de más de 20 euros los aprueba una persona.",
    ],
  },
  {
    document: "brewing.md",
    about: ["brew tea temperature water green mint minutes", "preparar te temperatura agua verde menta minutos"],
    text: [
      "Green tea wants water of 75 to 80 °C and two minutes; mint tea boiling water and eight.",
      "El té verde pide agua a 75–80 °C y dos minutos; el de menta, agua hirviendo y ocho.",
    ],
  },
  {
    document: "caffeine.md",
    about: ["caffeine sleep evening mint green", "cafeina dormir noche menta verde"],
    text: [
      "A cup of green tea has about 30 mg of caffeine, mint tea none: it is the one for the evening.",
      "Una taza de té verde tiene unos 30 mg de cafeína; la menta no tiene: es la de la noche.",
    ],
  },
  {
    document: "care.md",
    about: ["cup pot iron wash clean care", "taza tetera hierro lavar limpiar cuidado"],
    text: [
      "Rinse a cast-iron pot with water only and let it dry open; cups may go into the dishwasher.",
      "Enjuague la tetera de hierro solo con agua y déjela secar abierta; las tazas pueden ir al lavavajillas.",
    ],
  },
];

export const FILES: Readonly<Record<string, LocalizedText>> = {
  "notes/monday.md": [
    "# Monday\n\n- The kettle is sold out until 9 March.\n- Two parcels to Turin are late.\n- Ask accounting about invoice 88.\n",
    "# Lunes\n\n- El hervidor está agotado hasta el 9 de marzo.\n- Dos paquetes a Turín llegan tarde.\n- Preguntar a contabilidad por la factura 88.\n",
  ],
  "notes/tuesday.md": [
    "# Tuesday\n\n- Mint tea is selling twice as fast as usual.\n",
    "# Martes\n\n- El té de menta se vende el doble que de costumbre.\n",
  ],
  "drafts/old-price-list.md": ["# Prices 2024\n\nNo longer in use.\n", "# Precios 2024\n\nYa no se usa.\n"],
};
