import { tick } from "svelte";

/** The broker counts from when it heard; the page stays a little behind it, so that it never promises too much. */
const MARGIN_MS = 40;

function frame(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => done()));
}

/** The moment after a request appears or moves in which a press does nothing.
 *  It guards against a click or key that was meant for what stood there before. */
export class Protection {
  ready = $state(false);
  /** Counts starts; the dock keys its ring on it so that the ring fills anew. */
  turn = $state(0);
  marked = $state(false);
  #announce: () => Promise<boolean>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ms = 500;
  #presses = 0;
  #run = 0;

  /** `announce` tells the broker that the request is on the screen; without that nothing can be pressed. */
  constructor(announce: () => Promise<boolean>) {
    this.#announce = announce;
  }

  start(ms: number): void {
    this.#ms = ms;
    this.marked = ms >= 1000;
    this.again();
  }

  /** Starts anew with the same length: the window was moved, resized or came back. */
  again(): void {
    this.stop();
    this.turn += 1;
    this.#presses = 0;
    void this.#once(this.#run);
  }

  /** Nothing can be pressed until the next start. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.ready = false;
  }

  /** Time counts only from the frame that really showed the request: the second one after it was drawn. */
  async #once(run: number): Promise<void> {
    await tick();
    await frame();
    await frame();
    if (run !== this.#run) return;
    if (!(await this.#announce()) || run !== this.#run) return;
    this.#timer = setTimeout(() => { this.ready = true; }, this.#ms + MARGIN_MS);
  }

  /** A press while not ready: dropped. True on the third, which deserves an explanation. */
  tooSoon(): boolean {
    this.#presses += 1;
    return this.#presses === 3;
  }
}
