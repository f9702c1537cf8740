import type { DiffRow, FileView, Fold, Hunk } from "../bridge/types";

/** A line of a drawn diff: a row of it, what lies between two hunks, or a remark of ours. */
export type Line =
  | { gap: string }
  | { told: string }
  | { row: DiffRow; old: number | null; new: number | null; start: boolean };

const CHUNK = 200;
const ESCAPE = /\[(?:\d+ )?U\+[0-9A-F]{4,6}\]/;

function lineCount(count: number): string {
  return count === 1 ? "1 unchanged line" : `${count.toLocaleString("en")} unchanged lines`;
}

function gapWords(hunk: Hunk, before: Hunk | undefined): string | null {
  const from = before ? before.oldStart + before.oldLines : 1;
  const hidden = hunk.oldStart - from;
  if (hidden <= 0) return null;
  return before ? lineCount(hidden) : `${lineCount(hidden)} above`;
}

/** Removed and added rows that read alike must not be left unexplained: lines are compared with their ends. */
function alike(removed: DiffRow[], added: DiffRow[]): string | null {
  const same = removed.filter((row, index) => row.text === added[index]?.text);
  if (same.length === 0) return null;
  const what = same.some((row) => ESCAPE.test(row.text)) ? "a line ending or a hidden character differs" : "only the line ending differs";
  if (removed.length === 1 && added.length === 1) return `The two lines read the same: ${what}.`;
  const all = same.length === removed.length && same.length === added.length;
  return `${all ? "All" : same.length.toLocaleString("en")} of these lines read the same on both sides: ${what}.`;
}

interface Run { removed: DiffRow[]; added: DiffRow[] }

/** Rows with their numbers. A snippet's numbers would be made up, so it has none. */
export function lines(file: FileView): Line[] {
  const numbered = file.status !== "snippet";
  const out: Line[] = [];
  let run: Run = { removed: [], added: [] };
  const close = () => {
    const told = alike(run.removed, run.added);
    if (told) out.push({ told });
    run = { removed: [], added: [] };
  };
  file.hunks.forEach((hunk, index) => {
    const gap = numbered ? gapWords(hunk, file.hunks[index - 1]) : index > 0 ? "another part of the file" : null;
    if (gap) out.push({ gap });
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const row of hunk.rows) {
      if (row.op === " " || (row.op === "-" && run.added.length > 0)) close();
      const start = row.op !== " " && run.removed.length + run.added.length === 0;
      const hasOld = row.op !== "+";
      const hasNew = row.op !== "-";
      out.push({ row, old: numbered && hasOld ? oldLine : null, new: numbered && hasNew ? newLine : null, start });
      if (row.op === "-") run.removed.push(row);
      if (row.op === "+") run.added.push(row);
      if (hasOld) oldLine += 1;
      if (hasNew) newLine += 1;
    }
    close();
  });
  return out;
}

export type RowLine = Extract<Line, { row: DiffRow }>;

/** A line of a diff in two columns: before and after. */
export type Pair = { gap: string } | { told: string } | { left: RowLine | null; right: RowLine | null; start: boolean };

/** Removed and added lines of one run side by side; a line that did not change stands on both. */
export function sides(all: readonly Line[]): Pair[] {
  const out: Pair[] = [];
  let removed: RowLine[] = [];
  let added: RowLine[] = [];
  const close = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      out.push({ left: removed[at] ?? null, right: added[at] ?? null, start: at === 0 });
    }
    removed = [];
    added = [];
  };
  for (const line of all) {
    if (!("row" in line) || line.row.op === " " || (line.row.op === "-" && added.length > 0)) close();
    if (!("row" in line)) out.push(line);
    else if (line.row.op === "-") removed.push(line);
    else if (line.row.op === "+") added.push(line);
    else out.push({ left: line, right: line, start: false });
  }
  close();
  return out;
}

export function chunks<T>(all: readonly T[]): T[][] {
  const out: T[][] = [];
  for (let at = 0; at < all.length; at += CHUNK) out.push(all.slice(at, at + CHUNK));
  return out;
}

export interface FoldedLines { head: Line[]; tail: Line[]; hidden: Line[] }

/** The fold counts rows of the diff; gaps and remarks stay with the row before them. */
export function foldLines(all: Line[], fold: Fold): FoldedLines {
  const rows = all.flatMap((line, index) => ("row" in line ? [index] : []));
  if (fold.unit !== "rows") return { head: [], hidden: all, tail: [] };
  const from = rows[fold.head] ?? all.length;
  const to = fold.tail > 0 ? (rows[Math.max(rows.length - fold.tail, fold.head)] ?? all.length) : all.length;
  return { head: all.slice(0, from), hidden: all.slice(from, to), tail: all.slice(to) };
}

export function signs(files: readonly FileView[], op: "+" | "-"): number {
  const rows = files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.rows));
  return rows.reduce((sum, row) => sum + (row.op === op ? 1 : 0), 0);
}

/** A change as text, as it is shown. */
export function asPatch(file: FileView): string {
  const head = [`--- ${file.movedFrom ?? file.path}`, `+++ ${file.path}`];
  const hunks = file.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.rows.map((row) => row.op + row.text),
  ]);
  return [...head, ...hunks].join("\n") + "\n";
}
