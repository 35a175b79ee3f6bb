// Fields that somebody may be typing into while the page is drawn anew.

import { live } from "./vendor/lit.js";

/** Types of which a field takes a number. */
export const NUMBERS = ["count", "percent", "number", "duration", "money"];

/** What a field shows: while somebody types into it, what is typed. @param {string} id @param {unknown} value */
export const typedIn = (id, value) => {
  const focused = document.activeElement;
  return live(focused?.id === id ? focused.value : String(value ?? ""));
};
