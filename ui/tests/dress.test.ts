import { describe, expect, it } from "vitest";
import type { DiffRow, FileView } from "../src/bridge/types";
import { colours } from "../src/editor/colours";
import { lines, type Pair, sides } from "../src/state/diff";
import { dress, type Stretch } from "../src/state/dress";

const INKS: Stretch[] = [{ from: 0, to: 5, ink: "key" }, { from: 8, to: 20, ink: "str" }];

describe("dress", () => {
  it("loses no character, whatever it is asked for", () => {
    for (const line of ["const a = '🦀\tb[U+202E]c';  \t ", "", "\t\t", "  ", "x", "[412 spaces]\t"]) {
      for (const words of [undefined, [[1, 3], [6, 9]] as [number, number][]]) {
        for (const inks of [[], INKS]) {
          for (const blanks of [false, true]) expect(dress(line, words, inks, blanks).map((piece) => piece.text).join("")).toBe(line);
        }
      }
    }
  });
  it("inks stretches, and never an escape", () => {
    expect(dress("const a = 'x'", undefined, [{ from: 0, to: 5, ink: "key" }]).map((piece) => [piece.text, piece.ink])).toEqual([["const", "key"], [" a = 'x'", undefined]]);
    expect(dress("a[U+200B]b", undefined, [{ from: 0, to: 10, ink: "str" }]).map((piece) => [piece.text, piece.ink, piece.esc])).toEqual([
      ["a", "str", false], ["[U+200B]", undefined, true], ["b", "str", false]]);
  });
  it("shows every tab, and blanks at the end only", () => {
    const blank = (line: string) => dress(line, undefined, [], true).filter((piece) => piece.blank).map((piece) => [piece.text, piece.blank]);
    expect(blank("\ta b\t c  ")).toEqual([["\t", "tab"], ["\t", "tab"], ["  ", "end"]]);
    expect(blank("a b")).toEqual([]);
    expect(blank("  ")).toEqual([["  ", "end"]]);
  });
});

describe("two columns", () => {
  const file = (rows: string[]): FileView => ({ path: "/w/a", status: "modified", hunks: [{ oldStart: 1, oldLines: 9, newStart: 1, newLines: 9,
    rows: rows.map((row) => ({ op: row[0] as DiffRow["op"], text: row.slice(1) })) }] });
  const told = (pairs: Pair[]) => pairs.map((pair) => ("left" in pair ? `${pair.left?.row.text ?? "."}|${pair.right?.row.text ?? "."}${pair.start ? "*" : ""}` : "told" in pair ? "told" : "gap"));

  it("put a run side by side and lose no row", () => {
    expect(told(sides(lines(file([" a", "-b", "-c", "+d", " e", "+f", "-g", "+h"]))))).toEqual(["a|a", "b|d*", "c|.", "e|e", ".|f*", "g|h*"]);
  });
  it("keep remarks after their run", () => {
    expect(told(sides(lines(file(["-a", "+a", " b"]))))).toEqual(["a|a*", "told", "b|b"]);
  });
});

describe("colours", () => {
  const never = () => false;
  it("go on over lines", async () => {
    const found = await colours("/w/a.ts", ["const a = 1; /* one", "two", "three */ let b"], never);
    expect(found?.map((row) => row.map(({ from, to, ink }) => [from, to, ink]))).toEqual([
      [[0, 5, "key"], [10, 11, "num"], [13, 19, "note"]], [[0, 3, "note"]], [[0, 8, "note"], [9, 12, "key"]]]);
  });
  it("are left out for unknown languages, very long rows, and when nobody looks", async () => {
    expect(await colours("/w/a.unheard-of", ["const a"], never)).toBeNull();
    const long = `const a = "${"x".repeat(20_000)}"`;
    expect((await colours("/w/a.ts", [long, "const b"], never))?.map((row) => row.length)).toEqual([0, 1]);
    expect(await colours("/w/a.ts", Array.from({ length: 10 }, () => `const a = [${"1, ".repeat(6000)}];`), () => true)).toBeNull();
  });
});
