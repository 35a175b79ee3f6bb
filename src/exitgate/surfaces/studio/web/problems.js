// What is wrong with a draft, each with its place.

import { html } from "./vendor/lit.js";
import { safe } from "./words.js";

/**
 * @param {object[]} problems as the studio says them @param {string[]} failed sentences alone
 * @param {string} path of the policy's file @param {(line: number, column: number) => void} goTo shows a place of it
 */
export const problemList = (problems, failed, path, goTo) => {
  if (!problems.length && !failed.length) return "";
  const place = (one) => {
    if (!one.line) return "";
    if (one.file !== path) return html`, ${safe(one.file)}, line ${one.line}`;
    return html`, <button type="button" class="plain" @click=${() => goTo(one.line, one.column ?? 1)}>line ${one.line}</button>`;
  };
  return html`<div class="trouble" role="alert"><p>This cannot be used; the change before it still counts.</p><ul>
    ${problems.map(
      (one) => html`<li><b>${safe(one.message)}</b>${one.help ? html` <span>${safe(one.help)}</span>` : ""}
      <span class="quiet">${safe(one.code)}${place(one)}</span></li>`,
    )}${failed.map((said) => html`<li><b>${safe(said)}</b></li>`)}</ul></div>`;
};
