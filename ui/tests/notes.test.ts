import { describe, expect, it } from "vitest";
import type { Block } from "../src/bridge/types";
import { feedback, firstWords, parts, place, readDraft, writeDraft } from "../src/state/notes";

const plain = (text: string) => [{ text, style: "plain" as const, target: null }];
const item = (text: string) => ({ checked: null, blocks: [{ type: "paragraph" as const, spans: plain(text) }] });
const PLAN: Block[] = [
  { type: "heading", level: 1, spans: plain("Move search") },
  { type: "list", ordered: true, start: 3, items: [item("Add a script"), item("Load it on first focus of the search field in the page")] },
  { type: "rule" },
];
const note = { at: 2, on: "Load it on first focus of the search…", text: "on\n first key  " };

describe("notes", () => {
  it("are on blocks and on the items of a list, which keep their numbers", () => {
    expect(parts(PLAN).map((part) => [part.label, part.on])).toEqual([
      ["heading", "Move search"], ["step 3", "Add a script"], ["step 4", "Load it on first focus of the search…"], ["", ""]]);
  });
  it("are told a line each, before the reason", () => {
    expect(feedback({ reason: " no \n", notes: [note, { at: 0, on: "Move search", text: "why?" }] }))
      .toBe("On “Load it on first focus of the search…”: on first key\nOn “Move search”: why?\n\nno");
    expect(feedback({ reason: "", notes: [] })).toBe("");
  });
  it("follow their part when the plan changes, and are kept when it is gone", () => {
    const moved = parts([{ type: "paragraph", spans: plain("New") }, ...PLAN]);
    expect([...place([note], moved).byPart.keys()]).toEqual([3]);
    expect(place([note], parts(PLAN.slice(0, 1))).lost).toEqual([note]);
    const twice = place([note, { ...note, text: "b" }], parts(PLAN));
    expect([twice.byPart.size, twice.lost.length]).toEqual([1, 1]);
  });
  it("cut long words by characters", () => {
    expect(Array.from(firstWords("🦀".repeat(100)))).toHaveLength(61);
  });
});

describe("drafts", () => {
  it("come back as they were typed", () => {
    for (const reason of ["", "no", '{"reason":"x","notes":[]}', '{"reason":', "{}", '{"reason":1,"notes":[]}', "a\n\u202eb"]) {
      expect(readDraft(writeDraft({ reason, notes: [] })), reason).toEqual({ reason, notes: [] });
      expect(readDraft(writeDraft({ reason, notes: [note] })), reason).toEqual({ reason, notes: [note] });
    }
  });
  it("of plain text stay plain", () => {
    expect(writeDraft({ reason: "no, use make", notes: [] })).toBe("no, use make");
    expect(readDraft("no, use make")).toEqual({ reason: "no, use make", notes: [] });
    expect(readDraft(null)).toEqual({ reason: "", notes: [] });
    expect(readDraft('{"reason":"cut of')).toEqual({ reason: '{"reason":"cut of', notes: [] });
  });
});
