/** The editor of a proposal: the person's text against the file on disk. Loaded when somebody edits. */
import { defaultKeymap, history, historyKeymap, redo, undo } from "@codemirror/commands";
import { acceptChunk, getChunks, goToNextChunk, goToPreviousChunk, rejectChunk, unifiedMergeView } from "@codemirror/merge";
import { openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { languageOf } from "./syntax";
import { look } from "./theme";

export interface Standing { dirty: boolean; changes: number; /** From 1; 0 when the cursor is in none. */ at: number; canUndo: boolean }

export interface EditorPart {
  path: string;
  original: string;
  text: string;
  /** What counts as saved. */
  saved: string;
  wrap: boolean;
  onstanding: (standing: Standing) => void;
  onsave: () => void;
}

/** As in the texts the broker shows: nothing may hide or reorder. */
const HIDDEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f]/gu;

function escaped(code: number): HTMLElement {
  const box = document.createElement("span");
  box.className = "cm-esc";
  box.textContent = `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  return box;
}

/** The keys do the same on the change under the cursor; Tab stays in the text. */
function control(type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.tabIndex = -1;
  button.textContent = type === "accept" ? "Keep" : "Revert";
  button.addEventListener("mousedown", act);
  return button;
}

const COMMANDS = { next: goToNextChunk, previous: goToPreviousChunk, keep: acceptChunk, revert: rejectChunk, undo, redo, search: openSearchPanel };

function inChange(state: EditorState): number {
  const head = state.selection.main.head;
  return (getChunks(state)?.chunks.findIndex((chunk) => head >= chunk.fromB && head <= Math.max(chunk.fromB, chunk.endB)) ?? -1) + 1;
}

export class ProposalEditor {
  #view: EditorView;
  #saved: EditorState["doc"];
  #touched = false;
  #writable = new Compartment();

  constructor(host: HTMLElement, part: EditorPart) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const language = new Compartment();
    this.#saved = EditorState.create({ doc: part.saved }).doc;
    const standing = (state: EditorState) => part.onstanding({ dirty: !state.doc.eq(this.#saved), changes: getChunks(state)?.chunks.length ?? 0, at: inChange(state), canUndo: this.#touched });
    const state = EditorState.create({
      doc: part.text,
      extensions: [
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: () => { part.onsave(); return true; } },
          { key: "F7", run: goToNextChunk, shift: goToPreviousChunk },
          { key: "Alt-k", run: (view) => acceptChunk(view) },
          { key: "Alt-r", run: (view) => rejectChunk(view) },
          ...searchKeymap, ...historyKeymap, ...defaultKeymap,
        ]),
        history(), drawSelection(), lineNumbers(), highlightActiveLineGutter(), search({ top: true }),
        highlightSpecialChars({ specialChars: HIDDEN, render: escaped }),
        part.wrap ? EditorView.lineWrapping : [],
        EditorView.contentAttributes.of({ "aria-label": `Your version of ${part.path}`, spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
        EditorState.lineSeparator.of("\n"),
        unifiedMergeView({ original: part.original, mergeControls: control, diffConfig: { scanLimit: 500, timeout: 200 } }),
        language.of([]), this.#writable.of([]), look,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.#touched = true;
          if (update.docChanged || update.selectionSet || update.transactions.length > 0) standing(update.state);
        }),
      ],
    });
    this.#view = new EditorView({ state, root, parent: root });
    standing(state);
    void languageOf(part.path).then((found) => { if (found) this.#view.dispatch({ effects: language.reconfigure(found) }); });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** False when there was nothing to do it to. */
  run(command: keyof typeof COMMANDS): boolean {
    const done = COMMANDS[command](this.#view);
    if (command !== "search") this.#view.focus();
    return done;
  }

  markSaved(): void {
    this.#saved = this.#view.state.doc;
    this.#view.dispatch({});
  }

  /** Can still be read and copied. */
  freeze(): void {
    this.#view.dispatch({ effects: this.#writable.reconfigure([EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ tabindex: "0" })]) });
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}
