/** What the check of a connection finds. Spanish by English. */
import type { Translations } from "./template.js";

export const findings: Translations = {
  "`{}` answers as it should": "`{1}` responde como debe",
  "try again; if it still fails, the fault is not in the connection":
    "inténtelo otra vez. Si sigue fallando, la causa no está en la conexión",
  "`{}` is no address that can be asked": "`{1}` no es una dirección a la que se pueda preguntar",
  "write it like `{}`": "escríbala como `{1}`",
  "no server answers at `{}`": "ningún servidor responde en `{1}`",
  "start the server there, or correct host and port": "inicie allí el servidor o corrija el host y el puerto",
  "there is no host of the name in `{}`": "no existe ningún host con el nombre de `{1}`",
  "correct the name, or ask from a network that knows it": "corrija el nombre o use una red que lo conozca",
  "`{}` accepts the request but does not answer": "`{1}` acepta la petición, pero no responde",
  "look at the server's log; if it is only slow, allow it more time with `{}`":
    "mire el registro del servidor. Si solo es lento, dele más tiempo con `{1}`",
  "the encrypted connection to `{}` fails: {}": "la conexión cifrada con `{1}` falla: {2}",
  "use a certificate that this host trusts, or write `{}` if it has none":
    "use un certificado en el que confíe este host, o escriba `{1}` si no tiene ninguno",
  "`{}` can't be reached: {}": "no se puede conectar con `{1}`: {2}",
  "check host, port and network": "revise el host, el puerto y la red",
  "`{}` can't be reached: no server listens there, or its certificate is not trusted":
    "no se puede conectar con `{1}`: allí no hay ningún servidor o no se confía en su certificado",
  "open the address in a new tab: the browser shows the reason":
    "abra la dirección en una pestaña nueva: el navegador muestra el motivo",
  "a page of `{}` may not talk to `{}`, which is not encrypted":
    "una página de `{1}` no puede comunicarse con `{2}`, que no está cifrado",
  "serve the server over `{}`": "ofrezca el servidor por `{1}`",
  "the browser keeps this page from the local network, where `{}` is":
    "el navegador no deja que esta página acceda a la red local, donde está `{1}`",
  "allow the page to access the local network in the browser's settings for this site, or open a copy of the page from this machine":
    "permita a la página acceder a la red local en los ajustes del navegador, o abra una copia de la página en este equipo",
  "`{}` answers, but lets no page of `{}` read its answers":
    "`{1}` responde, pero no deja que las páginas de `{2}` lean sus respuestas",
  "have the server send `{}` with every answer, also with refusals: without it a missing key looks the same":
    "haga que el servidor envíe `{1}` con cada respuesta, también si rechaza: sin eso, una clave que falta se ve igual",
  "`{}` does not answer the question that browsers ask before a request (`{}`)":
    "`{1}` no responde a la pregunta que los navegadores hacen antes de una petición (`{2}`)",
  "have the server answer `{}` with status 204 and `{}`, `{}`, `{}`":
    "haga que el servidor responda a `{1}` con el estado 204 y `{2}`, `{3}`, `{4}`",
  "`{}` does not let pages send {}": "`{1}` no deja que las páginas envíen {2}",
  "have the server answer `{}` with `{}`": "haga que el servidor responda a `{1}` con `{2}`",
  "`{}` does not let pages read the header `{}`, without which it knows no session":
    "`{1}` no deja que las páginas lean la cabecera `{2}`, y sin ella no reconoce ninguna sesión",
  "have the server send `{}` with every answer": "haga que el servidor envíe `{1}` con cada respuesta",
  "the browser lets every part of a request to `{}` through, but not the whole":
    "el navegador deja pasar cada parte de una petición a `{1}`, pero no el conjunto",
  "look for its reason in the browser's console": "busque el motivo en la consola del navegador",
  "`{}` works, but does not let pages end their session (`{}`)":
    "`{1}` funciona, pero no deja que las páginas terminen su sesión (`{2}`)",
  "`{}` refuses this client: {}": "`{1}` rechaza a este cliente: {2}",
  "add `{}` to the origins, and the server's own name to the hosts, that the server allows":
    "añada `{1}` a los orígenes que el servidor permite, y el nombre del propio servidor a los hosts",
  "`{}` requires a key (status {n})": "`{1}` exige una clave (estado {2})",
  "pass the server's key as `{}`": "dé la clave del servidor en `{1}`",
  "`{}` refuses the key (status {n})": "`{1}` rechaza la clave (estado {2})",
  "check that the key is the server's, still valid, and allowed to do this":
    "compruebe que la clave es de ese servidor, que aún vale y que tiene permiso para esto",
  "`{}` requires a token (status {n}), and names its authorization server":
    "`{1}` exige un token (estado {2}) e indica su servidor de autorización",
  "get one with `{}`": "obténgalo con `{1}`",
  "`{}` has no server of tools at this path (status {n})":
    "`{1}` no tiene ningún servidor de herramientas en esta ruta (estado {2})",
  "correct the path; most servers are at `{}`": "corrija la ruta. La mayoría de los servidores están en `{1}`",
  "`{}` has no server of tools at this path (status {n}), but `{}` answers like one":
    "`{1}` no tiene ningún servidor de herramientas en esta ruta (estado {2}), pero `{3}` responde como tal",
  "`{}` redirects (status {n})": "`{1}` redirige (estado {2})",
  "`{}` redirects (status {n}){}": "`{1}` redirige (estado {2}){3}",
  "use the address that it sends to: keys are not sent on to another one":
    "use la dirección a la que redirige: las claves no se reenvían a otra",
  "`{}` answers, but not as a server of tools: {}": "`{1}` responde, pero no como servidor de herramientas: {2}",
  "check the address: this may be a web page or another API":
    "revise la dirección: puede ser una página web u otra API",
  "`{}` fails (status {n}): {}": "`{1}` falla (estado {2}): {3}",
  "look at the server's log": "mire el registro del servidor",
  "update the server, or this package": "actualice el servidor o este paquete",
  "`{}` opens a session and forgets it at once": "`{1}` abre una sesión y la olvida enseguida",
  "if several instances share the address, send each session to the one that opened it, or run the server without sessions":
    "si varias instancias comparten la dirección, envíe cada sesión a la que la abrió, o use el servidor sin sesiones",
};
