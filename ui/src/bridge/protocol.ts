/** The lines between page and broker, around the views of `types.ts`. */
import type { Detail, Ended, Refusal } from "./types";

/** The name of the editor that was opened, or why none was. */
export type Edited = { editor: string } | { error: string };

export interface Fetched { revision: number; detail: Detail }

/** As it is pushed; the detail then says whether the person's own text went with it. */
export type Settled = Omit<Ended, "amended"> & Partial<Pick<Ended, "amended">>;

/** One line the broker pushes. Exactly one member is present. */
export interface PushLine {
  arrived?: { id: number; revision: number };
  changed?: { id: number; revision: number };
  settled?: { id: number } & Settled;
  refused?: { id: number; why: Refusal };
  show?: { id: number | null };
}
