// The view of two policies side by side: where they part, with an example of each kind, and what is written otherwise.

import { html, live, nothing, render } from "./vendor/lit.js";
import { source, Trouble } from "./source.js";
import { onChange, store } from "./store.js";
import { gradeWords, stopWords, strip } from "./strip.js";
import { tell } from "./told.js";
import { counted, number, safe } from "./words.js";

const SAVED = "@saved";
/** Runs of a group that are listed. */
const LISTED = 20;
const GRADES = ["right", "late", "premature", "missed"];
/** How two policies part, in words. */
const WAYS = {
  earlier: (a, b) => html`${a} stops earlier than ${b}`,
  later: (a, b) => html`${a} stops later than ${b}`,
  only_a: (a, b) => html`${a} stops, ${b} does not`,
  only_b: (a, b) => html`${b} stops, ${a} does not`,
  class: (a, b) => html`${a} and ${b} stop there as different classes`,
  rule: (a, b) => html`${a} and ${b} stop there by different rules`,
};
const KINDS = { added: "new", removed: "gone", changed: "changed", moved: "moved", renamed: "renamed" };

/** What a side is called. @param {string} side */
const called = (side) => (side.endsWith(SAVED) ? `${side.slice(0, -SAVED.length)}, as it is saved` : side);

/** @param {HTMLElement} place @param {import("./main.js").Route} route @returns {import("./main.js").View} */
export const compareView = (place, route) => {
  let sides = ["", ""];
  let found = null;
  let trouble = null;
  let asked = 0;
  let gone = false;
  place.classList.add("comparing");

  const policies = () => store.state?.policies ?? [];
  /** What can be chosen: each policy, and those with a draft as they are saved. */
  const choices = () => {
    const names = policies().map((one) => one.name);
    return store.state?.static
      ? names
      : [...names, ...policies().filter((one) => one.draft).map((one) => one.name + SAVED)];
  };
  /** Two policies, or the draft of one and what is saved. */
  const usual = () => {
    const [first = "", second] = policies().map((one) => one.name);
    const drafted = policies().find((one) => one.draft);
    if (drafted && !store.state?.static) return [drafted.name + SAVED, drafted.name];
    return [first, second ?? first];
  };

  const load = async () => {
    const own = (asked += 1);
    const [a, b] = sides;
    if (!a || !b || a === b) return;
    try {
      const answer = await source.get("compare", "", { a, b });
      if (own !== asked || gone) return;
      found = answer;
      trouble = null;
      tell(`${counted(found.runs - found.same, "run")} on which they part`);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (own !== asked || gone) return;
      trouble = error;
      found = null;
    }
    draw();
  };

  const choose = (at, name) => {
    sides = sides.with(at, name);
    history.replaceState(null, "", `#/compare?${new URLSearchParams({ a: sides[0], b: sides[1] })}`);
    draw();
    load();
  };
  const picker = (at, words) => html`<label class="field"><span>${words}</span><select .value=${live(sides[at])}
    @change=${(event) => choose(at, event.target.value)}>${[...new Set([...choices(), sides[at]])]
      .filter(Boolean)
      .map((name) => html`<option value=${name} ?selected=${name === sides[at]}>${safe(called(name))}</option>`)}</select></label>`;

  const room = () => Math.max(80, Math.min(420, place.clientWidth - 160));
  const rules = ([a, b]) => html`${a ? html`<code>${safe(a)}</code>` : "–"} <span aria-label="and">/</span> ${b ? html`<code>${safe(b)}</code>` : "–"}`;
  const heading = ({ kind }) => WAYS[kind](...sides.map((side) => html`<b>${safe(called(side))}</b>`));
  const example = ({ n, at, strips, stops, grades, label }) => html`<div class="example">
    <p><a href=${`#/run/${n}/${at}`}>${safe(store.rows.get(n)?.title || store.rows.get(n)?.id || `run ${n}`)}</a>
      <span class="quiet">for example, at iteration ${number(at)}</span></p>
    ${strips.map(
      (text, place) => html`<div class="decision"><span class="name">${safe(called(sides[place]))}</span>${strip(text, stops[place]?.at ?? null, label, room())}<span
      class="came-to">${stopWords(stops[place], text)} ${gradeWords(grades[place])}</span></div>`,
    )}</div>`;
  const listed = (group) =>
    group.count > 1
      ? html`<details><summary>${counted(group.count, "run")}</summary><ul class="moved">${group.runs
          .slice(0, LISTED)
          .map(
            ([n, at]) =>
              html`<li><a href=${`#/run/${n}/${at}`}>${safe(store.rows.get(n)?.id ?? `run ${n}`)}</a></li>`,
          )}</ul>
          <p><a href=${`#/runs?only=${group.runs.map(([n]) => n).join("%2C")}`}>${group.runs.length === group.count ? "All of them" : `The first ${number(group.runs.length)}`} in the table of runs</a></p></details>`
      : "";
  const groupItem = (group) => html`<li class="group-of">
    <h3>${heading(group)} <span class="quiet">${counted(group.count, "run")}</span></h3>
    <p class="note">by ${rules(group.rules)}${
      group.better + group.worse
        ? html`; by their labels the second is <b class="right">better on ${number(group.better)}</b>, <b class="late">worse on ${number(group.worse)}</b>`
        : ""
    }</p>${example(group.example)}${listed(group)}</li>`;

  const totals = () => html`<div class="scroll" tabindex="0" role="region" aria-label="Totals"><table class="totals">
    <thead><tr><th scope="col">Policy</th><th scope="col" class="number">Stops</th>${GRADES.map((grade) => html`<th scope="col" class="number">${grade}</th>`)}
      <th scope="col" class="number">Iterations wasted</th></tr></thead>
    <tbody>${found.totals.map(
      (total, at) => html`<tr><th scope="row">${safe(called(sides[at]))}</th><td class="number">${number(total.stops)}</td>
      ${GRADES.map((grade) => html`<td class="number">${number(total[grade])}</td>`)}<td class="number">${number(total.wasted)}</td></tr>`,
    )}</tbody></table></div>`;

  const detail = ({ property, before, after }) => html`<div><dt>${safe(property)}</dt><dd>${
    before === null ? "" : html`<del>${safe(before)}</del> `
  }${after === null ? "" : html`<ins>${safe(after)}</ins>`}</dd></div>`;
  const change = (one) => html`<li><p><b>${safe(one.section)}</b> <code>${safe(one.name)}</code>
    <span class="quiet">${KINDS[one.kind] ?? safe(one.kind)}${one.was ? `, was ${safe(one.was)}` : ""}${one.now ? `, now ${safe(one.now)}` : ""}</span></p>
    ${one.details.length ? html`<dl class="details">${one.details.map(detail)}</dl>` : ""}</li>`;

  const draw = () => {
    if (gone) return;
    const parted = found ? found.runs - found.same : 0;
    render(
      html`<h1>Compare</h1>
      <div class="filters">${picker(0, "First")}${picker(1, "Second")}
        <button @click=${() => {
          sides = [sides[1], sides[0]];
          choose(0, sides[0]);
        }}>Swap</button></div>
      ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
      ${sides[0] === sides[1] ? html`<p class="note">Choose two policies: start the studio with two <code>-p</code>, or change one in <a href="#/policy">Policy</a> and compare it with what is saved.</p>` : ""}
      ${
        found
          ? html`<div class="compare"><section aria-labelledby="parted"><h2 id="parted">${
              parted ? html`They part on ${counted(parted, "run")} of ${number(found.runs)}` : html`They stop all ${counted(found.runs, "run")} alike`
            }</h2>${totals()}<ol class="groups">${found.groups.map(groupItem)}</ol></section>
          <section aria-labelledby="written"><h2 id="written">What is written differently</h2>${
            found.changes.length ? html`<ul class="changes">${found.changes.map(change)}</ul>` : html`<p class="note">Nothing.</p>`
          }</section></div>`
          : trouble || sides[0] === sides[1]
            ? nothing
            : html`<p class="note">Deciding…</p>`
      }`,
      place,
    );
  };

  const update = (next) => {
    const [a, b] = usual();
    const wanted = [next.query.get("a") || a, next.query.get("b") || b];
    if (wanted.join("\n") === sides.join("\n")) return;
    sides = wanted;
    found = null;
    draw();
    load();
  };
  const forget = onChange((what) => {
    if (what === "done" || what === "loaded") load();
    else if (what === "state") draw();
  });
  const resized = () => draw();
  addEventListener("resize", resized);
  update(route);
  return {
    title: "Compare",
    update,
    leave: () => {
      gone = true;
      forget();
      removeEventListener("resize", resized);
      place.classList.remove("comparing");
    },
  };
};
