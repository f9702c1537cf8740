import type { DiffRow, FileChange, Hunk } from "../bridge/types";
import { ROWS, rowCount } from "./folds";

export type Line =
  | { gap: string }
  | { row: DiffRow; old: number | null; new: number | null };

export const CHUNK = 400;
const HEAD = 120;
const TAIL = 60;

function gapWords(hunk: Hunk, before: Hunk | undefined): string | null {
  const from = before ? before.oldStart + before.oldLines : 1;
  const hidden = hunk.oldStart - from;
  if (hidden <= 0) return null;
  const lines = hidden === 1 ? "1 unchanged line" : `${hidden} unchanged lines`;
  return before ? lines : `${lines} above`;
}

/** Rows with their numbers. A snippet's numbers would be made up, so it has none. */
export function lines(file: FileChange): Line[] {
  const numbered = file.status !== "snippet";
  const out: Line[] = [];
  file.hunks.forEach((hunk, index) => {
    const gap = numbered ? gapWords(hunk, file.hunks[index - 1]) : index > 0 ? "another part of the file" : null;
    if (gap) out.push({ gap });
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const row of hunk.rows) {
      const hasOld = row.op !== "+";
      const hasNew = row.op !== "-";
      out.push({ row, old: numbered && hasOld ? oldLine : null, new: numbered && hasNew ? newLine : null });
      if (hasOld) oldLine += 1;
      if (hasNew) newLine += 1;
    }
  });
  return out;
}

export function chunks(all: Line[]): Line[][] {
  const out: Line[][] = [];
  for (let at = 0; at < all.length; at += CHUNK) out.push(all.slice(at, at + CHUNK));
  return out;
}

export interface FoldedLines { head: Line[]; tail: Line[]; hidden: Line[] }

export function foldLines(file: FileChange, all: Line[]): FoldedLines | null {
  if (rowCount(file) <= ROWS) return null;
  return { head: all.slice(0, HEAD), hidden: all.slice(HEAD, -TAIL), tail: all.slice(-TAIL) };
}
