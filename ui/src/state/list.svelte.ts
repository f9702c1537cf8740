import type { Row } from "../bridge/types";
import type { Queue } from "./queue.svelte";
import { remember, remembered } from "./memory";

/** From how many on the rows take one line, and from how few again two. */
const MANY = 12;
const FEW = 9;
const LEAVE_MS = 2000;

export interface Group { key: string; first: Row; rows: Row[] }

/** What can be searched in a row: all that is drawn of it. */
function words(row: Row): string {
  const { title, branch, terminal, cwd } = row.session;
  return [row.fact, row.heading, row.agent, row.project, title, branch, terminal, cwd].join("\n").toLowerCase();
}

function sessions(rows: Row[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = `${row.source} ${row.session.id}`;
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { key, first: row, rows: [row] });
  }
  return [...groups.values()];
}

/** How the list is looked at. Whatever would move a row waits until pointer and focus have left the list. */
export class ListView {
  bySession = $state(remembered("by-session"));
  wrap = $state(!remembered("no-wrap"));
  /** Two columns, and blanks drawn: for as long as the page lives. */
  split = $state(false);
  blanks = $state(false);
  filter: string | null = $state(null);
  compact = $state(false);
  menu = $state(false);
  help = $state(false);
  closed: ReadonlySet<string> = $state.raw(new Set());
  /** Settled rows that have moved to the lower group. */
  #parked: ReadonlySet<number> = $state.raw(new Set());
  /** Rows that came while a hand was in the list: they stay at the end for now. */
  #late: ReadonlySet<number> = $state.raw(new Set());
  #inside = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seen = new Set<number>();
  #queue: Queue;

  readonly needle = $derived(this.filter?.trim().toLowerCase() ?? "");
  readonly #matching = $derived.by(() => {
    const needle = this.needle;
    return needle === "" ? this.#queue.rows : this.#queue.rows.filter((row) => words(row).includes(needle));
  });
  readonly upper = $derived(this.#matching.filter((row) => !this.#isParked(row)));
  readonly settled = $derived(this.#matching.filter((row) => this.#isParked(row)).reverse());
  readonly groups: Group[] | null = $derived(this.bySession ? sessions(this.upper.filter((row) => !this.#late.has(row.id))) : null);
  readonly late = $derived(this.bySession ? this.upper.filter((row) => this.#late.has(row.id)) : []);
  readonly shownWaiting = $derived(this.upper.filter((row) => row.ended === null).length);

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  #isParked(row: Row): boolean {
    return row.ended !== null && this.#parked.has(row.id);
  }

  /** Rows came or went. */
  changed(): void {
    const fresh = this.#queue.rows.filter((row) => !this.#seen.has(row.id)).map((row) => row.id);
    const first = this.#seen.size === 0;
    fresh.forEach((id) => this.#seen.add(id));
    if (first) return this.#tidy();
    if (this.#inside && fresh.length > 0) this.#late = new Set([...this.#late, ...fresh]);
    this.#later();
  }

  /** Whether pointer or focus is in the list. */
  touched(inside: boolean): void {
    this.#inside = inside;
    this.#later();
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (!this.#inside) this.#timer = setTimeout(() => this.#tidy(), LEAVE_MS);
  }

  #tidy(): void {
    const waiting = this.#queue.waiting.length;
    this.#parked = new Set(this.#queue.rows.filter((row) => row.ended !== null).map((row) => row.id));
    this.#late = new Set();
    if (waiting > MANY) this.compact = true;
    else if (waiting < FEW) this.compact = false;
  }

  order(bySession: boolean): void {
    this.bySession = bySession;
    this.#late = new Set();
    remember("by-session", bySession);
  }

  setWrap(wrap: boolean): void {
    this.wrap = wrap;
    remember("no-wrap", !wrap);
  }

  toggle(key: string): void {
    const closed = new Set(this.closed);
    if (!closed.delete(key)) closed.add(key);
    this.closed = closed;
  }
}
