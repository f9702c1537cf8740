import type { Bridge } from "../bridge/bridge";
import type { Edited } from "../bridge/protocol";
import type { Detail, Texts } from "../bridge/types";
import { S } from "../strings";

/** What a proposal needs of the card it belongs to. */
export interface Proposed {
  readonly id: number;
  readonly revision: number;
  readonly detail: Detail;
  tell(text: string): void;
  failed(error: unknown): void;
}

/** Texts that were typed and not saved, by request: another request opened meanwhile loses nothing. */
const unsaved = new Map<number, string>();

/** Whether anything but the person's version is different. */
function sameOtherwise(before: Detail, now: Detail): boolean {
  return before.raw === now.raw && before.marks.join() === now.marks.join()
    && JSON.stringify(before.files) === JSON.stringify(now.files);
}

/** The person's own version of the one file: what of it is shown, edited and sent. */
export class Proposal {
  showing: "yours" | "agent" = $state("yours");
  /** The texts the editor was opened with. */
  editing: Texts | null = $state.raw(null);
  /** What the person's own editor was asked for. */
  outside: Edited | null = $state.raw(null);
  /** A discarded version, for as long as the card is open. */
  discarded: string | null = $state.raw(null);
  /** The version's text at the revision that is shown; undefined until it is here, null if it cannot be read. */
  #text: string | null | undefined = $state.raw(undefined);
  #card: Proposed;
  #bridge: Bridge;

  constructor(card: Proposed, bridge: Bridge) {
    this.#card = card;
    this.#bridge = bridge;
  }

  get amendable(): boolean {
    const { affordances, files, ended } = this.#card.detail;
    return affordances.amend && files.length === 1 && ended === null;
  }

  /** Why an allow is off because of the version; null when it is not. */
  get offReason(): string | null {
    if (this.editing) return S.closeEditor;
    const { version } = this.#card.detail;
    if (version === null) return null;
    if (version.cannotSend) return S.cannotSendVersion;
    if (typeof this.#text === "string") return null;
    return this.#text === null ? S.unreadVersion : S.readingVersion;
  }

  /** What an allow sends in place of the agent's text. */
  get amendment(): string | undefined {
    return this.#card.detail.version ? (this.#text ?? undefined) : undefined;
  }

  /** What the change from `before` means for the person's version; null where it means more. */
  words(before: Detail): string | null {
    const { detail } = this.#card;
    const same = JSON.stringify(before.version) === JSON.stringify(detail.version);
    if (same || !sameOtherwise(before, detail)) return null;
    return detail.version ? S.versionTaken : S.versionGone;
  }

  /** Reads the version's text. One of a later revision is never sent: the broker refuses what is stale. */
  async refresh(): Promise<void> {
    const { id, revision, detail } = this.#card;
    this.#text = undefined;
    if (detail.version === null || detail.ended !== null) return;
    this.discarded = null;
    try {
      const texts = await this.#bridge.texts(id);
      if (this.#card.revision === revision) this.#text = texts?.version ?? null;
    } catch (error) {
      if (this.#card.revision === revision) this.#text = null;
      this.#card.failed(error);
    }
  }

  async edit(): Promise<void> {
    if (!this.amendable || this.editing) return;
    await this.#try(async () => {
      const texts = await this.#bridge.texts(this.#card.id);
      if (texts) this.editing = texts;
      else this.#card.tell(S.noTexts);
    });
  }

  async editOutside(): Promise<void> {
    if (!this.amendable) return;
    this.outside = null;
    await this.#try(async () => { this.outside = await this.#bridge.edit(this.#card.id); });
  }

  /** The text the editor starts from. */
  start({ version, proposed }: Texts): string {
    return unsaved.get(this.#card.id) ?? version ?? proposed;
  }

  get hasUnsaved(): boolean {
    return unsaved.has(this.#card.id);
  }

  keep(text: string | null): void {
    if (text === null) unsaved.delete(this.#card.id);
    else unsaved.set(this.#card.id, text);
  }

  /** True when the broker has it. A text that is the agent's own is no version. */
  async save(text: string): Promise<boolean> {
    const own = text !== this.editing?.proposed;
    const done = await this.#try(() => this.#bridge.version(this.#card.id, own ? text : null));
    if (done) this.keep(null);
    return done;
  }

  async discard(): Promise<void> {
    const text = this.#text ?? null;
    if (await this.#try(() => this.#bridge.version(this.#card.id, null))) this.discarded = text;
  }

  async restore(): Promise<void> {
    const text = this.discarded;
    if (text !== null) await this.#try(() => this.#bridge.version(this.#card.id, text));
  }

  async #try(call: () => Promise<void>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      this.#card.failed(error);
      return false;
    }
  }
}
