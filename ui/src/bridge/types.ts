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
 * The machine's fact whole; none where files, a plan or a question are the fact.
 */
fact: string | null, files: Array<FileView>, plan: string | null, planBlocks: Array<Block>, 
/**
 * From the session's previous plan to this one; null where there was none, empty if they are equal.
 */
planChange: Array<Hunk> | null, question: QuestionView | null, words: Array<string>, 
/**
 * Doorward's own words about the requester; the agent's are `words`.
 */
warnings: Array<string>, options: Array<OptionView>, affordances: Affordances, marks: Array<string>, notShown: number, folds: Array<Fold>, 
/**
 * Keys of the folds that were opened.
 */
opened: Array<string>, 
/**
 * What the person has typed so far; of a question `{"answers": {…}, "feedback"?}` as JSON, without secrets.
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

export type FieldError = { 
/**
 * Empty where it is about the form as a whole.
 */
field: string, 
/**
 * Nothing was answered, where something has to be.
 */
missing: boolean, words: string, };

export type FieldView = { id: string, title: string, tag?: string | null, description?: string | null, kind: KindView, required: boolean, default?: JsonValue | null, };

export type FileView = { path: string, movedFrom?: string | null, status: "added" | "modified" | "deleted" | "moved" | "snippet", hunks: Array<Hunk>, note?: string | null, };

export type Fold = { 
/**
 * `fact`, or `file-N` with the file's place in the list, from 0.
 */
key: string, unit: Unit, head: number, tail: number, hiddenLines: number, hiddenCharacters: number, };

export type Hunk = { oldStart: number, oldLines: number, newStart: number, newLines: number, rows: Array<DiffRow>, };

export type Item = { checked: boolean | null, blocks: Array<Block>, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type KindView = { "type": "text", format: string | null, minLength: number | null, maxLength: number | null, pattern: string | null, secret: boolean, } | { "type": "number", integer: boolean, 
/**
 * As a number is written: it may be larger than the page can hold.
 */
min: string | null, max: string | null, } | { "type": "boolean" } | { "type": "choice", options: Array<OfferView>, multiple: boolean, least: number | null, most: number | null, other: OtherView | null, };

export type Location = { path: string, line?: number | null, };

export type OfferView = { value: string, title: string, 
/**
 * The value, where it says something else than the title.
 */
sends?: string | null, description?: string | null, preview?: string | null, };

export type OptionView = { id: string, name: string, kind: string, description?: string | null, effect?: string | null, lasts: boolean, elevates: boolean, };

export type Origin = "local" | "elsewhere";

export type OtherView = { id: string, title: string, description?: string | null, secret: boolean, };

export type Outcome = { "selected": string } | "cancelled" | "abstained";

export type QuestionView = { 
/**
 * The agent's words over the form.
 */
message: string, fields: Array<FieldView>, 
/**
 * An answer with nothing in it is refused.
 */
needsOne: boolean, };

export type Refusal = "not_pending" | "not_offered" | "not_amendable" | "stale" | "too_soon" | "locked" | "incomplete";

export type Row = { id: number, revision: number, source: Source, agent: string, project: string | null, session: Session, heading: string, 
/**
 * One line: the command, the path or the title.
 */
fact: string, kind: string, 
/**
 * A form: it leads to the window, or back.
 */
question: boolean, marks: Array<string>, 
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
