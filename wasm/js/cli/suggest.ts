/** Lets commands load without the library. */
export { closestName } from "../suggest.js";
