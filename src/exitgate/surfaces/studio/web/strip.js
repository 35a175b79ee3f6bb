// The decisions of one policy on one run as a strip: colour and height say the class, a sign marks the stop.

import { html, nothing, svg } from "./vendor/lit.js";
import { number, safe, toneNamed, toneOf } from "./words.js";

/** Height of a strip and side of the sign at its stop, in pixels. */
const HIGH = 18;
/** Pixels of an iteration, fewer where the run does not fit. */
const EACH = 12;

/** Stretches of the same letter, from 1; one ends at the stop. @param {string} text @param {number|null} stop @returns {{letter: string, from: number, to: number}[]} */
const stretches = (text, stop) => {
  const found = [];
  for (let at = 0; at < text.length; at += 1) {
    if (found.at(-1)?.letter === text[at] && at !== stop) found.at(-1).to = at + 1;
    else found.push({ letter: text[at], from: at + 1, to: at + 1 });
  }
  return found;
};

/**
 * @param {string} text one letter an iteration
 * @param {number|null} stop the iteration of the policy's stop
 * @param {import("./store.js").Label|null} label
 * @param {number} room pixels
 */
export const strip = (text, stop, label, room) => {
  const each = Math.min(EACH, room / Math.max(1, text.length));
  const width = Math.max(each * text.length, HIGH);
  const bars = stretches(text, stop)
    .filter(({ letter }) => letter !== "-")
    .map(({ letter, from, to }) => {
      const tone = toneOf(letter).name;
      const over = stop !== null && from > stop;
      const low = tone === "continue";
      const [y, high] = low ? [HIGH / 2 - 2, 4] : over ? [4, HIGH - 8] : [2, HIGH - 4];
      const wide = Math.max(1, (to - from + 1) * each - (each > 3 ? 1 : 0));
      return svg`<rect class=${over ? `${tone} over` : tone} x=${(from - 1) * each} y=${y} width=${wide} height=${high} rx="1"/>`;
    });
  return html`<svg class="stripe" width=${width} height=${HIGH + 3} aria-hidden="true">
    ${bars}${wanted(label, each, text.length)}${stop === null ? nothing : pin(text[stop - 1], stop, each, width)}</svg>`;
};

/** The stop's sign in a square that keeps inside the strip. */
const pin = (letter, stop, each, width) => {
  const tone = toneOf(letter ?? "x");
  const x = Math.max(0, Math.min((stop - 1) * each, width - HIGH + 2));
  return svg`<g class="pin ${tone.name}"><rect x=${x} y="1" width=${HIGH - 2} height=${HIGH - 2} rx="2"/>
    <text x=${x + (HIGH - 2) / 2} y=${HIGH - 5}>${tone.sign}</text></g>`;
};

/** A line below the iterations at which a person says that the run should have stopped. */
const wanted = (label, each, length) => {
  if (!label || label.never || label.first === null) return nothing;
  const to = Math.min(label.last ?? label.first, length);
  const wide = Math.max(4, (to - label.first + 1) * each);
  return svg`<rect class="wanted" x=${(label.first - 1) * each} y=${HIGH + 1} width=${wide} height="2"/>`;
};

/**
 * A stop in words.
 *
 * @param {import("./store.js").Stop|null} stop @param {string} strip of the same policy: it may not have decided yet
 */
export const stopWords = (stop, strip) =>
  stop === null
    ? html`<span class="quiet">${/^-+$/.test(strip) ? "not decided yet" : "no stop"}</span>`
    : html`<span class="chip ${toneNamed(stop.class).name}"><span class="sign" aria-hidden="true">${toneNamed(stop.class).sign}</span>${safe(stop.class)}</span>
      <span class="at">at ${number(stop.at)}</span>`;

/** @param {string|null} grade */
export const gradeWords = (grade) => (grade ? html`<span class="grade ${grade}">${safe(grade)}</span>` : nothing);

/** @param {import("./store.js").Label|null} label */
export const labelWords = (label) => {
  if (!label) return "–";
  if (label.never) return "no stop is right";
  const to = label.last !== null && label.last !== label.first ? ` to ${number(label.last)}` : "";
  return safe(label.text || `${label.first}${to}`);
};

const swatch = (drawn) => html`<svg class="stripe" width="20" height="21" aria-hidden="true">${drawn}</svg>`;
/** What the parts of a strip mean. */
export const stripLegend = html`<p class="note strip-legend">
  <span>${swatch(svg`<rect class="continue" y="7" width="20" height="4" rx="1"/>`)}continues</span>
  <span>${swatch(svg`<g class="pin complete"><rect x="2" y="1" width="16" height="16" rx="2"/><text x="10" y="13">✓</text></g>`)}stops</span>
  <span>${swatch(svg`<rect class="exhausted over" y="4" width="20" height="10" rx="1"/>`)}after its stop</span>
  <span>${swatch(svg`<rect class="wanted" x="3" y="15" width="14" height="2"/>`)}right stop by label</span></p>`;
