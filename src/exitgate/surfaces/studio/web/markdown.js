// The little of Markdown that the language server writes: paragraphs, lists, code. Anything else is text.

import { html } from "./vendor/lit.js";
import { safe } from "./words.js";

const inline = (text) =>
  text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) =>
      /^`[^`]+`$/.test(part)
        ? html`<code>${safe(part.slice(1, -1))}</code>`
        : /^\*\*[^*]+\*\*$/.test(part)
          ? html`<b>${safe(part.slice(2, -2))}</b>`
          : safe(part),
    );

/** @param {string[]} lines that no empty line parts */
const block = (lines) =>
  lines.every((line) => line.startsWith("- "))
    ? html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`
    : html`<p>${inline(lines.join(" "))}</p>`;

/** @param {string} text @returns {object[]} what lit renders */
export const markdown = (text) => {
  const found = [];
  let lines = [];
  let code = null;
  const end = () => {
    if (lines.length) found.push(block(lines));
    lines = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.startsWith("```")) {
      end();
      if (code) found.push(html`<pre>${code.map(safe).join("\n")}</pre>`);
      code = code ? null : [];
    } else if (code) code.push(line);
    else if (!line.trim()) end();
    else {
      // A list begins and ends with its first and last item.
      if (lines.length && line.startsWith("- ") !== lines[0].startsWith("- ")) end();
      lines.push(line);
    }
  }
  end();
  if (code) found.push(html`<pre>${code.map(safe).join("\n")}</pre>`);
  return found;
};
