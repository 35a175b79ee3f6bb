// The view of a policy: its parameters and rules as controls, what a change moves, its text.

import { html, render } from "./vendor/lit.js";
import { drafting, isEmpty } from "./draft.js";
import { mayWrite, takingBack } from "./keep.js";
import { movedPanel } from "./moved.js";
import { parameterControls } from "./parameters.js";
import { policyText } from "./policy_text.js";
import { problemList } from "./problems.js";
import { ruleControls } from "./rules.js";
import { saveDraft } from "./save.js";
import { source, Trouble } from "./source.js";
import { onChange, store } from "./store.js";
import { sweeping } from "./sweep.js";
import { tell } from "./told.js";
import { counted, safe } from "./words.js";

/** @param {HTMLElement} place @param {import("./main.js").Route} route @returns {import("./main.js").View} */
export const policyView = (place, route) => {
  let name = "";
  let rule = "";
  let found = null;
  let trouble = null;
  let text = null;
  let draft = null;
  let moved = null;
  let failed = [];
  let gone = false;

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
    ${
      mayWrite(store.state)
        ? html`<button ?disabled=${isEmpty(draft.now)} @click=${save}>Save…</button> ${back.button()}`
        : ""
    }
    <span role="status">${isEmpty(draft.now) ? "as it is saved" : draft.problems.length ? "changed, cannot be used" : "changed, not saved"}</span>
    ${written() ? html`<button type="button" class="plain" @click=${() => text.element.scrollIntoView({ block: "center" })}>see the text</button>` : ""}</p>`;

  const written = () => draft.now.text !== null;
  /** What is wrong is said where it was changed: above the controls, or above the text. */
  const wrong = () => problemList(draft.problems, failed, found.path, text.goTo);

  const sweep = sweeping(() => ({ found, draft }));
  const save = () => mayWrite(store.state) && draft && !isEmpty(draft.now) && saveDraft(found, draft.now, renewed);
  const saves = (event) => event.detail.policy === name && save();
  document.addEventListener("studio-save", saves);

  const draw = () => {
    if (gone) return;
    if (!found || !draft) {
      render(head(), place);
      return;
    }
    const frozen = Boolean(store.state?.static);
    const focused = document.activeElement;
    render(
      html`${head()}
    ${frozen ? html`<p class="note">These are files: run \`exitgate studio\` to try changes.</p>` : bar(frozen)}
    ${draft.trouble ? html`<p class="trouble" role="alert"><b>${safe(draft.trouble.what)}</b> ${safe(draft.trouble.help)}</p>` : ""}
    ${written() ? "" : wrong()}
    ${draft.dropped.length ? html`<p class="note">The text does not have ${draft.dropped.map((one) => html`<code>${safe(one)}</code> `)}any more: what was set of it here is dropped.</p>` : ""}
    <div class="policy"><section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>
      ${parameterControls(found.parameters, draft, frozen)}</section>
      <section class="outcome" aria-labelledby="moved"><h2 id="moved">What moves</h2>${movedPanel(moved)}</section></div>
    <section aria-labelledby="rules"><h2 id="rules">Rules, the first that is true decides</h2>
      <p class="note">Drag a rule, or move it with Alt and the arrow keys.</p>
      ${ruleControls(found.rules, draft, frozen, rule)}</section>
    ${frozen ? "" : html`<section aria-labelledby="sweep"><h2 id="sweep">Sweep</h2>${sweep.element}</section>`}
    <section aria-labelledby="text"><h2 id="text">Text</h2>${written() ? wrong() : ""}${text.element}</section>`,
      place,
    );
    sweep.update();
    // An element that moved has lost the focus.
    if (focused !== document.activeElement && place.contains(focused)) focused.focus();
  };

  let asks = 0;
  let answered = 0;
  /** Ask for the policy as the studio has it now: other rules, other values, what another page drafted. */
  const again = async () => {
    const asked = name;
    const number = ++asks;
    // An answer from before a change of this page says nothing of the change.
    const before = draft && !draft.isUnderWay() ? draft.now : null;
    const answer = await source.get("policy", asked).catch((error) => {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
      return null;
    });
    if (name !== asked || gone || number < answered) return null;
    answered = number;
    if (answer) {
      found = answer;
      if (before && draft?.now === before) draft.adopt(answer.draft ?? {});
      text?.update(found, moved);
    }
    return answer;
  };

  let seen = 0;
  const changed = () => {
    text.update(found, moved);
    draw();
    if (draft.revision !== seen && !draft.reads) {
      seen = draft.revision;
      again().then(draw);
    }
  };

  /** What was typed last is sent before a draft is left. */
  const leaveDraft = () => {
    text?.leave();
    draft?.leave();
    text = draft = null;
  };

  const show = async (next) => {
    const wanted = next.parts[0] || store.policies[0] || "";
    rule = next.parts[1] ?? "";
    if (wanted !== name) {
      leaveDraft();
      name = wanted;
      found = trouble = moved = null;
      failed = [];
      draw();
      const answer = await again();
      if (!answer) {
        draw();
        return;
      }
      moved = answer.moved ?? null;
      draft = drafting(name, answer.draft ?? {}, changed);
      text = policyText(answer, draft, (problems) => {
        failed = problems;
        again().then(asIs);
      });
    }
    draw();
    document.getElementById(`rule-${rule}`)?.scrollIntoView({ block: "center" });
  };

  const asIs = (answer) => {
    if (answer && draft && !draft.isUnderWay()) moved = answer.moved;
    draw();
  };
  const renewed = () => void again().then(asIs);
  const back = takingBack(() => draw(), renewed);
  const forget = onChange((what, event) => {
    if (what === "done" && event.policy === name) {
      moved = event.moved;
      text?.update(found, moved);
      failed = [];
      if (draft && event.revision >= draft.revision) draft.reads = false;
      tell(`${counted(moved.runs, "run")} moved`);
      again().then(draw);
    } else if (what === "failed" && draft && event.revision >= draft.revision) {
      failed = event.problems;
      draw();
    } else if (what === "state") {
      // What was saved, or other files: it may all be another.
      draw();
      if (found && !store.state?.static) again().then(asIs);
    }
  });
  const leave = () => {
    gone = true;
    document.removeEventListener("studio-save", saves);
    back.leave();
    sweep.leave();
    forget();
    leaveDraft();
  };
  const view = { title: "Policy", keys: {}, update: (next) => void show(next), leave };
  view.update(route);
  return view;
};
