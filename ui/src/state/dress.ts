import { type Piece, pieces } from "./text";

export type Ink = "key" | "str" | "num" | "note";
/** A stretch of a line in one ink, in UTF-16 units. Stretches are in order and do not overlap. */
export interface Stretch { from: number; to: number; ink: Ink }
export interface Dressed extends Piece { ink?: Ink; blank?: "tab" | "end" }

const NOTHING: readonly Stretch[] = [];

/** A line in pieces: changed words, escapes, inks, and on demand tabs and the blanks at its end. Joined they are the line. */
export function dress(line: string, words: readonly (readonly [number, number])[] | undefined, inks: readonly Stretch[] = NOTHING, blanks = false): Dressed[] {
  const all = pieces(line, words);
  if (inks.length === 0 && !blanks) return all;
  const end = blanks ? line.length - (/[ \t]*$/.exec(line)?.[0].length ?? 0) : line.length;
  const out: Dressed[] = [];
  let at = 0;
  let next = 0;
  for (const piece of all) {
    const stop = at + piece.text.length;
    if (piece.esc) {
      out.push(piece);
      at = stop;
    }
    while (at < stop) {
      while ((inks[next]?.to ?? Infinity) <= at) next += 1;
      const ahead = inks[next];
      const ink = ahead && ahead.from <= at ? ahead.ink : undefined;
      let to = Math.min(stop, (ink ? ahead?.to : ahead?.from) ?? stop);
      let blank: Dressed["blank"];
      if (blanks) {
        if (line[at] === "\t") {
          blank = "tab";
          to = at + 1;
        } else {
          const tab = line.indexOf("\t", at);
          if (tab >= 0) to = Math.min(to, tab);
          if (at >= end) blank = "end";
          else to = Math.min(to, end);
        }
      }
      out.push({ ...piece, text: line.slice(at, to), ...(ink && { ink }), ...(blank && { blank }) });
      at = to;
    }
  }
  return out;
}
