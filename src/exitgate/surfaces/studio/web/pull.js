// One control of a decision: a fact of the iteration or a parameter, with the values at which it turns.

import { html, live } from "./vendor/lit.js";
import { NUMBERS, typedIn } from "./typed.js";
import { safe } from "./words.js";

const UNITS = { percent: "%", duration: "s" };
const UNKNOWN = "unknown";

/**
 * @param {any} one as `api/controls` has it @param {string} within id of the panel
 * @param {Map<string, any>} pulled @param {(name: string, value: any) => void} take
 * @param {(verdict: object) => unknown} chip
 */
export const pull = (one, within, pulled, take, chip) => {
  const id = `${within}-${one.name}`;
  const changed = pulled.has(one.name);
  const value = changed ? pulled.get(one.name) : one.value;
  const set = (next) => take(one.name, next === one.value ? undefined : next);
  const unit = one.unit || UNITS[one.type] || "";

  const field = () => {
    if (one.type === "bool") {
      return html`<span class="check"><input id=${id} type="checkbox" .checked=${live(value === true)} .indeterminate=${live(value === null)}
        aria-describedby=${`${id}-doc`} @change=${(event) => set(event.target.checked)}><span aria-hidden="true">${value === null ? UNKNOWN : String(value)}</span></span>`;
    }
    if (one.type === "enum") {
      const chosen = (event) => set(event.target.selectedIndex ? one.choices[event.target.selectedIndex - 1] : null);
      return html`<select id=${id} aria-describedby=${`${id}-doc`} @change=${chosen}><option .selected=${live(value === null)}>${UNKNOWN}</option>
        ${one.choices.map((choice) => html`<option .selected=${live(choice === value)}>${safe(choice)}</option>`)}</select>`;
    }
    if (NUMBERS.includes(one.type)) {
      const low = one.low ?? Math.min(0, one.value ?? 0);
      const whole = one.type === "count";
      const slid = (event) => set(event.target.valueAsNumber);
      const typed = (event) => {
        if (event.target.validity.badInput) return;
        const next = event.target.value === "" ? null : event.target.valueAsNumber;
        // A parameter is never unknown.
        set(next === null && one.name.startsWith("$") ? one.value : next);
      };
      return html`<span class="slider"><input id=${`${id}-slider`} type="range" min=${low} max=${one.top} step=${whole || one.type === "percent" ? 1 : "any"}
          .value=${live(String(value ?? low))} list=${`${id}-marks`} aria-label=${`${safe(one.name)}, slider`} aria-valuetext=${value === null ? UNKNOWN : `${value}${unit && ` ${unit}`}`}
          @input=${slid}>
        <datalist id=${`${id}-marks`}>${one.turns.map((turn) => html`<option value=${turn.value}></option>`)}</datalist>
        <input id=${id} type="number" min=${one.low ?? ""} max=${one.high ?? ""} step=${whole ? 1 : "any"} placeholder=${UNKNOWN}
          .value=${typedIn(id, value)} aria-describedby=${`${id}-doc`} @change=${typed}>${unit ? html`<span class="quiet">${safe(unit)}</span>` : ""}</span>`;
    }
    return html`<input id=${id} type="text" maxlength="1000" placeholder=${value === null ? UNKNOWN : ""} .value=${typedIn(id, value)} aria-describedby=${`${id}-doc`}
      @change=${(event) => set(event.target.value === "" && one.value === null ? null : event.target.value)}>`;
  };

  return html`<li class=${changed ? "changed" : ""}><span class="of-pull"><label for=${id}><code>${safe(one.name)}</code></label>
      ${changed ? html`<button type="button" class="plain" @click=${() => take(one.name, undefined)}>back to ${safe(one.text)}<span class="hidden">, ${safe(one.name)}</span></button>` : ""}</span>
    ${field()}
    ${
      one.turns.length
        ? html`<span class="turns">${one.turns.map(
            (turn) => html`<button type="button" @click=${() => set(turn.value)}><span class="hidden">${safe(one.name)}: </span>${safe(turn.text)}
        ${chip(turn)}</button>`,
          )}</span>`
        : ""
    }
    <span class="note" id=${`${id}-doc`}>${safe(one.doc)}${one.why ? ` Unknown: ${safe(one.why)}.` : ""}</span></li>`;
};
