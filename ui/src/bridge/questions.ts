/** A form with a field of every kind. */
import { base } from "./fixtures";
import type { Detail, FieldView, KindView } from "./types";

function text(over: Partial<Extract<KindView, { type: "text" }>> = {}): KindView {
  return { type: "text", format: null, minLength: null, maxLength: null, pattern: null, secret: false, ...over };
}

function field(id: string, title: string, kind: KindView, over: Partial<FieldView> = {}): FieldView {
  return { id, title, kind, required: false, ...over };
}

const DATABASE: KindView = {
  type: "choice", multiple: false, least: null, most: null,
  options: [{ value: "Postgres", title: "Postgres", description: "Relational", preview: "CREATE TABLE t();" },
    { value: "SQLite", title: "SQLite", description: "Embedded" }],
  other: { id: "question_0_custom", title: "Other", description: "Type your own answer, or add a note to the option you chose above (optional).", secret: false },
};

const FEATURES: KindView = {
  type: "choice", multiple: true, least: null, most: 2,
  options: [{ value: "auth", title: "Auth", sends: "auth", description: "Login" }, { value: "Search", title: "Search [U+202E]", description: "Full text" },
    { value: "Sync", title: "Sync" }],
  other: { id: "question_1_custom", title: "Other", description: "Type your own answer to add to your selection above (optional).", secret: false },
};

export function question(at: number): Detail {
  return base(at, {
    source: "acp",
    agent: { name: "Claude Code", version: "2.1.0" },
    session: { id: "s-7", title: "Offline sync spike", cwd: "/home/ada/src/mobile-app", branch: "spike/sync", terminal: "Zed" },
    heading: "Claude Code asks 7 questions",
    toolCall: { title: "AskUserQuestion", kind: "other", locations: [], rawInput: null },
    affordances: { feedback: false, amend: false },
    options: [{ id: "answer", name: "Answer", kind: "allow_once", effect: "Sends what is filled in.", lasts: false, elevates: false },
      { id: "decline", name: "Decline", kind: "reject_once", effect: "The turn goes on.", lasts: false, elevates: false }],
    question: {
      message: "Please answer the following questions.",
      needsOne: false,
      fields: [
        field("question_0", "Which database?", DATABASE, { tag: "DB" }),
        field("question_1", "Which features?", FEATURES, { tag: "Features" }),
        field("name", "Name of the sync table", text({ minLength: 3, maxLength: 40 }), { required: true, description: "Letters, digits and _" }),
        field("mail", "Whom to tell", text({ format: "email" })),
        field("size", "How many rows at once", { type: "number", integer: true, min: "1", max: "5000" }, { default: 500 }),
        field("wipe", "Start from an empty table?", { type: "boolean" }, { required: true }),
        field("key", "Key of the test server", text({ secret: true })),
        field("why", "Anything else?", text()),
      ],
    },
  });
}
