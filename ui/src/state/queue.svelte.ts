import { tick } from "svelte";
import type { Bridge } from "../bridge/bridge";
import type { Choice, Detail, Ended, PushLine, Row } from "../bridge/types";
import { mayAllow, refusalWords, S } from "../strings";
import { foldsOf } from "./folds";
import { ordinary } from "./keys";
import { Live } from "./live.svelte";
import { outcomeWords } from "./outcome";
import { Protection } from "./protection.svelte";

const KEEP_MS = 3_600_000;

export class Queue {
  rows = $state.raw<Row[]>([]);
  selected = $state<number | null>(null);
  revision = $state(0);
  detail = $state.raw<Detail | null>(null);
  missing = $state(false);
  opened = $state.raw<ReadonlySet<string>>(new Set());
  notice = $state("");
  sent = $state(false);
  feedback = $state("");
  show = $state<"list" | "detail">("list");
  now = $state(Date.now());
  readonly protection = new Protection();
  readonly live = new Live();

  readonly waiting = $derived(this.rows.filter((row) => row.ended === null));
  readonly closedFolds = $derived(this.detail ? foldsOf(this.detail).filter((key) => !this.opened.has(key)) : []);
  readonly fast = $derived(this.detail !== null && ordinary({
    marks: this.detail.marks,
    plan: this.detail.planBlocks.length > 0 || Boolean(this.detail.plan),
  }));

  #bridge: Bridge;
  #endedAt = new Map<number, number>();
  #fetching = false;
  #again = false;
  #nextAfter: number | null = null;
  #asked = 0;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  async start(): Promise<void> {
    await this.#bridge.onPush((line) => this.#push(line));
    await this.refresh();
    await this.#bridge.ready();
    setInterval(() => { this.now = Date.now(); }, 1000);
  }

  /** Takes a new snapshot; calls that come meanwhile are folded into one more. */
  async refresh(): Promise<void> {
    if (this.#fetching) {
      this.#again = true;
      return;
    }
    this.#fetching = true;
    try {
      do {
        this.#again = false;
        this.#merge(await this.#bridge.snapshot());
      } while (this.#again);
    } catch {
      this.notice = S.lost;
    } finally {
      this.#fetching = false;
    }
  }

  /** Settled rows outlive the snapshot they vanish from: what one looked at stays for an hour. */
  #merge(fresh: Row[]): void {
    const ids = new Set(fresh.map((row) => row.id));
    const known = new Map(this.rows.map((row) => [row.id, row]));
    const kept = this.rows.filter((row) => !ids.has(row.id) && row.ended !== null
      && Date.now() - (this.#endedAt.get(row.id) ?? Date.now()) < KEEP_MS);
    const now = fresh.map((row) => ({ ...row, ended: row.ended ?? known.get(row.id)?.ended ?? null }));
    this.rows = [...now, ...kept].sort((a, b) => a.arrivedMs - b.arrivedMs || a.id - b.id);
    for (const row of now) {
      if (!known.has(row.id) && this.#asked > 0) this.live.arrived(row, () => this.waiting.length);
    }
    this.#asked += 1;
  }

  async open(id: number, focus: boolean): Promise<void> {
    this.selected = id;
    this.show = "detail";
    this.notice = "";
    this.feedback = "";
    this.sent = false;
    this.detail = null;
    this.missing = false;
    this.opened = new Set();
    await this.#load(id);
    if (this.selected !== id) return;
    await tick();
    document.getElementById("detail")?.scrollTo(0, 0);
    if (!focus) return;
    document.getElementById("request-heading")?.focus({ preventScroll: true });
  }

  close(): void {
    this.show = "list";
    document.querySelector<HTMLElement>("#list .row[aria-current='true'], #list .row")?.focus();
  }

  async #load(id: number): Promise<void> {
    try {
      const fetched = await this.#bridge.detail(id);
      if (this.selected !== id) return;
      if (fetched) this.#take(fetched.detail, fetched.revision || this.#rowRevision(id));
      else if (this.detail === null) this.missing = true;
    } catch {
      this.notice = S.lost;
    }
  }

  #rowRevision(id: number): number {
    return this.rows.find((row) => row.id === id)?.revision ?? 0;
  }

  #take(detail: Detail, revision: number): void {
    if (revision !== this.revision) this.opened = new Set();
    this.detail = this.#labelled(detail);
    this.revision = revision;
    if (detail.ended === null) this.protection.start(detail.protectMs);
  }

  #push(line: PushLine): void {
    if (line.arrived) void this.refresh();
    if (line.changed) this.#changed(line.changed.id);
    if (line.settled) this.#settled(line.settled);
    if (line.refused) this.#refused(line.refused.id, line.refused.why);
    if (line.show) this.#shown(line.show.id);
  }

  #shown(id: number | null): void {
    const wanted = id ?? this.selected ?? this.waiting[0]?.id ?? null;
    if (wanted === null) return;
    if (wanted === this.selected && this.detail) {
      this.show = "detail";
      this.protection.again();
    } else void this.open(wanted, true);
  }

  #changed(id: number): void {
    void this.refresh();
    if (id === this.selected) void this.#load(id);
  }

  #settled({ id, ...rest }: { id: number } & Ended): void {
    const ended: Ended = { ...rest, delivered: rest.delivered ?? "pending" };
    this.#endedAt.set(id, Date.now());
    this.rows = this.rows.map((row) => (row.id === id ? { ...row, ended } : row));
    if (id === this.selected && this.detail) {
      this.sent = false;
      this.detail = this.#labelled({ ...this.detail, ended });
      const words = outcomeWords(this.detail.ended ?? ended, this.detail.agent.name, this.detail.source);
      this.live.say(`${words.head} ${words.rest}`);
      if (this.#nextAfter !== id) void this.#load(id);
    }
    if (this.#nextAfter === id) {
      this.#nextAfter = null;
      const next = this.waiting[0];
      if (next) void this.open(next.id, true);
      else void this.#load(id);
    }
    void this.refresh();
  }

  /** The outcome holds an option's id; what a person chose is its name. */
  #labelled(detail: Detail): Detail {
    const { ended, options } = detail;
    if (ended === null || typeof ended.outcome !== "object" || ended.outcome === null) return detail;
    const { selected } = ended.outcome;
    const option = ended.option ?? options.find((offered) => offered.id === selected)?.name ?? selected;
    return { ...detail, ended: { ...ended, option } };
  }

  #refused(id: number, why: string): void {
    if (id !== this.selected) return;
    this.#nextAfter = null;
    this.sent = false;
    this.notice = refusalWords(why);
    this.live.say(this.notice);
    if (why === "stale") void this.#load(id);
  }

  openFold(key: string): void {
    this.opened = new Set([...this.opened, key]);
    this.protection.again();
  }

  /** Why an option is off right now; null when it is on. */
  offReason(choice: Choice): string | null {
    return mayAllow(choice) && this.closedFolds.length > 0 ? S.folded : null;
  }

  #mayPress(): boolean {
    if (this.selected === null || !this.detail || this.detail.ended || this.sent) return false;
    if (this.protection.ready) return true;
    if (this.protection.tooSoon()) {
      this.notice = refusalWords("too_soon");
      this.live.say(this.notice);
    }
    return false;
  }

  /** `byKey` opens the next oldest once this one is settled; under a pointer nothing new appears. */
  async choose(choice: Choice, byKey: boolean): Promise<void> {
    if (!this.#mayPress() || this.selected === null) return;
    const off = this.offReason(choice);
    if (off) {
      this.notice = off;
      this.live.say(off);
      return;
    }
    const words = this.detail?.affordances.feedback && choice.kind.startsWith("reject_") ? this.feedback.trim() : "";
    await this.#send(this.selected, byKey, (id) => this.#bridge.decide(id, this.revision, choice.id, words || undefined));
  }

  async abstain(byKey: boolean): Promise<void> {
    if (!this.#mayPress() || this.selected === null) return;
    await this.#send(this.selected, byKey, (id) => this.#bridge.abstain(id));
  }

  async #send(id: number, byKey: boolean, send: (id: number) => Promise<void>): Promise<void> {
    this.sent = true;
    this.notice = "";
    this.#nextAfter = byKey ? id : null;
    try {
      await send(id);
    } catch {
      this.sent = false;
      this.#nextAfter = null;
      this.notice = S.lost;
    }
  }

  async copy(text: string | null): Promise<void> {
    try {
      if (text === null) this.live.say(S.nothingToCopy);
      else {
        await this.#bridge.copy(text);
        this.live.say(S.copied);
      }
    } catch {
      this.notice = S.copyFailed;
    }
  }
}
