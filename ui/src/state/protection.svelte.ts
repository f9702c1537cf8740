/** The moment after a request appears or moves in which a press does nothing.
 *  It guards against a click or key that was meant for what stood there before. */
export class Protection {
  ready = $state(false);
  /** Counts starts; the dock keys its ring on it so that the ring fills anew. */
  turn = $state(0);
  marked = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ms = 500;
  #presses = 0;

  start(ms: number): void {
    this.#ms = ms;
    this.marked = ms >= 1000;
    this.again();
  }

  /** Starts anew with the same length: the window was moved, resized or came back. */
  again(): void {
    clearTimeout(this.#timer);
    this.ready = false;
    this.turn += 1;
    this.#presses = 0;
    this.#timer = setTimeout(() => { this.ready = true; }, this.#ms);
  }

  /** A press while not ready: dropped. True on the third, which deserves an explanation. */
  tooSoon(): boolean {
    this.#presses += 1;
    return this.#presses === 3;
  }
}
