// The text of a policy: written here with what the language server knows, and watched where its file is.

import { editor } from "./editor.js";
import { language } from "./language.js";
import { around, lineDiff } from "./line_diff.js";
import { source, Trouble } from "./source.js";
import { store } from "./store.js";
import { html, render } from "./vendor/lit.js";
import { counted, safe } from "./words.js";

/** Milliseconds after the last key until a text is tried, and between two looks at its file. */
const QUIET = 300;
const LOOK = 3000;

/** A text with the line ends that the editor has. */
const plain = (text) => text.replace(/\r\n?/g, "\n");

/** The line end of a text, where it has one alone. */
const endOf = (text) => (text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text) ? "\r\n" : "\n");

/** Why a text cannot be changed, and what to do; empty where it can. */
const reason = (found) => {
  if (store.state?.static) return "These are files.";
  if (found.path.startsWith("shipped:")) {
    const name = found.path.slice("shipped:".length);
    return html`This policy comes with exitgate, and its text stays. To write your own, copy it:
      <code>exitgate policies eject ${safe(name)}</code>. Or start one with <code>exitgate new policy NAME</code> and
      write <code>extends: ${safe(name)}</code> in it. Then name its file: <code>exitgate studio … -p FILE</code>.`;
  }
  if (!found.editable) return "The file cannot be read as text.";
  if (store.state?.read_only) return html`This studio only reads: start it without <code>--read-only</code>.`;
  return "";
};

/**
 * The part of a page with the text of a policy. `renewed` is called when files have changed, with what is wrong.
 *
 * @param {any} found the policy as the studio has it @param {any} draft as `drafting` makes it
 * @param {(problems: string[]) => void} renewed
 */
export const policyText = (found, draft, renewed) => {
  const { name, path } = found;
  const element = document.createElement("div");
  const host = document.createElement("div");
  host.className = "policy-text";
  const why = reason(found);
  /** What the file said when the text here was begun, and what it says now where that is something else. */
  let base = plain(found.text);
  let theirs = null;
  let ending = endOf(found.text);
  let compared = false;
  let said = "";
  let moved = null;
  let trouble = null;
  let waiting = 0;
  let { stamp } = found;
  let gone = false;

  const shown = () => (draft.now.text === null ? base : plain(draft.now.text));
  let current = shown();

  const commit = () => {
    clearTimeout(waiting);
    waiting = 0;
    if (current !== shown()) draft.change({ text: current === base ? null : current.replaceAll("\n", ending) });
  };
  const typed = (text) => {
    // Half of a sign is of no text that can be saved.
    current = text.toWellFormed();
    said = "";
    clearTimeout(waiting);
    if (current !== shown()) waiting = setTimeout(commit, QUIET);
  };
  const knows = language(name, (error) => {
    if (trouble === error) return;
    trouble = error;
    draw();
  });

  const formatted = () => {
    commit();
    knows.format(view).then((done) => {
      if (done === null) return;
      commit();
      said = done;
      draw();
    });
    return true;
  };
  const saved = () => {
    commit();
    document.dispatchEvent(new CustomEvent("studio-save", { detail: { policy: name } }));
    return true;
  };
  const writes = {
    changed: typed,
    lint: knows.lint,
    complete: knows.complete,
    keys: [
      { key: "Shift-Alt-f", run: formatted },
      { key: "Mod-s", run: saved },
    ],
  };
  const view = editor(host, {
    text: current,
    label: `Text of ${name}`,
    readOnly: Boolean(why),
    hover: store.state?.static ? undefined : knows.hover,
    ...(why ? {} : writes),
  });
  // A button beside the editor means the text as it is now.
  host.addEventListener("focusout", commit);

  /** Show a text that was not typed here; what is the same stays, and with it the place of the cursor. */
  const replace = (text) => {
    const before = current;
    const most = Math.min(before.length, text.length);
    let from = 0;
    while (from < most && before[from] === text[from]) from += 1;
    let same = 0;
    while (same < most - from && before.at(-1 - same) === text.at(-1 - same)) same += 1;
    const kept = said;
    view.dispatch({ changes: { from, to: before.length - same, insert: text.slice(from, text.length - same) } });
    said = kept;
  };

  /** Take what the file says now. */
  const fileSays = (text) => {
    const now = plain(text);
    if (now === base) {
      theirs = null;
      return;
    }
    if (waiting) commit();
    const mine = [draft.now, ...draft.past].some((one) => one.text !== null && plain(one.text) === now);
    if (draft.now.text !== null && !mine) {
      theirs = text;
      return;
    }
    if (!waiting && current !== now && !mine) said = "The file has changed: this is its text now.";
    base = now;
    theirs = null;
    ending = endOf(text);
  };
  const keepMine = () => {
    base = plain(theirs);
    theirs = null;
    draw();
  };
  const takeTheirs = () => {
    keepMine();
    draft.change({ text: null });
  };

  const difference = () => {
    const lines = lineDiff(plain(theirs), current);
    const count = (sign) => counted(lines.filter((one) => one.sign === sign).length, "line");
    return html`<p class="note">- is in the file alone (${count("-")}), + here alone (${count("+")}).</p>
      <pre class="difference" tabindex="0" role="region" aria-label="Difference">${around(lines).map(
        (one) =>
          html`<span class=${one.sign === "-" ? "theirs" : one.sign === "+" ? "mine" : ""}>${one.sign} ${safe(one.text)}</span>`,
      )}</pre>`;
  };
  const changedFile = () => html`<div class="trouble" role="alert"><p><b>${safe(path)} has changed</b> since this text was begun.</p>
    <p class="draft-bar"><button type="button" aria-expanded=${compared} @click=${() => {
      compared = !compared;
      draw();
    }}>See the difference</button>
    <button type="button" @click=${keepMine}>Keep mine</button> <button type="button" @click=${takeTheirs}>Take the file's</button></p>
    ${compared ? difference() : ""}</div>`;

  const draw = () => {
    if (gone) return;
    render(
      html`${theirs === null ? "" : changedFile()}
    ${trouble ? html`<p class="trouble" role="alert"><b>${safe(trouble.what)}</b> ${safe(trouble.help)}</p>` : ""}
    ${
      why
        ? html`<p class="note">${why}</p>`
        : html`<p class="draft-bar"><button type="button" aria-keyshortcuts="Shift+Alt+F" @click=${formatted}>Format</button>
      <span class="note" role="status">${said}</span>
      ${moved && draft.now.text !== null ? html`<span class="note">${counted(moved.runs, "run")} ${moved.runs === 1 ? "stops" : "stop"} otherwise</span>` : ""}</p>`
    }
    ${host}
    ${
      why
        ? ""
        : html`<p class="note text-keys"><kbd>Ctrl</kbd>-<kbd>Space</kbd> completes, <kbd>F8</kbd> goes to the next mark,
      <kbd>Shift</kbd>-<kbd>Alt</kbd>-<kbd>F</kbd> formats. <kbd>Tab</kbd> indents; <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the text.</p>`
    }`,
      element,
    );
  };

  /** Look whether the file is as it was, while somebody looks at this page. */
  const look = async () => {
    if (document.visibilityState === "hidden" || gone) return;
    try {
      const now = (await source.get("stamp", name)).stamp;
      if (now !== stamp) {
        const { problems } = await source.post("renew", {});
        if (!gone) renewed(problems);
      }
      stamp = now;
    } catch (error) {
      // The page's head says that the studio does not answer.
      if (!(error instanceof Trouble)) throw error;
    }
  };
  const looking = why ? 0 : setInterval(look, LOOK);
  if (!why) {
    addEventListener("focus", look);
    look();
  }
  draw();

  return {
    element,
    /** Show the policy and its draft as they now are. @param {any} now @param {any} moves what the draft moves */
    update: (now, moves) => {
      moved = moves;
      fileSays(now.text);
      if (!waiting && current !== shown()) replace(shown());
      draw();
    },
    /** Show a place. @param {number} line @param {number} column from 1 */
    goTo: (line, column) => {
      const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      const anchor = Math.min(at.from + column - 1, at.to);
      host.scrollIntoView({ block: "nearest" });
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    leave: () => {
      commit();
      gone = true;
      clearInterval(looking);
      removeEventListener("focus", look);
      view.destroy();
    },
  };
};
