/** Every word of ours in one place. Sentence case, no exclamation, no "please". */
import type { Choice, Ended } from "./bridge/types";

export const S = {
  list: "Waiting, oldest first",
  listEmpty: "Nothing waits.",
  settledGroup: "Settled in this hour",
  empty: "Nobody waits",
  emptyText: "Requests appear here on their own. This window takes no focus when they do.",
  pick: "Pick a request",
  planHeading: "Leave plan mode",
  reasonHint: "reason",
  pickText: "The oldest is at the top of the list.",
  back: "Queue",
  copy: "Copy as shown",
  copied: "Copied.",
  copyFailed: "The clipboard did not take it.",
  openAll: "Open all",
  askThere: "Ask me there",
  noDecision: "No decision.",
  readyInAMoment: "ready in a moment",
  folded: "Open the folded part first.",
  fastHint: "number chooses",
  planHint: "No one-key choice for a plan",
  markedHint: "Marked: number focuses,",
  onItChooses: "on it chooses",
  unknownEffect: "What it does beyond this request is not known.",
  sending: "Sent. Waiting for the answer to be taken.",
  gone: "This request is no longer here.",
  lost: "Connection to Doorward lost. Requests go to the agents' own prompts.",
  nothingToCopy: "There is nothing to copy here.",
} as const;

const KINDS: Record<string, string> = {
  allow_once: "Allow once",
  allow_always: "Allow and keep",
  reject_once: "Reject once",
  reject_always: "Reject and keep",
};

export function kindWord(choice: Choice, toolKind: string): string {
  if (choice.elevates) return "Elevates";
  if (toolKind === "switch_mode" && choice.kind === "allow_once") return "Keeps asking";
  return KINDS[choice.kind] ?? "Effect unknown";
}

export function kindIcon(choice: Choice): string {
  if (choice.elevates) return "option-elevates";
  return choice.kind in KINDS ? `option-${choice.kind.replace("_", "-")}` : "option-unknown";
}

export function effectWords(choice: Choice): string {
  if (choice.effect) return choice.effect;
  const beyond = choice.lasts || choice.elevates || choice.kind.endsWith("_always") || !(choice.kind in KINDS);
  return beyond ? S.unknownEffect : "";
}

/** An allow, or an option whose kind we do not know: both wait for opened folds. */
export function mayAllow(choice: Choice): boolean {
  return !choice.kind.startsWith("reject_");
}

const TOOLS = new Set(["delete", "edit", "execute", "fetch", "move", "other", "read", "search", "think"]);

export function toolIcon(kind: string, plan: boolean): string {
  if (plan) return "tool-plan";
  if (kind === "switch_mode") return "tool-switch-mode";
  return TOOLS.has(kind) ? `tool-${kind}` : "tool-other";
}

const MARKS: Record<string, [string, string]> = {
  "hidden-characters": ["Hidden characters.", "They are shown as boxes."],
  "not-shown": ["Parts of this request cannot be shown.", "See it as received, below."],
  "join-failed": ["Incomplete.", "AGENT did not announce the change this asks about; its content is not known."],
  mismatch: ["Title differs.", "The title says something else than what is asked for."],
  outside: ["Outside the boundary.", "It reaches outside the folder the agent works in."],
  destructive: ["Destructive.", "It deletes or overwrites, or runs what it downloads."],
  "look-alike": ["Look-alike letters.", "A name mixes letters of several scripts."],
  changed: ["Changed since.", "A file changed on disk since AGENT proposed this."],
  unverified: ["Cannot inspect.", "What it does is known only when it runs."],
  network: ["Network.", "It sends or fetches over the network."],
  secret: ["Secret.", "It holds what looks like a key or password."],
};

export function markWords(mark: string, agent: string, notShown: number): [string, string] {
  if (mark === "not-shown" && notShown > 0) {
    const parts = notShown === 1 ? "1 part" : `${notShown} parts`;
    return [`${parts} of this request cannot be shown.`, "See it as received, below."];
  }
  const [name, text] = MARKS[mark] ?? ["Marked.", mark];
  return [name, text.replace("AGENT", agent)];
}

export function markName(mark: string): string {
  return (MARKS[mark]?.[0] ?? mark).replace(/\.$/, "").toLowerCase();
}

export const DANGER = new Set(["destructive", "hidden-characters", "look-alike"]);

const REFUSED: Record<string, string> = {
  not_pending: "Already settled. Nothing was sent.",
  not_offered: "That choice is not part of this request. Nothing was sent.",
  not_amendable: "This source cannot carry an edited version. Nothing was sent.",
  stale: "The request changed while you looked at it. Nothing was sent; look again.",
  too_soon: "Too soon after it appeared or moved. Nothing was sent; choose again.",
  locked: "The journal cannot be written. Allows are held back; a rejection still goes out.",
};

export function refusalWords(why: string): string {
  return REFUSED[why] ?? "That was refused. Nothing was sent.";
}

export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}

/** One word for a settled row; a rejection, a withdrawal and a hand-back never share it. */
export function endedWord(ended: Ended): string {
  if (ended.end === "withdrawn") return ended.why === "elsewhere" ? "elsewhere" : "withdrawn";
  if (ended.outcome === "cancelled") return "cancelled";
  return typeof ended.outcome === "object" && ended.outcome !== null ? "answered" : "handed back";
}

export function count(n: number, one: string, many: string): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
