/** Messages about connections with servers and models. Spanish by English. */
import type { Translations } from "./template.js";

export const wires: Translations = {
  // Any server. The first name is its address.
  "`{}` did not answer in time": "`{1}` no respondió a tiempo",
  "`{}` could not be reached: {message}": "no se pudo conectar con `{1}`: {2}",
  "`{}` could not be reached: {}": "no se pudo conectar con `{1}`: {2}",
  "`{}` could not be reached: {}; if it runs, it has to allow this page's origin and the headers {}":
    "no se pudo conectar con `{1}`: {2}. Si funciona, tiene que permitir el origen de esta página y las cabeceras {3}",
  "the server redirects to another address; use that one": "el servidor redirige a otra dirección. Use esa",
  "`{}` answered with more than {n} bytes": "`{1}` respondió con más de {2} bytes",
  "`{}` refused the key, or requires one (status {n})": "`{1}` rechazó la clave, o la exige (estado {2})",
  "`{}` answered with error {}: {}": "`{1}` respondió con el error {2}: {3}",
  "`{}` answered with status {n}": "`{1}` respondió con el estado {2}",
  "`{}` answered with status {n}: {}": "`{1}` respondió con el estado {2}: {3}",
  "`{}` sent an empty answer": "`{1}` envió una respuesta vacía",
  "the time is up": "se acabó el tiempo",
  // Servers of MCP.
  "`{}` answered with something that is not the protocol's: {}":
    "`{1}` respondió con algo que no es del protocolo: {2}",
  "`{}` ended its stream before the answer": "`{1}` terminó su flujo antes de la respuesta",
  "`{}` forgot the session before the answer": "`{1}` olvidó la sesión antes de la respuesta",
  "`{}` dropped the session, and also the session that replaced it":
    "`{1}` cerró la sesión, y también la que la sustituyó",
  "`{}` answered badly: {message}": "la respuesta de `{1}` no es válida: {2}",
  "`{}` answered badly: {}": "la respuesta de `{1}` no es válida: {2}",
  "`{}` lists `{}`, which can't be called: {message}": "`{1}` anuncia `{2}`, a la que no se puede llamar: {3}",
  "`{}` lists `{}`, which can't be called: {}": "`{1}` anuncia `{2}`, a la que no se puede llamar: {3}",
  "`{}` lists what it has as no map": "la lista de lo que `{1}` ofrece no es un objeto",
  "`{}` lists what it has on more than {n} pages": "la lista de lo que `{1}` ofrece tiene más de {2} páginas",
  "`{}` lists what it has in more than {n} bytes": "la lista de lo que `{1}` ofrece ocupa más de {2} bytes",
  "`{}` lists what it has in a circle": "la lista de lo que `{1}` ofrece no termina nunca",
  "`{}` requires `{}` of the client, which this client does not support":
    "`{1}` exige `{2}` del cliente, y este cliente no lo admite",
  "`{}` supports no revision of the protocol that this client supports: {}":
    "`{1}` no admite ninguna versión del protocolo que admita este cliente: {2}",
  "`{}` uses revision `{}` of the protocol, which this client does not support":
    "`{1}` usa la versión `{2}` del protocolo, que este cliente no admite",
  "the list of tools contains no `{}`": "la lista de herramientas no contiene `{1}`",
  "the list of tools contains one without a name": "la lista de herramientas contiene una sin nombre",
  "the result is of the unknown type `{}`": "el resultado es del tipo desconocido `{1}`",
  "`{}` in the result of the tool is neither true nor false":
    "`{1}` no es ni true ni false en el resultado de la herramienta",
  "the result of the tool contains no `{}`": "el resultado de la herramienta no contiene `{1}`",
  "a part of the tool's `{}` has no `{}`": "una parte de `{1}` de la herramienta no tiene `{2}`",
  "the server asks for input again and again": "el servidor pide datos una y otra vez",
  "the server asks for input, but sends no request": "el servidor pide datos, pero no envía ninguna petición",
  "the server asks for input, and this client can't provide it":
    "el servidor pide datos, y este cliente no puede darlos",
  "the server asks for input, and this client can't provide it: {}":
    "el servidor pide datos, y este cliente no puede darlos: {1}",
  "the server asks more than {n} things at once": "el servidor pregunta más de {1} cosas a la vez",
  "the server's question was not answered: {message}": "no se respondió a la pregunta del servidor: {1}",
  "the server's question was not answered: {}": "no se respondió a la pregunta del servidor: {1}",
  "no reason given": "sin motivo",
  "`{}` occurs twice": "`{1}` aparece dos veces",
  "`{}` is not on a property that every call can have":
    "`{1}` no está en una propiedad que pueda tener cualquier llamada",
  "`{}` is on a property that is no string, integer or boolean":
    "`{1}` está en una propiedad que no es de tipo string, integer o boolean",
  // Signing in.
  "`{}` names no authorization server": "`{1}` no indica ningún servidor de autorización",
  "`{}` requires a key, and names no authorization server":
    "`{1}` exige una clave, y no indica ningún servidor de autorización",
  "`{}` does not register this client": "`{1}` no registra a este cliente",
  "`{}` does not support dynamic registration: register a client there, and pass its `{}`":
    "`{1}` no admite el registro dinámico: registre allí un cliente y dé su `{2}`",
  "`{}` describes itself as `{}`, which is another server": "`{1}` dice ser `{2}`, que es otro servidor",
  "`{}` describes itself as `{}`, which differs from the requested `{}`":
    "`{1}` dice ser `{2}`, que no es el solicitado, `{3}`",
  "`{}` accepts no tokens of the authorization server that this client is registered with":
    "`{1}` no acepta tokens del servidor de autorización en el que está registrado este cliente",
  "`{}` issues tokens over a connection that is not encrypted": "`{1}` emite tokens por una conexión sin cifrar",
  "`{}` now requires a key from `{}`, while the client is registered with `{}`":
    "`{1}` exige ahora una clave de `{2}`, pero el cliente está registrado en `{3}`",
  "`{}` is named as the authorization server, but does not describe itself as one":
    "`{1}` figura como servidor de autorización, pero no se describe como tal",
  "`{}` refuses the key that was just issued for it": "`{1}` rechaza la clave que se acaba de emitir",
  "`{}` has no `{}` that can be trusted with a key": "`{1}` no tiene ninguna `{2}` a la que se pueda confiar una clave",
  "`{}` does not support PKCE with S256, without which a code can be stolen":
    "`{1}` no admite PKCE con S256, y sin él se puede robar un código",
  "`{}` was asked, but the answer came from `{}`": "se preguntó a `{1}`, pero respondió `{2}`",
  "`{}` announces an issuer in its answers, but the answer has none":
    "`{1}` anuncia un emisor en sus respuestas, pero la respuesta no lo tiene",
  "`{}` sent an answer to another request: its `{}` differs":
    "`{1}` envió la respuesta a otra petición: su `{2}` es distinto",
  "`{}` denied access: {}": "`{1}` denegó el acceso: {2}",
  "`{}` issued no token": "`{1}` no emitió ningún token",
  "`{}` issued no token (status {n})": "`{1}` no emitió ningún token (estado {2})",
  "`{}` issued no token (status {n}) {}": "`{1}` no emitió ningún token (estado {2}): {3}",
  "`{}` does not register this client (status {n})": "`{1}` no registra a este cliente (estado {2})",
  "`{}` does not register this client (status {n}) {}": "`{1}` no registra a este cliente (estado {2}): {3}",
  "`{}` issues tokens of an unsupported type (only `{}` is supported)":
    "`{1}` emite tokens de un tipo que no se admite (solo se admite `{2}`)",
  "`{}` requires a key for `{}`, and refuses the one that was issued for it":
    "`{1}` exige una clave para `{2}`, y rechaza la que se emitió para él",
  "the browser did not open the window": "el navegador no abrió la ventana",
  "the window was closed": "la ventana se cerró",
  // Models.
  "`{}` broke off its answer": "`{1}` interrumpió su respuesta",
  "`{}` answered with something else: {}": "`{1}` respondió con otra cosa: {2}",
  "`{}` answered with more parts than any answer has":
    "`{1}` respondió con más partes de las que puede tener una respuesta",
  "this browser brings no language model along": "este navegador no incluye ningún modelo de lenguaje",
  "the browser's language model is not available on this device":
    "el modelo de lenguaje del navegador no está disponible en este dispositivo",
  "the browser's language model failed: {}": "el modelo de lenguaje del navegador ha fallado: {1}",
};
