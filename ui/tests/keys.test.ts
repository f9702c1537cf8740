import { describe, expect, it } from "vitest";
import { action, type Key, ordinary } from "../src/state/keys";

function key(over: Partial<Key>): Key {
  return { key: "", code: "", ctrl: false, meta: false, alt: false, shift: false, repeat: false, inField: false, mac: false, ...over };
}

describe("keys", () => {
  it("focuses by number and never chooses by it", () => {
    expect(action(key({ key: "1", code: "Digit1" }))).toEqual({ do: "focus", option: 1 });
    expect(action(key({ key: "0", code: "Digit0" }))).toEqual({ do: "focus", option: 0 });
  });
  it("chooses only with the platform's modifier", () => {
    expect(action(key({ key: "2", code: "Digit2", ctrl: true }))).toEqual({ do: "choose", option: 2 });
    expect(action(key({ key: "2", code: "Digit2", meta: true }))).toBeNull();
    expect(action(key({ key: "2", code: "Digit2", meta: true, mac: true }))).toEqual({ do: "choose", option: 2 });
    expect(action(key({ key: "2", code: "Digit2", ctrl: true, mac: true }))).toBeNull();
    expect(action(key({ key: "2", code: "Digit2", ctrl: true, shift: true }))).toBeNull();
    expect(action(key({ key: "2", code: "Digit2", ctrl: true, alt: true }))).toBeNull();
  });
  it("takes the digit row of layouts that shift their digits", () => {
    expect(action(key({ key: "&", code: "Digit1" }))).toEqual({ do: "focus", option: 1 });
    expect(action(key({ key: "End", code: "Numpad1" }))).toEqual({ do: "last" });
  });
  it("ignores auto-repeat", () => {
    expect(action(key({ key: "1", code: "Digit1", repeat: true }))).toBeNull();
    expect(action(key({ key: "1", code: "Digit1", ctrl: true, repeat: true }))).toBeNull();
    expect(action(key({ key: "o", repeat: true }))).toBeNull();
  });
  it("leaves single keys to fields", () => {
    for (const name of ["1", "o", "c", "r", "j", "k", "[", "/", "?", "ArrowDown", "Home", "Enter"]) expect(action(key({ key: name, inField: true }))).toBeNull();
    expect(action(key({ key: "Escape", inField: true }))).toEqual({ do: "back" });
  });
  it("moves among changes, and only moves repeat", () => {
    expect(action(key({ key: "F7" }))).toEqual({ do: "change", by: 1 });
    expect(action(key({ key: "F7", shift: true }))).toEqual({ do: "change", by: -1 });
    expect(action(key({ key: "j", repeat: true }))).toEqual({ do: "change", by: 1 });
    expect(action(key({ key: "ArrowDown", repeat: true }))).toEqual({ do: "move", by: 1 });
    expect(action(key({ key: "F10", repeat: true }))).toBeNull();
  });
  it("knows a sign of ours on a digit's key", () => {
    expect(action(key({ key: "/", code: "Digit7", shift: true }))).toEqual({ do: "search" });
    expect(action(key({ key: "[", code: "Digit5" }))).toEqual({ do: "file", by: -1 });
  });
  it("lets Return do no more than go on; with Ctrl, in a field, it sends a form", () => {
    expect(action(key({ key: "Enter" }))).toEqual({ do: "next" });
    expect(action(key({ key: "Enter", ctrl: true }))).toBeNull();
    expect(action(key({ key: "Enter", ctrl: true, inField: true }))).toEqual({ do: "send" });
    expect(action(key({ key: "Enter", ctrl: true, inField: true, repeat: true }))).toBeNull();
  });
  it("knows which requests are ordinary", () => {
    expect(ordinary({ marks: [], plan: false, question: true })).toBe(false);
    expect(ordinary({ marks: [], plan: false })).toBe(true);
    expect(ordinary({ marks: ["network", "secret"], plan: false })).toBe(true);
    expect(ordinary({ marks: ["network", "destructive"], plan: false })).toBe(false);
    expect(ordinary({ marks: ["some-later-mark"], plan: false })).toBe(false);
    expect(ordinary({ marks: [], plan: true })).toBe(false);
  });
});
