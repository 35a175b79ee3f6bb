// The view of a policy: its parameters and rules as controls, what a change moves, its text.

import { html, render } from "./vendor/lit.js";
import { drafting, isEmpty } from "./draft.js";
import { editor } from "./editor.js";
import { movedPanel } from "./moved.js";
import { parameterControls } from "./parameters.js";
import { ruleControls } from "./rules.js";
import { source, Trouble } from "./source.js";
import { onChange, store } from "./store.js";
import { tell } from "./told.js";
import { counted, safe } from "./words.js";

const problem = (one) => html`<li><b>${safe(one.message)}</b>${one.help ? html` <span>${safe(one.help)}</span>` : ""}
  <span class="quiet">${one.code}${one.line ? `, line ${one.line}` : ""}</span></li>`;

/** @param {HTMLElement} place @param {import("./main.js").Route} route @returns {import("./main.js").View} */
export const policyView = (place, route) => {
  let name = "";
  let rule = "";
  let found = null;
  let trouble = null;
  let written = null;
  let draft = null;
  let moved = null;
  let failed = [];
  let gone = false;
  const text = document.createElement("div");
  text.className = "policy-text";

  const head = () => html`<h1>Policy</h1>
    <nav class="beside" aria-label="Policies">${store.policies.map(
      (one) => html`<a href=${`#/policy/${encodeURIComponent(one)}`}
      aria-current=${one === name ? "page" : "false"}><span class="name">${safe(one)}</span></a>`,
    )}</nav>
    ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}`;

  const bar = (frozen) => html`<p class="draft-bar">
    <button ?disabled=${frozen || !draft.past.length} @click=${draft.undo}>Undo</button>
    <button ?disabled=${frozen || !draft.future.length} @click=${draft.redo}>Redo</button>
    <button ?disabled=${frozen || isEmpty(draft.now)} @click=${draft.reset}>Take all changes back</button>
    <span role="status">${isEmpty(draft.now) ? "as it is saved" : "changed, not saved"}</span></p>`;

  const draw = () => {
    if (gone) return;
    if (!found || !draft) {
      render(head(), place);
      return;
    }
    const frozen = Boolean(store.state?.static);
    const focused = document.activeElement;
    const wrong = [...draft.problems.map(problem), ...failed.map((said) => html`<li><b>${safe(said)}</b></li>`)];
    render(
      html`${head()}
    ${frozen ? html`<p class="note">These are files: run \`exitgate studio\` to try changes.</p>` : bar(frozen)}
    ${draft.trouble ? html`<p class="trouble" role="alert"><b>${safe(draft.trouble.what)}</b> ${safe(draft.trouble.help)}</p>` : ""}
    ${wrong.length ? html`<div class="trouble" role="alert"><p>This cannot be used; the change before it still counts.</p><ul>${wrong}</ul></div>` : ""}
    <div class="policy"><section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>
      ${parameterControls(found.parameters, draft, frozen)}</section>
      <section class="outcome" aria-labelledby="moved"><h2 id="moved">What moves</h2>${movedPanel(moved)}</section></div>
    <section aria-labelledby="rules"><h2 id="rules">Rules, the first that is true decides</h2>
      <p class="note">Drag a rule, or move it with Alt and the arrow keys.</p>
      ${ruleControls(found.rules, draft, frozen, rule)}</section>
    <section aria-labelledby="text"><h2 id="text">Text</h2>${text}</section>`,
      place,
    );
    // An element that moved has lost the focus.
    if (focused !== document.activeElement && place.contains(focused)) focused.focus();
  };

  /** Ask for the policy as the studio has it now: other rules, other values. */
  const again = async () => {
    const asked = name;
    const answer = await source.get("policy", asked).catch((error) => {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
      return null;
    });
    if (name !== asked || gone) return null;
    if (answer) found = answer;
    return answer;
  };

  let seen = 0;
  const changed = () => {
    draw();
    if (draft.revision !== seen && !draft.reads) {
      seen = draft.revision;
      again().then(draw);
    }
  };

  const show = async (next) => {
    const wanted = next.parts[0] || store.policies[0] || "";
    rule = next.parts[1] ?? "";
    if (wanted !== name) {
      name = wanted;
      found = trouble = moved = null;
      failed = [];
      draft?.leave();
      draft = null;
      draw();
      const answer = await again();
      if (!answer) {
        draw();
        return;
      }
      moved = answer.moved ?? null;
      draft = drafting(name, answer.draft ?? {}, changed);
      written?.destroy();
      written = editor(text, { text: answer.text, readOnly: true, label: `Text of ${name}` });
    }
    draw();
    document.getElementById(`rule-${rule}`)?.scrollIntoView({ block: "center" });
  };

  const forget = onChange((what, event) => {
    if (what === "done" && event.policy === name) {
      moved = event.moved;
      failed = [];
      tell(`${counted(moved.runs, "run")} moved`);
      again().then(draw);
    } else if (what === "failed" && draft && event.revision >= draft.revision) {
      failed = event.problems;
      draw();
    } else if (what === "state") draw();
  });
  const leave = () => {
    gone = true;
    forget();
    draft?.leave();
    written?.destroy();
  };
  const view = { title: "Policy", keys: {}, update: (next) => void show(next), leave };
  view.update(route);
  return view;
};
