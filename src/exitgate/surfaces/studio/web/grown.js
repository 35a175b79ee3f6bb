// Says that the run on the page has grown since it was opened, and shows it anew when a person wants that.

import { html, nothing, render } from "./vendor/lit.js";
import { onChange, store } from "./store.js";
import { counted } from "./words.js";

/**
 * Watch a run while its page is open.
 *
 * @param {HTMLElement} place in which the notice is @param {number} n number of the run @param {() => void} show shows it anew
 * @returns {() => void} ends it
 */
export const watchRun = (place, n, show) => {
  const length = () => store.rows.get(n)?.iterations ?? 0;
  const first = length();
  const draw = () => {
    const more = length() - first;
    render(
      more > 0 && first
        ? html`<p class="grown" role="status">This run has grown by ${counted(more, "iteration")}.
      <button type="button" @click=${show}>Show</button></p>`
        : nothing,
      place,
    );
  };
  draw();
  return onChange((what) => what === "rows" && draw());
};
