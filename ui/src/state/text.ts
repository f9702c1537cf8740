/** Text helpers that never produce markup: they cut strings into pieces, the components draw the pieces. */

export interface Piece { text: string; esc: boolean; word: boolean }

const ESCAPE = /\[(?:(?:\d+ )?U\+[0-9A-F]{4,6}|\d+ (?:spaces|blanks|tabs|combining marks|blank lines))\]/g;

/** Pieces of a line: escapes as made visible by the broker, and the changed words of a diff row.
 *  Ranges count Unicode scalars, so the line is only taken apart by scalar when it has ranges. */
export function pieces(text: string, words: readonly (readonly [number, number])[] = []): Piece[] {
  if (words.length === 0) return escapes(text, false);
  const chars = Array.from(text);
  const out: Piece[] = [];
  let at = 0;
  for (const [start, end] of words) {
    if (start < at || end <= start) continue;
    if (start > at) out.push(...escapes(chars.slice(at, start).join(""), false));
    out.push(...escapes(chars.slice(start, end).join(""), true));
    at = end;
  }
  if (at < chars.length) out.push(...escapes(chars.slice(at).join(""), false));
  return out;
}

function escapes(text: string, word: boolean): Piece[] {
  if (!text.includes("[")) return text === "" ? [] : [{ text, esc: false, word }];
  const out: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    if (match.index > at) out.push({ text: text.slice(at, match.index), esc: false, word });
    out.push({ text: match[0], esc: true, word });
    at = match.index + match[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at), esc: false, word });
  return out;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f]/gu;

/** For the two texts that come as received (`rawInput`, `raw`): nothing in them may hide or reorder. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => {
    if (char === "\n" || char === "\t") return char;
    const code = char.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** A path told from the folder it lies in; one that lies elsewhere, or climbs, stays as it is. */
export function within(path: string, root: string | null | undefined): string {
  const start = `${(root ?? "").replace(/\/+$/, "")}/`;
  const rest = path.slice(start.length);
  return start !== "/" && path.startsWith(start) && rest !== "" && !rest.split("/").some((part) => part === ".." || part === "") ? rest : path;
}

export function initials(name: string): string {
  const parts = name.split(/[\s-]+/).filter(Boolean);
  const letters = parts.length > 1 ? parts.slice(0, 2).map((part) => part[0]) : Array.from(name).slice(0, 2);
  return letters.join("").toUpperCase();
}
