import type { Row } from "../bridge/types";
import { markName } from "../strings";
import { blocking } from "./keys";

const BURST_MS = 2000;

function lower(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** One polite voice. Arrivals are gathered for two seconds so that a burst is one sentence. */
export class Live {
  text = $state("");
  #arrived = new Map<number, Row>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    this.text = text;
  }

  arrived(row: Row, waiting: () => number): void {
    this.#arrived.set(row.id, row);
    this.#timer ??= setTimeout(() => this.#flush(waiting()), BURST_MS);
  }

  #flush(waiting: number): void {
    this.#timer = undefined;
    const rows = [...this.#arrived.values()].filter((row) => row.ended === null);
    this.#arrived.clear();
    const last = rows.at(-1);
    if (!last) return;
    const names = blocking(last.marks).map(markName);
    const marks = names.length > 0 ? `, marked ${names.join(", ")}` : "";
    const place = last.project ? ` in ${last.project}` : "";
    const wait = waiting === 1 ? "1 waits." : `${waiting} wait.`;
    this.text = rows.length === 1
      ? `New${marks}: ${lower(last.heading)}${place}, ${last.agent}. ${wait}`
      : `${rows.length} new. ${wait}`;
  }
}
