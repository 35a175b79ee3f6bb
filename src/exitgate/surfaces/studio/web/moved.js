// What a draft moves: how many runs, better or worse by their labels, by which rule.

import { html } from "./vendor/lit.js";
import { store } from "./store.js";
import { counted, number, safe } from "./words.js";

/** How runs move: key, words for one, words for several. */
const WAYS = [
  ["earlier", "stops earlier", "stop earlier"],
  ["later", "stops later", "stop later"],
  ["starts", "stops now, and did not", "stop now, and did not"],
  ["ends", "does not stop any more", "do not stop any more"],
  [
    "otherwise",
    "stops there by another rule or as another class",
    "stop there by another rule or as another class",
  ],
];
/** Runs that are listed. */
const LISTED = 20;

const words = (stop) => (stop ? `${stop.class} at ${stop.at}, ${stop.rule ?? stop.outcome}` : "no stop");
const rules = (found) =>
  Object.entries(found).map(([id, count]) => html`<li><code>${safe(id)}</code> ${number(count)}</li>`);

/** @param {any} moved as the studio says it; null before the first change */
export const movedPanel = (moved) => {
  if (!moved) return html`<p class="note">Change a parameter, a rule or the text: all runs are decided anew.</p>`;
  if (!moved.runs) return html`<p>No run stops otherwise than under the policy as it is saved.</p>`;
  return html`<p><b>${counted(moved.runs, "run")}</b> of ${number(store.rows.size)}
    ${moved.runs === 1 ? "stops" : "stop"} otherwise than under the policy as it is saved${
      moved.better + moved.worse ? html`: <b class="right">${number(moved.better)} better</b>, <b class="late">${number(moved.worse)} worse</b> by their labels` : ""
    }.</p>
    <ul class="ways">${WAYS.filter(([key]) => moved[key]).map(([key, one, several]) => html`<li>${number(moved[key])} ${moved[key] === 1 ? one : several}</li>`)}
      ${moved.wasted ? html`<li>${number(Math.abs(moved.wasted))} ${moved.wasted > 0 ? "more" : "fewer"} iterations wasted</li>` : ""}</ul>
    <div class="by-rule"><div><h3>They stop by</h3><ul>${rules(moved.rules)}</ul></div>
      <div><h3>They did by</h3><ul>${rules(moved.left)}</ul></div></div>
    <h3>Runs</h3><ul class="moved">${moved.moved.slice(0, LISTED).map(
      (one) => html`<li><a href=${`#/run/${one.n}`}>${safe(store.rows.get(one.n)?.id ?? `run ${one.n}`)}</a>
        ${one.sense === "neither" ? "" : html`<span class="grade ${one.sense === "better" ? "right" : "late"}">${one.sense}</span>`}
        <span class="quiet">${safe(words(one.before))} → ${safe(words(one.after))}</span></li>`,
    )}</ul>${moved.runs > LISTED ? html`<p class="note">and ${number(moved.runs - LISTED)} more</p>` : ""}`;
};
