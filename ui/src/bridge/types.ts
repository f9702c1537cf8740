// Written from crates/core by its test `types`; do not edit.
// Strings have passed `visible()`, except ids, `rawInput` and `raw`.

export type Affordances = { feedback: boolean, 
/**
 * The tool's input can go back changed.
 */
amend: boolean, };

export type Agent = { name: string, version?: string | null, };

export type Block = { "type": "heading", level: number, spans: Array<Span>, } | { "type": "paragraph", spans: Array<Span>, } | { "type": "list", ordered: boolean, start: number | null, items: Array<Item>, } | { "type": "code", lang: string | null, text: string, } | { "type": "quote", blocks: Array<Block>, } | { "type": "table", header: Array<Array<Span>>, rows: Array<Array<Array<Span>>>, } | { "type": "rule" };

export type Delivered = "pending" | "yes" | "no";

export type Detail = { source: Source, origin: Origin, agent: Agent, session: Session, heading: string, toolCall: ToolCallView, 
/**
 * The machine's fact whole; none where files or a plan are the fact.
 */
fact: string | null, files: Array<FileView>, plan: string | null, planBlocks: Array<Block>, 
/**
 * From the session's previous plan to this one; null where there was none, empty if they are equal.
 */
planChange: Array<Hunk> | null, words: Array<string>, 
/**
 * Doorward's own words about the requester; the agent's are `words`.
 */
warnings: Array<string>, options: Array<OptionView>, affordances: Affordances, marks: Array<string>, notShown: number, folds: Array<Fold>, 
/**
 * Keys of the folds that were opened.
 */
opened: Array<string>, 
/**
 * What the person has typed so far.
 */
draft: string | null, 
/**
 * The person's version of the one file that may be amended.
 */
version: VersionView | null, raw: string, arrivedMs: number, 
/**
 * When it is handed back, undecided.
 */
deadlineMs: number | null, protectMs: number, ended: Ended | null, };

export type DiffRow = { 
/**
 * `' '`, `'-'` or `'+'`.
 */
op: " " | "-" | "+", text: string, 
/**
 * Ranges of characters that differ from the line's counterpart, in Unicode scalar values of `text`.
 */
words?: Array<[number, number]>, };

export type End = "answered" | "withdrawn";

export type Ended = { end: End, outcome?: Outcome | null, by?: string | null, why?: Why | null, 
/**
 * Whether the answer reached the agent; nothing where none was sent.
 */
delivered?: Delivered | null, 
/**
 * Whether the tool then ran, where the source tells.
 */
applied?: boolean | null, 
/**
 * True where the person's version went back.
 */
amended?: boolean | null, };

export type FileView = { path: string, movedFrom?: string | null, status: "added" | "modified" | "deleted" | "moved" | "snippet", hunks: Array<Hunk>, note?: string | null, };

export type Fold = { 
/**
 * `fact`, or `file-N` with the file's place in the list, from 0.
 */
key: string, unit: Unit, head: number, tail: number, hiddenLines: number, hiddenCharacters: number, };

export type Hunk = { oldStart: number, oldLines: number, newStart: number, newLines: number, rows: Array<DiffRow>, };

export type Item = { checked: boolean | null, blocks: Array<Block>, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type Location = { path: string, line?: number | null, };

export type OptionView = { id: string, name: string, kind: string, description?: string | null, effect?: string | null, lasts: boolean, elevates: boolean, };

export type Origin = "local" | "elsewhere";

export type Outcome = { "selected": string } | "cancelled" | "abstained";

export type Refusal = "not_pending" | "not_offered" | "not_amendable" | "stale" | "too_soon" | "locked";

export type Row = { id: number, revision: number, source: Source, agent: string, project: string | null, session: Session, heading: string, 
/**
 * One line: the command, the path or the title.
 */
fact: string, kind: string, marks: Array<string>, 
/**
 * Whether something must be opened before an allow.
 */
folded: boolean, arrivedMs: number, deadlineMs: number | null, ended: Ended | null, };

export type Session = { id: string, title?: string | null, cwd?: string | null, parent?: string | null, 
/**
 * The branch that is checked out in `cwd`, where it can be read.
 */
branch?: string | null, terminal?: string | null, };

export type Source = "acp" | "claude-hook";

export type Span = { text: string, style: Style, 
/**
 * Where a link leads.
 */
target: string | null, };

export type Style = "plain" | "strong" | "emphasis" | "code" | "strike" | "link";

export type Texts = { path: string, 
/**
 * None for a new file.
 */
before?: string | null, proposed: string, version?: string | null, };

export type ToolCallView = { id?: string | null, title: string, kind: string, command?: string | null, cwd?: string | null, locations: Array<Location>, rawInput?: JsonValue | null, };

export type Unit = "lines" | "characters" | "rows";

export type VersionView = { 
/**
 * From the file on disk to this version.
 */
file: FileView, 
/**
 * Why it cannot go back, in words.
 */
cannotSend?: string | null, };

export type Why = "person" | "deadline" | "paused" | "shutting_down" | "no_surface" | "cancelled" | "elsewhere" | "connection_lost" | "turn_ended" | "retired";
