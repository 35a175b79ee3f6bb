// The parameters of a policy as controls: sliders and fields, with bounds, meaning, and who set them.

import { html, live } from "./vendor/lit.js";
import { NUMBERS, typedIn } from "./typed.js";
import { safe } from "./words.js";


/** Bounds of a slider: those of the parameter, else a scale around its default. */
const scale = (one) => {
  const middle = Math.max(Math.abs(Number(one.default) || 0), Math.abs(Number(one.value) || 0), 1);
  const low = one.low ?? 0;
  const high = one.high ?? (one.type === "percent" ? 100 : Math.max(low + 1, middle * 4));
  const whole = one.type === "count" || one.type === "percent" || Number.isInteger(one.default);
  return { low, high, step: whole ? 1 : (high - low) / 100 };
};

const setBy = (one) => {
  const last = one.set_by.at(-1);
  return last && last.layer !== "default" ? `set by ${last.layer}${last.place ? `, ${last.place}` : ""}` : "default";
};

/**
 * @param {object[]} parameters @param {{now: {values: object}, change: (part: object, step?: boolean) => void}} draft
 * @param {boolean} frozen whether nothing can be changed
 */
export const parameterControls = (parameters, draft, frozen) => {
  const take = (one, value, step) => {
    const values = { ...draft.now.values };
    if (value === undefined) delete values[one.name];
    else values[one.name] = value;
    draft.change({ values }, step);
  };
  const shown = (one) => (one.name in draft.now.values ? draft.now.values[one.name] : one.value);

  const control = (one) => {
    const id = `parameter-${one.name}`;
    const value = shown(one);
    if (one.type === "bool") {
      return html`<input id=${id} type="checkbox" ?disabled=${frozen} .checked=${live(value === true)}
        aria-describedby=${`${id}-doc`} @change=${(event) => take(one, event.target.checked)}>`;
    }
    if (one.type === "enum") {
      return html`<select id=${id} ?disabled=${frozen} .value=${live(String(value))} aria-describedby=${`${id}-doc`}
        @change=${(event) => take(one, event.target.value)}>${one.choices.map(
          (choice) => html`<option ?selected=${choice === value}>${safe(choice)}</option>`,
        )}</select>`;
    }
    if (NUMBERS.includes(one.type) && typeof value === "number") {
      const { low, high, step } = scale(one);
      // What extractors read has every transcript read again: that waits for the hand to let go.
      const onInput = (event) => !one.extracts && take(one, event.target.valueAsNumber, false);
      const onChange = (event) =>
        Number.isFinite(event.target.valueAsNumber) && take(one, event.target.valueAsNumber);
      return html`<span class="slider"><input id=${id} type="range" ?disabled=${frozen} min=${low} max=${high} step=${step}
          .value=${live(String(value))} aria-describedby=${`${id}-doc`} @input=${onInput} @change=${onChange}>
        <input id=${`${id}-number`} type="number" ?disabled=${frozen} min=${one.low ?? ""} max=${one.high ?? ""} step=${step === 1 ? 1 : "any"}
          .value=${typedIn(`${id}-number`, value)} aria-label=${`${one.name}, as a number`} @change=${onChange}></span>`;
    }
    const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    const read = (event) => {
      const typed = event.target.value;
      const items = typed.split(",").map((item) => item.trim());
      take(one, Array.isArray(one.value) ? items.filter((item) => item) : typed);
    };
    return html`<input id=${id} type="text" ?disabled=${frozen} .value=${typedIn(id, text)} aria-describedby=${`${id}-doc`}
      @change=${read}>`;
  };

  return html`<ul class="controls">${parameters.map((one) => {
    const id = `parameter-${one.name}`;
    const changed = one.name in draft.now.values;
    return html`<li class=${changed ? "changed" : ""}>
      <label for=${id}><code>${safe(one.name)}</code></label> ${control(one)}
      <p class="note" id=${`${id}-doc`}>${safe(one.doc)} <span class="quiet">${changed ? "set here" : safe(setBy(one))}${
        one.extracts ? ". Extractors read it: the transcripts are read again" : ""
      }</span></p>
      ${changed ? html`<button class="plain" ?disabled=${frozen} @click=${() => take(one, undefined)}>take ${safe(one.name)} back</button>` : ""}
    </li>`;
  })}</ul>`;
};
