// What would change a decision, as controls: facts of an iteration and parameters that can be pulled, and
// what the policy would decide then. Nothing is kept, unless parameters are tried on all runs.

import { html, render } from "./vendor/lit.js";
import { lastOrder } from "./runs.js";
import { source, Trouble } from "./source.js";
import { store } from "./store.js";
import { tell } from "./told.js";
import { pull } from "./pull.js";
import { counted, safe } from "./words.js";

/** Milliseconds between two requests while a control is being moved. */
const PACE = 80;
/** How a rule came out -> its sign, as the timeline has it. */
const SIGNS = { decided: "●", true: "◉", warns: "!", shadow: "◌", false: "○", pending: "…", unknown: "?", "not asked": "·" };
/** Rules that say something now; the others are folded. */
const LOUD = ["decided", "true", "warns", "shadow"];
const UNASKED = "not asked";

const chip = (one) => html`<span class=${`chip ${one.tone}${one.firm ? "" : " tentative"}`}><span class="sign" aria-hidden="true">${one.sign}</span>${safe(one.words)}</span>`;

const rung = (one, before) => html`<li class=${one.state === "decided" ? `${one.tone} decides` : ""}><span class="state" aria-hidden="true">${SIGNS[one.state] ?? ""}</span><span>
  <code>${safe(one.rule)}</code> <small>${safe(one.effect)}, ${one.state}${before !== undefined && before !== one.state ? html` <b>was ${before}</b>` : ""}</small>
  ${one.condition ? html`<code class="condition">${safe(one.condition)}</code>` : ""}</span></li>`;

/** Whether a rule that was asked before, and is now, came out otherwise. */
const moved = (one, was) => was !== undefined && was !== one.state && one.state !== UNASKED && was !== UNASKED;

/** The ladder of rules: those that say something, or something else than before, are in sight. */
const ladder = (now, was) => {
  const before = new Map(was.map((one) => [one.rule, one.state]));
  const row = (one) => rung(one, before.get(one.rule));
  const loud = (one) => LOUD.includes(one.state) || LOUD.includes(before.get(one.rule)) || moved(one, before.get(one.rule));
  const rest = now.filter((one) => !loud(one));
  return html`<ol class="ladder">${now.filter(loud).map(row)}</ol>
    ${rest.length ? html`<details><summary>${counted(rest.length, "rule")} false, pending, unknown or not asked</summary><ol class="ladder">${rest.map(row)}</ol></details>` : ""}`;
};

/** @param {HTMLElement} place @param {number} n @param {number} at @param {string} policy @param {string} id unique on the page */
const panel = (place, n, at, policy, id) => {
  let given = null;
  /** @type {Map<string, any>} what is pulled; a parameter has its `$` */
  let pulled = new Map();
  let answer = null;
  let trouble = null;
  let waiting;
  let under = false;
  let again = false;

  const guarded = async (work) => {
    try {
      await work();
      trouble = null;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
    }
    draw();
  };

  const parameters = () => {
    const own = [...pulled].filter(([name]) => name.startsWith("$"));
    return Object.fromEntries(own.map(([name, value]) => [name.slice(1), value]));
  };
  const facts = () => Object.fromEntries([...pulled].filter(([name]) => !name.startsWith("$")));

  const ask = async () => {
    if (under) {
      again = true;
      return;
    }
    under = true;
    await guarded(async () => {
      answer = await source.post("what-if", { n, at, policy, facts: facts(), parameters: parameters() });
      tell(`${safe(policy)} would say ${answer.words}${answer.rule && `, by ${safe(answer.rule)}`}`);
    });
    under = false;
    if (again) {
      again = false;
      ask();
    }
  };
  const changed = () => {
    draw();
    clearTimeout(waiting);
    waiting = setTimeout(ask, PACE);
  };
  /** Give a fact or a parameter a value; undefined takes it back. */
  const take = (name, value) => {
    if (value === undefined) pulled.delete(name);
    else pulled.set(name, value);
    changed();
  };
  const takeAll = (edits) => {
    pulled = new Map(edits.map((edit) => [edit.name, edit.value]));
    changed();
  };

  /** Let the draft of the policy have the parameters that are pulled, and go where all runs are decided anew. */
  const tryOnAll = () =>
    guarded(async () => {
      const { draft } = await source.get("policy", policy);
      const values = { ...draft.values, ...parameters() };
      const asked = { policy, draft: { ...draft, values }, visible: lastOrder.numbers.slice(0, 60) };
      const { diagnostics } = await source.post("draft", asked);
      if (diagnostics?.length) throw new Trouble({ what: diagnostics[0].message, help: diagnostics[0].help });
      location.hash = `#/policy/${encodeURIComponent(policy)}`;
    });

  const way = (one) => html`<li><button type="button" @click=${() => takeAll(one.edits)}>${one.edits.map(
    (edit, at) => html`${at ? " and " : ""}<code>${safe(edit.name)}</code> ${safe(edit.text)}`,
  )}</button> ${chip(one)}</li>`;

  const then = () => {
    if (trouble) return "";
    const now = answer ?? given.now;
    const turned = pulled.size && now.turned;
    return html`<div class=${`then${turned ? " turned" : ""}`}><p><b>${pulled.size ? "It would say" : "It says"}</b> ${chip(now)} ${now.rule ? html`<code>${safe(now.rule)}</code>` : ""}
      <small class="quiet">${pulled.size ? (turned ? "another decision" : "the same decision") : ""}</small></p>
      <p>${safe(now.message) || "No rule decides."}</p>
      ${ladder(now.ladder, given.now.ladder)}
      ${pulled.size ? now.follows.map((one) => html`<p class="aside"><b>follows</b> <code>${safe(one.name)}</code> ${safe(one.before)} → ${safe(one.after)}</p>`) : ""}
      ${
        pulled.size
          ? html`<p class="acts"><button type="button" @click=${() => takeAll([])}>Take all back</button>
        ${Object.keys(parameters()).length ? html`<button type="button" @click=${tryOnAll}>Try it on all runs</button>` : ""}</p>`
          : ""
      }</div>`;
  };

  const group = (title, all, word) => {
    const near = all.filter((one) => one.near || one.turns.length);
    const rest = all.filter((one) => !near.includes(one));
    const list = (some) => html`<ul class="pulls">${some.map((one) => pull(one, id, pulled, take, chip))}</ul>`;
    const more = near.length ? `${counted(rest.length, `more ${word}`)}` : counted(rest.length, word);
    return html`<h4>${title}</h4>${near.length ? list(near) : ""}
      ${rest.length ? html`<details><summary>${more}</summary>${list(rest)}</details>` : ""}`;
  };

  const draw = () =>
    render(
      html`${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
    ${
      given
        ? html`<p class="note">The iterations before stay as they were recorded. A number without a value is unknown.</p>
      ${given.remark ? html`<p class="note">${safe(given.remark)}</p>` : ""}
      ${then()}
      ${given.ways.length ? html`<h4>Smallest changes</h4><ul class="ways-out">${given.ways.map(way)}</ul>` : ""}
      ${group("Facts", given.facts, "fact")}
      ${given.parameters.length ? group("Parameters", given.parameters, "parameter") : ""}`
        : trouble
          ? ""
          : html`<p class="note">Loading…</p>`
    }`,
      place,
    );

  return () => {
    if (given) return;
    draw();
    guarded(async () => {
      given = await source.get("controls", String(n), { at: String(at), policy });
    });
  };
};

/**
 * Put a folded panel under each decision of each iteration.
 *
 * @param {Element} article the report's page of a run
 * @param {number} n of the run
 */
export const whatIf = (article, n) => {
  for (const part of article.querySelectorAll(".iteration")) {
    const made = [...part.querySelectorAll(".decisions > li")];
    if (made.length !== store.policies.length) continue;
    made.forEach((item, column) => {
      const fold = document.createElement("details");
      const summary = document.createElement("summary");
      const place = document.createElement("div");
      const policy = store.policies[column];
      fold.className = "what-if";
      summary.textContent = "What would change it";
      const whose = document.createElement("span");
      whose.className = "hidden";
      whose.textContent = `, ${safe(policy)}`;
      summary.append(whose);
      fold.append(summary, place);
      item.append(fold);
      const show = panel(place, n, Number(/-(\d+)$/.exec(part.id)[1]), policy, `${part.id}-${column}`);
      fold.addEventListener("toggle", () => fold.open && show());
    });
  }
};

/** Open the first panel of an iteration, or close what is open of it. @param {Element} part @returns {void} */
export const toggleWhatIf = (part) => {
  const folds = [...part.querySelectorAll(".what-if")];
  const open = folds.filter((fold) => fold.open);
  if (!folds.length) return;
  if (open.length) {
    for (const fold of open) fold.open = false;
  } else folds[0].open = true;
  (open[0] ?? folds[0]).querySelector("summary").focus();
};
