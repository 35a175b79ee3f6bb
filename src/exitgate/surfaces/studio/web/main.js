// The page: addresses to views, keys to what they do, and whether the studio is heard.

import { html, nothing, render } from "./vendor/lit.js";
import { compareView } from "./compare.js";
import { watchRun } from "./grown.js";
import { keysSheet, keysWanted } from "./keys.js";
import { liveView } from "./live.js";
import { policyView } from "./policy.js";
import { runView } from "./run.js";
import { lastOrder, runsView } from "./runs.js";
import { begin, load, onChange, store } from "./store.js";
import { counted, safe } from "./words.js";

/**
 * @typedef {{view: string, parts: string[], query: URLSearchParams}} Route parts behind the view's name, decoded
 * @typedef {object} View
 * @property {string} title of the page while the view is shown
 * @property {Record<string, () => void>} [keys] what single keys do
 * @property {(route: Route) => void} update the address has changed within the view
 * @property {() => void} leave
 */

/** Name in the address -> what makes the view in a place, and its words in the navigation. */
const VIEWS = { runs: runsView, run: runView, policy: policyView, compare: compareView, live: liveView };
const LINKS = [
  ["runs", "Runs"],
  ["policy", "Policy"],
  ["compare", "Compare"],
  ["live", "Live"],
];

const main = document.getElementById("main");
const masthead = document.getElementById("masthead");
let view;

/** @returns {Route} `#/run/3/7?a=b`; `#run-3-7`, as the report's own links are, is the same */
const readRoute = () => {
  const own = /^#run-(\d+)(?:-(\d+))?/.exec(location.hash);
  const [path, query] = own ? [`run/${own[1]}/${own[2] ?? ""}`, ""] : location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/");
  const decoded = parts.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return {
    view: Object.hasOwn(VIEWS, name) ? name : "runs",
    parts: decoded,
    query: new URLSearchParams(query ?? ""),
  };
};

let route = readRoute();

/** Ends the watch over the run that is shown. */
let unwatch = () => {};
/** Watch the run of the address: a notice above it says when it has grown. @param {HTMLElement} notice */
const watch = (notice) => {
  unwatch();
  unwatch = route.view === "run" ? watchRun(notice, Number(route.parts[0]), () => follow(true)) : () => {};
};

/** @param {boolean} [anew] whether the view is made anew in any case */
const follow = (anew = false) => {
  const before = view && route.view;
  const run = route.parts[0];
  route = readRoute();
  if (before === route.view && anew !== true) {
    view.update(route);
    if (run !== route.parts[0]) watch(main.firstElementChild);
  } else {
    view?.leave();
    render(nothing, main);
    const notice = document.createElement("div");
    main.replaceChildren(notice);
    watch(notice);
    // lit keeps what it last rendered at its place: each view gets a place of its own.
    const place = document.createElement("div");
    main.append(place);
    view = VIEWS[route.view](place, route);
    if (before) main.focus({ preventScroll: true });
    scrollTo(0, route.view === "runs" ? kept : 0);
  }
  head();
  document.title = `${view.title} · exitgate studio`;
};

/** Where the runs were scrolled to: one comes back to the same place. */
let kept = 0;
addEventListener(
  "scroll",
  () => {
    if (route?.view === "runs") kept = scrollY;
  },
  { passive: true },
);

const head = () => {
  const { state, trouble, heard, progress } = store;
  const on = route.view === "run" ? "runs" : route.view;
  const back = lastOrder.query && `?${lastOrder.query}`;
  render(
    html`
    <p class="brand"><a href="#/runs">exitgate <b>studio</b></a>${state?.project ? html` <span class="quiet project">${safe(state.project)}</span>` : ""}</p>
    <nav aria-label="Views"><ul>${LINKS.map(
      ([name, words]) => html`<li><a href=${`#/${name}${name === "runs" ? back : ""}`}
      aria-current=${name === on ? "page" : nothing}>${words}</a></li>`,
    )}</ul></nav>
    <p class="signs">${progress ? html`<span class="busy">${progress.known ? `${progress.done} of ${counted(progress.known, "run")}` : "reading"}</span>` : ""}
      ${state?.read_only || state?.static ? html`<span class="quiet">read-only</span>` : ""}
      ${heard === false ? html`<span class="lost" role="alert">not connected</span>` : ""}
      <button type="button" class="plain" aria-haspopup="dialog" aria-keyshortcuts="?" @click=${showKeys}>Keys</button></p>
    ${
      trouble
        ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}
      <button type="button" @click=${load}>Try again</button></p>`
        : ""
    }
    ${
      state?.notes?.length
        ? html`<details class="remarks"><summary>${counted(state.notes.length, "remark")} on what was read</summary>
      <ul>${state.notes.map((text) => html`<li>${safe(text)}</li>`)}</ul></details>`
        : ""
    }`,
    masthead,
  );
};

const showKeys = () => keysSheet(document.getElementById("keys"));

/** @param {KeyboardEvent} event */
const pressed = (event) => {
  const target = event.composedPath()[0];
  const typing =
    target instanceof Element && (target.closest("input, select, textarea, dialog") || target.isContentEditable);
  if (typing && event.key === "Escape" && target.matches("input[type=search]")) main.focus({ preventScroll: true });
  if (event.defaultPrevented || typing || event.altKey || event.ctrlKey || event.metaKey || !keysWanted()) return;
  const act =
    event.key === "?" ? showKeys : view.keys && Object.hasOwn(view.keys, event.key) ? view.keys[event.key] : null;
  if (!act) return;
  event.preventDefault();
  act();
};

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("keydown", pressed);
onChange((what) => what !== "rows" && head());
begin().then(() => {
  follow();
  addEventListener("hashchange", () => follow());
});
