// The view of one run: the report's own page of it, with keys, links and a search in its texts.

import { html, live, render } from "./vendor/lit.js";
import { timeline } from "./timeline.js";
import { partings } from "./query.js";
import { mayWrite, takingBack } from "./keep.js";
import { labelling, makeTest } from "./label.js";
import { lastOrder } from "./runs.js";
import { source, Trouble } from "./source.js";
import { markRead, onChange, store } from "./store.js";
import { tell } from "./told.js";
import { counted, number, safe } from "./words.js";
import { finder } from "./find.js";
import { toggleWhatIf, whatIf } from "./what_if.js";

/** @param {HTMLElement} place @param {import("./main.js").Route} route @returns {import("./main.js").View} */
export const runView = (place, route) => {
  /** @type {number|null} what the address says, null where that is no number */
  let n;
  let article = null;
  /** @type {ReturnType<typeof timeline>|null} */
  let line = null;
  let trouble = null;
  let found = { text: "", count: 0, at: 0 };
  const head = document.createElement("div");
  const body = document.createElement("div");
  place.append(head, body);
  place.classList.add("one-run");
  const find = finder(body);

  const numbers = () => (lastOrder.numbers.length ? lastOrder.numbers : [...store.rows.keys()]);
  const beside = (by) => numbers()[numbers().indexOf(n) + by];
  const address = (run, iteration) => `#/run/${run}${iteration ? `/${iteration}` : ""}`;
  const numberOf = (part) => Number(/-(\d+)$/.exec(part.id)[1]);

  const draw = () => {
    const order = numbers();
    const at = order.indexOf(n);
    render(
      html`<h1 class="hidden">Run ${n ?? ""}</h1><div class="tools">
      <nav class="beside" aria-label="Runs beside this one"><a href=${`#/runs${lastOrder.query && `?${lastOrder.query}`}`}>All runs</a>
        ${at > 0 ? html`<a rel="prev" href=${address(order[at - 1])}><span aria-hidden="true">←</span> Previous run</a>` : ""}
        ${at >= 0 && at + 1 < order.length ? html`<a rel="next" href=${address(order[at + 1])}>Next run <span aria-hidden="true">→</span></a>` : ""}
        <span class="quiet">${at < 0 ? "" : `${number(at + 1)} of ${counted(order.length, "run")}`}</span></nav>
      ${
        article
          ? html`<div class="find" role="search" aria-label="Texts of this run">
        <label class="field"><span class="hidden">Search the texts of this run</span><input type="search" id="search" placeholder="Search this run"
          autocomplete="off" spellcheck="false" .value=${live(found.text)} @input=${(event) => search(event.target.value)} @keydown=${stepped}></label>
        <span class="quiet" role="status">${found.text ? `${found.count ? `${found.at} of ` : ""}${counted(found.count, "hit")}` : ""}</span></div>`
          : ""
      }
      </div>${article && store.rows.get(n) ? work() : ""}${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
      ${article || trouble ? "" : html`<p class="note">Loading run ${n}…</p>`}`,
      head,
    );
  };

  const here = () => (line ? numberOf(line.parts[line.at()] ?? line.parts[0]) : null);
  const labels = labelling(
    () => store.rows.get(n),
    here,
    () => draw(),
  );
  const back = takingBack(
    () => draw(),
    () => {},
  );
  const test = () => here() && makeTest(store.rows.get(n), here(), store.policies);
  /** What can be kept of this run. */
  const work = () => {
    const writes = mayWrite(store.state);
    return html`<div class="work">${labels.panel(writes)}${
      writes
        ? html`<p class="draft-bar"><button ?disabled=${!here()} @click=${test}>Make iteration ${here() ?? ""} a test…</button> ${back.button()}</p>`
        : ""
    }</div>`;
  };
  const writing = (act) => () => mayWrite(store.state) && store.rows.has(n) && act();

  const search = (text) => {
    found = { text, ...find.search(text) };
    if (found.count) reveal();
    draw();
  };
  const stepped = (event) => {
    if (event.key !== "Enter" || !found.count) return;
    event.preventDefault();
    found = { ...found, at: find.step(event.shiftKey ? -1 : 1) };
    reveal();
    draw();
  };
  const reveal = () => {
    const element = find.here();
    line?.show(element.closest(".iteration")?.id ?? "");
    element.closest("details")?.setAttribute("open", "");
    element.scrollIntoView({ block: "center" });
  };

  const opened = (part) => {
    history.replaceState(null, "", address(n, numberOf(part)));
    draw();
  };

  /** Put the studio's HTML of a run into the page. It is parsed apart: nothing in it runs. @param {string} text */
  const put = (text) => {
    const parsed = new DOMParser().parseFromString(text, "text/html");
    article = document.adoptNode(parsed.querySelector("article.run"));
    body.replaceChildren(article);
    line = article.querySelector(".iteration") ? timeline(article, opened) : null;
    article.addEventListener("click", linked);
    if (!store.state?.static) whatIf(article, n);
    find.forget();
    found = { text: "", count: 0, at: 0 };
    judged = labelled();
  };

  /** The label by which the page that is shown judges, as a text. */
  let judged = "";
  const labelled = () => JSON.stringify(store.rows.get(n)?.label ?? null);
  /** Ask for the page anew, and stay where it was: grades and marks follow the label. */
  const judge = async () => {
    const [wanted, at, high] = [n, here(), scrollY];
    judged = labelled();
    const text = await source.fragment(n).catch((error) => {
      if (!(error instanceof Trouble)) throw error;
      return null;
    });
    if (text === null || n !== wanted || !article) return;
    put(text);
    line?.show(`run-${n}-${at}`, true);
    scrollTo(0, high);
    draw();
  };

  /** Links within the report's page are no addresses of the studio. @param {MouseEvent} event */
  const linked = (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.defaultPrevented || link.getAttribute("href").startsWith("#/")) return;
    event.preventDefault();
    const target = document.getElementById(link.getAttribute("href").slice(1));
    if (target) {
      target.scrollIntoView();
      target.setAttribute("tabindex", "-1");
      target.focus({ preventScroll: true });
    } else {
      const policy = link.closest("tbody")?.querySelector(".group .name")?.textContent ?? "";
      location.hash = `#/policy/${encodeURIComponent(policy)}/${encodeURIComponent(link.textContent)}`;
    }
  };

  const show = async (next) => {
    const wanted = /^\d{1,9}$/.test(next.parts[0] ?? "") ? Number(next.parts[0]) : null;
    const iteration = `run-${wanted}-${next.parts[1] ?? ""}`;
    if (wanted === n) {
      line?.show(iteration);
      return;
    }
    n = wanted;
    article = line = trouble = null;
    body.replaceChildren();
    view.title = safe(store.rows.get(n)?.title || store.rows.get(n)?.id || `Run ${n ?? ""}`);
    draw();
    try {
      if (wanted === null) throw new Trouble({ what: "a run goes by a number", help: "go back to all runs" });
      const text = await source.fragment(n);
      if (n !== wanted) return;
      put(text);
      markRead(n);
      tell(`${article.querySelector("h2").textContent}, ${counted(line?.parts.length ?? 0, "iteration")}`);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (n !== wanted) return;
      trouble = error;
    }
    draw();
    line?.show(iteration, true);
    draw();
  };

  /** Go to the next or previous of some iterations, by number. @param {number[]} some @param {number} by @returns {boolean} */
  const jump = (some, by) => {
    if (!line) return false;
    const here = numberOf(line.parts[line.at()]);
    const next = by > 0 ? some.find((one) => one > here) : some.findLast((one) => one < here);
    const at = line.parts.findIndex((part) => numberOf(part) === next);
    if (at >= 0) line.open(at);
    return at >= 0;
  };
  const step = (by) => {
    const at = (line?.at() ?? 0) + by;
    if (line && at >= 0 && at < line.parts.length) line.open(at);
  };
  /** The next disagreement of this run, or the next run that has one. */
  const part = (by) => {
    if (jump(partings(store.rows.get(n)?.strips ?? []), by)) return;
    const order = numbers();
    const from = order.indexOf(n);
    const rest = by > 0 ? order.slice(from + 1) : order.slice(0, from).reverse();
    const next = rest.find((run) => store.rows.get(run)?.parted);
    if (next === undefined) return tell("no further disagreement");
    location.hash = address(next, partings(store.rows.get(next).strips).at(by > 0 ? 0 : -1));
  };
  const goRun = (by) => {
    if (beside(by) !== undefined) location.hash = address(beside(by));
  };

  const forget = onChange((what) => {
    if (what !== "rows") return;
    if (article && judged !== labelled()) void judge();
    draw();
  });
  const view = {
    title: "Run",
    keys: {
      j: () => step(1),
      k: () => step(-1),
      n: () => part(1),
      p: () => part(-1),
      s: () =>
        jump(
          (line?.stops ?? []).map((at) => numberOf(line.parts[at])).sort((a, b) => a - b),
          1,
        ),
      w: () => line && toggleWhatIf(line.parts[line.at()]),
      l: writing(labels.mark),
      L: writing(labels.extend),
      x: writing(labels.never),
      t: writing(test),
      "]": () => goRun(1),
      "[": () => goRun(-1),
      "/": () => place.querySelector("#search")?.select(),
      Backspace: () => {
        location.hash = `#/runs${lastOrder.query && `?${lastOrder.query}`}`;
      },
    },
    update: (next) =>
      void show(next).then(() => {
        document.title = `${view.title} · exitgate studio`;
      }),
    leave: () => {
      n = undefined;
      forget();
      back.leave();
      find.forget();
    },
  };
  view.update(route);
  return view;
};
