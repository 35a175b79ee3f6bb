// The view of all runs: totals, filters, and a table of ten thousand rows of which those in sight exist.

import { html, render } from "./vendor/lit.js";
import {
  Virtualizer,
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  windowScroll,
} from "./vendor/virtual.js";
import { filterBar } from "./filters.js";
import { chosen, ordered, readQuery, totals, writeQuery } from "./query.js";
import { bodyRows, headRow } from "./rows.js";
import { stripLegend } from "./strip.js";
import { allRows, onChange, store } from "./store.js";
import { totalsTable } from "./totals.js";
import { TONE_NAMES, counted, number } from "./words.js";
import { tell } from "./told.js";

/** Policies that have a strip in each row; the one that is sorted by is always among them. */
const STRIPS = 3;
const narrow = matchMedia("(max-width: 60rem)");

/** The runs in the order in which they were last shown: where the view of one run goes on. */
export const lastOrder = { /** @type {number[]} */ numbers: [], query: "" };

/** @param {HTMLElement} place @param {import("./main.js").Route} route @returns {import("./main.js").View} */
export const runsView = (place, route) => {
  let query = readQuery(route.query);
  let rows = [];
  let known = { formats: [], classes: [], graded: false };
  let sums = [];
  let current = -1;
  let rem = 16;
  place.classList.add("runs");

  const shown = () => {
    const first = store.policies.map((_, at) => at).slice(0, STRIPS);
    return first.includes(query.by) ? first : [...first.slice(0, STRIPS - 1), query.by];
  };
  const height = () => {
    const lines = Math.max(1, Math.min(STRIPS, store.policies.length));
    return Math.round(rem * (narrow.matches ? 5.25 + 3 * lines : Math.max(3.25, 0.75 + 1.5 * lines)));
  };
  const rowOf = (n) => rows.findIndex((row) => row.n === n);

  const virtual = new Virtualizer({
    count: 0,
    getScrollElement: () => window,
    estimateSize: height,
    overscan: 6,
    onChange: () => draw(),
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    getItemKey: (at) => rows[at]?.n ?? at,
    scrollPaddingStart: 48,
    scrollPaddingEnd: 16,
  });

  /** Keep the row that the keys are on, wherever it is: else the focus would be lost. @param {number} n */
  const pin = (n) => {
    current = n;
    const pinned = rowOf(n);
    virtual.setOptions({
      ...virtual.options,
      rangeExtractor: (range) => {
        const found = defaultRangeExtractor(range);
        return pinned < 0 || found.includes(pinned) ? found : [...found, pinned].sort((a, b) => a - b);
      },
    });
  };

  const select = () => {
    query.by = Math.min(Math.max(0, Math.trunc(query.by)), Math.max(0, store.policies.length - 1));
    rows = ordered(chosen(allRows(), query), query);
    sums = totals(rows, store.policies.length);
    lastOrder.numbers = rows.map((row) => row.n);
    lastOrder.query = writeQuery(query);
    const every = allRows();
    known = {
      formats: [...new Set(every.map((row) => row.reader))].sort(),
      classes: TONE_NAMES.filter((name) => every.some((row) => row.stops[query.by]?.class === name)),
      graded: every.some((row) => row.label),
    };
  };

  const choose = (part) => {
    query = { ...query, ...part };
    const text = writeQuery(query);
    history.replaceState(null, "", `#/runs${text && `?${text}`}`);
    select();
    measured();
    draw();
    if (!("by" in part && Object.keys(part).length === 1)) tell(`${counted(rows.length, "run")} in sight`);
  };

  /** Where the rows begin, from the top of the page. */
  const above = () => {
    const body = place.querySelector(".run-table tbody");
    return body ? body.getBoundingClientRect().top + scrollY : 0;
  };

  const measured = () => {
    rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    pin(current);
    virtual.setOptions({ ...virtual.options, count: rows.length, scrollMargin: above() });
    virtual.measure();
    virtual._willUpdate();
  };

  const room = () => {
    const cell = place.querySelector("th.verdicts");
    const width = cell?.offsetParent ? cell.clientWidth : 0;
    return Math.max(80, narrow.matches ? place.clientWidth - 2 * rem : width - 19.75 * rem);
  };

  const draw = () => {
    const policy = store.policies[query.by] ?? "";
    const items = virtual.getVirtualItems();
    const margin = virtual.options.scrollMargin;
    const look = {
      shown: shown(),
      policies: store.policies,
      by: query.by,
      room: room(),
      current,
      address: (n) => `#/run/${n}`,
    };
    const all = store.rows.size;
    render(
      html`
      <h1 class="hidden">Runs</h1>
      ${totalsTable(store.policies, sums, rows.length, query, known.graded, choose)}
      ${filterBar(query, { ...known, policy, wide: !narrow.matches }, choose)}
      <div class="above"><p class="note count">${rows.length === all ? counted(all, "run") : `${number(rows.length)} of ${counted(all, "run")}`}${
        store.policies.length > STRIPS ? `; strips of ${STRIPS} of ${store.policies.length} policies` : ""
      }</p>${stripLegend}</div>
      <table class="run-table" role="table" aria-rowcount=${rows.length + 1} aria-label="Runs">
        <thead role="rowgroup">${headRow(query, policy, choose)}</thead>
        <tbody role="rowgroup" @click=${clicked} @focusin=${focused}>${bodyRows(
          items.map(({ index, start, end }) => ({ index, start: start - margin, end: end - margin })),
          virtual.getTotalSize(),
          rows,
          look,
        )}</tbody>
      </table>
      ${rows.length ? "" : html`<p class="empty">${all ? "No run fits these filters." : store.progress ? "Reading the transcripts…" : "No runs yet."}</p>`}`,
      place,
    );
    place.style.setProperty("--row", `${height()}px`);
  };

  const clicked = (event) => {
    const row = event.target.closest("tr[data-n]");
    if (!row || event.target.closest("a, button") || String(getSelection())) return;
    location.hash = `#/run/${row.dataset.n}`;
  };
  const focused = (event) => {
    const n = Number(event.target.closest("tr[data-n]")?.dataset.n ?? -1);
    if (n === current) return;
    pin(n);
    draw();
  };

  /** Put the keys on the row at a place of the table, and the focus on its link. */
  const go = (at) => {
    const to = Math.min(Math.max(at, 0), rows.length - 1);
    if (to < 0) return;
    if (Math.abs(above() - virtual.options.scrollMargin) > 1) measured();
    pin(rows[to].n);
    virtual.scrollToIndex(to, { align: "auto" });
    draw();
    place.querySelector(`tr[data-n="${current}"] .run-link`)?.focus({ preventScroll: true });
  };

  const keys = {
    j: () => go(rowOf(current) + 1),
    k: () => go(current < 0 ? 0 : rowOf(current) - 1),
    "/": () => place.querySelector("#search").select(),
    u: () => choose({ unread: !query.unread }),
    d: () => choose({ parted: !query.parted }),
  };

  const changed = (what) => {
    if (what !== "rows" && what !== "state") return;
    select();
    measured();
    draw();
  };
  const forget = onChange(changed);
  const resized = () => {
    measured();
    draw();
  };
  addEventListener("resize", resized);
  // What is unfolded above the table moves it.
  place.addEventListener("toggle", resized, true);
  select();
  draw();
  const unmount = virtual._didMount();
  resized();
  // Widths are known once the table is there.
  requestAnimationFrame(resized);
  return {
    title: "Runs",
    keys,
    update: (next) => {
      query = readQuery(next.query);
      changed("rows");
    },
    leave: () => {
      forget();
      unmount();
      removeEventListener("resize", resized);
      place.classList.remove("runs");
    },
  };
};
