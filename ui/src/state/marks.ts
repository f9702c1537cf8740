/** What a mark can say beyond its name, as far as the detail carries it. */
import type { Detail } from "../bridge/types";
import { count } from "../strings";
import { within } from "./text";

const ESCAPED = /\[(?:(\d+) )?U\+([0-9A-F]{4,6})\]/g;
const COLLAPSED = /\[\d+ (?:spaces|blanks|tabs|combining marks|blank lines)\]/g;

function kindOf(code: number): [string, string] {
  const direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)
    || code === 0x200e || code === 0x200f || code === 0x61c;
  if (direction) return ["direction control", "direction controls"];
  if ((code >= 0x200b && code <= 0x200d) || code === 0x2060 || code === 0xfeff) return ["zero-width character", "zero-width characters"];
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return ["control character", "control characters"];
  return ["invisible or odd character", "invisible or odd characters"];
}

function texts(detail: Detail): string[] {
  const { toolCall, agent, session } = detail;
  const rows = detail.files.flatMap((file) => [file.path, file.movedFrom ?? "", ...file.hunks.flatMap((hunk) => hunk.rows.map((row) => row.text))]);
  return [toolCall.title, detail.fact ?? "", toolCall.cwd ?? "", agent.name, session.title ?? "", detail.plan ?? "", detail.heading,
    ...detail.words, ...toolCall.locations.map((location) => location.path), ...rows,
    ...detail.options.flatMap((option) => [option.name, option.description ?? ""])];
}

function hidden(detail: Detail): string {
  const seen = new Map<string, [number, string]>();
  let runs = 0;
  // A title that repeats the command is the same text, not more of it.
  for (const text of new Set(texts(detail))) {
    for (const [, times, code] of text.matchAll(ESCAPED)) {
      const [one, many] = kindOf(Number.parseInt(code ?? "0", 16));
      seen.set(one, [(seen.get(one)?.[0] ?? 0) + Number(times ?? 1), many]);
    }
    runs += [...text.matchAll(COLLAPSED)].length;
  }
  const parts = [...seen].map(([one, [n, many]]) => count(n, one, many));
  if (runs > 0) parts.push(count(runs, "long run of blanks or marks", "long runs of blanks or marks"));
  return parts.length === 0 ? "They are shown as boxes." : `${list(parts)} ${parts.length === 1 && parts[0]?.startsWith("1 ") ? "is" : "are"} shown as boxes.`;
}

function list(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

const MOST = 3;

function some(paths: readonly string[]): string {
  const more = paths.length - MOST;
  return more > 0 ? `${paths.slice(0, MOST).join(", ")} and ${more} more` : list(paths);
}

function paths(detail: Detail): string[] {
  const files = detail.files.flatMap((file) => [file.path, ...(file.movedFrom ? [file.movedFrom] : [])]);
  return [...new Set([...files, ...detail.toolCall.locations.map((location) => location.path)])];
}

const KEPT = /(?:^|\/)\.[^./][^/]*/;

function outside(detail: Detail): string {
  const root = (detail.toolCall.cwd ?? detail.session.cwd)?.replace(/\/+$/, "");
  const all = paths(detail);
  const beyond = root ? all.filter((path) => path.startsWith("/") && path !== root && !path.startsWith(`${root}/`)) : [];
  if (beyond.length > 0) return `${some(beyond)} ${beyond.length === 1 ? "is" : "are"} outside ${root}.`;
  const kept = all.filter((path) => KEPT.test(path));
  if (kept.length > 0) return `${some(kept.map((path) => within(path, root)))} may hold settings, keys or hooks of programs.`;
  return all.length > 0 ? `${some(all)} may lead somewhere else than it seems.` : "It reaches outside the folder the agent works in.";
}

const LATIN = /\p{Script=Latin}/u;
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

function lookAlike(detail: Detail): string {
  const names = [...paths(detail), detail.toolCall.command ?? ""].flatMap((text) => text.split(/[\s/]+/));
  const mixed = [...new Set(names.filter((name) => LATIN.test(name) && OTHER.test(name)))];
  return mixed.length > 0 ? `“${mixed.slice(0, MOST).join("”, “")}” mixes letters of several scripts.` : "A name mixes letters of several scripts.";
}

/** Name and sentence of a mark. */
export function markWords(mark: string, detail: Detail): [string, string] {
  const agent = detail.agent.name;
  const deleted = detail.files.filter((file) => file.status === "deleted").map((file) => file.path);
  switch (mark) {
    case "hidden-characters": return ["Hidden characters.", hidden(detail)];
    case "not-shown": return [`${count(Math.max(detail.notShown, 1), "part", "parts")} of this request cannot be shown.`, detail.notShown > 1 ? "They are in the request as received." : "It is in the request as received."];
    case "join-failed": return ["Incomplete.", `${agent} did not announce the change this asks about; its content is not known.`];
    case "mismatch": return ["Title differs.", `The title says “${detail.toolCall.title}”; the command is another one.`];
    case "outside": return ["Outside the boundary.", outside(detail)];
    case "destructive": return ["Destructive.", deleted.length > 0 ? `It deletes ${some(deleted)}.` : "It deletes or overwrites, or runs what it downloads."];
    case "look-alike": return ["Look-alike letters.", lookAlike(detail)];
    case "changed": return ["Changed since.", `A file changed on disk since ${agent} proposed this.`];
    case "unverified": return detail.warnings.length > 0
      ? ["Take a closer look.", detail.warnings.join(" ")]
      : ["Cannot inspect.", "What it does is known only when it runs."];
    case "network": return ["Network.", "It sends or fetches over the network."];
    case "secret": return ["Secret.", "It holds what looks like a key or password."];
    default: return ["Marked.", mark];
  }
}
