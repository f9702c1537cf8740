import { describe, expect, it } from "vitest";
import { write, hostile, huge } from "../src/bridge/fixtures";
import { lines } from "../src/state/diff";
import { foldsOf, foldText } from "../src/state/folds";
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
  it("folds without losing a line", () => {
    const text = Array.from({ length: 61 }, (_, index) => `line ${index}`).join("\n");
    const fold = foldText(text);
    expect([fold?.head, fold?.middle, fold?.tail].join("\n")).toBe(text);
    expect(foldText("short")).toBeNull();
  });
  it("keeps allows off for long commands and long diffs", () => {
    expect(foldsOf(hostile(0))).toEqual(["fact"]);
    expect(foldsOf(huge(0))).toEqual(["file-0"]);
    expect(foldsOf(write(0))).toEqual([]);
  });
  it("numbers the rows of a diff", () => {
    const file = write(0).files[0];
    expect(file && lines(file).map((line) => ("row" in line ? [line.old, line.new] : null)))
      .toEqual([[null, 1], [null, 2], [null, 3], [null, 4]]);
  });
});
