import type { FieldError, FieldView, JsonValue, QuestionView } from "../bridge/types";
import { count } from "../strings";

export type Answers = Record<string, JsonValue>;
type Value = string | boolean | string[];

const CHECK_MS = 150;

/** What a person has filled in of a question. What is right is said by the broker, field by field. */
export class Form {
  values: Record<string, Value> = $state({});
  errors: FieldError[] = $state.raw([]);
  /** An answer was tried: what is missing is said, too. */
  tried = $state(false);
  /** Single choices whose own answer was picked. */
  own: Record<string, boolean> = $state({});

  #question: () => QuestionView;
  #check: (answers: Answers) => Promise<FieldError[]>;
  #changed: () => void;
  #touched: Record<string, boolean> = $state({});
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(question: () => QuestionView, draft: Answers | null, check: (answers: Answers) => Promise<FieldError[]>, changed: () => void) {
    this.#question = question;
    this.#check = check;
    this.#changed = changed;
    for (const field of this.fields) this.#fill(field, draft);
    void this.check();
  }

  get fields(): FieldView[] {
    return this.#question().fields;
  }

  /** Nothing is filled in but what the agent sent as a default, and what was typed before. */
  #fill(field: FieldView, draft: Answers | null): void {
    const value = draft ? draft[field.id] : field.default;
    if (value !== undefined && value !== null) this.values[field.id] = typeof value === "number" ? String(value) : (value as Value);
    const other = otherOf(field);
    const text = other ? draft?.[other.id] : undefined;
    if (other && typeof text === "string") this.values[other.id] = text;
  }

  text(id: string): string {
    const value = this.values[id];
    return typeof value === "string" ? value : "";
  }

  list(id: string): string[] {
    const value = this.values[id];
    return Array.isArray(value) ? value : [];
  }

  set(id: string, value: Value | null): void {
    if (value === null) delete this.values[id];
    else this.values[id] = value;
    this.#changed();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), CHECK_MS);
  }

  /** A field was left: what is wrong in it may be said now. */
  touch(id: string): void {
    this.#touched[id] = true;
  }

  answers(kept: (id: string) => boolean = () => true): Answers {
    const ids = this.fields.flatMap((field) => [field.id, otherOf(field)?.id ?? field.id]);
    const answers: Answers = {};
    for (const id of new Set(ids)) {
      const value = this.values[id];
      const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
      if (!empty && kept(id)) answers[id] = $state.snapshot(value);
    }
    return answers;
  }

  /** As it outlives the window: without secrets. */
  draft(feedback: string): string {
    const secrets = new Set(this.fields.flatMap((field) => {
      const other = otherOf(field);
      return [...(field.kind.type === "text" && field.kind.secret ? [field.id] : []), ...(other?.secret ? [other.id] : [])];
    }));
    return JSON.stringify({ answers: this.answers((id) => !secrets.has(id)), feedback });
  }

  /** Whether the answers may go back. */
  async check(): Promise<boolean> {
    clearTimeout(this.#timer);
    const turn = (this.#turn += 1);
    const errors = await this.#check(this.answers());
    if (turn === this.#turn) this.errors = errors;
    return errors.length === 0;
  }

  errorOf(id: string): string {
    const error = this.errors.find((wrong) => wrong.field === id);
    return error && (this.tried || (this.#touched[id] && !error.missing)) ? error.words : "";
  }

  readonly missing = $derived(this.errors.filter((error) => error.missing).length);
  readonly required = $derived(this.fields.filter((field) => field.required).length);

  readonly progress = $derived(this.required === 0 ? ""
    : `${this.required - this.errors.filter((error) => error.missing && error.field !== "").length} of ${this.required} required answered`);

  /** Why it cannot be sent as it is; empty where it can. */
  readonly off = $derived.by(() => {
    if (this.errors.some((error) => error.missing && error.field === "")) return "Nothing is answered yet.";
    if (this.missing > 0) return `${count(this.missing, "required answer is", "required answers are")} missing.`;
    return this.errors.length > 0 ? `${count(this.errors.length, "answer needs", "answers need")} another look.` : "";
  });

  /** Says what is wrong, and goes to the first of it. */
  reveal(): void {
    this.tried = true;
    const wrong = new Set(this.errors.map((error) => error.field));
    const at = this.fields.findIndex((field) => wrong.has(field.id) || wrong.has(otherOf(field)?.id ?? ""));
    const place = document.getElementById(`field-${Math.max(0, at)}`);
    const into = place?.matches("input, textarea") ? place : place?.querySelector<HTMLElement>("input, textarea");
    into?.focus();
  }
}

export function otherOf(field: FieldView) {
  return field.kind.type === "choice" ? field.kind.other : null;
}

/** A draft as the broker kept it; what is no form's draft is none. */
export function readFormDraft(text: string | null): { answers: Answers; feedback: string } | null {
  try {
    const draft = JSON.parse(text ?? "null") as { answers?: unknown; feedback?: unknown } | null;
    if (typeof draft?.answers !== "object" || draft.answers === null) return null;
    return { answers: draft.answers as Answers, feedback: typeof draft.feedback === "string" ? draft.feedback : "" };
  } catch {
    return null;
  }
}

const FORMATS: Record<string, string> = {
  email: "An email address",
  uri: "An address such as https://example.com/",
  date: "A date such as 2026-12-31",
  "date-time": "A date and time such as 2026-12-31T18:00:00Z",
};

function range(least: number | string | null, most: number | string | null, unit: string): string {
  const what = unit === "" ? "" : ` ${unit}${(most ?? least) === 1 ? "" : "s"}`;
  if (least !== null && most !== null) return least === most ? `exactly ${least}${what}` : `${least} to ${most}${what}`;
  return least !== null ? `at least ${least}${what}` : most !== null ? `at most ${most}${what}` : "";
}

/** What a field asks of its answer. */
export function rules(field: FieldView): string {
  const kind = field.kind;
  const parts: string[] = [];
  if (kind.type === "text") {
    if (kind.format) parts.push(FORMATS[kind.format] ?? `Format: ${kind.format}`);
    parts.push(range(kind.minLength, kind.maxLength, "character"));
    if (kind.pattern) parts.push(`Matches ${kind.pattern}`);
    if (kind.secret) parts.push("Kept in no draft");
  } else if (kind.type === "number") {
    parts.push(kind.integer ? "A whole number" : "A number", range(kind.min, kind.max, ""));
  } else if (kind.type === "choice" && kind.multiple) {
    parts.push(range(kind.least, kind.most, "") || "any number");
  }
  const text = parts.filter(Boolean).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
