/** Every word of ours in one place. Sentence case, no exclamation, no "please". */
import type { Ended, OptionView, Refusal } from "./bridge/types";

export const S = {
  empty: "Nobody waits",
  emptyText: "Requests appear here on their own. This window takes no focus when they do.",
  pick: "Pick a request",
  pickText: "The oldest is at the top of the list.",
  listEmpty: "Nothing waits.",
  noMatch: "No entries match.",
  settledGroup: "Settled in this hour",
  lateGroup: "New",
  byAge: "By age",
  bySession: "By session",
  filter: "Filter",
  planHeading: "Leave plan mode",
  back: "Queue",
  copy: "Copy as shown",
  copied: "Copied.",
  copyFailed: "The clipboard did not take it.",
  nothingToCopy: "There is nothing to copy here.",
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
  goneText: "It ended, and Doorward was started again since.",
  lost: "Connection to Doorward lost. Requests go to the agents’ own prompts.",
  noInput: "That did not come from your keyboard or pointer. Nothing was sent.",
  changedNow: "The request changed while you looked at it. Look again.",
  lastChange: "No change after this one.",
  firstChange: "No change before this one.",
  edit: "Edit here",
  editOutside: "Edit in my editor",
  discardVersion: "Discard my version",
  restoreVersion: "Bring it back",
  yourVersion: "Your version",
  sendsVersion: "Sends your version.",
  cannotSendVersion: "Would send your version, which cannot be sent. Discard it to send the proposal.",
  readingVersion: "Your version is being read.",
  unreadVersion: "Your version could not be read. Save it again, or discard it.",
  closeEditor: "Close the editor first.",
  versionTaken: "Your version is here. Nothing was sent.",
  versionGone: "Your version is discarded. The proposal stands as it came.",
  noTexts: "There is no text to edit: the file on disk is not known here, or it is not text.",
  mixedEnds: "This file has line endings of several kinds, which would not survive here. Edit it in your own editor.",
  next: "Open the next",
  nobodyNext: "Nobody else waits.",
  yes: "Yes",
  no: "No",
  clearChoice: "Clear the choice",
  preset: "Filled in by the agent.",
  noYesOrNo: "A question has no yes or no",
  sendsAnswers: "sends the answers",
} as const;

const KINDS: Record<string, string> = {
  allow_once: "Allow once",
  allow_always: "Allow and keep",
  reject_once: "Reject once",
  reject_always: "Reject and keep",
};

/** The four kinds of ACP, or `unknown`: what it would do is then not known either. */
export function knownKind(option: OptionView): string {
  return option.kind in KINDS ? option.kind : "unknown";
}

export function kindWord(option: OptionView, toolKind: string): string {
  if (option.elevates) return "Elevates";
  if (toolKind === "switch_mode" && option.kind === "allow_once") return "Keeps asking";
  return KINDS[option.kind] ?? "Effect unknown";
}

export function kindIcon(option: OptionView): string {
  if (option.elevates) return "option-elevates";
  return option.kind in KINDS ? `option-${option.kind.replace("_", "-")}` : "option-unknown";
}

/** Known to outlive the request, by its table or by its kind. */
export function lasts(option: OptionView): boolean {
  return option.lasts || option.kind.endsWith("_always");
}

export function effectWords(option: OptionView): string {
  if (option.effect) return option.effect;
  const beyond = lasts(option) || option.elevates || !(option.kind in KINDS);
  return beyond ? S.unknownEffect : "";
}

/** An allow, or an option whose kind we do not know: both wait for opened folds. */
export function mayAllow(option: OptionView): boolean {
  return !option.kind.startsWith("reject_");
}

const TOOLS = new Set(["delete", "edit", "execute", "fetch", "move", "other", "read", "search", "think"]);

export function toolIcon(kind: string, plan: boolean): string {
  if (plan) return "tool-plan";
  if (kind === "switch_mode") return "tool-switch-mode";
  return TOOLS.has(kind) ? `tool-${kind}` : "tool-other";
}

const MARK_NAMES: Record<string, string> = {
  "hidden-characters": "hidden characters",
  "not-shown": "parts not shown",
  "join-failed": "incomplete",
  mismatch: "title differs",
  outside: "outside the boundary",
  destructive: "destructive",
  "look-alike": "look-alike letters",
  changed: "changed since",
  unverified: "cannot inspect",
  network: "network",
  secret: "secret",
};

export function markName(mark: string): string {
  return MARK_NAMES[mark] ?? mark;
}

export const DANGER = new Set(["destructive", "hidden-characters", "look-alike"]);

const REFUSED: Record<Refusal, string> = {
  not_pending: "Already settled. Nothing was sent.",
  not_offered: "That choice is not part of this request. Nothing was sent.",
  not_amendable: "This source cannot carry an edited version. Nothing was sent.",
  stale: "The request changed while you looked at it. Nothing was sent; look again.",
  too_soon: "Too soon after it appeared or moved. Nothing was sent; choose again.",
  locked: "Open the folded part first. Nothing was sent.",
  incomplete: "An answer is missing or wrong. Nothing was sent.",
};

export function refusalWords(why: Refusal): string {
  return REFUSED[why] ?? "That was refused. Nothing was sent.";
}

export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}

/** Minutes and seconds that are left. */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** How a settled row ended; a rejection, a withdrawal and a hand-back never share a word. */
export function endedWords(ended: Ended): string {
  if (ended.end === "withdrawn") {
    if (ended.why === "elsewhere") return "Answered elsewhere";
    return ended.why === "connection_lost" ? "Agent gone" : "Withdrawn";
  }
  if (ended.outcome === "cancelled") return "Cancelled";
  if (typeof ended.outcome !== "object" || ended.outcome === null) return "Handed back";
  if (ended.delivered === "no") return "Not delivered";
  return "Answered";
}

export function unsentNotes(notes: number): string {
  return `${count(notes, "note", "notes")} of yours would not be sent. Choose again to go on without ${notes === 1 ? "it" : "them"}.`;
}

export function count(n: number, one: string, many: string): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
