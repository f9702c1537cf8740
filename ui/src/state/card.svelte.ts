import type { Bridge } from "../bridge/bridge";
import type { Fetched } from "../bridge/protocol";
import type { Detail, Ended, OptionView, QuestionView, Refusal } from "../bridge/types";
import { type Answers, Form, readFormDraft } from "./form.svelte";
import { mayAllow, refusalWords, S, unsentNotes } from "../strings";
import { ordinary } from "./keys";
import { feedback, type Note, readDraft, writeDraft } from "./notes";
import { Proposal } from "./proposal.svelte";
import { Protection } from "./protection.svelte";
import { rememberReason } from "./reasons";

const DRAFT_MS = 400;

/** The open request: what is shown of it, what was opened and typed, and the one way a choice leaves it. */
export class Card {
  readonly id: number;
  revision = $state(0);
  detail: Detail = $state.raw({} as Detail);
  notice = $state("");
  sent = $state(false);
  feedback = $state("");
  notes: readonly Note[] = $state.raw([]);
  /** The allow that was held back once, because it would leave notes unsent. */
  warned: string | null = $state(null);
  readonly protection: Protection;
  readonly proposal: Proposal;
  /** What is filled in, where the request is a question. */
  readonly form: Form | null;
  /** Opened here and not yet confirmed by the broker. */
  #justOpened: ReadonlySet<string> = $state.raw(new Set());

  readonly opened: ReadonlySet<string> = $derived(new Set([...this.detail.opened, ...this.#justOpened]));
  readonly closedFolds = $derived(this.detail.folds.map((fold) => fold.key).filter((key) => !this.opened.has(key)));
  readonly plan = $derived(this.detail.planBlocks.length > 0 || Boolean(this.detail.plan));
  readonly fast = $derived(ordinary({ marks: this.detail.marks, plan: this.plan, question: Boolean(this.detail.question) }));

  #bridge: Bridge;
  #say: (text: string) => void;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  /** The turn of protection in which the button was pressed down; null when it was not ready then. */
  #pressed: number | null | undefined;

  constructor(id: number, { detail, revision }: Fetched, bridge: Bridge, say: (text: string) => void) {
    this.id = id;
    this.#bridge = bridge;
    this.#say = say;
    this.protection = new Protection(() => this.#attempt(() => bridge.shown(id, this.revision)));
    this.detail = detail;
    this.revision = revision;
    const draft = detail.question ? readFormDraft(detail.draft) : null;
    if (detail.question) this.feedback = draft?.feedback ?? "";
    else ({ reason: this.feedback, notes: this.notes } = readDraft(detail.draft));
    this.form = detail.question ? this.#fill(detail.question, draft?.answers ?? null) : null;
    this.proposal = new Proposal(this, bridge);
    void this.proposal.refresh();
  }

  /** The fields as they are now; what was filled in stays when the request changes. */
  #fill(first: QuestionView, draft: Answers | null): Form {
    const check = async (answers: Answers) => {
      try {
        return await this.#bridge.check(this.id, answers);
      } catch (error) {
        this.failed(error);
        return [{ field: "", missing: false, words: S.lost }];
      }
    };
    return new Form(() => this.detail.question ?? first, draft, check, () => this.#draftSoon());
  }

  /** The card stands on the page from now on. */
  appear(): void {
    if (this.detail.ended === null) this.protection.start(this.detail.protectMs);
  }

  /** Takes what the broker has now. Protection starts anew only when something new is to be read. */
  take({ detail, revision }: Fetched): void {
    const same = revision === this.revision;
    const before = this.detail;
    this.detail = detail;
    this.revision = revision;
    if (!same) {
      this.warned = null;
      void this.proposal.refresh();
    }
    if (!same) this.#justOpened = new Set();
    if (detail.ended !== null) this.protection.stop();
    else if (!same) {
      this.protection.start(detail.protectMs);
      this.tell(this.proposal.words(before) ?? S.changedNow);
    }
  }

  end(ended: Ended): void {
    this.sent = false;
    this.notice = "";
    this.detail = { ...this.detail, ended };
    this.protection.stop();
  }

  tell(text: string): void {
    this.notice = text;
    this.#say(text);
  }

  open(key: string): void {
    if (this.opened.has(key)) return;
    this.#justOpened = new Set([...this.#justOpened, key]);
    void this.#attempt(() => this.#bridge.opened(this.id, this.revision, key)).then((done) => {
      if (!done) this.#justOpened = new Set();
    });
    this.protection.again();
  }

  /** Typed words go to the broker a moment after the last key. */
  type(text: string): void {
    this.feedback = text;
    this.#draftSoon();
  }

  /** Where a rejection carries words, a plan takes notes. */
  get carriesNotes(): boolean {
    const { affordances, options } = this.detail;
    return affordances.feedback && options.some((option) => option.kind.startsWith("reject_"));
  }

  /** Puts one note in the place of another; an empty one is none. */
  note(now: Note | null, before: Note | null): void {
    const rest = this.notes.filter((note) => note !== before);
    const at = before ? this.notes.indexOf(before) : rest.length;
    this.notes = now && now.text !== "" ? [...rest.slice(0, at), now, ...rest.slice(at)] : rest;
    this.warned = null;
    this.#draftSoon();
  }

  #draftSoon(): void {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.keepDraft(), DRAFT_MS);
  }

  keepDraft(): void {
    if (this.#draftTimer === undefined) return;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = undefined;
    void this.#attempt(() => this.#bridge.draft(this.id, this.form?.draft(this.feedback) ?? writeDraft({ reason: this.feedback, notes: [...this.notes] })));
  }

  /** Why an option is off right now; null when it is on. */
  offReason(option: OptionView): string | null {
    if (!mayAllow(option)) return null;
    return this.closedFolds.length > 0 ? S.folded : this.form?.off || this.proposal.offReason;
  }

  /** A button goes down. A press that begins too early does not count, however late it is let go. */
  press(): void {
    this.#pressed = this.protection.ready ? this.protection.turn : null;
  }

  mayChoose(): boolean {
    const pressed = this.#pressed;
    this.#pressed = undefined;
    if (this.detail.ended !== null || this.sent) return false;
    const whole = pressed === undefined || pressed === this.protection.turn;
    if (this.protection.ready && whole) return true;
    // Who fills a form looks at the keyboard, not at the ring.
    if (this.protection.tooSoon() || this.form) this.tell(refusalWords("too_soon"));
    return false;
  }

  async choose(option: OptionView): Promise<boolean> {
    const answers = mayAllow(option) ? this.form : null;
    if (answers) {
      this.sent = true;
      await answers.check();
      this.sent = false;
    }
    const off = this.offReason(option);
    if (off) {
      // The option says it already; a line more would move what is below it.
      if (answers && this.closedFolds.length === 0) {
        answers.reveal();
        this.#say(off);
      } else this.tell(off);
      return false;
    }
    const carries = this.detail.affordances.feedback && option.kind.startsWith("reject_");
    if (mayAllow(option) && this.notes.length > 0 && this.warned !== option.id) {
      this.warned = option.id;
      this.tell(unsentNotes(this.notes.length));
      this.protection.again();
      return false;
    }
    const words = carries ? feedback({ reason: this.feedback, notes: [...this.notes] }) : "";
    if (carries) rememberReason(this.feedback);
    const amendment = mayAllow(option) ? this.proposal.amendment : undefined;
    return this.#send(() => this.#bridge.decide(this.id, this.revision, option.id, words || undefined, amendment, answers?.answers()));
  }

  async abstain(): Promise<boolean> {
    return this.#send(() => this.#bridge.abstain(this.id));
  }

  /** False when nothing left the page. */
  async #send(send: () => Promise<void>): Promise<boolean> {
    this.sent = true;
    this.notice = "";
    try {
      await send();
      return true;
    } catch (error) {
      this.sent = false;
      this.failed(error);
      return false;
    }
  }

  async #attempt(call: () => Promise<void>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  failed(error: unknown): void {
    this.tell(error === "no_input" ? S.noInput : S.lost);
  }

  refused(why: Refusal): void {
    this.sent = false;
    if (why === "locked") this.#justOpened = new Set();
    this.tell(refusalWords(why));
  }
}
