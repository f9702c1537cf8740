/** The editor in our tokens. It stands in a shadow root, where constructed style sheets are allowed and the page's do not reach. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import type { Ink } from "../state/dress";
import { INKS } from "./syntax";

const inks = (Object.keys(INKS) as Ink[]).map((ink) => ({ tag: INKS[ink], color: `var(--code-${ink})` }));
const small = { font: "var(--weight-medium) var(--text-xs) / 1.4 var(--font-ui)" };
const pressable = { ...small, padding: "0.2rem 0.5rem", minHeight: "1.5rem", border: "1px solid var(--edge)", borderRadius: "var(--radius-m)",
  color: "var(--ink)", background: "var(--surface-card)", cursor: "default" };
const focus = { outline: "2px solid var(--focus)", outlineOffset: "1px" };

const theme = EditorView.theme({
  "&": { color: "var(--ink)", background: "var(--surface-card)", maxHeight: "max(24rem, 60vh)", fontSize: "var(--text-code)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "var(--leading-code)", scrollbarWidth: "thin" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0" },
  "&.cm-editor .cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--space-3) 0 var(--space-2)", unicodeBidi: "isolate" },
  ".cm-gutters": { background: "var(--surface-card)", color: "var(--ink-faint)", border: "0", borderRight: "1px solid var(--line)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.75rem", padding: "0 var(--space-2)", fontVariantNumeric: "tabular-nums" },
  "&.cm-editor .cm-activeLine, &.cm-editor .cm-activeLineGutter": { background: "transparent" },
  "&.cm-editor .cm-activeLineGutter": { color: "var(--ink)" },
  "&.cm-editor .cm-selectionBackground, &.cm-editor.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { background: "var(--surface-selected)" },
  "&.cm-editor .cm-changedLine": { background: "var(--add-line)" },
  "&.cm-editor .cm-changedText": { background: "var(--add-word)", boxShadow: "0 1px 0 var(--add-sign)", borderRadius: "2px" },
  "&.cm-editor .cm-deletedChunk": { position: "relative", padding: "0 var(--space-3) 0 var(--space-2)", background: "var(--del-line)" },
  ".cm-deletedLine": { unicodeBidi: "isolate", overflowWrap: "anywhere" },
  "&.cm-editor .cm-deletedChunk .cm-deletedText": { background: "var(--del-word)", boxShadow: "0 1px 0 var(--del-sign)", borderRadius: "2px" },
  ".cm-changeGutter": { width: "0.25rem", padding: "0" },
  "&.cm-editor .cm-changedLineGutter": { background: "var(--add-sign)" },
  "&.cm-editor .cm-deletedLineGutter": { background: "var(--del-sign)" },
  "&.cm-editor .cm-deletedChunk .cm-chunkButtons": { position: "static", float: "inline-end", display: "flex", gap: "var(--space-1)", padding: "0.2rem 0", marginInlineStart: "var(--space-2)" },
  "&.cm-editor .cm-deletedChunk button": { ...pressable, margin: "0" },
  "&.cm-editor .cm-deletedChunk button:hover, .cm-button:hover": { background: "var(--surface-hover)" },
  ".cm-esc": { display: "inline-block", padding: "0 0.25em", border: "1px solid currentColor", borderRadius: "var(--radius-s)", background: "var(--escape-soft)",
    color: "var(--escape)", font: "var(--weight-strong) 0.75em / 1.4 var(--font-mono)" },
  "&.cm-editor .cm-panels": { background: "var(--surface-sunken)", color: "var(--ink)", borderBottom: "1px solid var(--line)", zIndex: "1" },
  ".cm-panel.cm-search": { ...small, display: "flex", flexWrap: "wrap", alignItems: "center", gap: "var(--space-1)", padding: "var(--space-2) 2.5rem var(--space-2) var(--space-2)" },
  ".cm-panel.cm-search br": { display: "none" },
  ".cm-panel.cm-search label": { ...small, display: "inline-flex", alignItems: "center", gap: "0.2rem", margin: "0 var(--space-1)" },
  ".cm-panel.cm-search input[type=checkbox]": { margin: "0", accentColor: "var(--accent)", width: "1rem", height: "1rem" },
  "&.cm-editor .cm-textfield": { ...small, padding: "0.2rem 0.4rem", minHeight: "1.5rem", margin: "0", border: "1px solid var(--edge)", borderRadius: "var(--radius-m)", background: "var(--surface-field)", color: "var(--ink)" },
  "&.cm-editor .cm-button": { ...pressable, backgroundImage: "none", margin: "0" },
  ".cm-panel.cm-search [name=close]": { ...pressable, position: "absolute", insetBlockStart: "var(--space-2)", insetInlineEnd: "var(--space-2)", width: "1.5rem", height: "1.5rem", padding: "0" },
  "& button:focus-visible, & input:focus-visible": focus,
  "&.cm-editor .cm-searchMatch": { background: "var(--mark-soft)", outline: "1px solid var(--mark)", color: "var(--ink)" },
  "&.cm-editor .cm-searchMatch-selected": { background: "var(--surface-selected)", outline: "2px solid var(--focus)" },
});

export const look = [theme, syntaxHighlighting(HighlightStyle.define(inks))];
