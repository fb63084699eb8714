/** The name that a person probably meant, for the command: its files are loaded without the library. */
export { near } from "../suggest.js";
