/** Re-exports the suggestions, so that commands load without the library. */
export { closestName } from "../suggest.js";
