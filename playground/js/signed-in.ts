/** The redirect page of sign-ins: sends its address to its opener, and closes. */
const opener_ = window.opener as Window | null;
if (opener_ !== null) {
  // Only a page of the same origin receives it.
  opener_.postMessage({ signedIn: location.href }, location.origin);
  close();
}

export {};
