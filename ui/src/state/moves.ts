/** Moving about by key: where the focus goes. Nothing here decides. */

/** What is in sight already takes the focus without moving what one reads. */
export function focus(id: string): boolean {
  const target = document.getElementById(id);
  // In one pane the request may be out of sight while the list is shown: then no key reaches it.
  if (!target || target.getClientRects().length === 0) return false;
  const { top, bottom } = target.getBoundingClientRect();
  target.focus({ preventScroll: top >= 0 && bottom <= window.innerHeight });
  return true;
}

/** Moves among the rows of the list; from outside the list it starts at the open request. */
export function moveInList(to: (at: number, last: number) => number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("#list .row")];
  const active = rows.findIndex((row) => row === document.activeElement);
  const at = active >= 0 ? active : rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  rows[Math.min(Math.max(to(at, rows.length - 1), 0), rows.length - 1)]?.focus();
}

export function moveToFile(by: number): void {
  const heads = [...document.querySelectorAll<HTMLElement>(".file-toggle")];
  const at = heads.findIndex((head) => head === document.activeElement);
  const next = heads[at < 0 ? (by > 0 ? 0 : heads.length - 1) : at + by];
  next?.focus({ preventScroll: true });
  next?.closest(".card")?.scrollIntoView({ block: "start" });
}

/** Among the parts of a plan that take notes; false when there are none. */
export function moveToPart(by: number): boolean {
  const all = [...document.querySelectorAll<HTMLElement>("[data-part]")];
  const at = all.findIndex((part) => part === document.activeElement);
  all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
  return all.length > 0;
}

const HERE = "is-here";

/** Goes to the next run of changed rows that is drawn; false when there is none in that direction.
 *  Asks no row for its place: that would lay out every long diff to its end. */
export function moveToChange(by: number): boolean {
  const starts = [...document.querySelectorAll<HTMLElement>(".diff [data-change]")];
  const here = starts.findIndex((row) => row.classList.contains(HERE));
  const next = starts[here < 0 ? (by > 0 ? 0 : starts.length - 1) : here + by];
  if (!next) return false;
  starts[here]?.classList.remove(HERE);
  next.classList.add(HERE);
  next.scrollIntoView({ block: "center" });
  return true;
}
