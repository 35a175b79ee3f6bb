// The keys, and a switch that turns them off: single keys trouble those who speak to their machine.

import { html, render } from "./vendor/lit.js";

const OFF = "exitgate.keys";
const KEYS = [
  [
    "Everywhere",
    [
      ["?", "this list"],
      ["/", "search"],
      ["Esc", "leave the search"],
    ],
  ],
  [
    "Runs",
    [
      ["j k", "next run, previous run"],
      ["Enter", "open the run"],
      ["u", "unread runs only"],
      ["d", "runs on which policies disagree"],
    ],
  ],
  [
    "One run",
    [
      ["j k", "next iteration, previous iteration"],
      ["n p", "next, previous disagreement"],
      ["s", "next stop of a policy"],
      ["w", "what would change the decision"],
      ["l L", "label this iteration as the right stop, let the label reach to it"],
      ["x", "label: no stop is right"],
      ["t", "make this iteration a test"],
      ["[ ]", "previous run, next run"],
      ["Backspace", "back to the runs"],
    ],
  ],
  [
    "Text of a policy",
    [
      ["Ctrl Space", "what can be written here"],
      ["F8", "next mark"],
      ["Shift Alt F", "format"],
      ["Ctrl F", "search in the text"],
      ["Ctrl S", "save"],
      ["Esc Tab", "leave the text"],
    ],
  ],
];

/** @returns {boolean} whether single keys do something */
export const keysWanted = () => {
  try {
    return localStorage.getItem(OFF) !== "off";
  } catch {
    return true; // a browser that keeps nothing
  }
};

const want = (wanted) => {
  try {
    localStorage.setItem(OFF, wanted ? "on" : "off");
  } catch {
    // It lasts as long as the page then: nothing to do about it.
  }
};

/** @param {HTMLDialogElement} dialog */
export const keysSheet = (dialog) => {
  render(
    html`
    <h2 id="keys-title">Keys</h2>
    <div class="key-lists">${KEYS.map(
      ([name, keys]) =>
        html`<section><h3>${name}</h3><dl>${keys.map(
          ([key, words]) => html`
      <div><dt>${key.split(" ").map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${words}</dd></div>`,
        )}</dl></section>`,
    )}</div>
    <p><label class="check"><input type="checkbox" .checked=${keysWanted()} @change=${(event) => want(event.target.checked)}>Use single keys</label></p>
    <p><button type="button" @click=${() => dialog.close()}>Close</button></p>`,
    dialog,
  );
  dialog.showModal();
};
