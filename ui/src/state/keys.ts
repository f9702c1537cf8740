/** Which key does what, as a pure function: the page only carries out what comes back. */

export interface Key {
  key: string;
  code: string;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  shift: boolean;
  repeat: boolean;
  inField: boolean;
  mac: boolean;
}

export type Action =
  | { do: "focus"; option: number }
  | { do: "choose"; option: number }
  | { do: "move"; by: -1 | 1 }
  | { do: "file"; by: -1 | 1 }
  | { do: "change"; by: -1 | 1 }
  | { do: "first" | "last" | "back" | "next" | "open" | "copy" | "edit" | "edit-outside" | "note" | "reason" | "send" | "search" | "menu" | "help" };

/** 0 is "Ask me there"; options count from 1. Layouts with digits on the shifted level use the key's place. */
function digit(key: Key): number | null {
  if (/^[0-9]$/.test(key.key)) return Number(key.key);
  const place = /^Digit([0-9])$/.exec(key.code);
  return place && key.key.length === 1 && !key.shift ? Number(place[1]) : null;
}

const SINGLE: Record<string, Action> = {
  o: { do: "open" },
  c: { do: "copy" },
  e: { do: "edit" },
  n: { do: "note" },
  r: { do: "reason" },
  j: { do: "change", by: 1 },
  k: { do: "change", by: -1 },
  "[": { do: "file", by: -1 },
  "]": { do: "file", by: 1 },
  "/": { do: "search" },
  "?": { do: "help" },
};

const OUTSIDE: Action = { do: "edit-outside" };

const NAMED: Record<string, Action> = {
  ArrowUp: { do: "move", by: -1 },
  ArrowDown: { do: "move", by: 1 },
  Home: { do: "first" },
  End: { do: "last" },
  Enter: { do: "next" },
};

/** What only moves may repeat while the key is held. */
function repeats(action: Action | null): boolean {
  return action?.do === "move" || action?.do === "change";
}

export function action(key: Key): Action | null {
  const choosing = key.mac ? key.meta && !key.ctrl : key.ctrl && !key.meta;
  if (choosing && !key.alt) {
    if (key.key === "Enter") return key.inField && !key.shift && !key.repeat ? { do: "send" } : null;
    const option = key.shift || key.repeat ? null : digit(key);
    return option === null ? null : { do: "choose", option };
  }
  if (key.ctrl || key.meta || key.alt) return null;
  const found = plain(key);
  return key.repeat && !repeats(found) ? null : found;
}

function plain(key: Key): Action | null {
  if (key.key === "Escape") return { do: "back" };
  if (key.key === "F10") return { do: "menu" };
  if (key.key === "F7") return { do: "change", by: key.shift ? -1 : 1 };
  if (key.inField) return null;
  // Some layouts have a sign of ours on a digit's key; the sign wins.
  const single = key.key === "E" && key.shift ? OUTSIDE : SINGLE[key.key.toLowerCase()];
  const option = single ? null : digit(key);
  if (option !== null) return { do: "focus", option };
  return NAMED[key.key] ?? single ?? null;
}

const INFORM_ONLY = new Set(["network", "secret"]);

/** Marks that ask for a second look; the others only inform. */
export function blocking(marks: readonly string[]): string[] {
  return marks.filter((mark) => !INFORM_ONLY.has(mark));
}

export interface Ordinary { marks: readonly string[]; plan: boolean; question?: boolean }

/** Whether one key press may settle this request: nothing about it asks for a second look. */
export function ordinary(request: Ordinary): boolean {
  return !request.plan && !request.question && blocking(request.marks).length === 0;
}
