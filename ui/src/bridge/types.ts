/** The shapes the broker sends; see the surface protocol. Strings were made visible before they came here,
 *  except ids, `rawInput` and `raw`. */

export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always" | (string & {});

export interface Selected { selected: string }
export type Outcome = Selected | "cancelled" | "abstained" | null;

export interface Ended {
  end: "answered" | "withdrawn";
  outcome: Outcome;
  by?: string | null;
  why?: string | null;
  option?: string | null;
  delivered?: "pending" | "yes" | "no" | null;
  /** Whether the tool then ran, where the source tells. */
  applied?: boolean | null;
}

export interface Row {
  id: number;
  revision: number;
  source: string;
  agent: string;
  project: string | null;
  heading: string;
  fact: string;
  kind: string;
  marks: string[];
  arrivedMs: number;
  ended: Ended | null;
}

export interface Choice {
  id: string;
  name: string;
  kind: OptionKind;
  description?: string | null;
  effect?: string | null;
  lasts?: boolean;
  elevates?: boolean;
}

export interface DiffRow { op: " " | "-" | "+"; text: string; words?: [number, number][] }
export interface Hunk { oldStart: number; oldLines: number; newStart: number; newLines: number; rows: DiffRow[] }

export interface FileChange {
  path: string;
  movedFrom?: string | null;
  status: "added" | "modified" | "deleted" | "moved" | "snippet";
  hunks: Hunk[];
  note?: string | null;
}

export interface Span {
  text: string;
  style: "plain" | "strong" | "emphasis" | "code" | "strike" | "link";
  target?: string | null;
}

export type Block =
  | { type: "heading"; level: number; spans: Span[] }
  | { type: "paragraph"; spans: Span[] }
  | { type: "list"; ordered: boolean; start: number | null; items: { checked: boolean | null; blocks: Block[] }[] }
  | { type: "code"; lang: string | null; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "table"; header: Span[][]; rows: Span[][][] }
  | { type: "rule" };

export interface ToolCall {
  id?: string | null;
  title: string;
  kind: string;
  command?: string | null;
  cwd?: string | null;
  locations?: { path: string; line?: number | null }[];
  rawInput?: unknown;
}

export interface Detail {
  source: string;
  origin: string;
  agent: { name: string; version?: string | null };
  session?: { id: string; title?: string | null; cwd?: string | null; parent?: string | null } | null;
  toolCall: ToolCall;
  files: FileChange[];
  plan?: string | null;
  options: Choice[];
  marks: string[];
  notShown: number;
  raw: string;
  heading: string;
  words: string[];
  arrivedMs: number;
  planBlocks: Block[];
  affordances: { feedback: boolean };
  protectMs: number;
  ended: Ended | null;
}

export interface Fetched { revision: number; detail: Detail }

/** One line the broker pushes. Exactly one member is present. */
export interface PushLine {
  arrived?: { id: number; revision: number };
  changed?: { id: number; revision: number };
  settled?: { id: number } & Ended;
  refused?: { id: number; why: string };
  show?: { id: number | null };
}
