/** The demo tools' descriptions in Spanish, by their English. Plans and models see only the English. */
import { lang } from "../connect/page-connections.js";

const SPANISH: Readonly<Record<string, string>> = {
  "The day on which the demonstration takes place.": "El día en que transcurre la demostración.",
  "The weather of a city: temperature in °C, sky and wind. Made up.":
    "El tiempo en una ciudad: temperatura en °C, cielo y viento. Los datos son inventados.",
  "Oslo, Madrid, London, Lima, Quito, Berlin, Tokyo, …": "Oslo, Madrid, Londres, Lima, Quito, Berlín, Tokio…",
  "The orders of a customer of the tea shop.": "Los pedidos de un cliente de la tienda de té.",
  "whose orders: ana@example.com, luis@example.com": "de quién son: ana@example.com, luis@example.com",
  "An order of the tea shop by its number.": "Un pedido de la tienda de té, por su número.",
  "A-1001 to A-1004": "de A-1001 a A-1004",
  "Finds what the tea shop sells.": "Busca entre lo que vende la tienda de té.",
  "words of its name": "palabras de su nombre",
  "the highest price": "el precio máximo",
  "Pays an order back, all of it or an amount. Here nobody is paid.":
    "Reembolsa un pedido, entero o en parte. Aquí no se paga nada a nadie.",
  "in euros, all of it if absent": "en euros; entero si falta",
  why: "el motivo",
  "The tickets of the shop's people, of one team or of all.": "Los tickets de la tienda, de un equipo o de todos.",
  "Opens a ticket for one of the teams.": "Abre un ticket para uno de los equipos.",
  "what it is about": "de qué trata",
  "who takes care of it": "quién se ocupa de ello",
  "Finds passages of the shop's help pages: returns, shipping, brewing, caffeine, care.":
    "Busca en las páginas de ayuda de la tienda: devoluciones, envíos, preparación, cafeína y cuidados.",
  "what to look for": "qué se busca",
  "The files there are, which live in this page.": "Los archivos que hay. Solo existen en esta página.",
  "notes/ or drafts/": "notes/ o drafts/",
  "The text of a file.": "El texto de un archivo.",
  "such as notes/monday.md": "por ejemplo, notes/monday.md",
  "Writes a file, in this page.": "Escribe un archivo, en esta página.",
  "such as reports/week.md": "por ejemplo, reports/week.md",
  "Deletes a file for good, in this page.": "Elimina un archivo definitivamente, en esta página.",
  "such as drafts/old-price-list.md": "por ejemplo, drafts/old-price-list.md",
  "Sends a message to a person or a team. Here it is kept in the page and goes nowhere.":
    "Envía un mensaje a una persona o a un equipo. Aquí no sale de la página.",
  "a name or an address": "un nombre o una dirección",
  "what to say": "lo que se quiere decir",
  "The rate of two currencies. It is often busy: the first two tries of a call fail.":
    "El tipo de cambio entre dos monedas. Suele estar saturado: los dos primeros intentos de cada llamada fallan.",
  "A report on the shop, which takes two seconds and tells how far it has come.":
    "Un informe sobre la tienda. Tarda dos segundos e indica cuánto lleva hecho.",
  "what about": "sobre qué",
  "Sends a fax. It always fails, to show what plans do then.":
    "Envía un fax. Siempre falla, para mostrar qué hacen entonces los planes.",
  "where to": "a qué número",
};

/** Texts of other servers stay as they are. */
export function demoText(text: string): string {
  return lang() === "es" ? (SPANISH[text] ?? text) : text;
}
