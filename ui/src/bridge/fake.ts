import { mayAllow } from "../strings";
import type { Bridge } from "./bridge";
import { writeClipboard } from "./clipboard";
import { assorted } from "./fixtures";
import { amends, NAMED, textsOf, versionOf } from "./proposals";
import { question } from "./questions";
import type { PushLine, Settled } from "./protocol";
import type { Detail, FieldError, FieldView, JsonValue, Refusal, Row } from "./types";

/** What a test does to the page from outside, as the detail of an event `doorward` on `window`. */
export interface Happens {
  settle?: { id: number } & Settled;
  change?: { id: number; detail: Partial<Detail> };
  arrive?: { detail: Partial<Detail> };
  show?: { id: number };
  /** The next decision does not come from a device, as far as the window knows. */
  noInput?: boolean;
  /** A save in the person's own editor. */
  saved?: { id: number; text: string };
}

interface Known { detail: Detail; revision: number; shown: number | null; version: string | null }

/** A few of the broker's rules, so that a form has something to say. */
function wrongIn(field: FieldView, value: JsonValue | undefined): string {
  const kind = field.kind;
  if (kind.type === "number") return Number.isNaN(Number(value)) ? "Not a number, such as 12 or -0.5." : "";
  if (kind.type !== "text" || typeof value !== "string") return "";
  if (value.length < (kind.minLength ?? 0)) return `At least ${kind.minLength} characters.`;
  return kind.format === "email" && !value.includes("@") ? "Not an email address." : "";
}

function check({ question }: Detail, answers: Record<string, JsonValue>): FieldError[] {
  if (!question) return [];
  const errors = question.fields.flatMap((field) => {
    const value = answers[field.id];
    if (value === undefined) return field.required ? [{ field: field.id, missing: true, words: "Required." }] : [];
    const words = wrongIn(field, value);
    return words ? [{ field: field.id, missing: false, words }] : [];
  });
  const nothing = question.needsOne && Object.keys(answers).length === 0;
  return nothing ? [...errors, { field: "", missing: true, words: "Nothing is answered." }] : errors;
}

function oneLine(text: string): string {
  return text.trimEnd().replaceAll("\n", " ⏎ ");
}

function rowOf(id: number, { detail, revision }: Known): Row {
  const plan = detail.plan?.split("\n").find((line) => line.trim() !== "")?.replace(/^[# ]+/, "");
  return {
    id,
    revision,
    source: detail.source,
    agent: detail.agent.name,
    project: detail.session.cwd?.split("/").at(-1) ?? null,
    session: detail.session,
    heading: detail.heading,
    fact: oneLine(detail.question ? detail.question.message || (detail.question.fields[0]?.title ?? "") : detail.toolCall.command ?? (plan ? `Plan: ${plan}` : (detail.files[0]?.path ?? detail.toolCall.locations[0]?.path ?? detail.toolCall.title))),
    kind: detail.toolCall.kind,
    question: detail.question !== null,
    marks: detail.marks,
    folded: detail.folds.length > detail.opened.length,
    arrivedMs: detail.arrivedMs,
    deadlineMs: detail.deadlineMs,
    ended: detail.ended,
  };
}

/** Stands in for the broker and keeps its rules: what was not shown long enough, is folded or stale is refused. */
class FakeBroker {
  readonly calls: unknown[][] = [];
  #known = new Map<number, Known>();
  #listener: (line: PushLine) => void = () => undefined;
  #noInput = false;

  constructor(details: Detail[]) {
    details.forEach((detail) => this.#add(detail));
    window.addEventListener("doorward", (event) => this.#happens((event as CustomEvent<Happens>).detail));
  }

  #add(detail: Detail): number {
    const id = this.#known.size + 1;
    this.#known.set(id, { detail, revision: 1, shown: null, version: null });
    return id;
  }

  #push(line: PushLine): void {
    setTimeout(() => this.#listener(line), 10);
  }

  #happens({ settle, change, arrive, show, noInput, saved }: Happens): void {
    if (settle) this.#settle(settle.id, settle);
    if (show) this.#push({ show });
    if (noInput) this.#noInput = true;
    if (saved) this.#version(saved.id, saved.text);
    const first = this.#known.get(1);
    if (arrive && first) {
      const id = this.#add({ ...first.detail, ended: null, arrivedMs: Date.now(), ...arrive.detail });
      this.#push({ arrived: { id, revision: 1 } });
    }
    const known = change && this.#known.get(change.id);
    if (known) {
      known.detail = { ...known.detail, ...change.detail };
      this.#revise(change.id, known);
    }
  }

  #revise(id: number, known: Known): void {
    const revision = known.revision + 1;
    this.#known.set(id, { ...known, detail: { ...known.detail, opened: [] }, revision, shown: null });
    this.#push({ changed: { id, revision } });
  }

  /** The person's version; as in the broker, one that changes nothing is not told. */
  #version(id: number, text: string | null): void {
    const known = this.#known.get(id);
    if (!known || known.detail.ended !== null || known.version === text) return;
    const version = text === null ? null : versionOf(known.detail, text);
    known.version = version && text;
    known.detail = { ...known.detail, version };
    this.#revise(id, known);
  }

  #settle(id: number, ended: Settled, amended = false): void {
    const known = this.#known.get(id);
    if (!known) return;
    known.detail = { ...known.detail, ended: { ...ended, amended, delivered: ended.end === "answered" ? "yes" : null, applied: null } };
    this.#push({ settled: { ...ended, id } });
  }

  #refusal(known: Known | undefined, revision: number, option: string, amendment?: string, answers?: Record<string, JsonValue>): Refusal | null {
    if (!known || known.detail.ended !== null) return "not_pending";
    if (known.revision !== revision) return "stale";
    const offered = known.detail.options.find((choice) => choice.id === option);
    if (!offered) return "not_offered";
    if (amendment !== undefined && (!mayAllow(offered) || !amends(known.detail, amendment))) return "not_amendable";
    if (known.detail.question && mayAllow(offered) && (!answers || check(known.detail, answers).length > 0)) return "incomplete";
    if (mayAllow(offered) && known.detail.folds.some((fold) => !known.detail.opened.includes(fold.key))) return "locked";
    return known.shown === null || performance.now() - known.shown < known.detail.protectMs ? "too_soon" : null;
  }

  #input(): void {
    if (!this.#noInput) return;
    this.#noInput = false;
    throw "no_input";
  }

  bridge(query: URLSearchParams): Bridge {
    const called = (...call: unknown[]) => { this.calls.push(call); };
    return {
      snapshot: async () => [...this.#known].map(([id, known]) => rowOf(id, known)),
      detail: async (id) => {
        const known = this.#known.get(id);
        return known ? { revision: known.revision, detail: known.detail } : null;
      },
      shown: async (id, revision) => {
        called("shown", id, revision);
        const known = this.#known.get(id);
        if (known?.revision === revision) known.shown = performance.now();
      },
      opened: async (id, revision, fold) => {
        called("opened", id, revision, fold);
        this.#input();
        const known = this.#known.get(id);
        if (known?.revision !== revision) return;
        known.detail = { ...known.detail, opened: [...known.detail.opened, fold] };
        known.shown = known.shown === null ? null : performance.now();
      },
      draft: async (id, feedback) => {
        called("draft", id, feedback);
        const known = this.#known.get(id);
        if (known) known.detail = { ...known.detail, draft: feedback };
      },
      decide: async (id, revision, option, feedback, amendment, answers) => {
        called("decide", id, revision, option, feedback ?? null, ...(amendment === undefined ? [] : [amendment]), ...(answers ? [answers] : []));
        this.#input();
        const why = this.#refusal(this.#known.get(id), revision, option, amendment, answers);
        if (why) this.#push({ refused: { id, why } });
        else this.#settle(id, { end: "answered", outcome: { selected: option }, by: "person" }, amendment !== undefined);
      },
      check: async (id, answers) => {
        const known = this.#known.get(id);
        return known ? check(known.detail, answers) : [];
      },
      texts: async (id) => {
        const known = this.#known.get(id);
        return known ? textsOf(known.detail, known.version) : null;
      },
      version: async (id, text) => {
        called("version", id, text);
        this.#input();
        this.#version(id, text);
      },
      edit: async (id) => {
        called("edit", id);
        this.#input();
        return query.has("no-editor") ? { error: "No editor is set up." } : { editor: "VS Code" };
      },
      abstain: async (id) => {
        called("abstain", id);
        this.#input();
        this.#settle(id, { end: "answered", outcome: "abstained", why: "person" });
      },
      onPush: async (listener) => { this.#listener = listener; },
      ready: async () => {
        const open = Number(query.get("open") ?? 0);
        if (open > 0) this.#push({ show: { id: open } });
      },
      copy: writeClipboard,
    };
  }
}

/** `?with=proposal,crlf` adds requests by name, `?many=50` for a long list, `?golden` for all recorded requests, `?golden=NAME` for one, `?open=N` to open one. */
export async function fakeBridge(query: URLSearchParams): Promise<Bridge> {
  const golden = query.get("golden");
  const named = (query.get("with") ?? "").split(",").flatMap((name) => NAMED[name] ?? []);
  let details = [...assorted(Number(query.get("many") ?? 6), Date.now() - named.length * 7000), ...named.map((make, index) => make(Date.now() - (named.length - index) * 7000))];
  if (query.has("question")) details = [question(Date.now() - 5000), ...details];
  if (golden !== null) {
    const views = (await (await fetch("golden.json")).json()) as { name: string; detail: Detail }[];
    const now = Date.now();
    details = views.filter((view) => golden === "" || view.name === golden)
      .map(({ detail }, index, all) => ({ ...detail, arrivedMs: now - (all.length - index) * 1000 }));
  }
  const broker = new FakeBroker(details);
  Object.assign(window, { doorwardCalls: broker.calls });
  return broker.bridge(query);
}
