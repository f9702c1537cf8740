/** Inks for the rows of a diff, a slice of time at a time. Loaded when the first diff is in sight. */
import { highlightTree, tagHighlighter } from "@lezer/highlight";
import type { Ink, Stretch } from "../state/dress";
import { INKS, languageOf } from "./syntax";

const LONGEST = 20_000;
const MOST = 400_000;
const SLICE_MS = 6;

const inks = tagHighlighter((Object.keys(INKS) as Ink[]).map((ink) => ({ tag: INKS[ink], class: ink })));

function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}

/** Null without colours: an unknown language, too long a text, or nobody looks any more. */
export async function colours(path: string, rows: readonly string[], gone: () => boolean): Promise<Stretch[][] | null> {
  const language = await languageOf(path);
  const texts = rows.map((row) => (row.length > LONGEST ? "" : row));
  const text = texts.join("\n");
  if (!language || text.length > MOST) return null;
  try {
    const parse = language.parser.startParse(text);
    let tree = parse.advance();
    while (!tree) {
      const until = performance.now() + SLICE_MS;
      while (!tree && performance.now() < until) tree = parse.advance();
      if (!tree) await pause();
      if (gone()) return null;
    }
    return spread(texts, (put) => highlightTree(tree, inks, put));
  } catch {
    return null;
  }
}

/** What was found in the whole text, by row. */
function spread(texts: readonly string[], find: (put: (from: number, to: number, ink: string) => void) => void): Stretch[][] {
  const out: Stretch[][] = texts.map(() => []);
  let row = 0;
  let start = 0;
  find((from, to, ink) => {
    while (row < texts.length) {
      const end = start + (texts[row]?.length ?? 0);
      if (from < end && to > start) out[row]?.push({ from: Math.max(from - start, 0), to: Math.min(to, end) - start, ink: ink.split(" ")[0] as Ink });
      // A stretch over several lines goes on; the next one begins where this one ended at the earliest.
      if (to <= end) return;
      start = end + 1;
      row += 1;
    }
  });
  return out;
}
