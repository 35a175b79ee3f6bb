// The editor of policies: CodeMirror in a shadow root, where its styles need no permission of the page.

import {
  EditorState,
  EditorView,
  HighlightStyle,
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  foldGutter,
  foldKeymap,
  highlightActiveLine,
  highlightSelectionMatches,
  highlightSpecialChars,
  history,
  historyKeymap,
  hoverTooltip,
  indentOnInput,
  indentWithTab,
  keymap,
  lineNumbers,
  lintGutter,
  lintKeymap,
  linter,
  search,
  searchKeymap,
  syntaxHighlighting,
  tags,
  yaml,
} from "./vendor/codemirror.js";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--link)" },
  { tag: [tags.string, tags.content], color: "var(--panel-ink)" },
  { tag: [tags.keyword, tags.bool, tags.number, tags.null], color: "var(--spent-ink)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--bad-ink)" },
]);
const look = EditorView.theme({
  "&": { color: "var(--panel-ink)", backgroundColor: "var(--panel)", fontSize: "0.8125rem", height: "100%" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--panel-ink)" },
  ".cm-cursor": { borderLeftColor: "var(--panel-ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--quiet)", borderRight: "1px solid var(--rule)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--on)" },
  "&.cm-focused": { outline: "2px solid var(--link)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--counted)",
  },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--panel)",
    color: "var(--panel-ink)",
    border: "1px solid var(--rule)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--link)", color: "var(--page)" },
  ".cm-panel input, .cm-panel button": { font: "inherit" },
  ".cm-tooltip": { maxWidth: "min(36rem, 92vw)", maxHeight: "20rem", overflow: "auto", fontSize: "0.8125rem", zIndex: 5 },
  ".cm-tooltip.cm-completionInfo": { maxWidth: "min(24rem, 92vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete": { maxWidth: "92vw", overflow: "visible" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxWidth: "min(40rem, 92vw)" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-diagnostic": { padding: "0.375rem 0.75rem" },
  ".told": { padding: "0.375rem 0.75rem", lineHeight: "1.5", overflowWrap: "anywhere", whiteSpace: "normal" },
  ".cm-diagnostic .told": { padding: "0" },
  ".told p, .told pre, .told ul": { margin: "0 0 0.5rem" },
  ".told > :last-child": { marginBottom: "0" },
  ".told ul": { paddingLeft: "1.25rem" },
  ".told code, .told pre": { fontFamily: "var(--mono)", whiteSpace: "pre-wrap" },
  ".told .code": { color: "var(--quiet)" },
});

/** Milliseconds after Escape in which Tab leaves the text. */
const LEAVING = 60_000;
const leaveByTab = (view) => {
  view.setTabFocusMode(LEAVING);
  return true;
};

/**
 * @typedef {object} Wishes
 * @property {string} text @property {string} label for screen readers @property {boolean} [readOnly]
 * @property {(text: string) => void} [changed] @property {(view: EditorView) => Promise<object[]>} [lint] diagnostics
 * @property {(context: object) => Promise<object|null>} [complete] @property {(view: EditorView, at: number) => Promise<object|null>} [hover]
 * @property {object[]} [keys] bindings of keys
 */

/** @param {HTMLElement} place that holds nothing else @param {Wishes} wishes @returns {EditorView} */
export const editor = (place, wishes) => {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  root.replaceChildren();
  const extensions = [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    foldGutter(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    yaml(),
    syntaxHighlighting(colours),
    look,
    keymap.of([
      ...(wishes.keys ?? []),
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      // Last: where Escape closes nothing, the next Tab leaves the text.
      indentWithTab,
      { key: "Escape", run: leaveByTab },
    ]),
    EditorView.contentAttributes.of({ "aria-label": wishes.label, tabindex: "0" }),
    EditorView.lineWrapping,
    EditorState.readOnly.of(Boolean(wishes.readOnly)),
  ];
  if (wishes.complete) extensions.push(autocompletion({ override: [wishes.complete], icons: false }));
  if (wishes.hover) extensions.push(hoverTooltip(wishes.hover));
  if (wishes.lint) extensions.push(linter(wishes.lint, { delay: 400 }), lintGutter());
  if (wishes.changed) {
    extensions.push(
      EditorView.updateListener.of((update) => update.docChanged && wishes.changed(update.state.doc.toString())),
    );
  }
  return new EditorView({ state: EditorState.create({ doc: wishes.text, extensions }), parent: root, root });
};
