import { mayAllow, S } from "../strings";
import { asPatch } from "./diff";
import type { Action, Key } from "./keys";
import { action } from "./keys";
import type { ListView } from "./list.svelte";
import { focus, moveInList, moveToChange, moveToFile, moveToPart } from "./moves";
import type { Queue } from "./queue.svelte";

const MAC = /Mac/.test(navigator.userAgent);
const PRESSABLE = "button, a, summary, input, textarea, select, [role='menuitem']";

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
    inField: target?.closest("input, textarea, select, [contenteditable], [data-editor]") !== null && target !== null,
    mac: MAC,
  };
}

/** The arrows and Home/End belong to whatever scrolls when focus is in the detail. */
function inList(to: (at: number, last: number) => number): boolean {
  if (document.activeElement?.closest("#detail")) return false;
  moveInList(to);
  return true;
}

function onPressable(): boolean {
  return document.activeElement?.closest(PRESSABLE) !== null && document.activeElement !== null;
}

function choose(queue: Queue, number: number): boolean {
  const card = queue.card;
  const option = card?.detail.options[number - 1];
  const inSight = (document.getElementById(`option-${number}`)?.getClientRects().length ?? 0) > 0;
  if (!card || !inSight) return false;
  if (number === 0) queue.abstain(true);
  else if (option && card.fast && !option.elevates) queue.choose(option, true);
  else focus(`option-${number}`);
  return true;
}

/** Sends a form from inside it: elsewhere a key that waits for no option chooses nothing. */
function send(queue: Queue): boolean {
  const answer = queue.card?.form ? queue.card.detail.options.find(mayAllow) : undefined;
  if (!answer || !document.activeElement?.closest(".question")) return false;
  queue.choose(answer, true);
  return true;
}

/** What C copies: the fact, or what stands in its place. */
function copied(queue: Queue): string | null {
  const detail = queue.card?.detail;
  if (!detail) return null;
  if (detail.fact !== null) return detail.fact;
  if (detail.files.length > 0) return detail.files.map(asPatch).join("\n");
  return detail.plan;
}

function back(queue: Queue, view: ListView): void {
  const active = document.activeElement;
  if (active?.id === "reason" || active?.closest(".question")) focus("request-heading");
  else if (view.filter !== null) {
    view.filter = null;
    queue.close();
  } else queue.close();
}

function change(queue: Queue, by: number): boolean {
  if (!queue.card) return false;
  if (queue.card.detail.files.length === 0 && moveToPart(by)) return true;
  if (document.querySelector(".diff") === null) return false;
  if (!moveToChange(by)) queue.live.say(by > 0 ? S.lastChange : S.firstChange);
  return true;
}

/** On the part that has the focus; else it goes to the first. */
function note(): boolean {
  const part = document.activeElement?.closest(".plan-line")?.querySelector<HTMLElement>("[data-part]");
  if (part) part.click();
  return part ? true : moveToPart(1);
}

function perform(queue: Queue, view: ListView, what: Action): boolean {
  switch (what.do) {
    case "focus": return focus(`option-${what.option}`);
    case "choose": return choose(queue, what.option);
    case "move": return inList((at) => (at < 0 ? 0 : at + what.by));
    case "first": return inList(() => 0);
    case "last": return inList((_, last) => last);
    case "file": moveToFile(what.by); return true;
    case "change": return change(queue, what.by);
    case "back": back(queue, view); return true;
    case "next": {
      if (onPressable() || !queue.card?.detail.ended || !queue.next) return false;
      document.getElementById("next")?.click();
      return true;
    }
    case "open": queue.card?.closedFolds.forEach((key) => queue.card?.open(key)); return true;
    case "copy": void queue.copy(copied(queue)); return true;
    case "edit": void queue.card?.proposal.edit(); return queue.card?.proposal.amendable ?? false;
    case "edit-outside": void queue.card?.proposal.editOutside(); return queue.card?.proposal.amendable ?? false;
    case "note": return note();
    case "send": return send(queue);
    case "reason": return focus("reason");
    case "search": view.filter ??= ""; queue.show = "list"; setTimeout(() => focus("filter")); return true;
    case "menu": view.menu = !view.menu; queue.show = "list"; return true;
    case "help": view.help = true; return true;
  }
}

export function onKey(queue: Queue, view: ListView, event: KeyboardEvent): void {
  // A dialog or menu keeps its keys to itself.
  if (event.defaultPrevented || view.help || (view.menu && event.key !== "F10")) return;
  const what = action(read(event));
  if (what && perform(queue, view, what)) event.preventDefault();
}
