/** Counts up one a turn, so that drawing something very long never holds up a key press. */
export class Drawn {
  count = $state(1);

  /** For an effect: goes on as long as there is more to draw. */
  upTo(all: number): (() => void) | undefined {
    if (this.count >= all) return undefined;
    const timer = setTimeout(() => { this.count += 1; });
    return () => clearTimeout(timer);
  }
}
