import { tick } from "svelte";
import type { Bridge } from "../bridge/bridge";
import type { PushLine, Settled } from "../bridge/protocol";
import type { Ended, OptionView, Refusal, Row } from "../bridge/types";
import { endedWords, S } from "../strings";
import { Card } from "./card.svelte";
import { Live } from "./live.svelte";
import { outcomeWords } from "./outcome";

const KEEP_MS = 3_600_000;

/** All requests as rows, and the one that is open. */
export class Queue {
  rows: Row[] = $state.raw([]);
  selected: number | null = $state(null);
  card: Card | null = $state.raw(null);
  /** The selected request is no longer known. */
  missing = $state(false);
  lost = $state(false);
  show: "list" | "detail" = $state("list");
  now = $state(Date.now());
  /** When and how requests ended, as far as this window saw it. */
  ends: ReadonlyMap<number, { at: number; words: string }> = $state.raw(new Map());
  readonly live = new Live();

  readonly waiting = $derived(this.rows.filter((row) => row.ended === null));
  readonly next = $derived(this.waiting.find((row) => row.id !== this.selected) ?? null);

  #bridge: Bridge;
  #fetching = false;
  #again = false;
  #known = false;
  /** Decided by key: the next oldest opens once this one has ended. */
  #nextAfter: number | null = null;

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
      this.lost = false;
    } catch {
      this.lost = true;
    } finally {
      this.#fetching = false;
    }
  }

  /** Settled rows outlive the snapshot they vanish from: what one looked at stays for an hour. */
  #merge(fresh: Row[]): void {
    const ids = new Set(fresh.map((row) => row.id));
    const known = new Map(this.rows.map((row) => [row.id, row]));
    const young = (row: Row) => Date.now() - (this.ends.get(row.id)?.at ?? Date.now()) < KEEP_MS;
    const kept = this.rows.filter((row) => !ids.has(row.id) && row.ended !== null && young(row));
    const now = fresh.map((row) => ({ ...row, ended: row.ended ?? known.get(row.id)?.ended ?? null }));
    this.rows = [...now, ...kept].sort((a, b) => a.arrivedMs - b.arrivedMs || a.id - b.id);
    for (const row of now) {
      if (this.#known && !known.has(row.id)) this.live.arrived(row, () => this.waiting.length);
    }
    this.#known = true;
  }

  /** Opens a request. Focus, if it moves at all, goes to the heading and never to an option. */
  async open(id: number, focus: boolean): Promise<void> {
    this.#leave();
    this.selected = id;
    this.missing = false;
    const card = await this.#fetch(id);
    if (this.selected !== id) return;
    this.card = card;
    this.missing = card === null;
    this.show = "detail";
    card?.appear();
    await tick();
    document.getElementById("detail")?.scrollTo(0, 0);
    if (focus) document.getElementById("request-heading")?.focus({ preventScroll: true });
  }

  /** What stands there until the next one is here can no longer be pressed. */
  #leave(): void {
    this.card?.keepDraft();
    this.card?.protection.stop();
  }

  /** Back to the list, with focus on the row one came from. */
  close(): void {
    this.card?.keepDraft();
    this.show = "list";
    void tick().then(() => {
      const rows = [...document.querySelectorAll<HTMLElement>("#list .row")];
      (rows.find((row) => row.getAttribute("aria-current") === "true") ?? rows[0])?.focus();
    });
  }

  async #fetch(id: number): Promise<Card | null> {
    try {
      const fetched = await this.#bridge.detail(id);
      return fetched ? new Card(id, fetched, this.#bridge, (text) => this.live.say(text)) : null;
    } catch {
      this.lost = true;
      return null;
    }
  }

  async #reload(id: number): Promise<void> {
    try {
      const fetched = await this.#bridge.detail(id);
      if (fetched && this.card?.id === id) this.card.take(fetched);
    } catch {
      this.lost = true;
    }
  }

  #push(line: PushLine): void {
    if (line.arrived) void this.refresh();
    if (line.changed) this.#changed(line.changed.id);
    if (line.settled) this.#settled(line.settled);
    if (line.refused) this.#refused(line.refused.id, line.refused.why);
    if (line.show) this.#showed(line.show.id);
  }

  #showed(id: number | null): void {
    const wanted = id ?? this.selected ?? this.waiting[0]?.id ?? null;
    if (wanted === null) return;
    if (wanted !== this.card?.id) return void this.open(wanted, true);
    this.show = "detail";
    this.again();
  }

  #changed(id: number): void {
    void this.refresh();
    if (id === this.card?.id) void this.#reload(id);
  }

  #settled({ id, ...rest }: { id: number } & Settled): void {
    const ended: Ended = { amended: false, ...rest, delivered: rest.delivered ?? "pending" };
    const open = id === this.card?.id ? outcomeWords(ended, this.card.detail) : null;
    const words = open?.head.replace(/\.$/, "") ?? endedWords(ended);
    this.ends = new Map(this.ends).set(id, { at: Date.now(), words });
    this.rows = this.rows.map((row) => (row.id === id ? { ...row, ended } : row));
    if (this.card && open) {
      this.card.end(ended);
      this.live.say(`${open.head} ${open.rest}`);
      if (this.#nextAfter === id) this.#goOn();
      else void this.#reload(id);
    }
    void this.refresh();
  }

  #goOn(): void {
    this.#nextAfter = null;
    if (this.next) void this.open(this.next.id, true);
  }

  #refused(id: number, why: Refusal): void {
    if (id !== this.card?.id) return;
    this.#nextAfter = null;
    this.card.refused(why);
    if (why !== "too_soon") void this.#reload(id);
    else this.card.protection.again();
  }

  /** What is under the pointer may have moved: presses count again only after a moment. */
  again(): void {
    if (this.card && this.card.id === this.selected && this.card.detail.ended === null) this.card.protection.again();
  }

  openNext(focus: boolean): void {
    if (this.next) void this.open(this.next.id, focus);
  }

  /** `byKey` opens the next oldest once this one is settled; under a pointer nothing new appears. */
  choose(option: OptionView, byKey: boolean): void {
    void this.#send(byKey, (card) => card.choose(option));
  }

  abstain(byKey: boolean): void {
    void this.#send(byKey, (card) => card.abstain());
  }

  async #send(byKey: boolean, send: (card: Card) => Promise<boolean>): Promise<void> {
    const card = this.card;
    if (!card || card.id !== this.selected || !card.mayChoose()) return;
    this.#nextAfter = byKey ? card.id : null;
    if (!(await send(card))) this.#nextAfter = null;
  }

  async copy(text: string | null): Promise<void> {
    try {
      if (text === null) return this.live.say(S.nothingToCopy);
      await this.#bridge.copy(text);
      this.live.say(S.copied);
    } catch {
      this.card?.tell(S.copyFailed);
    }
  }
}
