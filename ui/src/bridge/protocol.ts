/** The lines between page and broker, around the views of `types.ts`. */
import type { Detail, Ended, Refusal } from "./types";

/** The name of the editor that was opened, or why none was. */
export type Edited = { editor: string } | { error: string };

export interface Fetched { revision: number; detail: Detail }

/** One line the broker pushes. Exactly one member is present. */
export interface PushLine {
  arrived?: { id: number; revision: number };
  changed?: { id: number; revision: number };
  settled?: { id: number } & Ended;
  refused?: { id: number; why: Refusal };
  show?: { id: number | null };
}
