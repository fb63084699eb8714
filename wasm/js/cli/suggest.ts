/** The name that a person probably meant, for the command: its files are loaded without the library. */
export { closestName } from "../suggest.js";
