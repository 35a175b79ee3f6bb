// What the language server says of a policy's text, in the terms of the editor.

import { markdown } from "./markdown.js";
import { source, Trouble } from "./source.js";
import { snippet } from "./vendor/codemirror.js";
import { html, render } from "./vendor/lit.js";
import { safe } from "./words.js";

const SEVERITIES = { 1: "error", 2: "warning", 3: "info" };
/** What is typed before the cursor where proposals come by themselves. */
const ASKING = /[\p{L}\p{N}_$@.{]$/u;
const WORD = /^[\p{L}\p{N}_$@.-]*$/u;

const offset = (doc, place) => {
  if (place.line >= doc.lines) return doc.length;
  const line = doc.line(place.line + 1);
  return Math.min(line.from + place.character, line.to);
};

/** A text that is inserted, for the editor: `$1` and `\$` are the protocol's alone, as braces are the editor's. */
const template = (item) => {
  const text = item.textEdit.newText;
  if (item.insertTextFormat !== 2) return text.replace(/[{}]/g, "\\$&");
  return text.replace(/\\(.)|\$(\d)|(\$\{[^}]*\})|([{}])/gs, (all, escaped, field, whole, brace) => {
    if (escaped !== undefined) return /[{}]/.test(escaped) ? `\\${escaped}` : escaped;
    if (field !== undefined) return `\${${field === "0" ? 99 : field}}`;
    return whole ?? `\\${brace}`;
  });
};

const shown = (content) => {
  const place = document.createElement("div");
  place.className = "told";
  render(content, place);
  return place;
};

/**
 * @param {string} policy its name
 * @param {(trouble: Trouble|null) => void} heard what went wrong with asking, null for an answer
 */
export const language = (policy, heard) => {
  const ask = async (what, doc, at = 0) => {
    const line = doc.lineAt(at);
    const place = { line: line.number - 1, column: at - line.from };
    try {
      // Half of a sign is of no text that can be saved, and no longer than the sign that says so.
      const answer = await source.post("language", { what, policy, text: doc.toString().toWellFormed(), ...place });
      heard(null);
      return answer;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      heard(error);
      return null;
    }
  };

  const complete = async (context) => {
    if (!context.explicit && !context.matchBefore(ASKING)) return null;
    const { doc } = context.state;
    const answer = await ask("completion", doc, context.pos);
    if (!answer?.items.length) return null;
    const { start, end } = answer.items[0].textEdit.range;
    // What is behind the cursor is replaced as well, and no part of what is looked for.
    const behind = Math.max(offset(doc, end) - context.pos, 0);
    const options = answer.items.map((item) => ({
      label: item.filterText ?? item.label,
      displayLabel: safe(item.label),
      detail: item.detail ? safe(item.detail) : undefined,
      boost: -Number(/^\d/.exec(item.sortText)?.[0] ?? 0),
      info: item.documentation ? () => shown(markdown(item.documentation.value)) : undefined,
      apply: (view, one, from, to) =>
        snippet(template(item))(view, one, from, Math.min(to + behind, view.state.doc.length)),
    }));
    return { from: Math.min(offset(doc, start), context.pos), options, validFor: WORD };
  };

  const hover = async (view, at) => {
    const { doc } = view.state;
    const answer = await ask("hover", doc, at);
    if (!answer?.contents) return null;
    const { start, end } = answer.range;
    const made = () => ({ dom: shown(markdown(answer.contents.value)) });
    return { pos: offset(doc, start), end: offset(doc, end), above: true, create: made };
  };

  const lint = async (view) => {
    const { doc } = view.state;
    const answer = await ask("diagnostics", doc);
    if (!answer) return [];
    return answer.items.map((one) => {
      const [message, ...help] = one.message.split("\nhelp: ");
      const from = offset(doc, one.range.start);
      const renderMessage = () =>
        shown(html`<p><b>${safe(message)}</b></p>${help.length ? html`<p>${safe(help.join(" "))}</p>` : ""}
          <p class="code">${safe(one.code)}</p>`);
      const to = Math.max(offset(doc, one.range.end), from);
      return { from, to, severity: SEVERITIES[one.severity] ?? "error", message: one.message, renderMessage };
    });
  };

  /** Put a text into canonical form, and say what was done; null where the text changed meanwhile. */
  const format = async (view) => {
    const { doc } = view.state;
    const answer = await ask("format", doc);
    if (!answer || !doc.eq(view.state.doc)) return null;
    const changes = answer.edits.map((one) => ({
      from: offset(doc, one.range.start),
      to: offset(doc, one.range.end),
      insert: one.newText,
    }));
    if (changes.length) view.dispatch({ changes, userEvent: "format" });
    return changes.length ? "Formatted." : answer.refused ? "Correct what is marked first." : "Its form is right already.";
  };

  return { complete, hover, lint, format };
};
