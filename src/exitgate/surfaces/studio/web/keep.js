// What is written: the difference is shown first, then confirmed; the last change can be taken back.

import { html, render } from "./vendor/lit.js";
import { source, Trouble } from "./source.js";
import { onChange, store } from "./store.js";
import { tell } from "./told.js";
import { safe } from "./words.js";

/** Whether this page may have something written. @param {any} state of the studio */
export const mayWrite = (state) => Boolean(state && !state.static && !state.read_only);

/** Hears `change` when this page has had something written. @type {EventTarget} */
export const kept = new EventTarget();

const ROLES = { "+": "added", "-": "gone", "@": "place" };
const line = (text) => html`<span class=${ROLES[text[0]] ?? ""}>${safe(text)}</span>\n`;
const file = (one) => html`<section><h3><code>${safe(one.path)}</code>${one.new ? html` <span class="quiet">new</span>` : ""}</h3>
  <pre class="diff" tabindex="0" aria-label=${`What changes in ${one.path}`}>${one.diff
    .filter((text) => !/^(---|\+\+\+) /.test(text))
    .map(line)}</pre></section>`;

/**
 * Show what would be written, and write it when that is confirmed.
 *
 * @param {object} wanted
 * @param {string} wanted.title
 * @param {(again: () => void) => unknown} wanted.controls what can be chosen; `again` shows the difference anew
 * @param {() => Promise<any>} wanted.ask asks the studio for what would change
 * @param {(paths: string[]) => void} wanted.done
 */
export const propose = ({ title, controls, ask, done }) => {
  const dialog = document.createElement("dialog");
  dialog.className = "keep";
  dialog.setAttribute("aria-labelledby", "keep-title");
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  let proposal = null;
  let trouble = null;
  let asked = 0;

  const attempt = async (what) => {
    try {
      trouble = null;
      return await what();
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
      return null;
    }
  };
  const again = async () => {
    const own = (asked += 1);
    proposal = null;
    draw();
    const answer = await attempt(ask);
    if (own !== asked) return;
    proposal = answer;
    draw();
  };
  const write = async () => {
    const { ticket } = proposal;
    proposal = null;
    draw();
    const answer = await attempt(() => source.post("keep-confirm", { ticket }));
    if (!answer) return draw();
    dialog.close();
    tell(`wrote ${answer.written.join(", ")}`);
    done(answer.written);
    kept.dispatchEvent(new Event("change"));
  };
  const draw = () =>
    render(
      html`<h2 id="keep-title">${title}</h2>
      ${controls(again)}
      ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
      ${
        proposal
          ? html`${proposal.remarks.map((remark) => html`<p class="warned">${safe(remark)}</p>`)}
        ${proposal.files.map(file)}`
          : trouble
            ? ""
            : html`<p class="note">Looking…</p>`
      }
      <p class="draft-bar"><button ?disabled=${!proposal} @click=${write}>Write it</button>
        <button @click=${() => dialog.close()}>Cancel</button></p>`,
      dialog,
    );
  draw();
  dialog.showModal();
  again();
};

/**
 * A button that takes back what was written last, where there is something. It follows `kept`.
 *
 * @param {() => void} changed called when what it shows changes @param {(paths: string[]) => void} done
 */
export const takingBack = (changed, done) => {
  let paths = [];
  let trouble = null;
  const look = async () => {
    if (!mayWrite(store.state)) return;
    const answer = await source.get("kept").catch((error) => {
      if (!(error instanceof Trouble)) throw error;
      return { undo: [] };
    });
    paths = answer.undo;
    changed();
  };
  const undo = async () => {
    try {
      trouble = null;
      const { written } = await source.post("keep-undo", {});
      tell(`${written.join(", ")} is as it was`);
      done(written);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      trouble = error;
    }
    kept.dispatchEvent(new Event("change"));
  };
  kept.addEventListener("change", look);
  // Another page may have written something.
  const forget = onChange((what) => what === "loaded" && look());
  look();
  return {
    leave: () => {
      kept.removeEventListener("change", look);
      forget();
    },
    button: () =>
      html`${paths.length ? html`<button @click=${undo}>Take back what was written: ${safe(paths.join(", "))}</button>` : ""}
      ${trouble ? html`<span class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</span>` : ""}`,
  };
};
