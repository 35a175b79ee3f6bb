// Fields that somebody may be typing into while the page is drawn anew.

import { live } from "./vendor/lit.js";

/** What a field shows: while somebody types into it, what is typed. @param {string} id @param {unknown} value */
export const typedIn = (id, value) => {
  const focused = document.activeElement;
  return live(focused?.id === id ? focused.value : String(value));
};
