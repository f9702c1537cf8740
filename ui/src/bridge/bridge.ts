import type { Edited, Fetched, PushLine } from "./protocol";
import type { FieldError, JsonValue, Row, Texts } from "./types";

/** All the page can do outside itself. Two implementations: the window, and fixtures for a plain browser. */
export interface Bridge {
  snapshot(): Promise<Row[]>;
  detail(id: number): Promise<Fetched | null>;
  /** The card is painted and its protection starts now. Said again whenever protection starts anew. */
  shown(id: number, revision: number): Promise<void>;
  /** A person opened this fold. */
  opened(id: number, revision: number, fold: string): Promise<void>;
  /** What was typed so far; it outlives the window. */
  draft(id: number, feedback: string): Promise<void>;
  /** `amendment` is the whole text of the file that goes back in place of the agent's; line ends as they shall stand on disk. */
  decide(id: number, revision: number, option: string, feedback?: string, amendment?: string, answers?: Record<string, JsonValue>): Promise<void>;
  /** What is wrong with answers to a question; nothing where they may go back. */
  check(id: number, answers: Record<string, JsonValue>): Promise<FieldError[]>;
  /** The texts an editor works on; null where nothing can be amended, or where it is not text. */
  texts(id: number): Promise<Texts | null>;
  /** The person's version of the file; null takes it back. The changed detail shows what it amounts to. */
  version(id: number, text: string | null): Promise<void>;
  /** Opens the proposal in the person's own editor. A save there arrives as a change of the request. */
  edit(id: number): Promise<Edited>;
  abstain(id: number): Promise<void>;
  /** Registers the one listener. Pushes that came earlier are not repeated: ask for a snapshot afterwards. */
  onPush(listener: (line: PushLine) => void): Promise<void>;
  /** Said once the listener is registered and the first snapshot was taken. */
  ready(): Promise<void>;
  copy(text: string): Promise<void>;
}

/** The shipped page knows the window only; every other build can stand in a browser. */
export async function connect(): Promise<Bridge> {
  if (import.meta.env.MODE === "production" || "__TAURI_INTERNALS__" in window) {
    return (await import("./tauri")).tauriBridge();
  }
  return (await import("./fake")).fakeBridge(new URLSearchParams(location.search));
}
