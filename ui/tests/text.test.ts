import { describe, expect, it } from "vitest";
import { hostile, huge, write } from "../src/bridge/fixtures";
import type { FileView } from "../src/bridge/types";
import { chunksOf, cut } from "../src/state/cut";
import { asPatch, foldLines, lines } from "../src/state/diff";
import { markWords } from "../src/state/marks";
import { pieces, visible } from "../src/state/text";

describe("text", () => {
  it("cuts escapes out and loses nothing", () => {
    const text = "a[U+202E]b [412 spaces]c [x]";
    expect(pieces(text).map((piece) => piece.text).join("")).toBe(text);
    expect(pieces(text).filter((piece) => piece.esc).map((piece) => piece.text)).toEqual(["[U+202E]", "[412 spaces]"]);
  });
  it("knows every escape", () => {
    for (const esc of ["[5000 U+200B]", "[U+1F600]", "[3 blank lines]", "[12 combining marks]", "[99 spaces]"]) {
      expect(pieces(esc)).toEqual([{ text: esc, esc: true, word: false }]);
    }
  });
  it("counts ranges in scalars", () => {
    expect(pieces("🦀ab", [[1, 2]])).toEqual([
      { text: "🦀", esc: false, word: false }, { text: "a", esc: false, word: true }, { text: "b", esc: false, word: false }]);
  });
  it("lets nothing hide in texts that come as received", () => {
    expect(visible("a\u202eb\u200b\n\t\u001b")).toBe("a[U+202E]b[U+200B]\n\t[U+001B]");
  });
  it("draws a long text in pieces that are the text", () => {
    const text = Array.from({ length: 2001 }, (_, index) => `line ${index}`).join("\n");
    expect(chunksOf(text).length).toBeGreaterThan(4);
    expect(chunksOf(text).join("")).toBe(text);
    expect(chunksOf("short")).toEqual(["short"]);
  });
});

describe("folds", () => {
  const fold = { key: "fact", head: 2, tail: 1, hiddenLines: 0, hiddenCharacters: 0 };
  it("leaves the two ends of a text in sight", () => {
    expect(cut("a\nb\nc\nd", { ...fold, unit: "lines" })).toEqual({ head: "a\nb", tail: "d" });
    expect(cut("🦀🦀xx🦀", { ...fold, unit: "characters" })).toEqual({ head: "🦀🦀", tail: "🦀" });
    expect(cut("a\nb\nc\nd", { ...fold, unit: "lines", tail: 0 }).tail).toBe("");
  });
  it("shows nothing where the unit does not fit", () => {
    expect(cut("a\nb\nc", { ...fold, unit: "rows" })).toEqual({ head: "", tail: "" });
    expect(foldLines(lines(write(0).files[0] as FileView), { ...fold, unit: "lines" }).head).toEqual([]);
  });
  it("cuts a diff by rows and loses no line", () => {
    const detail = huge(0);
    const all = lines(detail.files[0] as FileView);
    const folded = foldLines(all, detail.folds[0] ?? { ...fold, unit: "rows" });
    const rows = (some: typeof all) => some.filter((line) => "row" in line).length;
    expect([rows(folded.head), rows(folded.hidden), rows(folded.tail)]).toEqual([120, 4820, 60]);
    expect([...folded.head, ...folded.hidden, ...folded.tail]).toEqual(all);
  });
});

describe("diff", () => {
  const file = (rows: [string, string][], status: FileView["status"] = "modified"): FileView => ({ path: "/w/a", status,
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, rows: rows.map(([op, text]) => ({ op: op as "+", text })) }] });
  const told = (view: FileView) => lines(view).flatMap((line) => ("told" in line ? [line.told] : []));

  it("numbers the rows", () => {
    expect(lines(write(0).files[0] as FileView).map((line) => ("row" in line ? [line.old, line.new] : null)))
      .toEqual([[null, 1], [null, 2], [null, 3], [null, 4]]);
  });
  it("leaves no rows that read alike unexplained", () => {
    expect(told(file([["-", "a"], ["+", "a"]]))).toEqual(["The two lines read the same: only the line ending differs."]);
    expect(told(file([["-", "a"], ["-", "b"], ["+", "a"], ["+", "b"]]))).toEqual(["All of these lines read the same on both sides: only the line ending differs."]);
    expect(told(file([["-", "[U+00A0]"], ["+", "[U+00A0]"]]))).toEqual(["The two lines read the same: a line ending or a hidden character differs."]);
    expect(told(file([["-", "a"], ["+", "b"], [" ", "c"]]))).toEqual([]);
  });
  it("finds where each change begins", () => {
    const starts = lines(file([["-", "a"], ["+", "b"], [" ", "c"], ["+", "d"], ["+", "e"]])).map((line) => "row" in line && line.start);
    expect(starts).toEqual([true, false, false, true, false]);
  });
  it("copies as a patch", () => {
    expect(asPatch(file([["-", "a"], ["+", "b"]]))).toBe("--- /w/a\n+++ /w/a\n@@ -1,1 +1,1 @@\n-a\n+b\n");
  });
});

describe("marks", () => {
  it("counts what is hidden, and says what is outside", () => {
    expect(markWords("hidden-characters", hostile(0))[1])
      .toBe("2 direction controls, 3 zero-width characters and 1 long run of blanks or marks are shown as boxes.");
    const outside = { ...write(0), files: [{ ...(write(0).files[0] as FileView), path: "/etc/hosts" }] };
    expect(markWords("outside", outside)[1]).toBe("/etc/hosts is outside /home/ada/src/acme-api.");
  });
  it("has a sentence for a mark it does not know", () => {
    expect(markWords("some-later-mark", write(0))).toEqual(["Marked.", "some-later-mark"]);
  });
});
