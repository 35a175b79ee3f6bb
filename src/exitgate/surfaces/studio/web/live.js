// The view of loops that are running: their runs as they grow.

import { html, render } from "./vendor/lit.js";
import { strip, stopWords } from "./strip.js";
import { allRows, onChange, store } from "./store.js";
import { counted, safe, usd } from "./words.js";

/** @param {HTMLElement} place @returns {import("./main.js").View} */
export const liveView = (place) => {
  const draw = () => {
    const rows = allRows().filter((row) => row.live);
    const room = Math.max(120, Math.min(480, place.clientWidth - 32));
    render(
      html`<h1>Live</h1>
      ${rows.length ? "" : html`<p class="note">No loop is running here. It appears with its first decision.</p>`}
      <ul class="live-runs">${rows.map(
        (row) => html`<li>
        <h2><a href=${`#/run/${row.n}`}>${safe(row.title || row.id)}</a></h2>
        <p class="note">${counted(row.iterations, "iteration")}${row.cost === null ? "" : ` · ${usd(row.cost)}`}</p>
        ${store.policies.map(
          (name, at) =>
            html`<div class="decision"><span class="name">${safe(name)}</span>${strip(
              row.strips[at] ?? "",
              row.stops[at]?.at ?? null,
              row.label,
              room,
            )}<span class="came-to">${stopWords(row.stops[at], row.strips[at] ?? "")}</span></div>`,
        )}</li>`,
      )}</ul>`,
      place,
    );
  };
  const forget = onChange((what) => what === "rows" && draw());
  draw();
  return { title: "Live", update: draw, leave: forget };
};
