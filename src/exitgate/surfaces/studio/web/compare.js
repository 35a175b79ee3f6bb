// The view of two policies side by side.

import { html, render } from "./vendor/lit.js";

/** @param {HTMLElement} place @returns {import("./main.js").View} */
export const compareView = (place) => {
  render(
    html`<h1>Compare</h1><p class="note"><a href="#/runs?parted=1">Runs on which policies disagree</a> are in the table of runs.</p>`,
    place,
  );
  return { title: "Compare", update: () => {}, leave: () => {} };
};
