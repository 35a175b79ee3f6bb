// The editor of policies: YAML, completion, diagnostics, hover, search, keys.
export { EditorState, Compartment, StateEffect, StateField, Annotation, Transaction, RangeSet, RangeSetBuilder } from "@codemirror/state";
export {
  EditorView, Decoration, ViewPlugin, WidgetType, GutterMarker, gutter, keymap, lineNumbers, highlightActiveLine,
  highlightActiveLineGutter, highlightSpecialChars, drawSelection, dropCursor, rectangularSelection, crosshairCursor,
  hoverTooltip, showTooltip, tooltips, placeholder,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab, toggleTabFocusMode } from "@codemirror/commands";
export {
  syntaxHighlighting, HighlightStyle, indentOnInput, bracketMatching, foldGutter, foldKeymap, indentUnit, syntaxTree,
} from "@codemirror/language";
export { yaml, yamlLanguage } from "@codemirror/lang-yaml";
export { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap, startCompletion, snippet } from "@codemirror/autocomplete";
export { linter, lintGutter, lintKeymap, setDiagnostics, forceLinting, openLintPanel } from "@codemirror/lint";
export { search, searchKeymap, highlightSelectionMatches, openSearchPanel } from "@codemirror/search";
export { tags } from "@lezer/highlight";
