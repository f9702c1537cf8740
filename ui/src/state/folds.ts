import type { Detail, FileChange } from "../bridge/types";
import { pretty } from "./text";

export const LINES = 40;
export const ROWS = 400;
const HEAD_LINES = 12;
const TAIL_LINES = 6;

export interface Folded { head: string; middle: string; tail: string; lines: number; characters: number }

/** Head and tail of a long text; null when it is short enough to be shown whole. */
export function foldText(text: string): Folded | null {
  const lines = text.split("\n");
  if (lines.length <= LINES) return null;
  const middle = lines.slice(HEAD_LINES, -TAIL_LINES).join("\n");
  return {
    head: lines.slice(0, HEAD_LINES).join("\n"),
    middle,
    tail: lines.slice(-TAIL_LINES).join("\n"),
    lines: lines.length - HEAD_LINES - TAIL_LINES,
    characters: middle.length,
  };
}

export function rowCount(file: FileChange): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.rows.length, 0);
}

/** What stands as the fact: the command, or the input as it came when there is nothing better. */
export function factText(detail: Detail): string | null {
  if (detail.toolCall.command) return detail.toolCall.command;
  if (detail.files.length > 0 || detail.planBlocks.length > 0 || detail.plan) return null;
  if (detail.toolCall.rawInput === undefined || detail.toolCall.rawInput === null) return detail.toolCall.title;
  return pretty(detail.toolCall.rawInput);
}

/** Keys of all folds of a request. Allows stay off until every one was opened. */
export function foldsOf(detail: Detail): string[] {
  const keys: string[] = [];
  const fact = factText(detail);
  if (fact !== null && foldText(fact)) keys.push("fact");
  detail.files.forEach((file, index) => {
    if (rowCount(file) > ROWS) keys.push(`file-${index}`);
  });
  return keys;
}
