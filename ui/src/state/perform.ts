import { factText } from "./folds";
import type { Action, Key } from "./keys";
import { action } from "./keys";
import type { Queue } from "./queue.svelte";

const MAC = /Mac/.test(navigator.userAgent);

function read(event: KeyboardEvent): Key {
  const target = event.target instanceof Element ? event.target : null;
  return {
    key: event.key,
    code: event.code,
    ctrl: event.ctrlKey,
    meta: event.metaKey,
    alt: event.altKey,
    shift: event.shiftKey,
    repeat: event.repeat,
    inField: target?.closest("input, textarea, select, [contenteditable]") !== null && target !== null,
    mac: MAC,
  };
}

/** What is in sight already takes the focus without moving what one reads. */
function focus(id: string): void {
  const target = document.getElementById(id);
  if (!target) return;
  const { top, bottom } = target.getBoundingClientRect();
  target.focus({ preventScroll: top >= 0 && bottom <= window.innerHeight });
}

/** In one pane the request may be out of sight while the list is shown: then no key reaches it. */
function inSight(number: number): boolean {
  return (document.getElementById(`option-${number}`)?.getClientRects().length ?? 0) > 0;
}

/** Moves among the rows of the list; from outside the list it starts at the open request. */
function move(to: (at: number, last: number) => number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("#list .row")];
  const active = rows.findIndex((row) => row === document.activeElement);
  const at = active >= 0 ? active : rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  rows[Math.min(Math.max(to(at, rows.length - 1), 0), rows.length - 1)]?.focus();
}

function file(by: number): void {
  const heads = [...document.querySelectorAll<HTMLElement>(".file-head")];
  const at = heads.findIndex((head) => head === document.activeElement);
  const next = heads[at < 0 ? (by > 0 ? 0 : heads.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "start" });
}

/** The arrows and Home/End belong to whatever scrolls when focus is in the detail. */
function inDetail(): boolean {
  return document.activeElement?.closest("#detail") !== null && document.activeElement !== null;
}

function choose(queue: Queue, number: number): void {
  if (number === 0) {
    void queue.abstain(true);
    return;
  }
  const choice = queue.detail?.options[number - 1];
  if (!choice) return;
  if (queue.fast && !choice.elevates) void queue.choose(choice, true);
  else focus(`option-${number}`);
}

function perform(queue: Queue, what: Action): boolean {
  switch (what.do) {
    case "focus":
      if (!inSight(what.option)) return false;
      focus(`option-${what.option}`);
      return true;
    case "choose":
      if (!inSight(what.option)) return false;
      choose(queue, what.option);
      return true;
    case "move":
      if (inDetail()) return false;
      move((at) => (at < 0 ? 0 : at + what.by));
      return true;
    case "first":
      if (inDetail()) return false;
      move(() => 0);
      return true;
    case "last":
      if (inDetail()) return false;
      move((_, last) => last);
      return true;
    case "file":
      file(what.by);
      return true;
    case "back":
      queue.close();
      return true;
    case "open":
      queue.closedFolds.forEach((key) => queue.openFold(key));
      return true;
    case "copy":
      if (!queue.detail) return false;
      void queue.copy(factText(queue.detail) ?? queue.detail.plan ?? null);
      return true;
    case "reason":
      document.getElementById("reason")?.focus();
      return true;
  }
}

export function onKey(queue: Queue, event: KeyboardEvent): void {
  const what = action(read(event));
  if (what && perform(queue, what)) event.preventDefault();
}
