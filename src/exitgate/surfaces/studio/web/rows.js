// The lines of the table of runs: only those in sight exist, each with its place for screen readers.

import { html, repeat } from "./vendor/lit.js";
import { gradeWords, labelWords, stopWords, strip } from "./strip.js";
import { instant, number, safe, span, usd } from "./words.js";

/**
 * @typedef {object} Look how rows are drawn
 * @property {number[]} shown places of the policies that have a strip @property {string[]} policies
 * @property {number} by @property {number} room pixels of a strip @property {number} current number of the run that the keys are on @property {(n: number) => string} address
 */

/** Columns: name for sorting, words, what more a class of CSS. */
const COLUMNS = [
  ["run", "Run", ""],
  ["iterations", "Iterations", "number"],
  ["cost", "Cost", "number"],
  ["began", "Began", "when"],
  ["stop", "Decisions", "verdicts"],
  ["label", "Label", "mark"],
  ["waste", "Wasted", "number waste"],
];

/**
 * @param {import("./query.js").Query} query @param {string} policy whose stop and waste are sorted by
 * @param {(part: object) => void} choose
 */
export const headRow = (query, policy, choose) => html`
  <tr role="row" aria-rowindex="1">${COLUMNS.map(([key, words, kind]) => {
    const on = query.sort === key;
    const sort = on ? (query.down ? "descending" : "ascending") : "none";
    const ofOne = key === "stop" || key === "waste" ? `, of ${policy}` : "";
    return html`<th role="columnheader" scope="col" class=${kind} aria-sort=${sort}><button type="button" class="plain"
      aria-label=${`${words}${safe(ofOne)}`} @click=${() => choose({ sort: key, down: on && !query.down })}>${words}<span
      class="arrow" aria-hidden="true">${on ? (query.down ? "↓" : "↑") : ""}</span></button></th>`;
  })}</tr>`;

/**
 * The rows in sight, with gaps for those that are not.
 *
 * @param {{index: number, start: number, end: number}[]} items @param {number} size of all
 * @param {import("./store.js").Row[]} rows @param {Look} look
 */
export const bodyRows = (items, size, rows, look) => {
  const parts = [];
  let end = 0;
  for (const item of items) {
    if (item.start > end) parts.push(["gap", item.index, item.start - end]);
    parts.push(["row", item.index, rows[item.index]]);
    end = item.end;
  }
  if (size > end) parts.push(["gap", "end", size - end]);
  const key = ([kind, at, what]) => (kind === "gap" ? `gap ${at}` : what.n);
  return repeat(parts, key, ([kind, at, what]) => (kind === "gap" ? gap(what) : line(what, at, look)));
};

const gap = (high) =>
  html`<tr class="gap" role="none" aria-hidden="true"><td role="none" .style=${`height:${high}px`}></td></tr>`;

const line = (row, at, look) => html`
  <tr role="row" aria-rowindex=${at + 2} class="run-row${row.n === look.current ? " current" : ""}${row.read ? "" : " unread"}" data-n=${row.n}>
    <th role="rowheader" scope="row"><a class="run-link" href=${look.address(row.n)} title=${safe(row.title || row.id)}>${
      row.read ? "" : html`<span class="dot" role="img" aria-label="unread"></span>`
    }<span class="title">${safe(row.title || row.id)}</span></a>
      <span class="under">${row.live ? html`<b class="live">live</b> ` : ""}${safe(row.reader)}${row.title ? html` · <span class="of-id">${safe(row.id)}</span>` : ""}</span></th>
    <td role="cell" class="number"><span class="of">iterations</span>${number(row.iterations)}</td>
    <td role="cell" class="number">${usd(row.cost) || html`<span class="quiet">–</span>`}</td>
    <td role="cell" class="when">${instant(row.began)}<span class="under">${span(row.took)}</span></td>
    <td role="cell" class="verdicts">${look.shown.map((place) => decision(row, place, look))}</td>
    <td role="cell" class="mark"><span class="of">label</span>${labelWords(row.label)}${
      row.disputed ? html`<span class="under disputed">people disagree</span>` : ""
    }</td>
    <td role="cell" class="number waste">${look.shown.map((place) => waste(row, place, look.policies[place]))}</td>
  </tr>`;

const decision = (row, place, look) => html`
  <div class="decision"><span class="name">${safe(look.policies[place])}</span>${strip(
    row.strips[place] ?? "",
    row.stops[place]?.at ?? null,
    row.label,
    look.room,
  )}<span class="came-to">${stopWords(row.stops[place], row.strips[place] ?? "")} <span class="in-card">${gradeWords(row.grades[place])}</span></span></div>`;

const waste = (
  { waste: all, grades },
  place,
  policy,
) => html`<div class="wasted"><span class="hidden">${safe(policy)}: </span>
  ${gradeWords(grades[place])}<span>${
    all[place]?.[0]
      ? html`${number(all[place][0])}${
          all[place][1] === null ? "" : html` <span class="quiet">${usd(all[place][1])}</span>`
        }`
      : html`<span class="quiet">–</span>`
  }</span></div>`;
