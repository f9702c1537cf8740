import type { Detail, Fold } from "../bridge/types";

export interface Cut { head: string; tail: string }

export function foldOf(detail: Pick<Detail, "folds">, key: string): Fold | null {
  return detail.folds.find((fold) => fold.key === key) ?? null;
}

/** The two ends of a folded text. A unit that does not belong to texts shows nothing of it. */
export function cut(text: string, fold: Fold): Cut {
  if (fold.unit === "lines") {
    const lines = text.split("\n");
    return { head: lines.slice(0, fold.head).join("\n"), tail: last(lines, fold.tail).join("\n") };
  }
  if (fold.unit === "characters") {
    const characters = Array.from(text);
    return { head: characters.slice(0, fold.head).join(""), tail: last(characters, fold.tail).join("") };
  }
  return { head: "", tail: "" };
}

/** `slice(-0)` would be everything. */
function last<T>(all: readonly T[], count: number): T[] {
  return count > 0 ? all.slice(-count) : [];
}

const CHUNK_LINES = 400;
const CHUNK_CHARACTERS = 20_000;

/** A long text in pieces that are drawn one after the other; joined they are the text. */
export function chunksOf(text: string): string[] {
  const out: string[] = [];
  let chunk: string[] = [];
  let characters = 0;
  for (const line of text.split(/(?<=\n)/)) {
    chunk.push(line);
    characters += line.length;
    if (chunk.length >= CHUNK_LINES || characters >= CHUNK_CHARACTERS) {
      out.push(chunk.join(""));
      chunk = [];
      characters = 0;
    }
  }
  if (chunk.length > 0) out.push(chunk.join(""));
  return out;
}
