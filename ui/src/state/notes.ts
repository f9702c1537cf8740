/** Notes on a plan: which part of it they are on, how they are kept, and how they are told to the agent. */
import type { Block, Span } from "../bridge/types";

/** `at` counts the parts of the plan from 0; `on` are the first words of that part, should the plan change. */
export interface Note { at: number; on: string; text: string }
export interface Draft { reason: string; notes: Note[] }

/** What one note is on: a block, or one item of a list that is not inside another. */
export interface Part { block: Block; label: string; on: string }

const WORDS = 8;
const CHARACTERS = 60;

function spansText(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

function blockText(block: Block): string {
  switch (block.type) {
    case "heading": case "paragraph": return spansText(block.spans);
    case "list": return block.items.map((item) => item.blocks.map(blockText).join(" ")).join(" ");
    case "code": return block.text;
    case "quote": return block.blocks.map(blockText).join(" ");
    case "table": return [block.header, ...block.rows].map((row) => row.map(spansText).join(" ")).join(" ");
    default: return "";
  }
}

/** The beginning of a text, at the end of a word where that is near. */
export function firstWords(text: string): string {
  const all = text.trim().split(/\s+/);
  const some = Array.from(all.slice(0, WORDS).join(" ")).slice(0, CHARACTERS).join("");
  return some.length < all.join(" ").length ? `${some}…` : some;
}

const LABELS: Partial<Record<Block["type"], string>> = { heading: "heading", paragraph: "paragraph", code: "code", quote: "quote", table: "table" };

export function parts(blocks: readonly Block[]): Part[] {
  return blocks.flatMap((block): Part[] => {
    if (block.type === "rule") return [{ block, label: "", on: "" }];
    if (block.type !== "list") return [{ block, label: LABELS[block.type] ?? "part", on: firstWords(blockText(block)) }];
    return block.items.map((item, index) => {
      const start = block.ordered ? (block.start ?? 1) + index : null;
      const one: Block = { ...block, start, items: [item] };
      return { block: one, label: start === null ? "item" : `step ${start}`, on: firstWords(blockText(one)) };
    });
  });
}

export interface Placed { byPart: ReadonlyMap<number, Note>; lost: Note[] }

/** Where notes stand in this plan. One whose words are nowhere in it any more is kept apart, not dropped. */
export function place(notes: readonly Note[], all: readonly Part[]): Placed {
  const byPart = new Map<number, Note>();
  const lost: Note[] = [];
  for (const note of notes) {
    const at = all[note.at]?.on === note.on ? note.at : all.findIndex((part, index) => part.on === note.on && !byPart.has(index));
    if (at >= 0 && !byPart.has(at)) byPart.set(at, note);
    else lost.push(note);
  }
  return { byPart, lost };
}

function isNote(value: unknown): value is Note {
  const note = value as Partial<Note> | null;
  return typeof note === "object" && note !== null && typeof note.at === "number" && typeof note.on === "string" && typeof note.text === "string";
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Partial<Draft> | null;
  return typeof draft === "object" && draft !== null && typeof draft.reason === "string" && Array.isArray(draft.notes) && draft.notes.every(isNote)
    && Object.keys(draft).length === 2;
}

function parsed(text: string): Draft | null {
  if (!text.startsWith('{"reason":')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDraft(value) ? value : null;
  } catch {
    return null;
  }
}

/** A draft is the reason as typed, or both as JSON. */
export function readDraft(draft: string | null): Draft {
  return parsed(draft ?? "") ?? { reason: draft ?? "", notes: [] };
}

/** A reason that would itself read as notes is wrapped, so that it comes back as typed. */
export function writeDraft({ reason, notes }: Draft): string {
  return notes.length === 0 && parsed(reason) === null ? reason : JSON.stringify({ reason, notes });
}

/** What goes to the agent with a rejection: one line a note, then the reason. */
export function feedback({ reason, notes }: Draft): string {
  const lines = notes.map((note) => `On “${note.on}”: ${note.text.trim().replace(/\s*\n\s*/g, " ")}`);
  return [lines.join("\n"), reason.trim()].filter(Boolean).join("\n\n");
}
