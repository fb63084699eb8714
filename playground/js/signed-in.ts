/** The sign-in redirect: sends its address to the opener and closes. */
const opener_ = window.opener as Window | null;
if (opener_ !== null) {
  // Same origin only.
  opener_.postMessage({ signedIn: location.href }, location.origin);
  close();
}

export {};
