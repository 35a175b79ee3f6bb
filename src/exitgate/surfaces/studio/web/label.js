// The label of a run: set by click and by key, beside those of other people.

import { html, live } from "./vendor/lit.js";
import { kept, propose } from "./keep.js";
import { source, Trouble } from "./source.js";
import { labelWords } from "./strip.js";
import { tell } from "./told.js";
import { typedIn } from "./typed.js";
import { counted, safe, TONE_NAMES } from "./words.js";

/** Classes that a label may name: all but those no policy gives. */
const CLASSES = TONE_NAMES;

const said = (label) => html`${labelWords(label)}${label.classes.length ? html` ${safe(label.classes.join(" or "))}` : ""}${
  label.note ? html` <span class="quiet">${safe(label.note)}</span>` : ""
}`;

/**
 * @param {() => any} row of the run that is shown @param {() => number|null} here the iteration that is shown
 * @param {() => void} changed draws anew
 */
export const labelling = (row, here, changed) => {
  let trouble = null;
  let open = false;

  const send = async (label) => {
    try {
      trouble = null;
      await source.post("label", { n: row().n, ...label });
      tell(label.stop === null ? "label removed" : `labelled ${label.stop}`);
      kept.dispatchEvent(new Event("change"));
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
    }
    changed();
  };
  const now = () => row()?.label ?? null;
  const theRest = () => ({ classes: now()?.classes ?? [], note: now()?.note ?? "" });
  const stop = (first, last) =>
    send({ ...theRest(), stop: first === last ? `${first}` : `${Math.min(first, last)}-${Math.max(first, last)}` });
  const mark = () => here() && stop(here(), here());
  /** Let the label reach to the iteration that is shown. */
  const extend = () => {
    const label = now();
    if (!here()) return;
    if (!label || label.never) mark();
    else stop(Math.min(label.first, here()), Math.max(label.last, here()));
  };
  const never = () => send({ stop: "never", note: theRest().note });

  const form = () => {
    const label = now();
    const most = row().iterations;
    const ends = label && !label.never ? [label.first, label.last] : [null, null];
    const bound = (at) => (event) => {
      const value = event.target.valueAsNumber;
      if (!Number.isInteger(value)) return;
      const other = ends[1 - at] ?? value;
      stop(at ? Math.min(other, value) : value, at ? value : Math.max(other, value));
    };
    return html`<div class="label-form">
      <label class="field"><span>right from iteration</span><input type="number" min="1" max=${most} id="label-from" .value=${typedIn("label-from", ends[0] ?? "")} @change=${bound(0)}></label>
      <label class="field"><span>to iteration</span><input type="number" min="1" max=${most} id="label-to" .value=${typedIn("label-to", ends[1] ?? "")} @change=${bound(1)}></label>
      <label class="field"><span>class</span><select ?disabled=${!label || label.never} .value=${live(label?.classes[0] ?? "")}
        @change=${(event) => send({ ...theRest(), stop: label.text, classes: event.target.value ? [event.target.value] : [] })}>
        <option value="">any</option>${CLASSES.map((name) => html`<option>${name}</option>`)}</select></label>
      <label class="field wide"><span>note</span><input type="text" maxlength="300" ?disabled=${!label} id="label-note" .value=${typedIn("label-note", label?.note ?? "")}
        @change=${(event) => send({ ...theRest(), stop: label.text, note: event.target.value })}></label></div>`;
  };

  const panel = (writes) => {
    const { label, others = [], disputed } = row();
    return html`<section class="labels" aria-label="Label of this run">
      <p><b>Right stop</b> ${label ? said(label) : html`<span class="quiet">no label</span>`}
      ${others.map((other) => html` <span class="other-label">${safe(other.by)}: ${said(other)}</span>`)}
      ${disputed ? html` <b class="disputed">people disagree</b>` : ""}</p>
      ${
        writes
          ? html`<p class="label-acts"><button ?disabled=${!here()} @click=${mark}>Label iteration ${here() ?? ""}</button>
        <button ?disabled=${!here() || !label || label.never} @click=${extend}>to ${here() ?? ""}</button>
        <button @click=${never}>No stop is right</button>
        <button ?disabled=${!label} @click=${() => send({ stop: null })}>Remove</button>
        <button class="plain" aria-expanded=${open ? "true" : "false"} @click=${() => {
          open = !open;
          changed();
        }}>class and note</button></p>${open ? form() : ""}`
          : ""
      }
      ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}</section>`;
  };
  return { panel, mark, extend, never };
};

/**
 * Make a decision a case of the policy's tests.
 *
 * @param {any} row @param {number} at the iteration @param {string[]} policies
 */
export const makeTest = (row, at, policies) => {
  let policy = policies[0];
  let name = `${row.title || row.id}: after ${counted(at, "iteration")}`.slice(0, 120);
  propose({
    title: `Make iteration ${at} a test`,
    controls: (again) => html`<p class="note">The test holds what the policy decides here, with the facts that matter.</p>
      <div class="filters">${
        policies.length > 1
          ? html`<label class="field"><span>Policy</span><select @change=${(event) => {
              policy = event.target.value;
              again();
            }}>${policies.map((one) => html`<option ?selected=${one === policy}>${safe(one)}</option>`)}</select></label>`
          : ""
      }<label class="field wide"><span>What should happen, and when</span><input type="text" maxlength="300" .value=${name}
        @change=${(event) => {
          name = event.target.value;
          again();
        }}></label></div>`,
    ask: () => source.post("keep-test", { n: row.n, at, policy, name }),
    done: () => {},
  });
};
