import type { Fetched, PushLine, Row } from "./types";

/** All the page can do outside itself. Two implementations: the window, and fixtures for a plain browser. */
export interface Bridge {
  snapshot(): Promise<Row[]>;
  detail(id: number): Promise<Fetched | null>;
  decide(id: number, revision: number, option: string, feedback?: string): Promise<void>;
  abstain(id: number): Promise<void>;
  /** Registers the one listener. Pushes that came earlier are not repeated: ask for a snapshot afterwards. */
  onPush(listener: (line: PushLine) => void): Promise<void>;
  /** Said once the listener is registered and the first snapshot was taken. */
  ready(): Promise<void>;
  copy(text: string): Promise<void>;
}

export function inWindow(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

export async function connect(): Promise<Bridge> {
  if (inWindow()) return (await import("./tauri")).tauriBridge();
  return (await import("./fake")).fakeBridge(new URLSearchParams(location.search));
}
