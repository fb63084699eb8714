/**
 * Where the browser comes back to after signing in: tells the page that opened this window the address, which holds the
 * answer, and closes it.
 */
const opener_ = window.opener as Window | null;
if (opener_ !== null) {
  // Only a page of the very same origin hears of it.
  opener_.postMessage({ signedIn: location.href }, location.origin);
  close();
}

export {};
