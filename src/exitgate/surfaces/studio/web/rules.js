// The rules of a policy: moved by hand or by key, left out, put in shadow.

import { html, repeat } from "./vendor/lit.js";
import { tell } from "./told.js";
import { safe } from "./words.js";

/**
 * @param {object[]} rules as the studio gives them @param {object} draft @param {boolean} frozen
 * @param {string} at the rule of the address
 */
export const ruleControls = (rules, draft, frozen, at) => {
  const movable = rules.filter((one) => one.enabled);
  const flip = (list, id) => (list.includes(id) ? list.filter((one) => one !== id) : [...list, id]);

  /** Move a rule before another, in the order that is shown. */
  const put = (id, other) => {
    if (id === other) return;
    const before = { ...draft.now.before };
    delete before[id];
    draft.change({ before: { ...before, [id]: other } });
    tell(`${id} is before ${other}`);
  };
  const up = (place) => place > 0 && put(movable[place].id, movable[place - 1].id);
  // A rule goes down when the one behind it goes before it.
  const down = (place) => place + 1 < movable.length && put(movable[place + 1].id, movable[place].id);
  const keys = (place) => (event) => {
    if (!event.altKey || frozen) return;
    if (event.key === "ArrowUp") up(place);
    else if (event.key === "ArrowDown") down(place);
    else return;
    event.preventDefault();
  };

  const row = (one, place) => {
    const fixed = frozen || one.locked;
    const shadow = draft.now.shadow.includes(one.id);
    const off = draft.now.disabled.includes(one.id);
    return html`<li class=${`${one.id === at ? "on" : ""} ${off ? "off" : ""}`} id=${`rule-${one.id}`}
      draggable=${fixed || off ? "false" : "true"} @keydown=${keys(place)}
      @dragstart=${(event) => event.dataTransfer.setData("text/plain", one.id)}
      @dragover=${(event) => !frozen && event.preventDefault()}
      @drop=${(event) => {
        event.preventDefault();
        const id = event.dataTransfer.getData("text/plain");
        if (movable.some((rule) => rule.id === id && !rule.locked)) put(id, one.id);
      }}>
      <span class="rule-head"><code>${safe(one.id)}</code> <span class="quiet">${safe(one.effect)}${
        one.mode === "enforce" || shadow ? "" : `, ${safe(one.mode)}`
      }</span>
      <span class="acts"><button class="plain" ?disabled=${fixed || off || place <= 0} aria-label=${`${one.id}: move up`}
          @click=${() => up(place)}>↑</button><button class="plain" ?disabled=${fixed || off || place < 0 || place + 1 >= movable.length}
          aria-label=${`${one.id}: move down`} @click=${() => down(place)}>↓</button>
        <label class="check"><input type="checkbox" ?disabled=${fixed} .checked=${shadow} aria-label=${`${one.id}: shadow`}
          @change=${() => draft.change({ shadow: flip(draft.now.shadow, one.id) })}>shadow</label>
        <label class="check"><input type="checkbox" ?disabled=${fixed} .checked=${off} aria-label=${`${one.id}: leave out`}
          @change=${() => draft.change({ disabled: flip(draft.now.disabled, one.id) })}>leave out</label></span></span>
      <code class="condition">${safe(one.when)}</code></li>`;
  };
  // A rule takes its element along: who holds one does not touch the rule that comes to its place.
  return html`<ol class="rules">${repeat(
    rules,
    (one) => one.id,
    (one) => row(one, movable.indexOf(one)),
  )}</ol>`;
};
