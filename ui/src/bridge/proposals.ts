/** Proposals made up for looking at, with the texts behind them, and what the broker makes of a person's version. */
import { base, FOLDER, once, plan, reject } from "./fixtures";
import type { Detail, DiffRow, FileView, Hunk, Texts, VersionView } from "./types";

const CONTEXT = 3;
const PATH = `${FOLDER}/src/server/limits.ts`;

const BEFORE = `import { reply } from '../http';

/** Limits of the public API, per key. */
export type Limits = {
  perMinute: number;
  burst: number;
};

export const limits = {
  perMinute: 100,
  burst: 20,
  keyHeader: 'x-api-key',
  trustProxy: false,
};

export function limited(seconds: number, res: Response): void {
  // the client is told how long to wait
  res.status(429).end();
}
`;

const PROPOSED = BEFORE.replace("perMinute: 100", "perMinute: 60")
  .replace("trustProxy: false", "trustProxy: true")
  .replace("  res.status(429).end();", "  res.set('Retry-After', String(seconds));\n  res.status(429).json({ error: 'Too many requests' });");

const TEXTS: Record<string, Texts> = {
  [PATH]: { path: PATH, before: BEFORE, proposed: PROPOSED },
  [`${FOLDER}/run.bat`]: { path: `${FOLDER}/run.bat`, before: "@echo off\r\nnode run.js\r\n", proposed: "@echo off\r\nnode run.js --watch\r\n" },
  [`${FOLDER}/mixed.txt`]: { path: `${FOLDER}/mixed.txt`, before: "one\r\ntwo\n", proposed: "one\r\ntwo\nthree\n" },
};

/** The texts that may be edited; as the broker does, only for the one file of an amendable request. */
export function textsOf(detail: Detail, version: string | null): Texts | null {
  const [file, ...more] = detail.files;
  const texts = file && more.length === 0 && detail.affordances.amend ? TEXTS[file.path] : undefined;
  return texts ? { ...texts, version } : null;
}

/** Why this text cannot be sent: the agent's tool has one kind of line end. */
function cannotSend(texts: Texts, text: string): string | null {
  const crlf = /\r\n/.test(texts.before ?? texts.proposed);
  return crlf && /(^|[^\r])\n/.test(text) ? "The agent’s tool ends every line of this file with CRLF; your version does not." : null;
}

/** Whether this text may go back in place of the agent's. */
export function amends(detail: Detail, text: string): boolean {
  const texts = textsOf(detail, null);
  return texts !== null && cannotSend(texts, text) === null;
}

export function versionOf(detail: Detail, text: string): VersionView | null {
  const texts = textsOf(detail, null);
  return texts && { file: change(texts.path, texts.before ?? "", text), cannotSend: cannotSend(texts, text) };
}

/** Rows of the whole change, by the longest common subsequence: texts here are short. */
function rows(before: string[], after: string[]): DiffRow[] {
  const width = after.length + 1;
  const common = new Array<number>((before.length + 1) * width).fill(0);
  const at = (a: number, b: number) => common[a * width + b] ?? 0;
  for (let a = before.length - 1; a >= 0; a -= 1) {
    for (let b = after.length - 1; b >= 0; b -= 1) {
      common[a * width + b] = before[a] === after[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
    }
  }
  const out: DiffRow[] = [];
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length) {
    if (a < before.length && before[a] === after[b]) { out.push({ op: " ", text: before[a] ?? "" }); a += 1; b += 1; }
    else if (a < before.length && (b >= after.length || at(a + 1, b) >= at(a, b + 1))) { out.push({ op: "-", text: before[a] ?? "" }); a += 1; }
    else { out.push({ op: "+", text: after[b] ?? "" }); b += 1; }
  }
  return out;
}

function hunks(all: DiffRow[]): Hunk[] {
  const near = all.map((_, index) => all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((row) => row.op !== " "));
  const out: Hunk[] = [];
  let [old, now] = [1, 1];
  all.forEach((row, index) => {
    if (near[index]) {
      if (!near[index - 1]) out.push({ oldStart: old, oldLines: 0, newStart: now, newLines: 0, rows: [] });
      const hunk = out.at(-1);
      hunk?.rows.push(row);
      if (hunk && row.op !== "+") hunk.oldLines += 1;
      if (hunk && row.op !== "-") hunk.newLines += 1;
    }
    if (row.op !== "+") old += 1;
    if (row.op !== "-") now += 1;
  });
  return out;
}

const lines = (text: string) => text.split(/\r?\n/).slice(0, /\n$/.test(text) ? -1 : undefined);

export function change(path: string, before: string, after: string): FileView {
  return { path, status: "modified", hunks: hunks(rows(lines(before), lines(after))) };
}

function proposed(at: number, path: string, over: Partial<Detail> = {}): Detail {
  const texts = TEXTS[path] ?? { path, proposed: "" };
  return base(at, {
    heading: `Edit ${path.split("/").at(-1)}`,
    toolCall: { title: path, kind: "edit", locations: [], rawInput: null },
    affordances: { feedback: true, amend: true },
    files: [change(path, texts.before ?? "", texts.proposed)],
    options: [once("allow", "Yes", "Nothing is saved."),
      { id: "allow:mode", name: "Yes, allow all edits during this session", kind: "allow_always", effect: "Edits no longer ask.", lasts: true, elevates: true },
      reject("No", "The turn goes on.")],
    ...over,
  });
}

const LAST_PLAN = "# Move search to the build step\n\nThe index is built in the browser on every visit.\n\n## Steps\n\n1. Add scripts/index.ts\n2. Load search.json on first focus\n3. Run the tests and the size check\n";

/** Requests beside the assorted ones, by the name in `?with=`. */
export const NAMED: Record<string, (at: number) => Detail> = {
  proposal: (at) => proposed(at, PATH),
  crlf: (at) => proposed(at, `${FOLDER}/run.bat`),
  replanned: (at) => ({ ...plan(at), planChange: change("", LAST_PLAN, LAST_PLAN.replace("scripts/index.ts", "scripts/build-index.ts").replace("\n3. Run", "\n3. Delete the worker\n4. Run")).hunks }),
  sameplan: (at) => ({ ...plan(at), planChange: [] }),
  mixed: (at) => proposed(at, `${FOLDER}/mixed.txt`),
};
