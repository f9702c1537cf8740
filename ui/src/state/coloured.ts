import type { DiffRow } from "../bridge/types";
import type { Stretch } from "./dress";

type Found = ReadonlyMap<DiffRow, Stretch[]>;

/** For an effect: once the rows are in sight, their inks are looked for. Rows are drawn without waiting for it. */
export function coloured(element: HTMLElement, path: string, rows: readonly DiffRow[], found: (inks: Found) => void): () => void {
  let gone = false;
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    void look(path, rows, () => gone).then((inks) => { if (!gone && inks.size > 0) found(inks); });
  }, { rootMargin: "200px" });
  observer.observe(element);
  return () => {
    gone = true;
    observer.disconnect();
  };
}

/** Each side is read as the text it is: a line that is on both is told by what comes after. */
async function look(path: string, rows: readonly DiffRow[], gone: () => boolean): Promise<Found> {
  const out = new Map<DiffRow, Stretch[]>();
  try {
    const { colours } = await import("../editor/colours");
    for (const other of ["+", "-"]) {
      const side = [...new Set(rows)].filter((row) => row.op !== other);
      const inks = await colours(path, side.map((row) => row.text), gone);
      inks?.forEach((stretches, index) => { if (side[index] && stretches.length > 0) out.set(side[index], stretches); });
    }
  } catch {
    // Colours are an extra; without their files the text stands as it is.
  }
  return out;
}
