// What of the runs is shown: search and filters above the table.

import { html, live } from "./vendor/lit.js";
import { EVERYTHING, NO_STOP, SORTS, filters } from "./query.js";
import { safe } from "./words.js";

const SORT_WORDS = {
  run: "Run",
  format: "Format",
  iterations: "Iterations",
  cost: "Cost",
  tokens: "Tokens",
  began: "Began",
  took: "Duration",
  stop: "Stop",
  label: "Label",
  waste: "Wasted iterations",
};

/**
 * @param {import("./query.js").Query} query
 * @param {{formats: string[], classes: string[], policy: string, graded: boolean, wide: boolean}} known what there is to choose from
 * @param {(part: Partial<import("./query.js").Query>) => void} choose
 */
export const filterBar = (query, known, choose) => html`
  <div class="filters" role="search" aria-label="Runs">
    <label class="field wide"><span class="hidden">Search titles, ids, files and notes</span>
      <input type="search" id="search" placeholder="Search runs" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"
        .value=${live(query.text)} @input=${(event) => choose({ text: event.target.value })}></label>
    <details class="rest" ?open=${known.wide || filters(query) > (query.text ? 1 : 0)}><summary>Filters and order</summary><div class="filters">
    ${select("Format", "format", [["", "every format"], ...known.formats.map((one) => [one, one])], query, choose)}
    ${select(
      `Stop of ${known.policy}`,
      "stop",
      [["", "every stop"], ...known.classes.map((one) => [one, one]), [NO_STOP, "no stop"]],
      query,
      choose,
      "Stop",
    )}
    ${
      known.graded
        ? select(
            `Grade of ${known.policy}`,
            "grade",
            ["", "right", "late", "premature", "missed"].map((one) => [one, one || "every grade"]),
            query,
            choose,
            "Grade",
          )
        : ""
    }
    ${select(
      "Label",
      "label",
      [
        ["", "with and without"],
        ["yes", "with a label"],
        ["no", "without a label"],
        ["disputed", "people disagree"],
      ],
      query,
      choose,
    )}
    ${query.only ? html`<label class="check"><input type="checkbox" checked @change=${() => choose({ only: "" })}>only those of a group</label>` : ""}
    ${check("Policies disagree", "parted", query, choose)}
    ${check("Unread", "unread", query, choose)}
    <details class="more" ?open=${[query.fewest, query.longest, query.cheapest, query.dearest].some((one) => one !== null)}>
      <summary>Length and cost</summary>
      <div class="ranges">${range("Iterations", "fewest", "longest", query, choose)}${range("Cost in USD", "cheapest", "dearest", query, choose)}</div>
    </details>
    <span class="sort">${select("Sort by", "sort", [["", "as read"], ...SORTS.map((one) => [one, SORT_WORDS[one]])], query, choose)}
      ${check("Descending", "down", query, choose)}</span></div></details>
    <button type="button" class="plain" ?hidden=${!filters(query)}
      @click=${() => choose({ ...EVERYTHING, by: query.by, sort: query.sort, down: query.down })}>Clear filters</button>
  </div>`;

const select = (name, key, options, query, choose, shown = name) => html`
  <label class="field"><span aria-hidden="true">${shown}</span><select aria-label=${safe(name)} .value=${live(query[key])}
    @change=${(event) => choose({ [key]: event.target.value })}>
    ${options.map(([value, words]) => html`<option value=${value} ?selected=${value === query[key]}>${safe(words)}</option>`)}
  </select></label>`;

const check = (name, key, query, choose) => html`
  <label class="check"><input type="checkbox" .checked=${live(query[key])}
    @change=${(event) => choose({ [key]: event.target.checked })}>${name}</label>`;

// Not `live`: a number counts when it is finished, and runs may come in while it is typed.
const range = (name, low, high, query, choose) => {
  const bound = (
    key,
    words,
  ) => html`<input type="number" min="0" step="any" inputmode="decimal" aria-label="${name}, ${words}"
    placeholder=${words} .value=${query[key] === null ? "" : String(query[key])}
    @change=${({ target }) => choose({ [key]: target.value === "" || target.value < 0 ? null : Number(target.value) })}>`;
  return html`<span class="field"><span aria-hidden="true">${name}</span>${bound(low, "at least")}${bound(high, "at most")}</span>`;
};
