// What the runs in sight come to, a line for each policy; a number leads to its runs.

import { html } from "./vendor/lit.js";
import { counted, number, safe, usd } from "./words.js";

const GRADES = ["right", "late", "premature", "missed"];

/**
 * @param {string[]} policies @param {import("./query.js").Total[]} found @param {number} runs in sight
 * @param {import("./query.js").Query} query @param {boolean} graded whether any run has a label
 * @param {(part: Partial<import("./query.js").Query>) => void} choose
 */
export const totalsTable = (policies, found, runs, query, graded, choose) => html`
  <div class="scroll" tabindex="0" role="region" aria-label="Totals">
  <table class="totals" role="table">
    <caption class="hidden">What each policy does on the runs in sight</caption>
    <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Policy</th><th role="columnheader" scope="col" class="number">Stops</th>
      ${graded ? GRADES.map((grade) => html`<th role="columnheader" scope="col" class="number">${grade}</th>`) : ""}
      <th role="columnheader" scope="col" class="number">Iterations wasted</th><th role="columnheader" scope="col" class="number">Cost wasted</th></tr></thead>
    <tbody role="rowgroup">${policies.map((name, at) => line(name, at, found[at], runs, query, graded, choose))}</tbody>
  </table></div>`;

const line = (name, at, total, runs, query, graded, choose) => html`
  <tr role="row" class=${at === query.by ? "on" : ""}>
    <th role="rowheader" scope="row"><label class="pick"><input type="radio" name="by" .checked=${at === query.by}
      @change=${() => choose({ by: at })}><span class="name">${safe(name)}</span></label></th>
    <td role="cell" class="number">${number(total.stops)}<span class="quiet of-all"> of ${counted(runs, "run")}</span></td>
    ${graded ? GRADES.map((grade) => html`<td role="cell" class="number">${figure(name, at, grade, total[grade], query, choose)}</td>`) : ""}
    <td role="cell" class="number">${number(total.wasted)}</td>
    <td role="cell" class="number">${total.partly && total.usd ? "at least " : ""}${(total.partly ? total.usd && usd(total.usd) : usd(total.usd)) || "–"}</td>
  </tr>`;

const figure = (name, at, grade, count, query, choose) => {
  const on = query.by === at && query.grade === grade;
  return html`<button type="button" class="figure ${grade}" aria-pressed=${on} ?disabled=${!count && !on}
    aria-label="${counted(count, "run")} ${grade} under ${safe(name)}"
    @click=${() => choose({ by: at, grade: on ? "" : grade })}>${number(count)}</button>`;
};
