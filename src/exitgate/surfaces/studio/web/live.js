// The view of loops that are running: their runs as they grow, with the last verdicts, budgets and probes.

import { html, nothing, render, repeat } from "./vendor/lit.js";
import { source, Trouble } from "./source.js";
import { strip, stopWords } from "./strip.js";
import { allRows, onChange, store } from "./store.js";
import { counted, number, safe, span, toneNamed, usd } from "./words.js";

/**
 * @typedef {{class: string|null, rule: string|null, outcome: string, message: string}} Verdict
 * @typedef {{fact: string, used: string, most: string, share: number, setter: string}} Budget
 * @typedef {{name: string, verdict: Verdict|null, budgets: Budget[], breaker: string|null}} Decided what a policy last decided
 * @typedef {{n: number, at: number, policies: Decided[], ledger: {label: string, rows: {text: string, role: string}[]}[]}} Loop
 */

/** Milliseconds between two looks at the clock. */
const TICK = 1000;
/** Ticks between two questions for what a ledger alone knows, such as the probe that runs now. */
const QUESTION = 5;

/** @param {HTMLElement} place @returns {import("./main.js").View} */
export const liveView = (place) => {
  /** @type {Map<number, Loop>} by the numbers of their runs */
  let loops = new Map();
  /** @type {Trouble|null} */
  let trouble = null;
  let asking = false;
  let again = false;
  let left = false;

  /** Ask for what the runs come to; what changes meanwhile is asked for behind it. */
  const ask = async () => {
    if (store.state?.static) return;
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      loops = new Map((await source.get("live")).loops.map((one) => [one.n, one]));
      trouble = null;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
    }
    asking = false;
    if (left) return;
    draw();
    if (again) {
      again = false;
      ask();
    }
  };

  const draw = () => {
    const at = (row) => loops.get(row.n)?.at ?? 0;
    const rows = allRows()
      .filter((row) => row.live)
      .sort((one, other) => at(other) - at(one) || one.n - other.n);
    const room = Math.max(120, Math.min(480, place.clientWidth - 32));
    render(
      html`<h1>Live</h1>
      ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
      ${rows.length ? "" : html`<p class="note">No loop is running here. It appears with its first decision.</p>`}
      <ul class="live-runs">${repeat(
        rows,
        (row) => row.n,
        (row) => loop(row, loops.get(row.n), room),
      )}</ul>`,
      place,
    );
  };
  const forget = onChange((what) => {
    if (what !== "rows") return;
    draw();
    ask();
  });
  let ticks = 0;
  const clock = setInterval(() => {
    draw();
    ticks += 1;
    if (ticks % QUESTION === 0 && loops.size && !document.hidden) ask();
  }, TICK);
  draw();
  ask();
  return {
    title: "Live",
    update: draw,
    leave: () => {
      left = true;
      clearInterval(clock);
      forget();
    },
  };
};

/** @param {import("./store.js").Row} row @param {Loop|undefined} told @param {number} room pixels */
const loop = (row, told, room) => html`<li data-n=${row.n}>
  <h2><a href=${`#/run/${row.n}/${row.iterations}`}>${safe(row.title || row.id)}</a></h2>
  <p class="note">${counted(row.iterations, "iteration")}${row.cost === null ? "" : ` · ${usd(row.cost)}`}${
    row.tokens === null ? "" : ` · ${number(row.tokens)} tokens`
  }${told?.at ? ` · ${span(Math.max(0, Date.now() / 1000 - told.at))} since the last step` : ""}</p>
  ${store.policies.map((name, at) => decided(name, at, row, told?.policies[at], room))}
  ${told?.ledger.length ? html`<p class="note">From the ledger of the loop:</p><dl class="ledger">${told.ledger.map(section)}</dl>` : nothing}</li>`;

/** @param {string} name @param {number} at @param {import("./store.js").Row} row @param {Decided|undefined} one @param {number} room */
const decided = (name, at, row, one, room) => html`<section class="of-policy" aria-label=${safe(name)}>
  <div class="decision"><span class="name">${safe(name)}</span>${strip(
    row.strips[at] ?? "",
    row.stops[at]?.at ?? null,
    row.label,
    room,
  )}<span class="came-to">${stopWords(row.stops[at], row.strips[at] ?? "")}</span></div>
  ${one?.verdict ? verdict(one.verdict) : nothing}
  ${one?.breaker ? html`<p class="note">breaker ${safe(one.breaker)}</p>` : nothing}
  ${one?.budgets.length ? html`<ul class="budgets">${one.budgets.map(budget)}</ul>` : nothing}</section>`;

/** @param {Verdict} one */
const verdict = (one) => {
  const tone = toneNamed(one.class ?? "continue");
  return html`<p class="verdict"><span class="chip ${tone.name}"><span class="sign" aria-hidden="true">${tone.sign}</span>${safe(tone.name)}</span>
    ${one.rule ? html`<code>${safe(one.rule)}</code>` : nothing} <span class="reason">${safe(one.message || one.outcome)}</span></p>`;
};

/** @param {Budget} one */
const budget = (one) => html`<li><label>${safe(one.fact)} <meter min="0" max="1" high="0.8" value=${one.share}></meter></label>
  ${safe(one.used)} of ${safe(one.most)}${one.setter ? html` <code>${safe(one.setter)}</code>` : nothing}</li>`;

/** @param {{label: string, rows: {text: string, role: string}[]}} one */
const section = (one) =>
  html`<dt>${safe(one.label)}</dt>${one.rows.map((row) => html`<dd class=${row.role === "trouble" ? "bad" : ""}>${safe(row.text)}</dd>`)}`;
